"""ModelField: the model of new chats: chosen from what the service lists, typed where it lists none."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.domain.core.service_kinds import ServiceField
from desktop.domain.display.text import display_text
from desktop.domain.updates import ModelInfo
from desktop.language import tr
from desktop.ui.settings.fields import Field
from desktop.ui.text import format as fmt
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.picker import Picker, PickItem

_LABEL = tr("Model of new chats")


class ModelField(Field):
    """Object names begin with `prefix`. `chosen`: its value is another one."""

    chosen = Signal()

    def __init__(self, prefix: str, parent: QWidget) -> None:
        super().__init__(_LABEL, f"{prefix}_model", parent)
        self._models: tuple[ModelInfo, ...] = ()
        self._picked = ""
        self._name = ElidedLabel("", self)
        self._name.setObjectName(f"{prefix}_model_name")
        self._choose = push_button(tr("Choose…"), f"{prefix}_model_choose", self)
        self._choose.clicked.connect(self._on_choose)
        self._typed = QLineEdit(self)
        self._typed.setObjectName(f"{prefix}_model")
        self._typed.setAccessibleName(_LABEL)
        self._typed.textEdited.connect(self.chosen)
        names = (f"{prefix}_model_popup", f"{prefix}_model_search", f"{prefix}_model_list")
        self._picker = Picker(names, tr("Models"), tr("Search models"), self)
        self._picker.picked.connect(self._on_picked)
        self.row.addWidget(self._name, 1)
        self.row.addWidget(self._choose)
        self.row.addWidget(self._typed, 1)
        self.show_models((), listed=False)

    @property
    def value(self) -> str:
        """The id of the model, "" for none yet."""
        return self._picked if self.lists else self._typed.text().strip()

    @property
    def lists(self) -> bool:
        """Whether the service lists models, so that none is typed."""
        return bool(self._models)

    @property
    def focusable(self) -> tuple[QWidget, ...]:
        """What takes the keyboard, in order."""
        return self._choose, self._typed

    def set_words(self, asked: ServiceField | None) -> None:
        """What a kind of service says of it."""
        self._typed.setPlaceholderText(display_text(asked.example) if asked is not None else "")

    def show_models(self, models: Sequence[ModelInfo], *, listed: bool) -> None:
        """What the service has; one alone is chosen. `listed`: it told."""
        self._models = tuple(models)
        self._picked = models[0].id if len(models) == 1 else ""
        self._choose.setVisible(listed)
        self._typed.setVisible(not listed)
        self._typed.clear()
        self._show()

    def take_focus(self) -> None:
        """To what chooses it."""
        (self._choose if self.lists else self._typed).setFocus()

    def _show(self) -> None:
        model = next((one for one in self._models if one.id == self._picked), None)
        words = " · ".join(filter(None, (display_text(model.name or model.id), model_words(model)))) if model else ""
        self._name.set_full_text(words or tr("{models} to choose from", models=fmt.count(len(self._models), "model")))
        self._name.setVisible(self.lists)

    def _on_choose(self) -> None:
        self._picker.set_items(model_items(self._models, self._picked))
        below = self._choose.mapToGlobal(self._choose.rect().topRight())
        width = self.width()
        self._picker.open_at(QRect(below.x() - width, below.y(), width, self._choose.height()))

    def _on_picked(self, model: str) -> None:
        self._picked = model
        self._show()
        self.chosen.emit()


def model_items(models: Sequence[ModelInfo], chosen: str) -> list[PickItem]:
    """Models to choose from with what is known of each, the chosen one ticked."""
    tells = any(model_words(model) for model in models)
    return [
        PickItem(
            model.id,
            display_text(model.name or model.id),
            chosen=model.id == chosen,
            below=(model_words(model) or display_text(model.id)) if tells else "",
        )
        for model in models
    ]


def model_words(model: ModelInfo) -> str:
    """How much it can read and what it costs, as far as that is known."""
    window = tr("{tokens} context", tokens=fmt.tokens(model.window)) if model.window else ""
    return " · ".join(filter(None, (window, fmt.price(model.input_microusd, model.output_microusd))))
