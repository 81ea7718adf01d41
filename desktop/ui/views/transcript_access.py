"""The transcript for screen readers: a list "Messages", its rows as items, what can be clicked as their buttons."""

from typing import Any

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface, QColor
from shiboken6 import isValid

from desktop.ui.models.transcript_rows import accessible_text
from desktop.ui.safe_text import safe_line
from desktop.ui.theme.theme import theme
from desktop.ui.views.transcript_canvas import TranscriptCanvas

_MAX_ROWS_KEPT = 2_000
_Maybe = Any  # an interface, object or window, or None: Qt takes None here, its stubs do not say so


class _Part(QAccessibleInterface):
    """What list, rows and buttons have in common."""

    def __init__(self, view: TranscriptCanvas) -> None:
        super().__init__()
        self.view = view

    def isValid(self) -> bool:
        """Whether the view is still there."""
        return isValid(self.view)

    def object(self) -> _Maybe:
        """No object of its own."""
        return None

    def window(self) -> _Maybe:
        """The view's window."""
        return self.view.window().windowHandle()

    def setText(self, kind: QAccessible.Text, text: str) -> None:  # noqa: N802 - Qt's name
        """Names are not edited."""

    def backgroundColor(self) -> QColor:  # noqa: N802 - Qt's name
        """What rows stand on."""
        return theme().color("surface")

    def foregroundColor(self) -> QColor:  # noqa: N802 - Qt's name
        """What rows are written in."""
        return theme().color("text")

    def focusChild(self) -> _Maybe:  # noqa: N802 - Qt's name
        """Nothing inside has the focus."""
        return None

    def childAt(self, x: int, y: int) -> _Maybe:  # noqa: N802 - Qt's name
        """The child at a screen position."""
        for number in range(self.childCount()):
            child = self.child(number)
            if child is not None and child.rect().contains(x, y):
                return child
        return None

    def child(self, index: int) -> _Maybe:
        """No children."""
        return None

    def childCount(self) -> int:
        """No children."""
        return 0

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """Not a child."""
        return -1

    def _on_screen(self, rect: QRect) -> QRect:
        viewport = self.view.viewport()
        return QRect(viewport.mapToGlobal(rect.topLeft()), rect.size())


class TranscriptList(_Part):
    """The list of rows. Its children are made when asked for."""

    def __init__(self, view: TranscriptCanvas) -> None:
        super().__init__(view)
        self._rows: dict[str, TranscriptItem] = {}

    def object(self) -> _Maybe:
        """The view."""
        return self.view

    def parent(self) -> _Maybe:
        """Whatever the view is in."""
        owner = self.view.parentWidget()
        return QAccessible.queryAccessibleInterface(owner) if owner is not None else None

    def role(self) -> QAccessible.Role:
        """A list."""
        return QAccessible.Role.List

    def state(self) -> QAccessible.State:
        """Can have the focus."""
        state = QAccessible.State()
        state.focusable = True
        state.focused = self.view.hasFocus()
        return state

    def text(self, kind: QAccessible.Text) -> str:
        """ "Messages"; the object name as identifier."""
        if kind is QAccessible.Text.Name:
            return self.view.accessibleName()
        return self.view.objectName() if kind is QAccessible.Text.Identifier else ""

    def rect(self) -> QRect:
        """The viewport on the screen."""
        return self._on_screen(self.view.viewport().rect())

    def childCount(self) -> int:
        """The number of rows."""
        return len(self.view.model.rows)

    def child(self, index: int) -> _Maybe:
        """The row at an index."""
        if not 0 <= index < len(self.view.model.rows):
            return None
        key = self.view.model.rows[index].key
        if len(self._rows) > _MAX_ROWS_KEPT:
            self._rows.clear()
        return self._rows.setdefault(key, TranscriptItem(self, key))

    def childAt(self, x: int, y: int) -> _Maybe:  # noqa: N802 - Qt's name
        """The row at a screen position."""
        return self.child(self.view.row_at(self.view.viewport().mapFromGlobal(QPoint(x, y)).y()))

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """The row's index."""
        return self.view.model.index_of(child.key) if isinstance(child, TranscriptItem) else -1

    def focusChild(self) -> _Maybe:  # noqa: N802 - Qt's name
        """The current row."""
        return self.child(self.view.model.index_of(self.view.current_row))


