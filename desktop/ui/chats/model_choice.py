"""ModelChoice: the model of the chat on screen, and who carries out a new one: what can be chosen, and what becomes of
it."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QRect, Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.chats.commands import ContinueWith
from desktop.domain.commands import CheckEndpoint
from desktop.domain.core.ids import new_session_id
from desktop.domain.guests.commands import ListGuests, SetGuestOption
from desktop.domain.guests.updates import GuestsListed
from desktop.domain.updates import EndpointChecked
from desktop.ui.chats.book import ChatFacts
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.chats.model_popup import ModelPopup
from desktop.ui.chats.new_chat import NewChat
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.requests import Request, answer


class ModelChoice(QObject):
    """`facts`: of the chat on screen, None where it is a new one. `changed`: something was chosen, or can be now;
    `key_asked`: of an endpoint; `settings_asked`: a page of them; `several_asked`: the message is to go to several."""

    changed = Signal()
    key_asked = Signal(str)
    settings_asked = Signal(str)
    several_asked = Signal()

    def __init__(
        self,
        commands: ChatCommands,
        engine: EngineFacts,
        new: NewChat,
        facts: Callable[[], ChatFacts | None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._commands, self._engine, self._new, self._facts = commands, engine, new, facts
        self._looking = Request()
        self._popup = ModelPopup(parent)
        self._popup.chosen.connect(self._on_model)
        self._popup.agent_chosen.connect(self._on_agent)
        self._popup.option_chosen.connect(self._on_option)
        self._popup.key_asked.connect(self.key_asked)
        self._popup.successor_chosen.connect(self._on_successor)
        self._popup.several_asked.connect(self.several_asked)
        self._popup.agents_asked.connect(lambda: self.settings_asked.emit("agents"))

    def open(self, button: QRect) -> None:
        """Show what can be chosen at the button. Agents are looked for each time: one may have been installed."""
        facts = self._facts()
        if facts is not None and facts.guest_id:
            options = facts.guest.options if facts.guest is not None else ()
            self._popup.open_options(self._engine.guest_label(facts.guest_id), options, button)
            return
        self._popup.open_for(self._engine, self._chosen, button, new=facts is None)
        self._ask_models()
        if facts is None:
            self._look()

    def _ask_models(self) -> None:
        """Have the services list their models that have not told them yet."""
        for endpoint in self._engine.endpoints():
            unasked = not endpoint.is_demo and not self._engine.lists_models(endpoint.id)
            if unasked and self._engine.ready and not self._engine.key_missing(endpoint.id):
                told = answer(EndpointChecked, self._on_models)
                self._commands.requests.ask(CheckEndpoint(endpoint=endpoint), self, told)

    def _on_models(self, _told: EndpointChecked) -> None:
        self._popup.show_again(self._engine, self._chosen, new=self._facts() is None)

    def open_successors(self, button: QRect) -> None:
        """Show at the button who can go on with the chat on screen, as a fork (guests-A52)."""
        facts = self._facts()
        if facts is not None:
            self._popup.open_successors(self._engine, facts.endpoint_id, button)
            told = answer(GuestsListed, self._on_successors)
            self._looking = self._commands.requests.ask(ListGuests(), self, told)

    def need_agents(self) -> None:
        """The chat on screen, or the next one, is an agent's: ask once what is known of it."""
        facts = self._facts()
        needed = facts.guest_id if facts is not None else self._new.guest_id
        if needed and self._engine.ready and self._engine.guests is None and not self._looking.is_waiting:
            self._look()

    @property
    def _chosen(self) -> tuple[str, str]:
        facts = self._facts()
        return (facts.endpoint_id, facts.model) if facts is not None else self._new.model

    def _look(self) -> None:
        self._looking = self._commands.requests.ask(ListGuests(), self, answer(GuestsListed, self._on_listed))

    def _on_listed(self, _listed: GuestsListed) -> None:
        self._popup.show_again(self._engine, self._chosen, new=True)
        self.changed.emit()

    def _on_successors(self, _listed: GuestsListed) -> None:
        facts = self._facts()
        if facts is not None:
            self._popup.show_successors(self._engine, facts.endpoint_id)
            self.changed.emit()

    def _on_successor(self, driver: str) -> None:
        facts = self._facts()
        if facts is not None:
            fork = new_session_id()
            self._commands.send(ContinueWith(session_id=facts.session_id, new_session_id=fork, driver=driver))

    def _on_model(self, endpoint_id: str, model: str) -> None:
        facts = self._facts()
        if facts is not None:
            self._commands.set_model(facts.session_id, endpoint_id, model, facts.thinking)
        else:
            self._new.choose_model(endpoint_id, model)
        self.changed.emit()

    def _on_agent(self, guest_id: str) -> None:
        self._new.choose_agent(guest_id)
        self.changed.emit()

    def _on_option(self, option_id: str, value: str) -> None:
        facts = self._facts()
        if facts is not None:
            self._commands.send(SetGuestOption(session_id=facts.session_id, option_id=option_id, value=value))


def reads_images(facts: ChatFacts | None, new: NewChat, engine: EngineFacts) -> bool:
    """Whether the model or the agent of a chat takes pictures. `facts` None: of the one that is begun next."""
    if facts is not None and facts.guest_id:
        return facts.guest is not None and facts.guest.abilities.image
    return engine.reads_images(new.model[0] if facts is None else facts.endpoint_id)
