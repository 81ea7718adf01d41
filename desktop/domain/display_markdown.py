"""Foreign Markdown as parts to draw: no HTML, no pictures, addresses beside link texts, nothing left out (gate-V7)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from desktop.domain.display import Mark, Run, code_runs, display_safe, is_hidden, joined
from desktop.domain.display_links import is_safe_link
from desktop.domain.display_marks import text_marks

PartKind = Literal["text", "heading", "code", "rule", "table"]
_FIRST, _LAST = 0x100000, 0x10FFFD
_ENTITY = re.compile(r"&(?=#(?:x0*10[0-9a-f]{4}|0*1(?:04|05|06|07|08|09|10|11)[0-9]{4});)", re.IGNORECASE)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_ASCII_SIGNS = re.compile(r"[\x00-/:-@\[-`{-\x7f]+")
_TASK = re.compile(r"\[([ xX])\][ \t]+")
_DEFINITION = re.compile(r"^[ >]*\[[^\]\n]+\]:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Style:
    """How a piece of prose is written. `href`: where a click leads; "" for what is no link."""

    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    href: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text in one style. A line break inside a paragraph is LF in its text."""

    run: Run
    style: Style = Style()


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph, heading, code block, rule or table. `level`: of a heading, 1 to 6. `quote`: how deep it is quoted.
    `indent`: how deep in lists; `marker` stands before it: "•", "3.", "☐" or "☑". `rows`: cells of a table, the first
    row its head."""

    kind: PartKind
    spans: tuple[Span, ...] = ()
    level: int = 0
    quote: int = 0
    indent: int = 0
    marker: str = ""
    rows: tuple[tuple[tuple[Span, ...], ...], ...] = ()

    @property
    def text(self) -> str:
        """All that is drawn of it, its marker included; cells of a table are parted by a bar."""
        if self.kind == "table":
            return "\n".join(" | ".join(map(_span_text, row)) for row in self.rows)
        lead = f"{self.marker} " if self.marker else ""
        return (lead + _span_text(self.spans)).rstrip(" ")


@dataclass(frozen=True, slots=True)
class Link:
    """A link or picture as it was written: its text and its address, hidden characters included."""

    text: str
    href: str


@dataclass
class MarkdownText:
    """What is drawn, from top to bottom, the links and pictures in it, and what is underlined."""

    parts: list[Part] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)

    def spans(self) -> Iterator[Span]:
        """All that is drawn but markers, in order."""
        for part in self.parts:
            yield from part.spans
            for row in part.rows:
                for cell in row:
                    yield from cell


class _Parser(MarkdownIt):
    """CommonMark with tables and strikethrough. Every address makes a link, whatever its scheme, and is kept as it was
    written, so that it is seen; line ends and NUL are not touched."""

    def __init__(self, *, references: bool) -> None:
        super().__init__("commonmark", {"html": False})
        self.enable(["table", "strikethrough"])
        self.core.ruler.disable("normalize")
        if not references:
            self.block.ruler.disable("reference")

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the library's name
        """Any."""
        return True

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the library's name
        """As written."""
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - the library's name
        """As written."""
        return link


_PARSER = _Parser(references=False)
"""Link definitions are ordinary text, so that they are seen."""
_WITH_REFERENCES = _Parser(references=True)


def block_tokens(text: str) -> list[Token]:
    """The block tokens of a Markdown text in the dialect that is drawn; their lines end with LF alone."""
    return _PARSER.parse(text)


def read_markdown(text: str) -> MarkdownText:
    """The parts of a Markdown text. What the dialect would leave out or cannot nest is drawn as plain text."""
    veil = _Veil(text)
    if veil.text is None:
        return _as_written(text, [])
    tokens = _PARSER.parse(veil.text)
    found = _Builder(veil, tokens).build()
    if not _is_whole(veil.text, tokens):
        return _as_written(text, found.links)
    if _DEFINITION.search(text):
        found.links += _Builder(veil, _WITH_REFERENCES.parse(veil.text)).build().links
    return found


def markdown_shown(text: str) -> str:
    """A Markdown text as it is drawn."""
    return "\n".join(part.text for part in read_markdown(text).parts if part.kind != "rule")


class _Veil:
    """Hidden characters stand in for themselves while the text is parsed, so that none is taken for a blank or lost.

    `text` is None when there are too many different ones.
    """

    def __init__(self, text: str) -> None:
        hidden = sorted({char for char in _NOT_ASCII.findall(text) + _CONTROL.findall(text) if is_hidden(char)})
        self._stands_for = {chr(_FIRST + place): char for place, char in enumerate(["&", *hidden])}
        self.text: str | None = None
        if len(hidden) < _LAST - _FIRST:
            table = {ord(char): chr(_FIRST + 1 + place) for place, char in enumerate(hidden)}
            self.text = _ENTITY.sub(chr(_FIRST), text).translate(table)
        self._back = str.maketrans(self._stands_for)

    def lift(self, text: str) -> str:
        """The text with its own characters again."""
        return text.translate(self._back)


def _is_whole(source: str, tokens: Sequence[Token]) -> bool:
    """Whether every letter and digit of the source stands in a token (a row of a table may have cells too many)."""
    found = []
    for token in tokens:
        if token.type == "list_item_open":
            found.append(token.info)
        elif token.type in ("fence", "code_block", "inline"):
            found += [token.info, token.content]
    return _ASCII_SIGNS.sub("", "".join(found)) == _ASCII_SIGNS.sub("", source)


def _as_written(text: str, links: list[Link]) -> MarkdownText:
    marks = text_marks(text)
    spans = tuple(Span(run) for run in display_safe(text, multiline=True, marks=marks))
    return MarkdownText([Part("text", spans)], links, list(marks))


class _Builder:
    """Walks the tokens of a text and gathers its parts."""

    def __init__(self, veil: _Veil, tokens: Sequence[Token]) -> None:
        self._veil = veil
        self._tokens = tokens
        self._found = MarkdownText()
        self._quote = 0
        self._level = 0
        self._lists: list[str] = []
        self._marker = ""
        self._in_table = False
        self._rows: list[tuple[tuple[Span, ...], ...]] = []
        self._cells: list[tuple[Span, ...]] = []

    def build(self) -> MarkdownText:
        """Everything."""
        for token in self._tokens:
            self._take(token)
        return self._found

    def _take(self, token: Token) -> None:
        kind = token.type
        if kind in ("blockquote_open", "blockquote_close"):
            self._quote += token.nesting
        elif kind in ("bullet_list_open", "ordered_list_open"):
            self._lists.append(kind)
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
        elif kind == "list_item_open":
            self._marker = f"{token.info}{token.markup}" if token.info else "•"
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

    def _take_inline(self, token: Token) -> None:
        prose = _Prose(self._veil)
        prose.write(token.children or [])
        self._found.links += prose.links
        if self._marker == "•" and (task := _TASK.match(prose.first)) is not None:
            self._marker = "☐" if task[1] == " " else "☑"
            prose.drop(task.end())
        marks = text_marks(prose.text)
        self._found.marks += marks
        spans = prose.spans(marks)
        if self._in_table:
            self._cells.append(spans)
        else:
            self._add(Part("heading" if self._level else "text", spans, level=self._level))
            self._level = 0

    def _take_code(self, token: Token) -> None:
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


class _Prose:
    """The inline tokens of one paragraph as text with styles."""

    def __init__(self, veil: _Veil) -> None:
        self._veil = veil
        self._pieces: list[tuple[str, Style]] = []
        self._style = Style()
        self._open: list[tuple[int, str, str, bool]] = []
        self.links: list[Link] = []

    @property
    def text(self) -> str:
        """The text so far, addresses included, as it was written."""
        return "".join(piece for piece, _style in self._pieces)

    @property
    def first(self) -> str:
        """The first piece as it was written."""
        return self._pieces[0][0] if self._pieces else ""

    def drop(self, length: int) -> None:
        """Leave the first characters out; they stand in one piece."""
        first, style = self._pieces[0]
        self._pieces[0] = (first[length:], style)

    def write(self, tokens: Sequence[Token]) -> None:
        """The next tokens."""
        for token in tokens:
            kind = token.type
            if kind in ("strong_open", "strong_close"):
                self._style = replace(self._style, bold=token.nesting > 0)
            elif kind in ("em_open", "em_close"):
                self._style = replace(self._style, italic=token.nesting > 0)
            elif kind in ("s_open", "s_close"):
                self._style = replace(self._style, strike=token.nesting > 0)
            elif kind == "code_inline":
                self._put(token.content, replace(self._style, code=True))
            elif kind in ("softbreak", "hardbreak"):
                self._put(" " if kind == "softbreak" else "\n", self._style)
            elif kind == "link_open":
                self._begin_link(token)
            elif kind == "link_close":
                self._end_link()
            elif kind == "image":
                self._picture(token)
            else:
                self._put(token.content, self._style)

    def spans(self, marks: Sequence[Mark]) -> tuple[Span, ...]:
        """Everything as runs, each with its style; `marks` of the whole text are underlined."""
        found: list[Span] = []
        start = 0
        for piece, style in self._pieces:
            inside = _shifted(marks, start, start + len(piece))
            found += [Span(run, style) for run in display_safe(piece, multiline=True, marks=inside)]
            start += len(piece)
        return tuple(found)

    def _put(self, text: str, style: Style) -> None:
        if text:
            self._pieces.append((self._veil.lift(text), style))

    def _begin_link(self, token: Token) -> None:
        href = self._veil.lift(str(token.attrs.get("href", "")))
        title = self._veil.lift(str(token.attrs.get("title", "")))
        bare = token.info == "auto" and not is_safe_link(href)
        self._open.append((len(self._pieces), href, title, bare))
        if bare:
            self._put("<", self._style)
        if is_safe_link(href):
            self._style = replace(self._style, href=href.strip())

    def _end_link(self) -> None:
        begin, href, title, bare = self._open.pop()
        text = "".join(piece for piece, _style in self._pieces[begin:])
        self.links.append(Link(text.removeprefix("<") if bare else text, href))
        if bare:
            self._put(">", self._style)
        elif href not in (text, f"mailto:{text}") or title:
            self._beside(f" ({_address(href, title)})" if text else f"({_address(href, title)})")
        self._style = replace(self._style, href="")

    def _picture(self, token: Token) -> None:
        href = self._veil.lift(str(token.attrs.get("src", "")))
        title = self._veil.lift(str(token.attrs.get("title", "")))
        begin = len(self._pieces)
        self.write(token.children or [])
        alt = "".join(piece for piece, _style in self._pieces[begin:])
        self.links.append(Link(alt, href))
        self._beside(f" — {_address(href, title)}" if alt else _address(href, title))

    def _beside(self, text: str) -> None:
        """Add text that is the source's own already."""
        self._pieces.append((text, replace(self._style, bold=False, italic=False, strike=False)))


def _address(href: str, title: str) -> str:
    return f'{href} "{title}"' if title else href


def _shifted(marks: Sequence[Mark], start: int, end: int) -> list[Mark]:
    """The marks that touch a piece of a text, as marks of that piece; the note stands where the mark ends."""
    return [
        Mark(max(mark.start, start) - start, min(mark.end, end) - start, mark.why, mark.note if mark.end <= end else "")
        for mark in marks
        if mark.start < end and mark.end > start
    ]


def _span_text(spans: Sequence[Span]) -> str:
    return joined([span.run for span in spans])