class TranscriptItem(_Part):
    """One row."""

    def __init__(self, parent: TranscriptList, key: str) -> None:
        super().__init__(parent.view)
        self.key = key
        self._parent = parent
        self._buttons: dict[str, TranscriptButton] = {}

    @property
    def _index(self) -> int:
        return self.view.model.index_of(self.key)

    def isValid(self) -> bool:
        """Whether the row is still there."""
        return super().isValid() and self._index >= 0

    def parent(self) -> _Maybe:
        """The list."""
        return self._parent

    def role(self) -> QAccessible.Role:
        """A list item."""
        return QAccessible.Role.ListItem

    def state(self) -> QAccessible.State:
        """Selected, focused."""
        state = QAccessible.State()
        first, last = self.view.selection.row_range()
        state.selectable = state.focusable = True
        state.selected = first <= self._index <= last
        state.focused = self.view.current_row == self.key and self.view.hasFocus()
        return state

    def text(self, kind: QAccessible.Text) -> str:
        """The row as a sentence; its key as identifier."""
        if self._index < 0:
            return ""
        if kind is QAccessible.Text.Name:
            return safe_line(accessible_text(self.view.model.rows[self._index]))
        return self.key if kind is QAccessible.Text.Identifier else ""

    def rect(self) -> QRect:
        """The row on the screen."""
        index = self._index
        if index < 0:
            return QRect()
        left, width = self.view.column
        return self._on_screen(QRect(left, self.view.row_top(index), width, self.view.layouts.heights[index]))

    def _names(self) -> list[str]:
        if self._index < 0 or not self.view.layouts.width:
            return []
        return [hit.name for hit in self.view.layouts.layout_of(self._index).hits]

    def childCount(self) -> int:
        """What can be clicked."""
        return len(self._names())

    def child(self, index: int) -> _Maybe:
        """One thing that can be clicked."""
        names = self._names()
        if not 0 <= index < len(names):
            return None
        return self._buttons.setdefault(names[index], TranscriptButton(self, names[index]))

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """Its place in the row."""
        names = self._names()
        return names.index(child.name) if isinstance(child, TranscriptButton) and child.name in names else -1


class TranscriptButton(_Part):
    """One hit area of a row."""

    def __init__(self, parent: TranscriptItem, name: str) -> None:
        super().__init__(parent.view)
        self.name = name
        self._parent = parent

    def parent(self) -> _Maybe:
        """The row."""
        return self._parent

    def role(self) -> QAccessible.Role:
        """A button."""
        return QAccessible.Role.Button

    def state(self) -> QAccessible.State:
        """Can be reached by keys."""
        state = QAccessible.State()
        state.focusable = True
        state.focused = self.view.current_row == self._parent.key and self.view.current_hit == self.name
        return state

    def text(self, kind: QAccessible.Text) -> str:
        """What it does; its name as identifier."""
        if kind is QAccessible.Text.Identifier:
            return self.name
        index = self.view.model.index_of(self._parent.key)
        if index < 0 or kind is not QAccessible.Text.Name:
            return ""
        hits = self.view.layouts.layout_of(index).hits
        return next((safe_line(hit.label) for hit in hits if hit.name == self.name), "")

    def rect(self) -> QRect:
        """Where it is on the screen."""
        index = self.view.model.index_of(self._parent.key)
        if index < 0:
            return QRect()
        hits = self.view.layouts.layout_of(index).hits
        rect = next((hit.rect for hit in hits if hit.name == self.name), QRect())
        return self._on_screen(rect.translated(self.view.column[0], self.view.row_top(index)))


_LISTS: dict[int, TranscriptList] = {}
_INSTALLED: list[bool] = []


def _make(name: str, thing: QObject | None) -> _Maybe:
    """The list of a transcript view; nothing for anything else. Kept here, because Qt does not keep it."""
    if not isinstance(thing, TranscriptCanvas):
        return None
    for key in [key for key, made in _LISTS.items() if not made.isValid()]:
        del _LISTS[key]
    return _LISTS.setdefault(id(thing), TranscriptList(thing))


def install_accessibility() -> None:
    """Tell Qt how a transcript is read out. Further calls do nothing."""
    if not _INSTALLED:
        _INSTALLED.append(True)
        QAccessible.installFactory(_make)
