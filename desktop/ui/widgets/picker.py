"""Picker: a field and a list that is searched by what is typed; the command palette and the model list are such."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QLineEdit, QVBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.text.fuzzy import fuzzy_score
from desktop.ui.theme.shadow import add_shadow
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT, SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.pick_list import PickItem as PickItem
from desktop.ui.widgets.pick_list import PickList

_SHOWN_ROWS = 10


class Picker(QFrame):
    """Lies over its window. Enter or a click emits `picked` with the entry's key and closes it; so do, without a pick,
    Esc, a click elsewhere, and the focus going elsewhere. Closing gives the focus back to where it was."""

    picked = Signal(str)

    def __init__(self, names: tuple[str, str, str], title: str, placeholder: str, parent: QWidget) -> None:
        """`names`: object names of the popup, the field and the list; `title`: its accessible name."""
        super().__init__(parent.window())
        self.hide()
        self._items: tuple[PickItem, ...] = ()
        self._before: QWidget | None = None
        self._above = False
        self._size_of_window = QSize()
        self._accepts: Callable[[str], tuple[str, str]] = _everything
        self.setObjectName(names[0])
        self.setAccessibleName(title)
        self.setProperty("kind", "popup")
        add_shadow(self)
        self.field = QLineEdit(self)
        self.field.setObjectName(names[1])
        self.field.setAccessibleName(title)
        self.field.setPlaceholderText(placeholder)
        self.list = PickList(names[2], self)
        self.nothing = QLabel("", self)
        self.nothing.setTextFormat(Qt.TextFormat.PlainText)
        self.nothing.setProperty("kind", "muted")
        self.nothing.setIndent(theme().px(SPACE_3))  # where rows begin
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_1, SPACE_2, SPACE_1, SPACE_2), SPACE_2)
        head = QVBoxLayout()
        set_gaps(head, (SPACE_1, 0, SPACE_1, 0), SPACE_2)
        head.addWidget(self.field)
        head.addWidget(self.nothing)
        layout.addLayout(head)
        layout.addWidget(self.list, 1)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.list.clicked.connect(self._pick)

    def set_items(self, items: Sequence[PickItem], accepts: Callable[[str], tuple[str, str]] | None = None) -> None:
        """Set the entries that can be picked, in order. `accepts` splits what is typed into a key prefix and the words
        to look for."""
        self._items = tuple(items)
        self._accepts = accepts or _everything
        self._search(self.field.text())

    def open_at(self, rect: QRect, text: str = "") -> None:
        """Show it under (or, without room, over) this global rectangle, as wide as that."""
        self.field.setText(text)
        self._search(text)
        window, gap = self.window(), theme().px(SPACE_1)
        area = self.parentWidget() or self
        origin = area.mapFromGlobal(rect.topLeft())
        height = min(self.sizeHint().height(), area.height() - 2 * gap)
        top = origin.y() + rect.height() + gap
        self._above = top + height > area.height()
        if self._above:
            top = max(gap, origin.y() - height - gap)
        left = min(max(gap, origin.x()), max(gap, area.width() - rect.width() - gap))
        self.setGeometry(left, top, rect.width(), height)
        self._before, self._size_of_window = window.focusWidget(), window.size()
        self.show()
        self.raise_()
        self.field.setFocus()
        self._watch_application(True)

    def sizeHint(self) -> QSize:
        """Up to ten rows of what matches."""
        rows = min(_SHOWN_ROWS, max(1, len(self.list.items)))
        height = self._items[0].height if self._items else CONTROL_HEIGHT
        return QSize(theme().px(320), theme().px(height * rows + CONTROL_HEIGHT + 3 * SPACE_2) + 2)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up and Down move in the list while the field keeps the focus; Enter picks; a click elsewhere closes, and so
        does another size of the window: what it was opened at is elsewhere then."""
        if event.type() == QEvent.Type.Resize and watched is self.window() and watched.size() != self._size_of_window:
            self.dismiss()
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(watched, QWidget) and self._outside(watched):
            self.dismiss(give_back=False)
        if watched is self.field and event.type() == QEvent.Type.FocusOut and self.isVisible():
            self.dismiss(give_back=False)
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key = event.key()
            if key in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
                step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -10}.get(Qt.Key(key), 10)
                self.list.step(step)
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._pick(self.list.currentIndex())
                return True
            if key == Qt.Key.Key_Escape:
                self.dismiss()
                return True
        return super().eventFilter(watched, event)

    def dismiss(self, *, give_back: bool = True) -> None:
        """Close it; `give_back` the focus to where it was."""
        if self.isHidden():
            return
        before, self._before = self._before, None
        self._watch_application(False)
        self.hide()
        if give_back and before is not None:
            before.setFocus()

    def _watch_application(self, watched: bool) -> None:
        """See clicks elsewhere, only while it is open."""
        application = QApplication.instance()
        if application is not None:
            application.installEventFilter(self) if watched else application.removeEventFilter(self)

    def _outside(self, widget: QWidget) -> bool:
        return (
            self.isVisible()
            and widget is not self
            and not self.isAncestorOf(widget)
            and widget.window() is self.window()
        )

    def _search(self, text: str) -> None:
        prefix, words = self._accepts(text)
        scored = []
        for at, item in enumerate(self._items):
            score = (
                fuzzy_score(words, f"{item.title} {item.detail} {item.below}") if item.key.startswith(prefix) else None
            )
            if score is not None:
                scored.append((-score, at, item))
        self.list.show_items([item for _, _, item in sorted(scored, key=lambda entry: entry[:2])])
        self.nothing.setText(tr("Nothing matches “{text}”.", text=text))
        self.nothing.setVisible(not scored)
        self.list.setVisible(bool(scored))
        if self.isVisible():
            self._fit()

    def _fit(self) -> None:
        """As high as what matches needs, staying where it touches what it was opened at."""
        area = self.parentWidget() or self
        frame, gap = self.geometry(), theme().px(SPACE_1)
        room = frame.bottom() + 1 - gap if self._above else area.height() - gap - frame.top()
        height = min(self.sizeHint().height(), room)
        top = frame.bottom() + 1 - height if self._above else frame.top()
        self.setGeometry(frame.left(), top, frame.width(), height)

    def _pick(self, index: QModelIndex) -> None:
        key = self.list.key_at(index)
        if key:
            self.dismiss()
            self.picked.emit(key)


def _everything(text: str) -> tuple[str, str]:
    return "", text.strip()
