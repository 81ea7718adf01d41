"""DiffActions: what can be done in a diff: walk from change to change, choose lines, comment, tick, revert, copy."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QPointF, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from desktop.domain.changes.values import FileDiff, ReviewComment
from desktop.language import tr
from desktop.ui.changes.diff.canvas import DiffCanvas, DiffShape, Ticked
from desktop.ui.changes.diff.comment_box import CommentBox, CommentField
from desktop.ui.changes.diff.rows import DiffRow, FieldPlace, Side
from desktop.ui.changes.diff.selection import DiffPlace
from desktop.ui.models.line_key import LineKey

_FIELD = ""


class DiffActions(DiffCanvas):
    """Asks by signals, changes nothing itself but what is selected and where the field stands.

    `comment_written` (place, text, id of the draft it replaces or ""); `comment_removed`; `comment_resolved`;
    `tick_asked` (lines, on); `revert_asked` (lines); `context_asked`: "more" or "whole"; `editor_asked` (line number of
    the new side, 0 for none); `menu_asked` where on the screen; `writing_changed`: a comment is being written, or no
    longer.
    """

    comment_written = Signal(object, str, str)
    comment_removed = Signal(str)
    comment_resolved = Signal(str, bool)
    tick_asked = Signal(list, bool)
    revert_asked = Signal(list)
    context_asked = Signal(str)
    editor_asked = Signal(int)
    menu_asked = Signal(QPoint)
    writing_changed = Signal(bool)

    def __init__(self, parent: QWidget, name: str, ticked: Ticked) -> None:
        super().__init__(parent, name, ticked)
        self._boxes: dict[str, QWidget] = {}
        self._field_text = ("", "")
        self._pressed = ""
        self.viewport().setMouseTracking(True)

    @property
    def writing(self) -> bool:
        """Whether a comment is being written."""
        return self.field is not None

    def show_file(self, diff: FileDiff, comments: Sequence[ReviewComment], shape: DiffShape) -> None:
        """Show a diff; the field goes when it is another file's."""
        if diff.path != self.diff.path:
            self._close_field()
        kept = {comment.comment_id: comment for comment in comments}
        for name, box in list(self._boxes.items()):
            if name != _FIELD and not (isinstance(box, CommentBox) and kept.get(name) == box.comment):
                self._drop_box(name)
        self.show_rows(diff, comments, shape)

    # walking

    def step_change(self, step: int) -> None:
        """Go to the next (1) or previous (-1) change; stays where there is none."""
        starts = [
            index
            for index, row in enumerate(self.rows)
            if self._is_change(row) and not (index and self._is_change(self.rows[index - 1]))
        ]
        here = self.current
        later = [index for index in starts if index > here]
        sooner = [index for index in starts if index < here]
        found = later[0] if step > 0 and later else sooner[-1] if step < 0 and sooner else -1
        if found >= 0:
            self.go_to(found, room=self.viewport().height() // 4)

    def go_to(self, index: int, *, extend: bool = False, room: int = 0) -> None:
        """Make a row the current one and bring it into view, `room` pixels from the edges."""
        if not 0 <= index < len(self.rows):
            return
        if extend:
            self.range_start = self.range_start if self.range_start >= 0 else max(0, self.current)
        else:
            self.range_start = -1
        self.current = index
        self.show_row(index, room)
        self.viewport().update()
        self.updateMicroFocus()

    def show_row(self, index: int, room: int = 0) -> None:
        """Scroll so that a row is in view."""
        bar, top = self.verticalScrollBar(), self.heights.top(index)
        height, page = self.heights[index], self.viewport().height()
        if top - room < bar.value():
            bar.setValue(top - room)
        elif top + height + room > bar.value() + page:
            bar.setValue(top + height + room - page)

    def show_place(self, hunk: int, line: int, first: int, end: int) -> None:
        """Bring characters of a line into view, selected."""
        index = next((n for n, row in enumerate(self.rows) if row.hunk == hunk and line in (row.left, row.right)), -1)
        if index < 0:
            return
        self.go_to(index, room=self.viewport().height() // 4)
        made = self.layouts.of(hunk, line).shown
        side = "" if not self.shape_of.split else "new" if self.rows[index].right == line else "old"
        begin, stop = DiffPlace(hunk, line, made.place(first)), DiffPlace(hunk, line, made.place(end))
        self.selection.select(begin, stop, side)
        left, right = (round(self.layouts.cell * place.offset) for place in (begin, stop))
        sideways, room = self.horizontalScrollBar(), self.columns.half - self.columns.text
        if not sideways.value() <= left or right > sideways.value() + room:
            sideways.setValue(max(0, right - room // 2))

    def step_row(self, step: int, *, extend: bool = False) -> None:
        """The next (1) or previous (-1) row that is a line or the head of a hunk."""
        index = self.current + step if self.current >= 0 else max(0, self.row_at(0))
        while 0 <= index < len(self.rows) and self.rows[index].kind not in ("line", "head", "tail"):
            index += step
        self.go_to(index, extend=extend)

    def _is_change(self, row: DiffRow) -> bool:
        if row.kind != "line":
            return False
        return any(at >= 0 and self.line(row.hunk, at).kind != " " for at in (row.left, row.right))

    # what is chosen

    def chosen_rows(self) -> list[DiffRow]:
        """The line rows that were chosen, the current one for want of several."""
        if self.current < 0:
            return []
        first = self.range_start if self.range_start >= 0 else self.current
        low, high = sorted((first, self.current))
        return [row for row in self.rows[low : high + 1] if row.kind == "line"]

    def chosen_place(self, side: Side | None = None) -> FieldPlace | None:
        """The chosen lines on one side: the new one unless all of them were removed."""
        rows = self.chosen_rows()
        lines = [self.line(row.hunk, at) for row in rows for at in (row.left, row.right) if at >= 0]
        new, old = [line.new for line in lines if line.new], [line.old for line in lines if line.old]
        numbers = old if side == "old" or not new else new
        if not numbers:
            return None
        return FieldPlace("old" if numbers is old else "new", min(numbers), max(numbers))

    def chosen_keys(self) -> list[LineKey]:
        """The changed lines among the chosen ones; those of the hunk when one row is chosen."""
        if self.range_start < 0 or self.range_start == self.current:
            row = self.rows[self.current] if 0 <= self.current < len(self.rows) else None
            return self.changed_keys(row.hunk) if row is not None and row.hunk >= 0 else []
        return [
            LineKey(line.kind, line.old, line.new)
            for row in self.chosen_rows()
            for at in dict.fromkeys((row.left, row.right))
            if at >= 0 and (line := self.line(row.hunk, at)).kind != " "
        ]

    # comments

    def open_field(self, place: FieldPlace | None = None, text: str = "", comment_id: str = "") -> None:
        """Write a comment under the chosen lines, or under these."""
        place = place if place is not None else self.chosen_place()
        if place is None or not self.can_comment:
            return
        self.leave_writing()
        self._field_text = (text, comment_id)
        self.field = place
        self.keep_place(self.rebuild)
        index = next((n for n, row in enumerate(self.rows) if row.kind == "field"), -1)
        if index < 0:
            self.field = None
            return
        self.show_row(index)
        self.settle()
        self.show_row(index)
        box = self._boxes.get(_FIELD)
        if isinstance(box, CommentField):
            box.text.setFocus()
        self.writing_changed.emit(True)

    def leave_writing(self) -> None:
        """What is being written becomes a draft."""
        if self.field is not None:
            self._leave_field(self._written())

    def _written(self) -> str:
        box = self._boxes.get(_FIELD)
        return box.text.toPlainText() if isinstance(box, CommentField) else ""

    def _leave_field(self, text: str) -> None:
        """The field goes; a text in it stays as a draft."""
        place, comment_id = self.field, self._field_text[1]
        self._close_field()
        if place is not None and text.strip():
            self.comment_written.emit(place, text, comment_id)

    def _close_field(self) -> None:
        if self.field is None:
            return
        self.field = None
        self._drop_box(_FIELD)
        self.keep_place(self.rebuild)
        self.setFocus()
        self.writing_changed.emit(False)

    def _drop_box(self, name: str) -> None:
        box = self._boxes.pop(name, None)
        if box is not None:
            box.hide()
            box.deleteLater()

    def boxes(self) -> dict[str, QWidget]:
        """All widgets there are, by the comment's id; the field's is ""."""
        return self._boxes

    def box(self, row: DiffRow) -> QWidget | None:
        """The widget of a comment or of the field, made when it comes into view."""
        name = row.comment_id
        if name not in self._boxes:
            made = self._make_field() if row.kind == "field" else self._make_comment(name)
            if made is None:
                return None
            self._boxes[name] = made
        return self._boxes[name]

    def _make_field(self) -> QWidget | None:
        place = self.field
        if place is None:
            return None
        lines = (
            tr("line {number}", number=place.first)
            if place.first == place.last
            else tr("lines {first}–{last}", first=place.first, last=place.last)
        )
        where = tr("{lines} before the change", lines=lines) if place.side == "old" else lines
        field = CommentField(where, self._field_text[0], self.viewport())
        field.added.connect(self._leave_field)
        field.left.connect(self._leave_field)
        return field

    def _make_comment(self, comment_id: str) -> QWidget | None:
        comment = next((one for one in self.comments if one.comment_id == comment_id), None)
        if comment is None:
            return None
        box = CommentBox(comment, self.viewport())
        box.edited.connect(self._edit_comment)
        box.removed.connect(self.comment_removed)
        box.resolved.connect(self.comment_resolved)
        return box

    def _edit_comment(self, comment_id: str) -> None:
        found = next((one for one in self.comments if one.comment_id == comment_id), None)
        if found is not None:
            self.open_field(FieldPlace(found.side, found.first, found.last), found.text, comment_id)

    # what a row offers

    def activate(self, index: int, name: str) -> None:
        """Do what a click on something in a row does."""
        row = self.rows[index]
        if name in ("changes_more", "changes_whole"):
            self.context_asked.emit("more" if name == "changes_more" else "whole")
        elif name == "changes_revert_change":
            self.revert_asked.emit(self.changed_keys(row.hunk))
        elif name == "changes_tick_hunk":
            self.tick_asked.emit(self.changed_keys(row.hunk), self.hunk_state(row.hunk) != 2)

    def tick_current(self) -> None:
        """Tick the chosen lines, or take the tick away."""
        keys = self._row_keys(self.current) if self.range_start < 0 else self.chosen_keys()
        if keys and self.shape_of.can_tick:
            self.tick_asked.emit(keys, not all(self.ticked(key) for key in keys))

    def _row_keys(self, index: int) -> list[LineKey]:
        row = self.rows[index] if 0 <= index < len(self.rows) else None
        if row is None or row.kind != "line":
            return self.changed_keys(row.hunk) if row is not None and row.kind == "head" else []
        lines = [self.line(row.hunk, at) for at in dict.fromkeys((row.left, row.right)) if at >= 0]
        return [LineKey(line.kind, line.old, line.new) for line in lines if line.kind != " "]

    # selecting

    def place_at(self, point: QPointF) -> tuple[DiffPlace, Side | None] | None:
        """The character painted at a point, and its side where there are two."""
        index = self.row_at(round(point.y()))
        if index < 0 or self.rows[index].kind != "line":
            return None
        row, columns = self.rows[index], self.columns
        side: Side | None = None
        at = row.line
        if columns.split:
            side = "new" if point.x() >= columns.half else "old"
            at = row.right if side == "new" else row.left
            if at < 0:
                return None
        layout = self.layouts.of(row.hunk, at).layout
        x = point.x() - columns.left(side or "") - columns.text + self.horizontalScrollBar().value()
        part = min(layout.lineCount() - 1, max(0, int((point.y() - self.row_top(index)) // self.layouts.line_height)))
        return DiffPlace(row.hunk, at, layout.lineAt(part).xToCursor(x)), side

    def copy(self) -> None:
        """Put the selected text on the clipboard without signs, else the chosen lines."""
        text = self.selection.text(self.diff, lambda hunk, at: self.layouts.of(hunk, at).shown)
        if not text:
            lines = [self.line(row.hunk, row.line).text for row in self.chosen_rows()]
            text = "".join(f"{line}\n" for line in lines)
        if text:
            QGuiApplication.clipboard().setText(text)

    def select_all(self) -> None:
        """Select all lines that are shown."""
        hunks = self.diff.hunks
        if hunks:
            last = len(hunks[-1].lines) - 1
            end = len(self.layouts.of(len(hunks) - 1, last).shown.text)
            self.selection.select(
                DiffPlace(0, 0, 0), DiffPlace(len(hunks) - 1, last, end), "new" if self.shape_of.split else ""
            )
            self.viewport().update()
