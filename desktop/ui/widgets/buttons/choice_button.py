"""ChoiceButton: a button that shows what is chosen, and opens a searched list of what can be."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.language import tr
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import ICON_LINE, SPACE_2
from desktop.ui.widgets.buttons.elided_button import ElidedButton
from desktop.ui.widgets.picker import Picker, PickItem

_WIDTH = 380


class ChoiceButton(ElidedButton):
    """`chosen` carries the key that a person picked. `name` is the button's object name; the list's are `<name>_popup`,
    `<name>_search` and `<name>_list`. `label`: what is chosen here, for assistive programs."""

    chosen = Signal(str)

    def __init__(self, name: str, label: str, parent: QWidget) -> None:
        super().__init__("", parent)
        self._label = label
        self._items: tuple[PickItem, ...] = ()
        self._picker: Picker | None = None
        self.value = ""
        self.setObjectName(name)
        self.setProperty("kind", "choice")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self.open_list)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The button, and the arrow of a list at its end."""
        super().paintEvent(event)
        side, gap = theme().px(ICON_LINE), theme().px(SPACE_2)
        painter = QPainter(self)
        arrow = pixmap("chevron-down", "muted", ICON_LINE, self.devicePixelRatio())
        painter.drawPixmap(self.width() - side - gap, (self.height() - side) // 2, arrow)
        painter.end()

    def room(self) -> int:
        """Without the arrow."""
        return super().room() - theme().px(ICON_LINE + SPACE_2)

    def set_items(self, items: Sequence[PickItem]) -> None:
        """Set the choices; a chosen one that is not among them any more is chosen no more."""
        self._items = tuple(items)
        if self.value not in {item.key for item in items}:
            self.value = items[0].key if items else ""
        self._show()
        if self._picker is not None:
            self._picker.set_items(self._ticked())

    def set_value(self, key: str) -> None:
        """Show this one as chosen."""
        self.value = key
        self._show()

    def open_list(self) -> None:
        """Show what can be chosen under the button."""
        if self._picker is None:
            name = self.objectName()
            names = (f"{name}_popup", f"{name}_search", f"{name}_list")
            self._picker = Picker(names, self._label, tr("Search"), self)
            self._picker.picked.connect(self._on_picked)
        self._picker.set_items(self._ticked())
        top = self.mapToGlobal(QPoint(0, 0))
        width = min(max(self.width(), theme().px(_WIDTH)), self.window().width() - 2 * theme().px(SPACE_2))
        self._picker.open_at(QRect(top.x(), top.y(), width, self.height()))

    def _ticked(self) -> list[PickItem]:
        return [
            PickItem(one.key, one.title, one.detail, one.keys, one.icon, one.key == self.value, one.below)
            for one in self._items
        ]

    def _show(self) -> None:
        item = next((one for one in self._items if one.key == self.value), None)
        text = "" if item is None else f"{item.title}  {item.detail}".strip()
        self.set_full_text(text)
        self.setAccessibleName(f"{self._label}: {text}")

    def _on_picked(self, key: str) -> None:
        self.set_value(key)
        self.chosen.emit(key)
