"""What is painted around rows and their parts: the ground under the pointer and the frame of the keyboard focus."""

import re
from itertools import islice

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter

from desktop.ui.chats.transcript.painting.pieces import LinePiece
from desktop.ui.chats.transcript.painting.row_layout import RowLayout, row_rect
from desktop.ui.chats.transcript.painting.text_piece import DocumentPiece
from desktop.ui.text.utf16 import to_units
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import RADIUS_CONTROL, SPACE_1, SPACE_2

_MOST_MARKS = 200


def mark_words(layout: RowLayout, words: re.Pattern[str] | None, place: int) -> bool:
    """Mark the words in the row's texts; whether there are any. `place`: the number of the one that a person is at, -1
    for none."""
    marked = 0
    for piece in layout.pieces:
        if isinstance(piece, DocumentPiece):
            text = piece.document.toPlainText() if words is not None else ""
            hits = list(islice(words.finditer(text), _MOST_MARKS)) if words is not None else []
            found = [(to_units(text, hit.start()), to_units(text, hit.end())) for hit in hits]
            piece.marks = tuple(found)
            piece.marked = place - marked
            marked += len(found)
    return marked > 0


def paint_hover(painter: QPainter, layout: RowLayout, name: str) -> None:
    """Mark the line that the pointer is over: the hit area of this name. The row's top left is at (0, 0)."""
    hit = next((hit for hit in layout.hits if hit.name == name), None)
    for piece in layout.pieces:
        if isinstance(piece, LinePiece):
            piece.hovered = bool(piece.toggle) and piece.toggle == name
    if hit is not None and hit.name.startswith(("row_toggle", "call_")):
        look = theme()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.color("canvas"))
        grown = hit.rect.adjusted(-look.px(SPACE_2), 0, look.px(SPACE_2), 0)
        painter.drawRoundedRect(grown, look.px(RADIUS_CONTROL), look.px(RADIUS_CONTROL))


def paint_focus(painter: QPainter, layout: RowLayout, width: int, name: str) -> None:
    """Frame the hit area of this name, or the whole row when there is none."""
    look = theme()
    hit = next((hit for hit in layout.hits if hit.name == name), None)
    rect = hit.rect.adjusted(-look.px(SPACE_1), 0, look.px(SPACE_1), 0) if hit else row_rect(layout, width)
    pen = painter.pen()
    pen.setColor(look.color("accent"))
    pen.setWidth(max(2, look.px(2)))
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), look.px(RADIUS_CONTROL), look.px(RADIUS_CONTROL))
