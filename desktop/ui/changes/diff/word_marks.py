"""Which words of changed lines differ: removed and added lines of a block are paired, and compared word by word."""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from desktop.domain.changes.values import DiffHunk
from desktop.records import dataclass

MOST_LINE_CHARS, MOST_BLOCK_LINES = 1_000, 200
LEAST_ALIKE = 0.5
_WHOLE_PAIRS = 400
_REACH = 8
_TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)

Spans = tuple[tuple[int, int], ...]
"""Parts of a line as (start, length), in order."""


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a hunk that changed together: removed ones `first` to `middle`, added ones up to `end` (excluded)."""

    first: int
    middle: int
    end: int

    @property
    def refined(self) -> bool:
        """Whether its lines are compared word by word at all."""
        return self.first < self.middle < self.end and self.end - self.first <= MOST_BLOCK_LINES


def blocks_of(hunk: DiffHunk) -> list[Block]:
    """The blocks of a hunk, in order."""
    blocks: list[Block] = []
    lines, at = hunk.lines, 0
    while at < len(lines):
        if lines[at].kind == " ":
            at += 1
            continue
        first = at
        while at < len(lines) and lines[at].kind == "-":
            at += 1
        middle = at
        while at < len(lines) and lines[at].kind == "+":
            at += 1
        blocks.append(Block(first, middle, at))
    return blocks


def block_marks(hunk: DiffHunk, block: Block) -> dict[int, Spans]:
    """For lines of the block, by their place in the hunk, what differs from the line each is paired with."""
    if not block.refined:
        return {}
    old = [line.text for line in hunk.lines[block.first : block.middle]]
    new = [line.text for line in hunk.lines[block.middle : block.end]]
    marks: dict[int, Spans] = {}
    for before, after in pairs(old, new):
        spans = changed_spans(old[before], new[after])
        marks[block.first + before], marks[block.middle + after] = spans
    return marks


def pairs(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Which removed line became which added one, both in order; only lines that are alike."""
    before, after = [_bag(text) for text in old], [_bag(text) for text in new]
    if len(old) * len(new) <= _WHOLE_PAIRS:
        return _best_pairs(before, after)
    found: list[tuple[int, int]] = []
    free = 0
    for at, bag in enumerate(before):
        reach = range(free, min(free + _REACH, len(after)))
        match = next((other for other in reach if _alike(bag, after[other]) >= LEAST_ALIKE), -1)
        if match >= 0:
            found.append((at, match))
            free = match + 1
    return found


def changed_spans(old: str, new: str) -> tuple[Spans, Spans]:
    """The parts of either line that the other has not."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    old_at, new_at = _starts(before), _starts(after)
    head = next((n for n, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
    if head is None:
        head = min(len(before), len(after))
    most = min(len(before), len(after)) - head
    tail = next((n for n in range(most) if before[-1 - n] != after[-1 - n]), most)
    removed: list[tuple[int, int]] = []
    added: list[tuple[int, int]] = []
    inner, outer = before[head : len(before) - tail], after[head : len(after) - tail]
    for kind, a, b, c, d in SequenceMatcher(None, inner, outer, autojunk=False).get_opcodes():
        if kind != "equal":
            _add(removed, old_at[head + a], old_at[head + b], old)
            _add(added, new_at[head + c], new_at[head + d], new)
    return tuple(removed), tuple(added)


def _add(spans: list[tuple[int, int]], start: int, end: int, line: str) -> None:
    """One more part; joined with the one before it where only blanks lie between."""
    if end <= start:
        return
    if spans and not line[spans[-1][0] + spans[-1][1] : start].strip():
        start = spans.pop()[0]
    spans.append((start, end - start))


def _starts(tokens: Sequence[str]) -> list[int]:
    starts, at = [], 0
    for token in tokens:
        starts.append(at)
        at += len(token)
    return [*starts, at]


def _bag(text: str) -> tuple[Counter[str], int] | None:
    """The words of a line and how many characters they have; None for one that is not compared."""
    if len(text) > MOST_LINE_CHARS:
        return None
    words = Counter(token for token in _TOKEN.findall(text) if not token.isspace())
    return words, sum(len(word) * times for word, times in words.items())


def _alike(one: tuple[Counter[str], int] | None, other: tuple[Counter[str], int] | None) -> float:
    """How much of two lines is the same, 0 to 1."""
    if one is None or other is None:
        return 0.0
    (few, size), (many, other_size) = one, other
    if not size and not other_size:
        return 1.0
    common = sum(min(times, many[word]) * len(word) for word, times in few.items() if word in many)
    return 2 * common / (size + other_size)


def _best_pairs(
    before: Sequence[tuple[Counter[str], int] | None], after: Sequence[tuple[Counter[str], int] | None]
) -> list[tuple[int, int]]:
    """The pairs in order whose likenesses add up to the most."""
    rows, columns = len(before), len(after)
    alike = [[_alike(one, other) for other in after] for one in before]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            paired = alike[i][j] + best[i + 1][j + 1] if alike[i][j] >= LEAST_ALIKE else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < rows and j < columns:
        if alike[i][j] >= LEAST_ALIKE and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found
