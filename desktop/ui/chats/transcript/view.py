"""TranscriptView: the chat as people work with it: click, select, copy, walk by keys, menu."""

import re

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from desktop.language import tr
from desktop.ui.chats.folds.model import TranscriptModel
from desktop.ui.chats.folds.rows import Row
from desktop.ui.chats.transcript.access import TranscriptList
from desktop.ui.chats.transcript.canvas import TranscriptCanvas
from desktop.ui.chats.transcript.keys import handle_key, step_hit
from desktop.ui.chats.transcript.menu import entries, open_menu
from desktop.ui.chats.transcript.painting.child import FOLLOW_CHILD, opened_child
from desktop.ui.chats.transcript.painting.painter import EARLIER, MOST_CALLS
from desktop.ui.chats.transcript.painting.pieces import PieceHit
from desktop.ui.chats.transcript.painting.report import CARD, CLAIM, OUTPUT
from desktop.ui.chats.transcript.painting.text_piece import DocumentPiece
from desktop.ui.chats.transcript.selection import Position, row_text
from desktop.ui.core.accessible import read_as
from desktop.ui.core.sink import Clock
from desktop.ui.text.safe_text import hidden_characters, prose_lines, safe_line

COPIED_MS = 1_500
OPENED_BY_FIND = frozenset({"calls", "thinking", "plan", "compaction", "todos", "unknown", "report"})
_TOGGLES = ("row_toggle", "call_", "row_show_all", CARD, CLAIM)


