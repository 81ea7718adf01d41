"""A diff for screen readers: a list of lines, each read out with its number, and what it offers as buttons."""

from typing import Any

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface

from desktop.language import tr
from desktop.ui.changes.diff.canvas import DiffCanvas
from desktop.ui.changes.diff.rows import DiffRow
from desktop.ui.core.accessible import Painted, PaintedRows
from desktop.ui.models.line_key import line_key
from desktop.ui.text.safe_text import safe_line

_Maybe = Any  # an interface or None: Qt takes None here, its stubs do not say so


class DiffList(PaintedRows[tuple[int, DiffRow], "DiffItem"]):
    """The rows of a diff."""

    def __init__(self, view: DiffCanvas) -> None:
        super().__init__(view)
        self.view = view

    def childCount(self) -> int:
        """The number of rows."""
        return len(self.view.rows)

    def child(self, index: int) -> _Maybe:
        """The row at an index; the widget of a comment."""
        if not 0 <= index < len(self.view.rows):
            return None
        row = self.view.rows[index]
        if row.kind in ("comment", "field"):
            box = self.view.box(row)
            return QAccessible.queryAccessibleInterface(box) if box is not None else None
        return self.row((index, row), lambda: DiffItem(self, index, row))

    def childAt(self, x: int, y: int) -> _Maybe:  # noqa: N802 - Qt's name
        """The row at a screen position."""
        return self.child(self.view.row_at(self.view.viewport().mapFromGlobal(QPoint(x, y)).y()))

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """The row's index."""
        return child.index if isinstance(child, DiffItem) else -1

    def focusChild(self) -> _Maybe:  # noqa: N802 - Qt's name
        """The current row."""
        return self.child(self.view.current)


class DiffItem(Painted):
    """One row."""

    def __init__(self, parent: DiffList, index: int, row: DiffRow) -> None:
        super().__init__(parent.view)
        self.view = parent.view
        self.index = index
        self._row = row
        self._parent = parent
        self._buttons: dict[str, DiffButton] = {}

    def parts(self) -> list[Painted]:
        """The buttons that were asked for."""
        return list(self._buttons.values())

    def isValid(self) -> bool:
        """Whether the row is still there."""
        rows = self.view.rows if super().isValid() else []
        return self.index < len(rows) and rows[self.index] == self._row

    def parent(self) -> _Maybe:
        """The list."""
        return self._parent

    def role(self) -> QAccessible.Role:
        """A list item."""
        return QAccessible.Role.ListItem

    def state(self) -> QAccessible.State:
        """Selected, focused."""
        state = QAccessible.State()
        state.selectable = state.focusable = True
        state.selected = self.view.in_range(self.index)
        state.focused = self.view.current == self.index and self.view.hasFocus()
        return state

    def text(self, kind: QAccessible.Text) -> str:
        """The row as a sentence."""
        if kind is QAccessible.Text.Name and self.isValid():
            return row_sentence(self.view, self._row)
        return f"row:{self.index}" if kind is QAccessible.Text.Identifier else ""

    def rect(self) -> QRect:
        """The row on the screen."""
        if not self.isValid():
            return QRect()
        top, height = self.view.row_top(self.index), self.view.heights[self.index]
        return self.on_screen(QRect(0, top, self.view.viewport().width(), height))

    def childCount(self) -> int:
        """What can be clicked."""
        return len(self.view.hits(self.index)) if self.isValid() else 0

    def child(self, index: int) -> _Maybe:
        """One thing that can be clicked."""
        hits = self.view.hits(self.index) if self.isValid() else []
        if not 0 <= index < len(hits):
            return None
        name = hits[index].name
        if name not in self._buttons:
            self._buttons[name] = DiffButton(self, name)
        return self._buttons[name]

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """Its place in the row."""
        names = [hit.name for hit in self.view.hits(self.index)]
        return names.index(child.name) if isinstance(child, DiffButton) and child.name in names else -1


class DiffButton(Painted):
    """Something that can be clicked in a row."""

    def __init__(self, parent: DiffItem, name: str) -> None:
        super().__init__(parent.view)
        self.view = parent.view
        self.name = name
        self._parent = parent

    def parent(self) -> _Maybe:
        """The row."""
        return self._parent

    def role(self) -> QAccessible.Role:
        """A tick or a button."""
        ticks = self.name == "changes_tick_hunk"
        return QAccessible.Role.CheckBox if ticks else QAccessible.Role.Button

    def state(self) -> QAccessible.State:
        """Whether it is ticked."""
        state = QAccessible.State()
        if self.name == "changes_tick_hunk" and self._parent.isValid():
            row = self.view.rows[self._parent.index]
            state.checkable, state.checked = True, self.view.hunk_state(row.hunk) == 2
        return state

    def text(self, kind: QAccessible.Text) -> str:
        """What it does; its name as identifier."""
        if kind is QAccessible.Text.Identifier:
            return self.name
        hits = self.view.hits(self._parent.index) if self._parent.isValid() else []
        return next((hit.label for hit in hits if hit.name == self.name and kind is QAccessible.Text.Name), "")

    def rect(self) -> QRect:
        """Where it is on the screen."""
        hits = self.view.hits(self._parent.index) if self._parent.isValid() else []
        rect = next((hit.rect for hit in hits if hit.name == self.name), QRect())
        return self.on_screen(rect.translated(0, self.view.row_top(self._parent.index)))


def row_sentence(view: DiffCanvas, row: DiffRow) -> str:
    """A row as it is read out: "added, line 4: return x"; "line 3: same"; "12 lines not shown"."""
    if row.kind != "line":
        return view.head_words(row) or tr("Change")
    if row.left >= 0 and row.right >= 0 and row.left != row.right:
        return f"{_line_sentence(view, row, row.left)}; {_line_sentence(view, row, row.right)}"
    return _line_sentence(view, row, row.line)


def _line_sentence(view: DiffCanvas, row: DiffRow, at: int) -> str:
    line = view.line(row.hunk, at)
    parts = {"+": [tr("added")], "-": [tr("removed")], " ": []}[line.kind]
    parts = [*parts, tr("line {number}", number=line.new or line.old)]
    if view.shape_of.can_tick and line.kind != " " and view.ticked(line_key(line)):
        parts.append(tr("picked"))
    return f"{', '.join(parts)}: {safe_line(view.layouts.of(row.hunk, at).shown.text)}"
