"""RowLayout: a row laid out as pieces, painted whole or while it grows; and how high a row probably is before that."""

from collections.abc import Callable
from dataclasses import field

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter, QPixmap

from desktop.records import dataclass
from desktop.ui.chats.folds.rows import ALWAYS_OPEN_CALLS, Row
from desktop.ui.chats.transcript.painting.markdown_blocks import MarkdownBlocks
from desktop.ui.chats.transcript.painting.pieces import Piece, PieceHit, line_height
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5, TOOL_ROW

MOST_WRITTEN, MOST_PIXELS = 60_000, 500_000


@dataclass
class RowLayout:
    """A row laid out: its pieces, its height and what can be clicked. `markdown`: its blocks while it grows.
    `unfinished`: more of it follows, as it is too long for one go."""

    row: Row
    pieces: list[Piece]
    height: int
    hits: list[PieceHit]
    markdown: MarkdownBlocks = field(default_factory=MarkdownBlocks)
    pixmap: QPixmap | None = None
    unfinished: bool = False

    def hit_at(self, x: int, y: int) -> PieceHit | None:
        """What is clicked at a point in row coordinates."""
        return next((hit for hit in self.hits if hit.rect.contains(x, y)), None)

    def paint(self, painter: QPainter, selection: Callable[[int], tuple[int, int] | None], ratio: float) -> None:
        """Paint all pieces with the row's top left at (0, 0); `selection` gives what is selected of a piece."""
        clip, line = painter.clipBoundingRect(), line_height()
        for number, piece in enumerate(self.pieces):
            below = piece.y + max(piece.height, line)
            if clip.isEmpty() or (below >= clip.top() and piece.y <= clip.bottom()):
                piece.paint(painter, selection(number), ratio)

    def paint_growing(self, painter: QPainter, ratio: float) -> None:
        """Paint a row that is being written: what stands already comes from pictures. Nothing of it is selected."""
        clip = painter.clipBoundingRect()
        for piece in self.pieces:
            if piece.y + piece.height < clip.top() or piece.y > clip.bottom():
                piece.picture = None
            elif piece.lasting and 0 < piece.width * piece.height < MOST_PIXELS:
                piece.paint_kept(painter, ratio)
            else:
                piece.paint(painter, None, ratio)

    def forget_look(self) -> None:
        """Something in it looks different now: its pictures are no longer true."""
        self.pixmap = None
        for piece in self.pieces:
            piece.picture = None


class Estimate:
    """Guesses heights of rows from their texts, without laying them out, for one column width."""

    def __init__(self, width: int) -> None:
        look = theme()
        self._line, self._tool, self._head = line_height(), look.px(look.dense(TOOL_ROW)), look.px(SPACE_5)
        self._gap = look.px(SPACE_3)
        self._per_line = max(20, (width - self._head) // max(1, look.px(7)))

    def __call__(self, row: Row) -> int:
        """A row's probable height in pixels."""
        if row.kind in ("user", "assistant", "agent_message"):
            lines = 1 + row.text.count("\n") + min(len(row.text), MOST_WRITTEN) // self._per_line
            return self._gap + (self._head if row.head else 0) + lines * self._line
        if row.kind == "calls":
            shown = len(row.calls) if 1 < len(row.calls) <= ALWAYS_OPEN_CALLS else 0
            return self._tool * (1 + shown)
        if row.kind == "error" or (row.kind in ("interrupted", "rewound", "recap") and row.actions):
            return self._gap + 4 * self._line
        claims = len(row.report.claims) + 1 if row.report is not None else 0
        return self._tool * (1 + claims) + self._line * len(row.lines)


def row_rect(layout: RowLayout, width: int) -> QRect:
    """The whole row."""
    return QRect(-theme().px(SPACE_2), 0, width + 2 * theme().px(SPACE_2), layout.height)
