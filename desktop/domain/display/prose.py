"""One paragraph of foreign Markdown as spans: styles, and addresses beside link texts (gate-V7)."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from desktop.domain.display.links import is_safe_link
from desktop.domain.display.marks import text_marks
from desktop.domain.display.own_use import own_use
from desktop.domain.display.prose_marks import prose_marks
from desktop.domain.display.text import Mark, Run, display_safe, is_hidden, joined
from desktop.records import dataclass

if TYPE_CHECKING:
    from markdown_it.token import Token

_FIRST, _LAST = 0x100000, 0x10FFFD
_ENTITY = re.compile(r"&(?=#(?:x0*10[0-9a-f]{4}|0*1(?:04|05|06|07|08|09|10|11)[0-9]{4});)", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class Style:
    """The style of a run of prose. `href`: where a click leads; "" for what is no link."""

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
class Link:
    """A link or picture as it was written: its text and its address, hidden characters included."""

    text: str
    href: str
    picture: bool = False


class Veil:
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


class Prose:
    """The inline tokens of one paragraph as text with styles. `links`: what it leads to."""

    def __init__(self, veil: Veil) -> None:
        self._veil = veil
        self._pieces: list[tuple[str, Style]] = []
        self._style = Style()
        self._open: list[tuple[int, str, str, bool]] = []
        self._addresses: set[int] = set()
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

    def write(self, tokens: "Sequence[Token]") -> None:
        """Add the next tokens of the paragraph."""
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

    def marks(self) -> tuple[Mark, ...]:
        """The marks to underline: in inline code and addresses all that may deceive, elsewhere what deceives in
        prose."""
        text = self.text
        if text.isascii():
            return ()
        strict = self._strict()
        found = [mark for mark in prose_marks(text) if not any(_touches(mark, *span) for span in strict)]
        for start, end in strict:
            found += [replace(one, start=one.start + start, end=one.end + start) for one in text_marks(text[start:end])]
        return tuple(sorted(found, key=lambda mark: (mark.start, mark.end, mark.why)))

    def spans(self, marks: Sequence[Mark]) -> tuple[Span, ...]:
        """The whole paragraph as runs, each with its style; `marks` of the whole text are underlined."""
        found: list[Span] = []
        own = own_use(self.text)
        start = 0
        for number, (piece, style) in enumerate(self._pieces):
            end = start + len(piece)
            inside = _shifted(marks, start, end)
            kept = frozenset(place - start for place in own if start <= place < end)
            shown = display_safe(piece, multiline=True, marks=inside, own=None if self._is_strict(number) else kept)
            found += [Span(run, style) for run in shown]
            start = end
        return tuple(found)

    def _is_strict(self, number: int) -> bool:
        return number in self._addresses or self._pieces[number][1].code

    def _strict(self) -> list[tuple[int, int]]:
        """Where inline code and addresses stand."""
        found, start = [], 0
        for number, (piece, _style) in enumerate(self._pieces):
            if self._is_strict(number):
                found.append((start, start + len(piece)))
            start += len(piece)
        return found

    def _put(self, text: str, style: Style) -> None:
        if text:
            self._pieces.append((self._veil.lift(text), style))

    def _begin_link(self, token: "Token") -> None:
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

    def _picture(self, token: "Token") -> None:
        href = self._veil.lift(str(token.attrs.get("src", "")))
        title = self._veil.lift(str(token.attrs.get("title", "")))
        begin = len(self._pieces)
        self.write(token.children or [])
        alt = "".join(piece for piece, _style in self._pieces[begin:])
        self.links.append(Link(alt, href, picture=True))
        self._beside(f" — {_address(href, title)}" if alt else _address(href, title))

    def _beside(self, text: str) -> None:
        """Add an address that is the source's own already."""
        self._addresses.add(len(self._pieces))
        self._pieces.append((text, replace(self._style, bold=False, italic=False, strike=False)))


def _address(href: str, title: str) -> str:
    return f'{href} "{title}"' if title else href


def _touches(mark: Mark, start: int, end: int) -> bool:
    return mark.start < end and mark.end > start


def _shifted(marks: Sequence[Mark], start: int, end: int) -> list[Mark]:
    """The marks that touch a piece of a text, as marks of that piece; the note stands where the mark ends."""
    return [
        Mark(max(mark.start, start) - start, min(mark.end, end) - start, mark.why, mark.note if mark.end <= end else "")
        for mark in marks
        if _touches(mark, start, end)
    ]


def span_text(spans: Sequence[Span]) -> str:
    """The text of the spans, one after the other."""
    return joined([span.run for span in spans])
