"""TranscriptCanvas: rows painted into a scroll area, with the end or a row held still while things change."""

import re

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QShowEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from desktop.language import tr
from desktop.ui.chats.folds.model import TranscriptModel
from desktop.ui.chats.transcript.overlays import TranscriptOverlays
from desktop.ui.chats.transcript.painting.marks import mark_words, paint_focus, paint_hover
from desktop.ui.chats.transcript.painting.pictures import RowPictures, fits
from desktop.ui.chats.transcript.painting.pieces import LinePiece
from desktop.ui.chats.transcript.painting.row_layout import RowLayout, row_rect
from desktop.ui.chats.transcript.painting.row_layouts import RowLayouts
from desktop.ui.chats.transcript.rings import RunningRings
from desktop.ui.chats.transcript.scroll_anchor import ScrollAnchor
from desktop.ui.chats.transcript.selection import TranscriptSelection
from desktop.ui.core.hearing import Hearing
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import (
    COLUMN_MARGIN,
    COLUMN_MARGIN_NARROW,
    CONTROL_HEIGHT_COMPACT,
    SPACE_3,
    SPACE_4,
    SPACE_5,
    SPACE_6,
)

WIDE_CENTRE, LINE_STEP, PIN_DISTANCE = 700, 20, 160
EMPTY_TEXT = tr("What should be done? Nothing runs until you send.")
WAITING_TEXT = tr("Your message is sent when the setup of the lane has ended.")
LOADING_TEXT, LOADING_OLDER_TEXT = tr("Loading messages…"), tr("Loading earlier messages…")
_QUIET = frozenset({"date", "recap", "compaction"})


def column_width(centre: int) -> int:
    """The width of the column that rows, cards and composer share, in a centre of this width."""
    look = theme()
    if centre >= look.px(WIDE_CENTRE):
        return min(look.px(look.reading_width), centre - look.px(COLUMN_MARGIN))
    return max(look.px(SPACE_5), centre - look.px(COLUMN_MARGIN_NARROW))


