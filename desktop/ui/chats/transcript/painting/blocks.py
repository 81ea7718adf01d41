"""Blocks as pieces: text, code, terminal output, diffs, tables, files and links, cut to what a row may show."""

from collections.abc import Callable, Hashable
from dataclasses import field

from PySide6.QtGui import QPixmap

from desktop.domain.core.content import (
    Block,
    CodeBlock,
    DiffBlock,
    FileListBlock,
    ImageBlock,
    LinkBlock,
    TableBlock,
    TextBlock,
)
from desktop.domain.display.table_csv import csv_text
from desktop.domain.terminals.looks import PLAIN
from desktop.language import number, tr
from desktop.records import dataclass
from desktop.ui.chats.transcript.painting.documents import (
    code_document,
    console_document,
    diff_document,
    extend_code,
    links_document,
    plain_document,
    strike,
    table_document,
)
from desktop.ui.chats.transcript.painting.growing_tables import extend_table
from desktop.ui.chats.transcript.painting.markdown_blocks import MarkdownBlock, MarkdownBlocks
from desktop.ui.chats.transcript.painting.markdown_marks import markdown_marks
from desktop.ui.chats.transcript.painting.pieces import ButtonsPiece, DividerPiece, Piece
from desktop.ui.chats.transcript.painting.text_piece import DocumentPiece
from desktop.ui.text.ansi import parse
from desktop.ui.text.diff_lines import diff_lines
from desktop.ui.text.format import changed_lines, count
from desktop.ui.text.highlight import Highlighter
from desktop.ui.text.markdown import prose_document
from desktop.ui.text.portions import portion_end
from desktop.ui.text.safe_text import prose_lines, safe_line, safe_text
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3

COPY = ("code_copy", tr("Copy"), "copy")
COPIED = ("code_copy", tr("Copied"), "check")
CSV_COPY = ("code_copy_csv", tr("Copy as CSV"), "copy")
CSV_COPIED = ("code_copy_csv", tr("Copied"), "check")
DIFF_LINES, OUTPUT_LINES, CODE_LINES, TABLE_ROWS, MOST_LINES = 12, 20, 60, 12, 400
MOST_CHARS = 200_000
MOST_AT_ONCE, MOST_WHILE_WRITTEN = 4_000, 1_000
"""Weights of a text that is laid out in one go: the rest follows a part at a time, so that no frame waits for it."""
_SEAM = {"items": SPACE_1, "text": 0}
"""What is between two blocks that are parts of one."""


def _no_thumbnail(sha256: str) -> QPixmap | None:
    return None


