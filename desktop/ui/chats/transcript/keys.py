"""Keys of the transcript: what each does to the view."""

from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QScrollBar, QWidget

from desktop.ui.chats.folds.model import TranscriptModel
from desktop.ui.chats.transcript.painting.row_layouts import RowLayouts
from desktop.ui.chats.transcript.selection import TranscriptSelection


class KeyedView(Protocol):
    """What keys act on."""

    model: TranscriptModel
    layouts: RowLayouts
    selection: TranscriptSelection
    current_row: str
    current_hit: str

    def copy(self) -> None:
        """Copy what is selected."""

    def select_all(self) -> None:
        """Select every row."""

    def go_to_end(self) -> None:
        """Show the end and stay there."""

    def show_row(self, index: int) -> None:
        """Bring a row into view."""

    def activate(self, row_key: str, name: str) -> bool:
        """Act as a click on a hit area."""

    def set_expanded(self, row_key: str, opened: bool, part: str = "row") -> None:
        """Open or close a row."""

    def row_at(self, y: int) -> int:
        """The row at a height of the viewport."""

    def viewport(self) -> QWidget:
        """Where rows are painted."""

    def verticalScrollBar(self) -> QScrollBar:  # noqa: N802 - Qt's name
        """The scroll bar."""


def handle_key(view: KeyedView, event: QKeyEvent) -> bool:
    """Do what the key means; False if it means nothing here."""
    key, shift = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
    control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
    if event.matches(QKeySequence.StandardKey.Copy):
        view.copy()
    elif event.matches(QKeySequence.StandardKey.SelectAll):
        view.select_all()
    elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and not control:
        _walk(view, -1 if key == Qt.Key.Key_Up else 1, select=shift)
    elif control and key == Qt.Key.Key_End:
        view.go_to_end()
    elif control and key == Qt.Key.Key_Home:
        view.verticalScrollBar().setValue(0)
    elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
        bar = view.verticalScrollBar()
        bar.setValue(bar.value() + (bar.pageStep() if key == Qt.Key.Key_PageDown else -bar.pageStep()))
    elif key == Qt.Key.Key_Escape and (view.selection.has_text or view.selection.first_row or view.current_row):
        view.selection.clear()
        view.current_row = view.current_hit = ""
    else:
        return _on_row(view, key)
    view.viewport().update()
    return True


def _on_row(view: KeyedView, key: int) -> bool:
    """Keys that act on the current row."""
    index = view.model.index_of(view.current_row)
    if index < 0:
        return False
    hits = [hit.name for hit in view.layouts.layout_of(index).hits]
    if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and hits:
        view.activate(view.current_row, view.current_hit or hits[0])
    elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
        view.set_expanded(view.current_row, key == Qt.Key.Key_Right)
    else:
        return False
    view.viewport().update()
    return True


def step_hit(view: KeyedView, step: int) -> bool:
    """Go to the next or former thing in the current row that can be clicked; False past its ends."""
    index = view.model.index_of(view.current_row)
    hits = [hit.name for hit in view.layouts.layout_of(index).hits] if index >= 0 else []
    place = hits.index(view.current_hit) + step if view.current_hit in hits else (0 if step > 0 else -1)
    view.current_hit = hits[place] if 0 <= place < len(hits) else ""
    view.viewport().update()
    return bool(view.current_hit)


def _walk(view: KeyedView, step: int, *, select: bool) -> None:
    """Go to the next or former row; with `select` the rows walked over are selected."""
    count = len(view.model.rows)
    if not count:
        return
    index = view.model.index_of(view.current_row)
    if index < 0:
        index = view.row_at(view.viewport().height() // 2)
        step = 0
    former, index = view.model.rows[index].key, max(0, min(count - 1, index + step))
    view.current_row, view.current_hit = view.model.rows[index].key, ""
    if select:
        first = view.selection.first_row or former
        view.selection.select_rows(first, view.current_row)
    else:
        view.selection.clear()
    view.show_row(index)
