"""SlashPopup: what fits what is typed after `/` or `@`, over a field, which keeps the focus."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.theme.shadow import add_shadow
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT, SPACE_1, SPACE_2
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.pick_list import PickItem, PickList

_ROWS = 8
_MOVES = (QEvent.Type.Move, QEvent.Type.Resize)


class SlashPopup(QFrame):
    """Emits `picked` with the key of an entry that was clicked; keys of the field are given to `step` and `current`."""

    picked = Signal(str)

    def __init__(self, anchor: QWidget, name: str = "slash", label: str = tr("Commands")) -> None:
        """`anchor`: the widget over which it opens, as wide as that."""
        super().__init__(anchor.window())
        self.hide()
        self._anchor = anchor
        self.setObjectName(f"{name}_popup")
        self.setAccessibleName(label)
        self.setProperty("kind", "popup")
        add_shadow(self)
        self._list = PickList(f"{name}_list", self)
        self._list.clicked.connect(self._on_clicked)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_1, SPACE_2, SPACE_1, SPACE_2), 0)
        layout.addWidget(self._list)
        self._placing = QTimer(self)
        self._placing.setSingleShot(True)
        self._placing.setInterval(0)
        self._placing.timeout.connect(self._place)
        for watched in (anchor, anchor.window()):
            watched.installEventFilter(self)

    @property
    def current(self) -> str:
        """The key of the chosen entry, "" when it is closed."""
        return self._list.key_at(self._list.currentIndex()) if self.isVisible() else ""

    @property
    def current_words(self) -> str:
        """What a screen reader says of the chosen entry, "" when it is closed."""
        if not self.isVisible():
            return ""
        return str(self._list.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole) or "")

    @property
    def keys(self) -> list[str]:
        """What is listed, while it is open."""
        return [item.key for item in self._list.items] if self.isVisible() else []

    def show_items(self, items: Sequence[PickItem]) -> None:
        """Open with these entries, or close when there are none."""
        if not items:
            self.hide()
            return
        self._list.show_items(items)
        self._place()
        self.show()
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay over the field when that moves or the window gets another size."""
        if event.type() in _MOVES and self.isVisible():
            self._placing.start()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        if not self._list.items:
            return
        px = theme().px
        area = self.parentWidget() or self
        origin = area.mapFromGlobal(self._anchor.mapToGlobal(QPoint(0, 0)))
        room = max(px(CONTROL_HEIGHT), origin.y() - 2 * px(SPACE_1))
        height = min(px(CONTROL_HEIGHT) * min(_ROWS, len(self._list.items)) + 2 * px(SPACE_2) + 2, room)
        self.setGeometry(origin.x(), origin.y() - height - px(SPACE_1), self._anchor.width(), height)

    def step(self, step: int) -> None:
        """Choose an entry further down, or up."""
        self._list.step(step)

    def _on_clicked(self, index: QModelIndex) -> None:
        key = self._list.key_at(index)
        self.hide()
        if key:
            self.picked.emit(key)
