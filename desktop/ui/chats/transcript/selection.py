"""TranscriptSelection: text selected over rows, character by character, or whole rows; and what copying them gives."""

from desktop.records import dataclass
from desktop.ui.chats.folds.rows import Row, head_line, plain_text
from desktop.ui.chats.transcript.painting.row_layouts import RowLayouts
from desktop.ui.chats.transcript.painting.text_piece import DocumentPiece
from desktop.ui.text.safe_text import original_text, without_isolates
from desktop.ui.text.utf16 import between_units

_PARAGRAPH = str.maketrans({"\u2029": "\n", "\u2028": "\n", "\ufdd0": "\n", "\ufdd1": "\n"})


@dataclass(frozen=True)
class Position:
    """A place in the text of a chat: row, piece of its layout, character of the piece's document."""

    key: str
    piece: int
    offset: int


class TranscriptSelection:
    """One selection of text (`anchor` to `head`) or of rows (`first_row` to `last_row`)."""

    def __init__(self, layouts: RowLayouts) -> None:
        self._layouts = layouts
        self.anchor: Position | None = None
        self.head: Position | None = None
        self.first_row = self.last_row = ""

    def clear(self) -> None:
        """Select nothing."""
        self.anchor = self.head = None
        self.first_row = self.last_row = ""

    def select_text(self, anchor: Position, head: Position) -> None:
        """Select the text between two places."""
        self.clear()
        self.anchor, self.head = anchor, head

    def select_rows(self, first: str, last: str) -> None:
        """Select the rows from one to another, in either order."""
        self.clear()
        self.first_row, self.last_row = first, last

    @property
    def has_text(self) -> bool:
        """Whether some text is selected."""
        return self.anchor is not None and self.anchor != self.head

    def row_range(self) -> tuple[int, int]:
        """First and last index of the selected rows; (0, -1) when none is."""
        model = self._layouts.model
        first, last = model.index_of(self.first_row), model.index_of(self.last_row)
        return (min(first, last), max(first, last)) if first >= 0 and last >= 0 else (0, -1)

    def span(self) -> tuple[tuple[int, int, int], tuple[int, int, int]] | None:
        """The selected text as two ordered places (row index, piece, character); None when there is none."""
        if self.anchor is None or self.head is None or self.anchor == self.head:
            return None
        model = self._layouts.model
        ends = sorted((model.index_of(p.key), p.piece, p.offset) for p in (self.anchor, self.head))
        return (ends[0], ends[1]) if ends[0][0] >= 0 else None

    def of_piece(self, row: int, piece: int) -> tuple[int, int] | None:
        """Which characters of a piece are selected."""
        span = self.span()
        if span is None:
            return None
        (first_row, first_piece, first), (last_row, last_piece, last) = span
        place = (row, piece)
        if place < (first_row, first_piece) or place > (last_row, last_piece):
            return None
        begin = first if place == (first_row, first_piece) else 0
        end = last if place == (last_row, last_piece) else 1 << 30
        return (begin, end) if end > begin else None

    def shown_text(self) -> str:
        """The selected text as it is painted; rows that are selected whole are given by their text."""
        span = self.span()
        if span is None:
            return ""
        (first, _, _), (last, _, _) = span
        parts = []
        for index in range(first, last + 1):
            if first < index < last:
                parts.append(plain_text(self._layouts.model.rows[index]))
            else:
                parts.append(self._part_of(index))
        return "\n\n".join(part for part in parts if part)

    def text(self) -> str:
        """The selected text as it was written, hidden characters included; else the selected rows with their heads."""
        if self.has_text:
            return original_text(self.shown_text())
        return self.rows_text()

    def rows_text(self) -> str:
        """The selected rows in order, each headed "You, 14:02"."""
        first, last = self.row_range()
        return "\n\n".join(row_text(row) for row in self._layouts.model.rows[first : last + 1])

    def _part_of(self, index: int) -> str:
        texts: list[str] = []
        for number, piece in enumerate(self._layouts.layout_of(index).pieces):
            chosen = self.of_piece(index, number)
            if chosen is not None and isinstance(piece, DocumentPiece):
                text = between_units(piece.document.toRawText(), *chosen)
                texts.append(without_isolates(text.translate(_PARAGRAPH)))
        return "\n".join(texts)


def row_text(row: Row) -> str:
    """A row as copied: its head line, if somebody wrote it, and its text."""
    return "\n".join(part for part in (head_line(row), plain_text(row)) if part)