@dataclass
class Builder:
    """What making pieces needs: the width, what is open, and the pieces that may be used again.

    `is_open(part)`: whether a person, or the default, opened that part of the row. `copied`: the text whose copy button
    reads "Copied" now. `writing`: more of the row will come, so colours can wait a moment. `ink`: the colour of text;
    `struck`: the row no longer goes to the model. `thumbnail`: the small picture of a digest, None while it is not
    here. `marks`: what is said under a message. `unfinished`: a text goes on that was too
    long for one go.
    """

    width: int
    is_open: Callable[[str], bool]
    highlighter: Highlighter
    coloured: Callable[[], None]
    former: dict[Hashable, Piece] = field(default_factory=dict)
    pieces: list[Piece] = field(default_factory=list)
    copied: str = ""
    writing: bool = False
    ink: str = "text"
    struck: bool = False
    thumbnail: Callable[[str], QPixmap | None] = _no_thumbnail
    marks: Callable[[str], tuple[str, ...]] = markdown_marks
    unfinished: bool = False

    def add(self, piece: Piece) -> None:
        """The next piece, under the former ones."""
        self.pieces.append(piece)

    def reused(self, key: Hashable) -> bool:
        """Take a piece of the row's former layout if there is one that shows just this."""
        piece = self.former.pop(key, None)
        if piece is None:
            return False
        piece.lasting = True
        self.pieces.append(piece)
        return True

    def document(self, key: Hashable, make: Callable[[], DocumentPiece]) -> None:
        """A piece made once for as long as `key` stays the same."""
        if not self.reused(key):
            piece = make()
            piece.reuse = key
            self.add(piece)

    # Markdown

    def markdown(self, blocks: MarkdownBlocks, text: str, x: int, *, live: bool = False, part: str = "") -> None:
        """Markdown as pieces: one for each block; only the last one changes while it is being written. Of a long text
        a part is added to what `blocks` has already."""
        self.writing, begun = live, blocks.length
        if live or begun or portion_end(text, 0, MOST_AT_ONCE) < len(text):
            end = portion_end(text, begun, MOST_WHILE_WRITTEN)
            self.unfinished, text = self.unfinished or end < len(text), text[:end]
        found = blocks.update(text)
        for place, block in enumerate(found):
            last = live and place == len(found) - 1
            if block.kind == "code":
                grows = (live or self.unfinished) and place == len(found) - 1 and not block.closed
                self._fence(block, x, f"{part}fence{place}", live=grows)
            elif block.kind == "rule":
                piece = DividerPiece(self.width, "")
                piece.height, piece.gap = theme().px(SPACE_3), theme().px(SPACE_3)
                self.add(piece)
            else:
                self._paragraph(block, x, place, last=last)

    def _paragraph(self, block: MarkdownBlock, x: int, place: int, *, last: bool) -> None:
        width, look = self.width - x, (self.ink, self.struck)
        key = ("md", place, block, width, last, look)
        if self.reused(key):
            return
        piece = self._grown_table(block, (place, width, look)) or _prose(block, x, width, look, caret=last)
        piece.reuse, piece.caret = key, last
        self.add(piece)

    def _grown_table(self, block: MarkdownBlock, where: tuple[object, ...]) -> DocumentPiece | None:
        """The piece that showed the begin of a table at this place, with the rows that came."""
        if self.struck or block.kind != "prose":
            return None
        for key, piece in self.former.items():
            match key:
                case ("md", place, MarkdownBlock() as shown, width, _, look) if (place, width, look) == where:
                    if shown.kind != "prose" or not isinstance(piece, DocumentPiece):
                        return None
                    if not extend_table(piece.document, shown.text, block.text, self.ink):
                        return None
                    piece.gap = theme().px(_SEAM[block.goes_on] if block.goes_on else SPACE_2)
                    piece.grown()
                    del self.former[key]
                    return piece
        return None

    def _fence(self, block: MarkdownBlock, x: int, part: str, *, live: bool) -> None:
        copied = self.copied == block.text != ""
        key = ("fence", part, block.text, block.language, self.width - x, live, self.is_open(part), copied)
        if self.reused(key):
            return
        growing = self.former.get(("growing", part))
        short = live or block.text.count("\n") < CODE_LINES
        if isinstance(growing, DocumentPiece) and short and self._grow(growing, block, copied=copied):
            if not live:
                growing.reuse = key
                self.highlighter.colour(growing.document, block.language, self.coloured, at_once=False)
            return
        piece = self._code(block.text, block.language, x, part, cut=not live)
        if block.info:
            piece.caption = safe_line(block.info)
        if live:
            piece.reuse = ("growing", part)
            return
        piece.reuse = key if len(self.pieces) and self.pieces[-1] is piece else None

    def _grow(self, piece: DocumentPiece, block: MarkdownBlock, *, copied: bool) -> bool:
        """Write the rest of a fence into the piece that shows its beginning, if only something is to be added."""
        if not extend_code(piece.document, piece.source, block.text):
            return False
        piece.source, piece.buttons = block.text, (COPIED if copied else COPY,)
        piece.grown()
        self.pieces.append(piece)
        return True

    def _code(self, text: str, language: str, x: int, part: str, *, cut: bool = True) -> DocumentPiece:
        lines = text.split("\n")
        most = MOST_LINES if self.is_open(part) or not cut else CODE_LINES
        shown = "\n".join(lines[:most])[:MOST_CHARS]
        piece = DocumentPiece(code_document(shown), x, self.width - x, box=True, wrap=False)
        piece.source = text
        piece.set_header(safe_line(language), (COPIED if text and self.copied == text else COPY,))
        if cut:
            self.highlighter.colour(piece.document, language, self.coloured, at_once=not self.writing)
        self.add(piece)
        if len(lines) > most and cut:
            self._more(x, part, count(len(lines), "line"))
        return piece

    def cut(self, text: str, most: int, x: int, part: str, show: Callable[[str], None]) -> None:
        """Show at most about `most` characters of a text until a person opens the rest of it."""
        if len(text) <= most or self.is_open(part):
            show(text)
            return
        end = text.rfind("\n", most // 2, most)
        show(text[: end if end > 0 else most])
        self._more(x, part, count(text.count("\n") + 1, "line"))

    def _more(self, x: int, part: str, total: str) -> None:
        if self.is_open(part):
            return
        label = tr("Show all {total}", total=total)
        self.add(ButtonsPiece(x, self.width - x, (("row_show_all", label),), links=True, part=part))

    # blocks of cards and results

    def block(self, block: Block, x: int, part: str) -> None:
        """Any block."""
        if isinstance(block, TextBlock):
            self._text(block, x, part)
        elif isinstance(block, CodeBlock):
            if block.language == "console":
                self.console(block.text, x, part)
            elif block.text.strip():
                self._code(block.text.replace("\r\n", "\n").rstrip("\n"), block.language, x, part)
        elif isinstance(block, DiffBlock):
            self._diff(block, x, part)
        elif isinstance(block, TableBlock):
            self._table(block, x, part)
        else:
            self._links(block, x)

    def _text(self, block: TextBlock, x: int, part: str) -> None:
        if not block.text.strip():
            return
        if block.markdown:
            self.markdown(MarkdownBlocks(), block.text, x, part=part)
            return
        lines = block.text.rstrip("\n").split("\n")
        most = MOST_LINES if self.is_open(part) else OUTPUT_LINES
        text = "\n".join(lines[:most])[:MOST_CHARS]
        show = prose_lines if block.prose else safe_text
        self.add(DocumentPiece(plain_document(text, "muted", show=show), x, self.width - x))
        if len(lines) > most:
            self._more(x, part, count(len(lines), "line"))

    def console(self, text: str, x: int, part: str) -> None:
        """Terminal output: the last 20 lines, then up to 400 from both ends."""
        if not text.strip():
            return
        cut = text if len(text) <= MOST_CHARS else f"{text[: MOST_CHARS // 2]}\n{text[-MOST_CHARS // 2 :]}"
        lines = parse(cut)
        opened = self.is_open(part)
        if len(lines) > OUTPUT_LINES and not opened:
            self._more(x, part, count(text.count("\n") + 1, "line"))
            lines = lines[-OUTPUT_LINES:]
        elif len(lines) > MOST_LINES:
            half, left = MOST_LINES // 2, len(lines) - MOST_LINES
            lines = [*lines[:half], [(tr("… {n} lines left out …", n=number(left)), PLAIN)], *lines[-half:]]
        piece = DocumentPiece(console_document(lines), x, self.width - x, box=True, wrap=False)
        piece.source = text
        piece.set_header(tr("output"), (COPIED if self.copied == text else COPY,))
        self.add(piece)

    def _diff(self, block: DiffBlock, x: int, part: str) -> None:
        lines = diff_lines(block.unified[:MOST_CHARS])
        if not lines:
            return
        most = MOST_LINES if self.is_open(part) else DIFF_LINES
        piece = DocumentPiece(diff_document(lines[:most]), x, self.width - x, box=True, wrap=False)
        piece.source = block.unified
        caption = f"{safe_line(block.path)}  {changed_lines(block.added, block.removed)}"
        piece.set_header(caption, (COPIED if self.copied == block.unified else COPY,))
        self.add(piece)
        if len(lines) > most:
            self._more(x, part, count(len(lines), "line"))

    def _table(self, block: TableBlock, x: int, part: str) -> None:
        most = MOST_LINES if self.is_open(part) else TABLE_ROWS
        piece = DocumentPiece(table_document(block, most), x, self.width - x, wrap=False)
        piece.source = csv_text(block.columns, block.rows, block.nulls)
        figure = f"{count(len(block.rows), 'row')} · {count(len(block.columns), 'column')}"
        piece.set_header(figure, (CSV_COPIED if self.copied == piece.source else CSV_COPY,))
        self.add(piece)
        if len(block.rows) > most:
            self._more(x, part, count(len(block.rows), "row"))
        elif block.more:
            total = number(len(block.rows) + block.more)
            note = tr("Showing {rows} of {total} rows", rows=number(len(block.rows)), total=total)
            self.add(DocumentPiece(plain_document(note, "muted"), x, self.width - x))

    def _links(self, block: LinkBlock | FileListBlock | ImageBlock, x: int) -> None:
        if isinstance(block, LinkBlock):
            links, note = [(f"{block.label} — {block.url}" if block.label else block.url, block.url)], ""
        elif isinstance(block, FileListBlock):
            links = [(path, path) for path in block.paths[:MOST_LINES]]
            left = block.more + max(0, len(block.paths) - MOST_LINES)
            note = tr("… and {files}", files=count(left, "more file", "more files")) if left else ""
        else:
            links, note = (
                [],
                tr("Picture: {description}", description=safe_line(block.alt) or tr("without a description")),
            )
        self.add(DocumentPiece(links_document(links, note), x, self.width - x))


def _prose(block: MarkdownBlock, x: int, width: int, look: tuple[str, bool], *, caret: bool) -> DocumentPiece:
    quote = block.kind == "quote"
    document = prose_document(block.text, "muted" if quote else look[0], shift=block.shift)
    if look[1]:
        strike(document)
    piece = DocumentPiece(document, x, width, bar="border" if quote else "")
    piece.caret = caret
    if block.goes_on:
        piece.gap = theme().px(_SEAM[block.goes_on])
    return piece
