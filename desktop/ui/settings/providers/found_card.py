"""FoundCard: a model service that the environment names: where it is, whether it is used, and a button to set it up."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.config.found import FoundService
from desktop.domain.display.text import display_text
from desktop.domain.updates import KeyState
from desktop.language import tr
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.chip import Chip
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAME = "settings_providers_found"
_USED = tr("It is used, because no service of its kind is set up here. Set it up to choose its models and prices.")
_NO_MODEL = tr("Set it up to choose its model; until then no chat uses it.")
_UNUSED = tr("It is not used, because a service of its kind is set up here.")


class FoundCard(QFrame):
    """`set_up_asked` carries the service's id."""

    set_up_asked = Signal(str)

    def __init__(self, found: FoundService, parent: QWidget) -> None:
        super().__init__(parent)
        self._id = found.endpoint.id
        self.setObjectName(_NAME)
        self.setProperty("kind", "card")
        self.setProperty("item_id", self._id)
        label = display_text(found.endpoint.label)
        self.setAccessibleName(tr("{label}, found in your environment", label=label))
        title = plain_label(self, "title", wrap=False)
        title.setText(label)
        self._where = plain_label(self, "muted", f"{_NAME}_where")
        self._state = plain_label(self, "", f"{_NAME}_state")
        self._set_up = push_button(tr("Set up…"), f"{_NAME}_set_up", self)
        self._set_up.setAccessibleName(tr("Set up {label}", label=label))
        self._set_up.clicked.connect(self._on_set_up)
        head = QHBoxLayout()
        set_gaps(head, spacing=SPACE_2)
        head.addWidget(title)
        head.addWidget(Chip(tr("in your environment"), "neutral", self))
        head.addStretch(1)
        head.addWidget(self._set_up)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_4, SPACE_4), SPACE_2)
        layout.addLayout(head)
        layout.addWidget(self._where)
        layout.addWidget(self._state)

    def show_found(self, found: FoundService, key: KeyState) -> None:
        """Where it is, and whether it is used. `key`: what is known of its key."""
        address = display_text(found.endpoint.base_url)
        variable = found.address_from
        parts = [tr("{address} from {variable}", address=address, variable=variable) if variable else address]
        if found.key_from:
            tail = display_text(key.tail)
            parts.append(
                tr("key ••••{tail} from {variable}", tail=tail, variable=found.key_from)
                if tail
                else tr("key from {variable}", variable=found.key_from)
            )
        self._where.setText(" · ".join(parts))
        self._state.setText(_UNUSED if not found.used else _USED if found.endpoint.default_model else _NO_MODEL)
        self._set_up.setVisible(found.used)

    def _on_set_up(self) -> None:
        self.set_up_asked.emit(self._id)
