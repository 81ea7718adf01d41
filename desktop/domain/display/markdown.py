"""Foreign Markdown as parts to draw: no HTML, no pictures, addresses beside link texts, nothing left out (gate-V7)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from functools import cache
from typing import TYPE_CHECKING, Literal

from desktop.domain.display.marks import text_marks
from desktop.domain.display.prose import Link, Prose, Span, Style, Veil, span_text
from desktop.domain.display.prose_marks import prose_marks
from desktop.domain.display.text import Mark, Run, code_runs, display_safe, prose_safe
from desktop.late import late
from desktop.records import dataclass

if TYPE_CHECKING:
    from markdown_it.token import Token

    from desktop.domain.display.markdown_parser import Parser

PartKind = Literal["text", "heading", "code", "rule", "table"]
_ASCII_SIGNS = re.compile(r"[\x00-/:-@\[-`{-\x7f]+")
_TASK = re.compile(r"\[([ xX])\][ \t]+")
_DEFINITION = re.compile(r"^[ >]*\[[^\]\n]+\]:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph, heading, code block, rule or table. `level`: of a heading, 1 to 6. `quote`: how deep it is quoted.
    `indent`: how deep in lists; `marker` stands before it: "•", "3.", "3)", "☐" or "☑". `rows`: cells of a table,
    the first row its head."""

    kind: PartKind
    spans: tuple[Span, ...] = ()
    level: int = 0
    quote: int = 0
    indent: int = 0
    marker: str = ""
    rows: tuple[tuple[tuple[Span, ...], ...], ...] = ()

    @property
    def text(self) -> str:
        """The text of this part as it is drawn, its marker included; cells of a table are parted by a bar."""
        if self.kind == "table":
            return "\n".join(" | ".join(map(span_text, row)) for row in self.rows)
        lead = f"{self.marker} " if self.marker else ""
        return (lead + span_text(self.spans)).rstrip(" ")


@dataclass
class MarkdownText:
    """A Markdown text as it is drawn: its parts from top to bottom, the links and pictures in it, and the marks to
    underline."""

    parts: list[Part] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)

    def spans(self) -> Iterator[Span]:
        """The spans of all parts and cells in order, without the markers of lists."""
        for part in self.parts:
            yield from part.spans
            for row in part.rows:
                for cell in row:
                    yield from cell


def block_tokens(text: str) -> "list[Token]":
    """The block tokens of a Markdown text in the dialect that is drawn; their lines end with LF alone. What stands in
    a line is not read."""
    parser, tokens = _parser(references=False), list["Token"]()
    parser.block.parse(text, parser, {}, tokens)
    return tokens


def _parse(text: str, *, references: bool = False) -> "list[Token]":
    tokens: list[Token] = _parser(references=references).parse(text)
    return tokens


@cache
def _parser(*, references: bool) -> "Parser":
    """The library (0.04 s to import) is loaded at the first text."""
    parser: Parser = late("desktop.domain.display.markdown_parser").Parser(references=references)
    return parser


def read_markdown(text: str) -> MarkdownText:
    """The parts of a Markdown text. A block that the dialect would not draw whole is drawn as plain text."""
    veil = Veil(text)
    if veil.text is None:
        return _as_written(text)
    found = MarkdownText()
    for tokens, source in _blocks(veil.text):
        block = _Builder(veil, tokens).build()
        found.links += block.links
        if not _is_whole(source, tokens):
            block = _as_written(veil.lift(source.strip("\n")))
        found.parts += block.parts
        found.marks += block.marks
    if _DEFINITION.search(text):
        found.links += _Builder(veil, _parse(veil.text, references=True)).build().links
    return found


def _blocks(text: str) -> "Iterator[tuple[list[Token], str]]":
    """The tokens of each block that stands in no other, and its lines."""
    lines = text.split("\n")
    tokens: list[Token] = []
    for token in _parse(text):
        tokens.append(token)
        if token.level == 0 and token.nesting <= 0:
            first, last = tokens[0].map or [0, 0]
            yield tokens, "\n".join(lines[first:last])
            tokens = []