class TranscriptCanvas(QAbstractScrollArea):
    """Paints the rows of its model. Knows where each is; does nothing with them."""

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        model.setParent(self)
        self.layouts = RowLayouts(model, self)
        self.selection = TranscriptSelection(self.layouts)
        self.anchor = ScrollAnchor(self.layouts, pin_distance=PIN_DISTANCE)
        self.current_row = ""
        self.current_hit = ""
        self.hovered: tuple[str, str] = ("", "")
        self.found: re.Pattern[str] | None = None
        self.found_row, self.found_place = "", -1
        self._empty = EMPTY_TEXT
        self._program = 0
        self._still = False
        self._dirty = True
        self._last_value = 0
        self._pictures = RowPictures()
        self._rings = RunningRings(self.viewport(), self._ring_areas)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        self._overlays = TranscriptOverlays(self, self.viewport(), self.go_to_end)
        self.hearing = Hearing(model.hearing).then(self._show_changes)
        self._connect()

    def _connect(self) -> None:
        self.layouts.changed.connect(self._content_changed)
        self.layouts.inserted.connect(self._on_inserted)
        self.layouts.removed.connect(self._on_removed)
        self.layouts.cleared.connect(self._content_changed)
        self.model.modelReset.connect(self._on_reset)
        self.model.live_line_changed.connect(self._show_live_line)
        self.model.complete_changed.connect(self._content_changed)
        theme().changed.connect(self._on_theme)

    # what is shown

    def _show_changes(self) -> None:
        if self._dirty and self.isVisible():
            self.settle()

    @property
    def column(self) -> tuple[int, int]:
        """Left edge and width of the column of rows, in the viewport; the scroll bar takes nothing from it."""
        width = column_width(self.width())
        return (self.width() - width) // 2, width

    @property
    def first_visible(self) -> tuple[str, int]:
        """Key of the row at the top of the view, and how far its top is above the view's top. ("", 0) without rows."""
        value = self.verticalScrollBar().value() - self._above
        row = self.layouts.heights.row_at(value)
        if row < 0:
            return "", 0
        return self.model.rows[row].key, value - self.layouts.heights.top(row)

    @property
    def pinned(self) -> bool:
        """Whether the end stays in view."""
        return self.anchor.pinned

    def row_top(self, index: int) -> int:
        """Where a row begins in the viewport."""
        return self.layouts.heights.top(index) + self._above - self.verticalScrollBar().value()

    def row_at(self, y: int) -> int:
        """The row at a height of the viewport, -1 without rows."""
        return self.layouts.heights.row_at(y + self.verticalScrollBar().value() - self._above)

    @property
    def _above(self) -> int:
        look = theme()
        return look.px(SPACE_3) if self.model.complete else look.px(SPACE_5 + SPACE_3)

    @property
    def _below(self) -> int:
        return theme().px(SPACE_4 + (CONTROL_HEIGHT_COMPACT if self.model.live_line else 0))

    # scrolling

    def keep_free(self, height: int) -> None:
        """Leave so much of the lower end to what lies over it; the same row, or the end, stays in sight."""
        self.setViewportMargins(0, 0, 0, height)

    def go_to_end(self) -> None:
        """Show the end and stay there."""
        self.anchor.pin()
        self._dirty = True
        self.settle()
        self.viewport().update()

    def pin(self) -> None:
        """Stay at the end from now on; for when the person sends a message."""
        self.go_to_end()

    def show_row(self, index: int) -> None:
        """Scroll as little as possible so that a row is in view; counts as the person's scroll."""
        self.layouts.layout_of(index)
        top, height = self.row_top(index), self.layouts.heights[index]
        page = self.viewport().height()
        bar = self.verticalScrollBar()
        if top < 0:
            bar.setValue(bar.value() + top)
        elif top + height > page:
            bar.setValue(bar.value() + min(top, top + height - page))

    def scroll_by_program(self, value: int) -> None:
        """Scroll without it counting as a person's."""
        self._program += 1
        self.verticalScrollBar().setValue(value)
        self._program -= 1
        self._last_value = self.verticalScrollBar().value()

    def settle(self) -> None:
        """Lay out what is in view, and put the scroll bar where the end, or the held row, stands still."""
        self._dirty = False
        if self.layouts.set_width(self.column[1]):
            self._dirty = False
        page, bar = self.viewport().height(), self.verticalScrollBar()
        value = end = 0
        for _ in range(8):
            end = max(0, self._above + self.layouts.heights.total + self._below - page)
            value = end if self.anchor.pinned else max(0, min(end, self.anchor.value() + self._above))
            if not self._lay_out_between(value, page):
                break
        self._program += 1
        bar.setRange(0, end)
        bar.setPageStep(page)
        bar.setSingleStep(theme().px(LINE_STEP))
        bar.setValue(value)
        self._program -= 1
        self._last_value = value
        self.anchor.take(value - self._above)
        self._place_live_line()
        self._show_jump()
        self._rings.check()

    def _lay_out_between(self, value: int, page: int) -> bool:
        """Lay out the rows in view; True when one has another height than was thought."""
        heights = self.layouts.heights
        first = heights.row_at(value - self._above)
        if first < 0:
            return False
        last = heights.row_at(value - self._above + page)
        changed = False
        for index in range(first, min(last + 1, len(heights))):
            before = heights[index]
            self.layouts.layout_of(index)
            changed = changed or heights[index] != before
        return changed

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Follow the scroll bar."""
        bar = self.verticalScrollBar()
        if self._still:
            return
        if self._program == 0:
            before, after = self._last_value, bar.value()
            self.anchor.person_scrolled(before, after, bar.maximum())
            self.anchor.moved(before, after, self.viewport().height())
            self._hold_through(after)
        self._last_value = bar.value()
        self.viewport().update()
        self._place_live_line()

    def _hold_through(self, value: int) -> None:
        """A person's scroll: lay out what comes into view without moving what is there, pinned or not."""
        pinned, self.anchor.pinned = self.anchor.pinned, False
        self.settle()
        self.anchor.pinned = pinned
        self._show_jump()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Touch pads scroll by pixels, wheels by steps."""
        if not event.pixelDelta().isNull() and event.pixelDelta().y():
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() - event.pixelDelta().y())
            event.accept()
            return
        super().wheelEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The same row, or the end, stays where it is."""
        super().resizeEvent(event)
        low = event.size().height() < theme().px(SPACE_6)  # a bar that is lower than its handle is a stroke
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOff if low else policy.ScrollBarAsNeeded)
        self._dirty = True
        if self.isVisible():
            self.settle()
        self._overlays.place_jump()

    def showEvent(self, event: QShowEvent) -> None:
        """Lay out what was left while hidden."""
        super().showEvent(event)
        self._dirty = True
        self.settle()
        self._overlays.place_jump()

    # following the model

    def _content_changed(self) -> None:
        self._dirty = True
        self.viewport().update()

    def _on_inserted(self, first: int, count: int) -> None:
        fresh = sum(row.kind not in _QUIET for row in self.model.rows[first : first + count])
        above = first == 0 and self.verticalScrollBar().value() > self._above
        self.anchor.inserted(first, count, fresh=fresh)
        if above and self.isVisible() and not self._dirty:
            self._settle_unseen()
        else:
            self._content_changed()

    def _settle_unseen(self) -> None:
        """Follow a change above the view: what is in it stays where it is, so nothing is painted."""
        self._still = True
        self.settle()
        self._still = False

    def _on_removed(self, first: int, count: int) -> None:
        self.anchor.removed(first, count)
        self._content_changed()

    def _on_reset(self) -> None:
        self.selection.clear()
        self.current_row = self.current_hit = ""
        self.anchor.open()
        self._content_changed()

    def _on_theme(self) -> None:
        self.layouts.width = 0
        self._content_changed()
        if self.isVisible():
            self.settle()

    def _show_live_line(self) -> None:
        self._overlays.show_live_line(self.model.live_line)
        self._content_changed()

    @property
    def end_y(self) -> int:
        """Where all that is written ends in the viewport."""
        return self._above + self.layouts.heights.total + self._below - self.verticalScrollBar().value()

    def _place_live_line(self) -> None:
        self._overlays.place_live_line(*self.column, self.end_y - self._below)

    def _show_jump(self) -> None:
        bar = self.verticalScrollBar()
        self._overlays.show_jump(self.anchor.new, shown=not self.anchor.pinned and bar.value() < bar.maximum())

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows in view."""
        if self._dirty:
            self.settle()
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), theme().color("surface"))
        if not len(self.layouts.heights):
            self._paint_words(painter, self._empty_words(), self.viewport().rect())
            return
        left, width = self.column
        if not self.model.complete and self.row_top(0) > 0:
            area = QRect(left, self.row_top(0) - theme().px(SPACE_5), width, theme().px(SPACE_5))
            self._paint_words(painter, LOADING_OLDER_TEXT, area)
        first, last = self.row_at(event.rect().top()), self.row_at(event.rect().bottom())
        for index in range(first, last + 1):
            self._paint_row(painter, index, left, width, event.rect())

    def _empty_words(self) -> str:
        if self.model.loading:
            return LOADING_TEXT
        return self._empty if self.model.session_id else ""

    def set_waiting(self, waits: bool) -> None:
        """Whether the first message of a chat without any waits for its lane."""
        if waits is not (self._empty is WAITING_TEXT):
            self._empty = WAITING_TEXT if waits else EMPTY_TEXT
            self.viewport().update()

    @staticmethod
    def _paint_words(painter: QPainter, words: str, area: QRect) -> None:
        painter.setFont(theme().font())
        painter.setPen(theme().color("muted"))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, words)

    def _paint_row(self, painter: QPainter, index: int, left: int, width: int, clip: QRect) -> None:
        layout = self.layouts.layout_of(index)
        top = self.row_top(index)
        chosen_first, chosen_last = self.selection.row_range()
        painter.save()
        painter.translate(left, top)
        if chosen_first <= index <= chosen_last:
            painter.fillRect(row_rect(layout, width), theme().color("selection"))
        elif self.hovered[0] == layout.row.key:
            paint_hover(painter, layout, self.hovered[1])
        span = self.selection.span()
        selected = span is not None and span[0][0] <= index <= span[1][0]
        plain = not selected and self.hovered[0] != layout.row.key and not chosen_first <= index <= chosen_last
        place = self.found_place if layout.row.key == self.found_row else -1
        plain = not mark_words(layout, self.found, place) and plain
        if plain and not layout.row.live and not layout.row.running and fits(layout, width) and not layout.unfinished:
            self._pictures.paint(painter, layout, width, self.devicePixelRatioF())
        elif plain and layout.row.live:
            painter.setClipRect(clip.translated(-left, -top), Qt.ClipOperation.IntersectClip)
            layout.paint_growing(painter, self.devicePixelRatioF())
        else:
            self._turn_rings(layout)
            painter.setClipRect(clip.translated(-left, -top), Qt.ClipOperation.IntersectClip)
            layout.paint(painter, lambda piece: self.selection.of_piece(index, piece), self.devicePixelRatioF())
        if self.hasFocus() and layout.row.key == self.current_row:
            paint_focus(painter, layout, width, self.current_hit)
        elif self.found is not None and layout.row.key == self.found_row:
            paint_focus(painter, layout, width, "")
        painter.restore()

    def _turn_rings(self, layout: RowLayout) -> None:
        for piece in layout.pieces:
            if isinstance(piece, LinePiece):
                piece.turn = self._rings.turn if piece.is_ring else 0

    def _ring_areas(self) -> list[QRect]:
        """Where the rings of rows in view are, in the viewport."""
        areas: list[QRect] = []
        first, last = self.row_at(0), self.row_at(self.viewport().height())
        for index in range(max(0, first), min(last + 1, len(self.layouts.heights))):
            if self.model.rows[index].running and self.layouts.settled(index):
                corner = QPoint(self.column[0], self.row_top(index))
                pieces = self.layouts.layout_of(index).pieces
                areas += [p.icon_rect.translated(corner) for p in pieces if isinstance(p, LinePiece) and p.is_ring]
        return areas
