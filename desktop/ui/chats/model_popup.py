"""The list of models: what each endpoint offers, the chosen one ticked; one without a key leads to the settings. For
a new chat the agents of others stand below them, in a chat of one what can be chosen of it."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, Signal
from PySide6.QtWidgets import QWidget

from desktop.config.settings import Endpoint
from desktop.domain.display.text import display_text
from desktop.domain.guests.values import OWN_DRIVER, GuestOption, guest_endpoint, guest_of
from desktop.domain.updates import ModelInfo
from desktop.language import tr
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.text import format as fmt
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.picker import Picker, PickItem

_WIDTH = 420
_SCRIPTED = tr("Answers from a script, needs no key")
_MODEL, _KEY, _AGENT, _OPTION, _NEXT, _AGENTS = "model:", "key:", "agent:", "option:", "next:", "agents"
_OF_OTHERS = tr("External agent")
_SEVERAL = "several"


class ModelPopup(Picker):
    """Emits `chosen` with endpoint id and model, or `key_asked` with the endpoint that needs a key; `agent_chosen` with
    an agent of others, `agents_asked` where another one is to be set up, `option_chosen` with an option of the agent
    and its value; `several_asked`: the message is to go to several of them; `successor_chosen` with who goes on with
    the chat."""

    chosen = Signal(str, str)
    key_asked = Signal(str)
    agent_chosen = Signal(str)
    agents_asked = Signal()
    successor_chosen = Signal(str)
    option_chosen = Signal(str, str)
    several_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(("model_popup", "model_search", "model_list"), tr("Choose model"), tr("Search models"), parent)
        self._by_key: dict[str, tuple[str, str]] = {}
        self.picked.connect(self._on_picked)

    def open_for(self, engine: EngineFacts, chosen: tuple[str, str], button: QRect, *, new: bool = False) -> None:
        """Show the models of every endpoint at the button; `chosen` is endpoint id and model. `new`: of a new chat,
        which may have another agent."""
        self._by_key = {}
        self.set_items([*self._model_items(engine, chosen), *(self._agent_items(engine, chosen[0]) if new else ())])
        self._open(button)

    def open_options(self, label: str, options: Sequence[GuestOption], button: QRect) -> None:
        """Show what can be chosen of the agent of this chat."""
        self._by_key = {}
        items = []
        for option in options:
            for choice in option.choices:
                key = f"{_OPTION}{option.id}:{choice.value}"
                self._by_key[key] = (option.id, choice.value)
                below = " · ".join(map(display_text, filter(None, (label, option.name, choice.about))))
                items.append(PickItem(key, display_text(choice.name), chosen=choice.value == option.value, below=below))
        self.set_items(items)
        self._open(button)

    def open_successors(self, engine: EngineFacts, endpoint_id: str, button: QRect) -> None:
        """Show who can go on with the chat that has this endpoint."""
        self._by_key = {}
        self.set_items(self._successors(engine, endpoint_id))
        self._open(button, tr("Search agents"))

    def show_successors(self, engine: EngineFacts, endpoint_id: str) -> None:
        """The agents are known now: put them into the open list."""
        if self.isVisible():
            self._by_key = {}
            self.set_items(self._successors(engine, endpoint_id))

    def _successors(self, engine: EngineFacts, endpoint_id: str) -> list[PickItem]:
        items = []
        if guest_of(endpoint_id):
            endpoint = engine.endpoint(engine.default_endpoint)
            model = display_text(endpoint.default_model) if endpoint is not None else ""
            self._by_key[_NEXT + OWN_DRIVER] = (OWN_DRIVER, "")
            below = tr("With {model}, as a fork of this chat", model=model) if model else tr("As a fork of this chat")
            items.append(PickItem(_NEXT + OWN_DRIVER, tr("Banksman"), icon="git-fork", below=below))
        for listed in engine.guests or ():
            if guest_endpoint(listed.id) != endpoint_id and not engine.guest_missing(listed.id):
                self._by_key[_NEXT + listed.id] = (listed.id, "")
                label, below = (
                    engine.guest_label(listed.id),
                    tr("External agent, as a fork of this chat"),
                )
                items.append(PickItem(_NEXT + listed.id, label, icon="git-fork", below=below))
        self._by_key[_AGENTS] = ("", "")
        items.append(
            PickItem(_AGENTS, tr("More agents…"), icon="bot", below=tr("Which there are, and how to install them"))
        )
        return items

    def show_again(self, engine: EngineFacts, chosen: tuple[str, str], *, new: bool) -> None:
        """More is known now: put it into the open list. `new` as in `open_for`."""
        if self.isVisible():
            self._by_key = {}
            agents = self._agent_items(engine, chosen[0]) if new else ()
            self.set_items([*self._model_items(engine, chosen), *agents])

    def _open(self, button: QRect, placeholder: str = tr("Search models")) -> None:
        self.field.setPlaceholderText(placeholder)
        width = theme().px(_WIDTH)
        self.open_at(QRect(button.right() - width, button.top(), width, button.height()))

    def _agent_items(self, engine: EngineFacts, endpoint_id: str) -> list[PickItem]:
        items = []
        for listed in engine.guests or ():
            if not engine.guest_missing(listed.id):
                key, ticked = f"{_AGENT}{listed.id}", guest_endpoint(listed.id) == endpoint_id
                self._by_key[key] = (listed.id, "")
                through = engine.endpoint(listed.endpoint_id)
                own = (
                    tr("asks {service}", service=display_text(through.label))
                    if through is not None
                    else tr("with its own sign-in")
                )
                below = f"{_OF_OTHERS} · {own}"
                items.append(PickItem(key, engine.guest_label(listed.id), chosen=ticked, below=below))
        if any(engine.guest_missing(listed.id) for listed in engine.guests or ()):
            self._by_key[_AGENTS] = ("", "")
            items.append(
                PickItem(_AGENTS, tr("More agents…"), icon="bot", below=tr("Which there are, and how to install them"))
            )
        self._by_key[_SEVERAL] = ("", "")
        items.append(
            PickItem(
                _SEVERAL, tr("Send to several…"), icon="columns-2", below=tr("Each in a lane of its own, compared")
            )
        )
        return items

    def _model_items(self, engine: EngineFacts, chosen: tuple[str, str]) -> list[PickItem]:
        items = []
        for endpoint in engine.endpoints():
            label = display_text(endpoint.label)
            models = engine.models(endpoint)
            for model in models:
                key = f"{_MODEL}{endpoint.id}:{model.id}"
                self._by_key[key] = (endpoint.id, model.id)
                ticked = chosen == (endpoint.id, model.id)
                items.append(PickItem(key, _name(model, label), chosen=ticked, below=_below(model, endpoint)))
            if engine.key_missing(endpoint.id):
                key = _KEY + endpoint.id
                self._by_key[key] = (endpoint.id, "")
                items.append(PickItem(key, tr("Add key…"), icon="key", below=label))
        return items

    def _on_picked(self, key: str) -> None:
        endpoint_id, model = self._by_key[key]
        if key == _AGENTS:
            self.agents_asked.emit()
        elif key == _SEVERAL:
            self.several_asked.emit()
        elif key.startswith(_NEXT):
            self.successor_chosen.emit(endpoint_id)
        elif key.startswith(_AGENT):
            self.agent_chosen.emit(endpoint_id)
        elif key.startswith(_OPTION):
            self.option_chosen.emit(endpoint_id, model)
        elif key.startswith(_KEY):
            self.key_asked.emit(endpoint_id)
        else:
            self.chosen.emit(endpoint_id, model)


def _name(model: ModelInfo, label: str) -> str:
    """The model's name, written as the endpoint's where both are the same."""
    name = display_text(model.name or model.id)
    return label if name.casefold() == label.casefold() else name


def _below(model: ModelInfo, endpoint: Endpoint) -> str:
    """Who offers it, how much it can read and what it costs; never blank."""
    label = display_text(endpoint.label)
    if endpoint.is_demo:
        return _SCRIPTED
    window = tr("{amount} context", amount=fmt.tokens(model.window)) if model.window else ""
    price = fmt.price(model.input_microusd, model.output_microusd)
    return " · ".join(part for part in (label, window, price) if part) or endpoint.id