def _is_whole(source: str, tokens: "Sequence[Token]") -> bool:
    """Whether every letter and digit of the source stands in a token (a row of a table may have cells too many)."""
    found = []
    for token in tokens:
        if token.type == "list_item_open":
            found.append(token.info)
        elif token.type in ("fence", "code_block", "inline"):
            found += [token.info, token.content]
    return _ASCII_SIGNS.sub("", "".join(found)) == _ASCII_SIGNS.sub("", source)


def _as_written(text: str) -> MarkdownText:
    marks = prose_marks(text)
    spans = tuple(Span(run) for run in prose_safe(text, multiline=True, marks=marks))
    return MarkdownText([Part("text", spans)], marks=list(marks))


class _Builder:
    """Walks the tokens of a text and gathers its parts."""

    def __init__(self, veil: Veil, tokens: "Sequence[Token]") -> None:
        self._veil = veil
        self._tokens = tokens
        self._found = MarkdownText()
        self._quote = 0
        self._level = 0
        self._lists: list[int] = []
        self._marker = ""
        self._in_table = False
        self._rows: list[tuple[tuple[Span, ...], ...]] = []
        self._cells: list[tuple[Span, ...]] = []

    def build(self) -> MarkdownText:
        """Everything."""
        for token in self._tokens:
            self._take(token)
        return self._found

    def _take(self, token: "Token") -> None:
        kind = token.type
        if kind in ("blockquote_open", "blockquote_close"):
            self._quote += token.nesting
        elif kind in ("bullet_list_open", "ordered_list_open"):
            self._lists.append(int(token.attrs.get("start", 1)) - 1)
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
        elif kind == "list_item_open":
            self._lists[-1] += 1
            self._marker = f"{self._lists[-1]}{token.markup}" if token.info else "•"
        elif kind == "list_item_close":
            self._end_item()
        elif kind == "heading_open":
            self._level = int(token.tag[1:])
        elif kind == "inline":
            self._take_inline(token)
        elif kind == "hr":
            self._add(Part("rule"))
        elif kind in ("fence", "code_block"):
            self._take_code(token)
        else:
            self._take_table(kind)

    def _take_table(self, kind: str) -> None:
        if kind == "tr_close":
            self._rows.append(tuple(self._cells))
            self._cells = []
        elif kind == "table_open":
            self._in_table, self._rows, self._cells = True, [], []
        elif kind == "table_close":
            self._in_table = False
            self._add(Part("table", rows=tuple(self._rows)))

    def _take_inline(self, token: "Token") -> None:
        prose = Prose(self._veil)
        prose.write(token.children or [])
        self._found.links += prose.links
        if self._marker == "•" and (task := _TASK.match(prose.first)) is not None:
            self._marker = "☐" if task[1] == " " else "☑"
            prose.drop(task.end())
        marks = prose.marks()
        self._found.marks += marks
        spans = prose.spans(marks)
        if self._in_table:
            self._cells.append(spans)
        else:
            self._add(Part("heading" if self._level else "text", spans, level=self._level))
            self._level = 0

    def _take_code(self, token: "Token") -> None:
        info, code = self._veil.lift(token.info.strip()), self._veil.lift(token.content.removesuffix("\n"))
        about, marks = text_marks(info), text_marks(code)
        self._found.marks += (*about, *marks)
        runs = [*display_safe(info, multiline=False, marks=about)]
        runs += [Run(kind="text", text="\n")] if runs and code else []
        runs += code_runs(code, marks=marks)
        self._add(Part("code", tuple(Span(run, Style(code=True)) for run in runs)))

    def _end_item(self) -> None:
        if self._marker:
            self._add(Part("text"))

    def _add(self, part: Part) -> None:
        """The next part, where lists and quotes put it; the first of an item takes its marker."""
        self._found.parts.append(replace(part, quote=self._quote, indent=len(self._lists), marker=self._marker))
        self._marker = ""
