"""DiffView: the keys and the mouse of a diff."""

import re

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from desktop.language import tr
from desktop.ui.changes.diff.access import DiffList
from desktop.ui.changes.diff.actions import DiffActions
from desktop.ui.changes.diff.canvas import Ticked
from desktop.ui.changes.diff.hits import DiffHit
from desktop.ui.changes.diff.rows import Side
from desktop.ui.changes.diff.selection import DiffPlace
from desktop.ui.core.accessible import read_as
from desktop.ui.models.line_key import LineKey

_WORD = re.compile(r"\w+|\s+|.")
NUMBER, TICK, TEXT = "number", "tick", "text"


def _nothing_ticked(_key: LineKey) -> bool:
    return False


class DiffView(DiffActions):
    """N and P go from change to change, Up and Down from line to line (with Shift: several), C comments, R reverts,
    Space ticks, Enter opens the editor or more lines, Ctrl+F and / find. Other keys are its parent's."""

    find_asked = Signal()

    def __init__(self, parent: QWidget, name: str = "changes_diff", ticked: Ticked = _nothing_ticked) -> None:
        read_as(self, DiffList)
        super().__init__(parent, name, ticked)
        self._pressed = ""
        self._side: Side | None = None
        self.viewport().setMouseTracking(True)

    # keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """One of the keys above; what is not for a diff goes on to its parent."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.Find):
            self.find_asked.emit()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.select_all()
        elif not (self._plain_key(event) or self._moved(event)):
            event.ignore()
            return
        event.accept()

    def event(self, event: QEvent) -> bool:
        """Find is looked for here before it is looked for in the chat."""
        wanted = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if wanted and isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Find):
            event.accept()
            return True
        return super().event(event)

    def _plain_key(self, event: QKeyEvent) -> bool:
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        keys = {
            Qt.Key.Key_N: lambda: self.step_change(1),
            Qt.Key.Key_P: lambda: self.step_change(-1),
            Qt.Key.Key_C: self.open_field,
            Qt.Key.Key_Slash: self.find_asked.emit,
            Qt.Key.Key_R: self._revert_chosen,
            Qt.Key.Key_Space: self.tick_current,
            Qt.Key.Key_Return: self._enter,
            Qt.Key.Key_Enter: self._enter,
        }
        act = keys.get(Qt.Key(event.key()))
        if act is None:
            return False
        act()
        return True

    def _moved(self, event: QKeyEvent) -> bool:
        extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        key, bar = Qt.Key(event.key()), self.verticalScrollBar()
        page = max(1, self.viewport().height() // self.layouts.line_height - 2)
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.step_row(1 if key == Qt.Key.Key_Down else -1, extend=extend)
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            here = self.current if self.current >= 0 else max(0, self.row_at(0))
            index = here + (page if key == Qt.Key.Key_PageDown else -page)
            self.go_to(min(max(0, index), len(self.rows) - 1), extend=extend)
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.go_to(0 if key == Qt.Key.Key_Home else len(self.rows) - 1, extend=extend)
            bar.setValue(0 if key == Qt.Key.Key_Home else bar.maximum())
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            sideways = self.horizontalScrollBar()
            sideways.setValue(sideways.value() + sideways.singleStep() * (1 if key == Qt.Key.Key_Right else -1))
        else:
            return False
        return True

    def _revert_chosen(self) -> None:
        keys = self.chosen_keys()
        if keys and self.shape_of.can_revert:
            self.revert_asked.emit(keys)

    def _enter(self) -> None:
        row = self.rows[self.current] if 0 <= self.current < len(self.rows) else None
        if row is not None and row.kind in ("head", "tail"):
            if any(hit.name == "changes_more" for hit in self.hits(self.current)):
                self.context_asked.emit("more")
            return
        key = self.line_of(self.current)
        self.editor_asked.emit(key.new if key is not None else 0)

    def go_to(self, index: int, *, extend: bool = False, room: int = 0) -> None:
        """As before; what reads the screen is told which row it is."""
        super().go_to(index, extend=extend, room=room)
        if QAccessible.isActive() and self.current == index:
            event = QAccessibleEvent(self, QAccessible.Event.Focus)
            event.setChild(index)
            QAccessible.updateAccessibility(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The first row in view is the current one, unless another is."""
        super().focusInEvent(event)
        if self.current < 0 and self.rows and event.reason() != Qt.FocusReason.MouseFocusReason:
            self.step_row(1)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The frame of the current row goes."""
        super().focusOutEvent(event)
        self.viewport().update()

    # mouse

    def part_at(self, point: QPoint) -> tuple[int, str, DiffHit | None]:
        """The row at a point, and what of it: a hit of a head by its name, "tick", "number" or "text"."""
        index = self.row_at(point.y())
        if index < 0 or point.y() >= self.row_top(index) + self.heights[index]:
            return -1, "", None
        row = self.rows[index]
        if row.kind in ("head", "tail"):
            inside = point - QPoint(0, self.row_top(index))
            hit = next((hit for hit in self.hits(index) if hit.rect.contains(inside)), None)
            return index, hit.name if hit is not None else "", hit
        if row.kind != "line":
            return index, "", None
        columns = self.columns
        x = point.x() - (columns.half if columns.split and point.x() >= columns.half else 0)
        if x < columns.tick:
            return index, TICK, None
        return index, NUMBER if x < columns.text - columns.sign else TEXT, None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to select text or lines, or press what is there."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        index, part, _hit = self.part_at(event.position().toPoint())
        self._pressed = part
        if index < 0:
            return
        if part == TEXT:
            self._begin_text(event, index)
        elif part == NUMBER:
            columns = self.columns
            self._side = ("new" if event.position().x() >= columns.half else "old") if columns.split else None
            self.go_to(index, extend=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        elif part == TICK:
            self.go_to(index)
            self.tick_current()
        else:
            self.go_to(index)
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Select further, or show what is under the pointer."""
        index, part, _hit = self.part_at(event.position().toPoint())
        if event.buttons() & Qt.MouseButton.LeftButton:
            if self._pressed == TEXT and self.selection.anchor is not None:
                self._extend_text(event)
            elif self._pressed == NUMBER and index >= 0 and self.rows[index].kind == "line":
                self.go_to(index, extend=True)
            return
        hand = part not in ("", TEXT)
        shape = Qt.CursorShape.PointingHandCursor if hand else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor if part == TEXT else shape)
        if (index, part) != self.hovered:
            self.hovered = (index, part)
            self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Write a comment on the lines whose numbers were pressed, or do what was clicked."""
        pressed, self._pressed = self._pressed, ""
        index, part, hit = self.part_at(event.position().toPoint())
        if event.button() != Qt.MouseButton.LeftButton or index < 0:
            return
        if pressed == NUMBER:
            self.open_field(self.chosen_place(self._side))
        elif hit is not None and hit.name == pressed == part:
            self.activate(index, hit.name)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select a word."""
        found = self.place_at(event.position())
        if found is None or self.part_at(event.position().toPoint())[1] != TEXT:
            return
        place, side = found
        text = self.layouts.of(place.hunk, place.line).shown.text
        for match in _WORD.finditer(text):
            if match.start() <= place.offset <= match.end():
                first, last = (DiffPlace(place.hunk, place.line, at) for at in match.span())
                self.selection.select(first, last, side or "")
        self.viewport().update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The menu of the chosen lines; of the line under the pointer when it is another."""
        index, _part, _hit = self.part_at(event.pos())
        if index >= 0 and not self.in_range(index) and event.reason() == QContextMenuEvent.Reason.Mouse:
            self.go_to(index)
        self.menu_asked.emit(event.globalPos())

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer."""
        super().leaveEvent(event)
        self.hovered = (-1, "")
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        """What an icon does, as a tooltip."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            _index, part, hit = self.part_at(event.pos())
            words = hit.label if hit is not None else tr("Comment on this line") if part == NUMBER else ""
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().viewportEvent(event)

    def _begin_text(self, event: QMouseEvent, index: int) -> None:
        found = self.place_at(event.position())
        if found is None:
            self.selection.clear()
            return
        place, side = found
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self.selection.anchor is not None:
            self.selection.head = place
        else:
            self.selection.begin(place, side or "")
        self.range_start, self.current = -1, index

    def _extend_text(self, event: QMouseEvent) -> None:
        """Up to the pointer; above or below the view it scrolls."""
        y, height = event.position().y(), self.viewport().height()
        bar = self.verticalScrollBar()
        if y < 0 or y > height:
            bar.setValue(bar.value() + bar.singleStep() * (1 if y > height else -1))
        point = event.position()
        point.setY(min(max(0.0, y), height - 1.0))
        found = self.place_at(point)
        if found is not None and (found[1] or "") == self.selection.side:
            self.selection.head = found[0]
            self.viewport().update()
