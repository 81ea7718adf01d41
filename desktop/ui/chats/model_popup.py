"""The list of models: what each endpoint offers, the chosen one ticked; one without a key leads to the settings."""

from PySide6.QtCore import QRect, Signal
from PySide6.QtWidgets import QWidget

from desktop.config.settings import Endpoint
from desktop.domain.display.text import display_text
from desktop.domain.updates import ModelInfo
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.text import format as fmt
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.picker import Picker, PickItem

_WIDTH = 420
_SCRIPTED = "Answers from a script, needs no key"
_MODEL, _KEY = "model:", "key:"


class ModelPopup(Picker):
    """Emits `chosen` with endpoint id and model, or `key_asked` with the endpoint that needs a key."""

    chosen = Signal(str, str)
    key_asked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(("model_popup", "model_search", "model_list"), "Choose model", "Search models", parent)
        self._by_key: dict[str, tuple[str, str]] = {}
        self.picked.connect(self._on_picked)

    def open_for(self, engine: EngineFacts, chosen: tuple[str, str], button: QRect) -> None:
        """Show the models of every endpoint at the button; `chosen` is endpoint id and model."""
        items = []
        self._by_key = {}
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
                items.append(PickItem(key, "Add key…", icon="key", below=label))
        self.set_items(items)
        width = theme().px(_WIDTH)
        self.open_at(QRect(button.right() - width, button.top(), width, button.height()))

    def _on_picked(self, key: str) -> None:
        endpoint_id, model = self._by_key[key]
        if key.startswith(_KEY):
            self.key_asked.emit(endpoint_id)
        else:
            self.chosen.emit(endpoint_id, model)


def _name(model: ModelInfo, label: str) -> str:
    """The model's name, written as the endpoint's where both are the same."""
    name = display_text(model.name or model.id)
    return label if name.casefold() == label.casefold() else name


def _below(model: ModelInfo, endpoint: Endpoint) -> str:
    """Who offers it and how much it can read; never blank."""
    label = display_text(endpoint.label)
    if endpoint.is_demo:
        return _SCRIPTED
    window = f"{fmt.tokens(model.window)} context" if model.window else ""
    return " · ".join(part for part in (label, window) if part) or endpoint.id
