"""The transcript for screen readers: a list "Messages", its rows as items, what can be clicked as their buttons."""

from typing import Any

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface

from desktop.ui.chats.folds.row_words import accessible_text
from desktop.ui.chats.folds.rows import WRITTEN
from desktop.ui.chats.transcript.canvas import TranscriptCanvas
from desktop.ui.core.accessible import Painted, PaintedRows
from desktop.ui.text.safe_text import prose_line, safe_line

_Maybe = Any  # an interface or None: Qt takes None here, its stubs do not say so


class TranscriptList(PaintedRows[str, "TranscriptItem"]):
    """The list of rows."""

    def __init__(self, view: TranscriptCanvas) -> None:
        super().__init__(view)
        self.view = view

    def childCount(self) -> int:
        """The number of rows."""
        return len(self.view.model.rows)

    def child(self, index: int) -> _Maybe:
        """The row at an index."""
        if not 0 <= index < len(self.view.model.rows):
            return None
        key = self.view.model.rows[index].key
        return self.row(key, lambda: TranscriptItem(self, key))

    def childAt(self, x: int, y: int) -> _Maybe:  # noqa: N802 - Qt's name
        """The row at a screen position."""
        return self.child(self.view.row_at(self.view.viewport().mapFromGlobal(QPoint(x, y)).y()))

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """The row's index."""
        return self.view.model.index_of(child.key) if isinstance(child, TranscriptItem) else -1

    def focusChild(self) -> _Maybe:  # noqa: N802 - Qt's name
        """The current row."""
        return self.child(self.view.model.index_of(self.view.current_row))


class TranscriptItem(Painted):
    """One row."""

    def __init__(self, parent: TranscriptList, key: str) -> None:
        super().__init__(parent.view)
        self.view = parent.view
        self.key = key
        self._parent = parent
        self._buttons: dict[str, TranscriptButton] = {}

    def parts(self) -> list[Painted]:
        """The buttons that were asked for."""
        return list(self._buttons.values())

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
            row = self.view.model.rows[self._index]
            return (prose_line if row.kind in WRITTEN else safe_line)(accessible_text(row))
        return self.key if kind is QAccessible.Text.Identifier else ""

    def rect(self) -> QRect:
        """The row on the screen."""
        index = self._index
        if index < 0:
            return QRect()
        left, width = self.view.column
        return self.on_screen(QRect(left, self.view.row_top(index), width, self.view.layouts.heights[index]))

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
        if names[index] not in self._buttons:
            self._buttons[names[index]] = TranscriptButton(self, names[index])
        return self._buttons[names[index]]

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """Its place in the row."""
        names = self._names()
        return names.index(child.name) if isinstance(child, TranscriptButton) and child.name in names else -1


class TranscriptButton(Painted):
    """One hit area of a row."""

    def __init__(self, parent: TranscriptItem, name: str) -> None:
        super().__init__(parent.view)
        self.view = parent.view
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
        return self.on_screen(rect.translated(self.view.column[0], self.view.row_top(index)))
