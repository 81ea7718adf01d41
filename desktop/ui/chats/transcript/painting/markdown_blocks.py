"""A Markdown text that grows, split into blocks: those before the last are finished while it arrives."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from desktop.domain.display.markdown import block_tokens
from desktop.records import dataclass
from desktop.ui.text.portions import portion_end

if TYPE_CHECKING:
    from markdown_it.token import Token

BlockKind = Literal["prose", "quote", "rule", "code"]
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^\n]*\n?")
LONGEST_BLOCK, LONGEST_TABLE = 2_000, 12_000
"""Weights. What has more is several blocks, so that only its end is made anew while it is being written. A table is
laid out whole for each row that comes, 0.15 ms for a row of two cells on two busy cores."""
_HEAD_LINES = 2


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """One top-level block, or a part of a long one. Code: `text` is what stands between the fences, `info` the whole
    line behind the opening one where that is more than the language. `closed` False: more of it may come.

    `goes_on`: with what the next block goes on with this one; `shift`: what is added to the numbers of its list, as
    the items before them stand in another block. The next part of a table is one with the same head."""

    kind: BlockKind
    text: str
    language: str = ""
    closed: bool = True
    info: str = ""
    goes_on: Literal["", "text", "items"] = ""
    shift: int = 0


class MarkdownBlocks:
    """A growing Markdown text as blocks. Blocks before the last are finished: they are never looked at again.
    `length`: of the text so far."""

    def __init__(self) -> None:
        self._text = ""
        self._finished: list[MarkdownBlock] = []
        self._start = self._shift = 0
        self._head = ""
        self._fence: tuple[re.Pattern[str], int, str, str] | None = None

    @property
    def length(self) -> int:
        """As the class says."""
        return len(self._text)

    def update(self, text: str) -> list[MarkdownBlock]:
        """The blocks of the whole text, which usually begins with the text of the last call."""
        if not text.startswith(self._text):
            self._finished, self._start, self._shift, self._head, self._fence = [], 0, 0, "", None
        self._text = text
        if self._fence is not None:
            closing, begin, language, info = self._fence
            if closing.search(text, begin) is None:
                return [*self._finished, MarkdownBlock("code", text[begin:], language, closed=False, info=info)]
            self._fence = None
        last = self._split_tail()
        return [*self._finished, *last]

    def _split_tail(self) -> list[MarkdownBlock]:
        tail = self._head + self._text[self._start :]
        lines = re.findall(r"[^\n]*\n|[^\n]+", tail)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))
        blocks: list[tuple[int, MarkdownBlock, str]] = []
        for token, items in _top_level(block_tokens(tail)):
            first, last = token.map or (0, 0)
            begin, source = starts[first], tail[starts[first] : starts[min(last, len(lines))]]
            block = _block(token.type, token.info, token.content, source)
            if not blocks:
                block = replace(block, shift=self._shift)
            head = tail[begin : starts[first + _HEAD_LINES]] if token.tag == "table" else ""
            found = _parts(block, source, head, [(starts[line] - begin, n) for line, n in items])
            blocks += [(begin + at, part, head if at else "") for at, part in found]
        if not blocks:
            return []
        last_start, last_block, head = blocks[-1]
        self._finished += [block for _, block, _ in blocks[:-1]]
        if last_start:
            self._start, self._head = self._start + last_start - len(self._head), head
        self._shift = last_block.shift
        opening = _FENCE.match(self._text[self._start :])
        if last_block.kind == "code" and not last_block.closed and opening is not None:
            mark = opening[1]
            closing = re.compile(rf"^ {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE)
            self._fence = (closing, self._start + opening.end(), last_block.language, last_block.info)
        return [last_block]


def _top_level(tokens: "Sequence[Token]") -> "Iterator[tuple[Token, list[tuple[int, int]]]]":
    """The tokens that begin a block of the text, each with the items of its list: the line and the number written."""
    found: list[tuple[Token, list[tuple[int, int]]]] = []
    for token in tokens:
        if token.map is None:
            continue
        if token.level == 0 and token.nesting >= 0:
            found.append((token, []))
        elif token.level == 1 and token.type == "list_item_open":
            found[-1][1].append((token.map[0], int(token.info or 0)))
    return iter(found)


def _parts(
    block: MarkdownBlock, source: str, head: str, items: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, MarkdownBlock]]:
    """The parts of a block with where each begins: one that is too long is parted at an item of its list, else at a
    line or a word. `head`: of a table, else ""; `items`: where they begin, with the numbers that are written there."""
    start, shift, most = 0, block.shift, LONGEST_TABLE if head else LONGEST_BLOCK
    while block.kind in ("prose", "quote") and (end := portion_end(source, start, most)) < len(source):
        before = [place for place, (at, _) in enumerate(items) if start < at <= end]
        if before:
            end, written = items[before[-1]]
        else:
            end, written = max(source.rfind("\n", start + 1, end), source.rfind(" ", start + 1, end)) + 1 or end, 0
        text = ((head if start else "") + source[start:end]).strip("\n")
        yield start, MarkdownBlock(block.kind, text, goes_on="" if head else "items" if before else "text", shift=shift)
        if written:
            shift = items[0][1] + block.shift + before[-1] - written
        start = end
    yield start, replace(block, text=(head + source[start:]).strip("\n"), shift=shift) if start else block


def _block(kind: str, info: str, content: str, source: str) -> MarkdownBlock:
    if kind == "fence":
        opening = _FENCE.match(source)
        mark = opening[1] if opening else "```"
        rows = source.rstrip("\n").split("\n")
        closed = len(rows) > 1 and re.fullmatch(rf" {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*", rows[-1])
        words = info.split()
        more = info.strip() if len(words) > 1 else ""
        return MarkdownBlock("code", content.removesuffix("\n"), words[0] if words else "", bool(closed), more)
    if kind == "code_block":
        return MarkdownBlock("code", content.removesuffix("\n"))
    if kind == "hr":
        return MarkdownBlock("rule", source)
    return MarkdownBlock("quote" if kind == "blockquote_open" else "prose", source.strip("\n"))