class TranscriptView(TranscriptCanvas):
    """The open chat.

    `row_action` (row key, action): a button or menu entry that the engine or the window carries out: continue,
    copy_details, replace_key, retry_stop, open_full, show_audit, show_changes. `open_full_output` (title, sha256):
    which output `open_full` means. `link_activated` (target): an address. `copy_warning`: what was copied holds hidden
    characters; a sentence for a toast. `export_asked`: a table as CSV, to be written to a file.
    """

    row_action = Signal(str, str)
    open_full_output = Signal(str, str)
    link_activated = Signal(str)
    copy_warning = Signal(str)
    export_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None, *, clock: Clock | None = None) -> None:
        read_as(self, TranscriptList)
        super().__init__(TranscriptModel(clock=clock) if clock else TranscriptModel(), parent)
        self.setObjectName("transcript_view")
        self.setAccessibleName(tr("Messages"))
        self._pressed: tuple[str, PieceHit] | None = None
        self._press_at: QPoint | None = None
        self._wanted: tuple[str, int] | None = None
        self._copied = QTimer(self, singleShot=True, interval=COPIED_MS)
        self._copied.timeout.connect(self._forget_copied)
        self.hearing.then(self._show_wanted)

    # for the window

    def open(self, session_id: str) -> None:
        """Show this chat from now on; its events are heard."""
        self._wanted = None
        self.model.open(session_id)

    def reveal(self, event_id: str, seq: int) -> None:
        """Bring the row of an entry into view and make it the current one, as soon as the chat has loaded so far."""
        self._wanted = (event_id, seq)
        self._show_wanted()

    def mark_found(self, words: re.Pattern[str] | None) -> None:
        """Mark these words wherever they are in view; None: nothing."""
        self.found, self.found_row = words, ""
        self.viewport().update()

    def show_found(self, event_id: str, place: int = 0) -> None:
        """Bring an entry into view, opened, with a frame around its row, and mark the place with this number in it."""
        self.model.uncover(event_id)
        index = self.model.index_of_event(event_id, -1)
        if index < 0:
            self.reveal(event_id, -1)
            return
        row = self.model.rows[index]
        self.found_row, self.found_place = row.key, -1 if row.kind in OPENED_BY_FIND else place
        if row.kind in OPENED_BY_FIND:
            self.layouts.set_open(row.key, "row", True)
            for newer, call in enumerate(reversed(row.calls)):
                if event_id in (call.start_id, call.result_id):
                    self.layouts.set_open(row.key, call.call_id, True)
                    if newer >= MOST_CALLS:
                        self.layouts.set_open(row.key, EARLIER, True)
        self.settle()
        self.show_row(index)
        self.viewport().update()

    def _show_wanted(self) -> None:
        if self._wanted is None or self.model.loading:
            return
        index = self.model.index_of_event(*self._wanted)
        if index >= 0:
            self._wanted = None
            self.settle()
            self.current_row = self.model.rows[index].key
            self.show_row(index)
            self.viewport().update()

    def target(self, row_key: str, name: str) -> QRect | None:
        """Where a hit area of a row is, in viewport coordinates; None if the row has none of that name."""
        index = self.model.index_of(row_key)
        if index < 0:
            return None
        self.settle()
        hit = next((hit for hit in self.layouts.layout_of(index).hits if hit.name == name), None)
        return hit.rect.translated(self.column[0], self.row_top(index)) if hit else None

    def activate(self, row_key: str, name: str) -> bool:
        """Do what a click on a hit area does; False if there is no such area."""
        index = self.model.index_of(row_key)
        hit = next((h for h in self.layouts.layout_of(index).hits if h.name == name), None) if index >= 0 else None
        if hit is None:
            return False
        self._act(self.model.rows[index], hit)
        return True

    def set_expanded(self, row_key: str, opened: bool, part: str = "row") -> None:
        """Open or close a row, or a call of a group (`part` is then the call's id)."""
        self._toggle(row_key, part, opened)

    def is_expanded(self, row_key: str, part: str = "row") -> bool:
        """Whether a row, or a call of a group, is open."""
        index = self.model.index_of(row_key)
        return index >= 0 and self.layouts.is_open(self.model.rows[index], part)

    def expand_turn(self, turn_id: str, opened: bool) -> None:
        """Open or close everything in a turn."""
        for row in self.model.rows:
            if row.turn_id == turn_id and row.kind in ("calls", "thinking", "plan", "todos"):
                for part in ("row", EARLIER, *(call.call_id for call in row.calls)):
                    self.layouts.set_open(row.key, part, opened)

    # copying

    def copy(self) -> None:
        """Copy the selected text, else the selected rows, else the current row."""
        text = self.selection.text()
        index = self.model.index_of(self.current_row)
        if not text and index >= 0:
            text = row_text(self.model.rows[index])
        self.copy_text(text)

    def copy_text(self, text: str) -> None:
        """Put text on the clipboard, and warn when it holds characters that are not seen."""
        if not text:
            return
        QGuiApplication.clipboard().setText(text)
        hidden = hidden_characters(prose_lines(text))
        if hidden:
            self.copy_warning.emit(
                tr("Copied text contains hidden characters ({hidden})", hidden=", ".join(hidden[:5]))
            )

    def select_all(self) -> None:
        """Select every row of the chat."""
        if self.model.rows:
            self.selection.select_rows(self.model.rows[0].key, self.model.rows[-1].key)
            self.viewport().update()

    # acting on rows

    def _act(self, row: Row, hit: PieceHit) -> None:
        if hit.name.startswith(_TOGGLES):
            self._toggle(row.key, hit.argument, not self.layouts.is_open(row, hit.argument))
        elif hit.name == "rewound_toggle":
            self.model.show_rewound(row.key, not self.model.rewound_shown(row.key))
        elif hit.name.startswith("code_copy"):
            self.copy_text(hit.argument)
            self.layouts.copied = hit.argument
            self.layouts.refresh(row.key)
            self._copied.start()
        else:
            self._open_full(row, hit)
            self.row_action.emit(row.key, "open_full" if hit.name.startswith("row_open_full") else hit.name)

    def _open_full(self, row: Row, hit: PieceHit) -> None:
        if hit.name.startswith(OUTPUT):
            self.open_full_output.emit(tr("Output"), hit.argument)
        call = next((call for call in row.calls if call.call_id == hit.argument), None)
        if call is not None and call.full is not None:
            self.open_full_output.emit(call.name, call.full.sha256)

    def _toggle(self, key: str, part: str, opened: bool) -> None:
        """Open or close; the row stays where it is, also when the view is pinned."""
        index = self.model.index_of(key)
        if index < 0:
            return
        self.settle()
        self.anchor.hold(index, self.verticalScrollBar().value() - self._above)
        self.layouts.set_open(key, part, opened)
        if opened and (child_id := opened_child(self.model.rows[index], part)):
            self.row_action.emit(key, f"{FOLLOW_CHILD}{child_id}")
        pinned, self.anchor.pinned = self.anchor.pinned, False
        self.settle()
        self.anchor.pinned = pinned and self._at_end()
        self._show_jump()

    def _at_end(self) -> bool:
        bar = self.verticalScrollBar()
        return bar.maximum() - bar.value() <= self.anchor.pin_distance

    def _forget_copied(self) -> None:
        copied, self.layouts.copied = self.layouts.copied, ""
        for row in self.model.rows:
            if copied and (row.kind == "calls" or copied[:40] in row.text):
                self.layouts.refresh(row.key)

    # pointer

    def _find(self, point: QPoint) -> tuple[int, QPoint]:
        """The row at a viewport point, and the point in row coordinates; -1 where there is none."""
        index = self.row_at(point.y())
        if index < 0:
            return -1, point
        return index, QPoint(point.x() - self.column[0], point.y() - self.row_top(index))

    def hit_at(self, point: QPoint) -> tuple[str, PieceHit] | None:
        """Row key and hit area at a viewport point."""
        index, inside = self._find(point)
        if index < 0:
            return None
        hit = self.layouts.layout_of(index).hit_at(inside.x(), inside.y())
        return (self.model.rows[index].key, hit) if hit else None

    def _position(self, point: QPoint) -> Position | None:
        """The place in the text that is nearest to a viewport point."""
        index, inside = self._find(point)
        if index < 0:
            return None
        documents = [(n, p) for n, p in enumerate(self.layouts.layout_of(index).pieces) if isinstance(p, DocumentPiece)]
        if not documents:
            return Position(self.model.rows[index].key, 0, 0)
        above = [pair for pair in documents if pair[1].y <= inside.y()]
        number, piece = above[-1] if above else documents[0]
        return Position(self.model.rows[index].key, number, piece.offset_at(inside))

    def _link(self, point: QPoint) -> str:
        index, inside = self._find(point)
        for piece in self.layouts.layout_of(index).pieces if index >= 0 else ():
            if isinstance(piece, DocumentPiece) and piece.text_rect.contains(inside):
                return piece.link_at(inside)
        return ""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click, or a selection."""
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        point = event.position().toPoint()
        self._press_at = point
        self._pressed = self.hit_at(point)
        index = self.row_at(point.y())
        self.current_row = self.model.rows[index].key if index >= 0 else ""
        self.current_hit = ""
        place = self._position(point)
        extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier) and self.selection.anchor is not None
        if place is not None and extend and self.selection.anchor is not None:
            self.selection.select_text(self.selection.anchor, place)
        elif place is not None:
            self.selection.select_text(place, place)
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Extend the selection, or show what is under the pointer."""
        point = event.position().toPoint()
        if not event.buttons() & Qt.MouseButton.LeftButton or self._press_at is None:
            self._hover(point)
            return
        moved = (point - self._press_at).manhattanLength()
        if moved < QGuiApplication.styleHints().startDragDistance() and not self.selection.has_text:
            return
        self._pressed = None
        beyond = min(0, point.y()) + max(0, point.y() - self.viewport().height())
        if beyond:
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() + beyond)
        place = self._position(point)
        if place is not None and self.selection.anchor is not None:
            self.selection.select_text(self.selection.anchor, place)
            self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Act on a click."""
        point = event.position().toPoint()
        pressed, self._pressed, self._press_at = self._pressed, None, None
        if event.button() is not Qt.MouseButton.LeftButton or self.selection.has_text:
            return
        hit = self.hit_at(point)
        if pressed is not None and hit is not None and (hit[0], hit[1].name) == (pressed[0], pressed[1].name):
            self.activate(hit[0], hit[1].name)
        elif link := self._link(point):
            self.link_activated.emit(link)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select the word, or act again."""
        point = event.position().toPoint()
        place = self._position(point)
        if self.hit_at(point) is not None or place is None:
            self.mousePressEvent(event)
            return
        piece = self.layouts.layout_of(self.model.index_of(place.key)).pieces[place.piece]
        if isinstance(piece, DocumentPiece):
            cursor = QTextCursor(piece.document)
            cursor.setPosition(min(place.offset, piece.document.characterCount() - 1))
            cursor.select(QTextCursor.SelectionType.WordUnderCursor)
            ends = (cursor.selectionStart(), cursor.selectionEnd())
            self.selection.select_text(*(Position(place.key, place.piece, end) for end in ends))
            self.viewport().update()

    def _hover(self, point: QPoint) -> None:
        hit = self.hit_at(point)
        hovered = (hit[0], hit[1].name) if hit else ("", "")
        if hovered != self.hovered:
            self.hovered = hovered
            self.viewport().update()
        link = "" if hit else self._link(point)
        on_text = not hit and self._over_text(point)
        shape = Qt.CursorShape.IBeamCursor if on_text else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if hit or link else shape)

    def _over_text(self, point: QPoint) -> bool:
        index, inside = self._find(point)
        pieces = self.layouts.layout_of(index).pieces if index >= 0 else ()
        return any(isinstance(piece, DocumentPiece) and piece.text_rect.contains(inside) for piece in pieces)

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer."""
        self.hovered = ("", "")
        self.viewport().update()
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Sideways (or with Shift) the text under the pointer scrolls, else the chat."""
        across = event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not across:
            across = event.angleDelta().y()
        index, inside = self._find(event.position().toPoint())
        for piece in self.layouts.layout_of(index).pieces if index >= 0 and across else ():
            if isinstance(piece, DocumentPiece) and piece.wide and piece.text_rect.contains(inside):
                piece.shift = max(0, min(piece.wide, piece.shift - across // 2))
                self.layouts.layout_of(index).forget_look()
                self.viewport().update()
                event.accept()
                return
        super().wheelEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Tooltips: where a link leads, what a button does."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            hit = self.hit_at(event.pos())
            words = hit[1].label if hit else self._link(event.pos())
            QToolTip.showText(event.globalPos(), safe_line(words), self.viewport())
            return True
        return super().viewportEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The row's menu."""
        index = self.row_at(event.pos().y())
        if index >= 0:
            self.current_row = self.model.rows[index].key
            hit = self.hit_at(event.pos())
            shown = entries(self, self.model.rows[index], hit[1].argument if hit else "")
            open_menu(shown, event.globalPos(), self)

    # keys

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab goes through what can be clicked in the current row, then on."""
        if self.current_row and step_hit(self, 1 if forward else -1):
            return True
        return super().focusNextPrevChild(forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk, select, open and copy by keys."""
        if not handle_key(self, event):
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keys act."""
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide where the keys act."""
        super().focusOutEvent(event)
        self.viewport().update()
