"""Syntax colours and word marks of a diff, made piece by piece on a worker thread for what comes into view."""

import time
import weakref
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import accumulate

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from desktop.domain.changes.values import DiffHunk, DiffLine, FileDiff
from desktop.records import dataclass
from desktop.ui.changes.diff.word_marks import MOST_LINE_CHARS, Block, Spans, block_marks, blocks_of
from desktop.ui.text.highlight import by_line, language_of, spans

PIECE = 200
"""Lines of a hunk that are coloured at a time."""
LEAD = 60
"""Lines above a piece that are read as well, so that a text over several lines is told apart more often."""
MOST_BYTES = 512 * 1024
AT_ONCE_CHARS = 1_000
"""Characters of changed lines that are compared within a frame; what is more waits for the worker."""
_BREATH, _BREATH_S = 48, 0.0004
_WORKER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="diff-colours")

Colours = tuple[tuple[int, int, str], ...]
"""Parts of a line as (start, length, colour token), in order."""
_Wish = tuple[int, int, int, Block | None]
"""Hunk, first line and end of what is to be coloured, or compared where it names a block."""


@dataclass(frozen=True, slots=True)
class _Made:
    """What a worker made: colours of a piece, or marks of a block."""

    order: int
    hunk: int
    first: int
    end: int
    colours: dict[int, Colours]
    marks: dict[int, Spans]


class _Relay(QObject):
    """Brings what the worker made to the window's thread. It is never deleted: a signal that is emitted to an object
    which ends at that moment ends the program."""

    made = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self.made.connect(self._hand_over)

    def _hand_over(self, to: "weakref.ref[DiffColours]", made: _Made) -> None:
        colours = to()
        if colours is not None and isValid(colours):
            colours.take(made)


@cache
def _relay() -> _Relay:
    """Made on the window's thread."""
    return _Relay()


class DiffColours(QObject):
    """Answers at once with what is there, and emits `arrived` (hunk, first line, end) when more of it is."""

    arrived = Signal(int, int, int)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._relay = _relay()
        self._order = [0]  # which diff is shown, as the worker sees it
        self._diff = FileDiff(path="")
        self._blocks: dict[int, list[Block]] = {}
        self._asked: set[tuple[str, int, int]] = set()
        self._colours: dict[tuple[int, int], Colours] = {}
        self._marks: dict[tuple[int, int], Spans] = {}
        self._coloured = False

    def show(self, diff: FileDiff) -> None:
        """Forget the former diff; what is still made for it is dropped."""
        self._order[0] += 1
        self._diff = diff
        self._blocks.clear()
        self._asked.clear()
        self._colours.clear()
        self._marks.clear()
        self._coloured = _size(diff) <= MOST_BYTES

    def want(self, seen: Mapping[int, tuple[int, int]]) -> None:
        """Lines come into view (first and last by hunk): make what is missing of them."""
        budget = AT_ONCE_CHARS
        later: list[_Wish] = []
        for hunk, (first, last) in seen.items():
            for piece in range(first // PIECE, last // PIECE + 1) if self._coloured else ():
                if self._is_new("colours", hunk, piece):
                    begin, end = piece * PIECE, min((piece + 1) * PIECE, len(self._diff.hunks[hunk].lines))
                    later.append((hunk, begin, end, None))
            for block in self._blocks_in(hunk, first, last):
                if block.refined and self._is_new("marks", hunk, block.first):
                    size = sum(len(line.text) for line in self._diff.hunks[hunk].lines[block.first : block.end])
                    budget -= size
                    if budget >= 0:
                        self._keep_marks(hunk, block_marks(self._diff.hunks[hunk], block))
                    else:
                        later.append((hunk, block.first, block.end, block))
        if later:
            self._submit(later)

    def colours(self, hunk: int, line: int) -> Colours:
        """Coloured parts of a line, () while there are none."""
        return self._colours.get((hunk, line), ())

    def marks(self, hunk: int, line: int) -> Spans:
        """Parts of a changed line that differ from the line it is paired with."""
        return self._marks.get((hunk, line), ())

    def _is_new(self, kind: str, hunk: int, place: int) -> bool:
        key = (kind, hunk, place)
        if key in self._asked:
            return False
        self._asked.add(key)
        return True

    def _blocks_in(self, hunk: int, first: int, last: int) -> Iterator[Block]:
        if hunk not in self._blocks:
            self._blocks[hunk] = blocks_of(self._diff.hunks[hunk])
        blocks = self._blocks[hunk]
        for at in range(bisect_right(blocks, first, key=lambda block: block.end), len(blocks)):
            if blocks[at].first > last:
                return
            yield blocks[at]

    def _submit(self, wishes: Sequence[_Wish]) -> None:
        """All that came into view together, because waking the worker costs the window's thread as much as a line."""
        diff, order, relay, me = self._diff, self._order, self._relay, weakref.ref(self)
        now = order.copy()

        def work() -> None:
            for hunk, first, end, block in wishes:
                if now != order:
                    return
                lines = diff.hunks[hunk]
                colours = {} if block is not None else piece_colours(diff.path, lines, first, end)
                marks = block_marks(lines, block) if block is not None else {}
                relay.made.emit(me, _Made(now[0], hunk, first, end, colours, marks))

        _WORKER.submit(work)

    def take(self, made: _Made) -> None:
        """What the worker made of what was asked for."""
        if made.order != self._order[0]:
            return
        for line, colours in made.colours.items():
            self._colours[made.hunk, line] = colours
        self._keep_marks(made.hunk, made.marks)
        if made.colours or made.marks:
            self.arrived.emit(made.hunk, made.first, made.end)

    def _keep_marks(self, hunk: int, marks: dict[int, Spans]) -> None:
        for line, parts in marks.items():
            self._marks[hunk, line] = parts


def piece_colours(path: str, hunk: DiffHunk, first: int, end: int) -> dict[int, Colours]:
    """Colours of lines `first` to `end` of a hunk: the new side's text, and for removed lines the old side's."""
    language = language_of(path)
    if not language:
        return {}
    begin = max(0, first - LEAD)
    lines = hunk.lines[begin:end]
    found: dict[int, Colours] = {}
    for kinds, taken in ((" +", " +"), (" -", "-")):
        if any(line.kind in taken for line in lines):
            numbers = [at for at, line in enumerate(lines) if line.kind in kinds]
            by_line = _line_colours([lines[at] for at in numbers], language)
            found.update((begin + at, by_line[n]) for n, at in enumerate(numbers) if lines[at].kind in taken)
    return {line: colours for line, colours in found.items() if line >= first and colours}


def _line_colours(lines: Sequence[DiffLine], language: str) -> list[Colours]:
    """Very long lines are left plain: they would take too long."""
    texts = [line.text if len(line.text) <= MOST_LINE_CHARS else "" for line in lines]
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    found: list[list[tuple[int, int, str]]] = [[] for _ in texts]
    whole, line = "\n".join(texts), 0
    for count, (start, length, color) in enumerate(by_line(whole, spans(whole, language))):
        if count % _BREATH == 0:
            time.sleep(_BREATH_S)  # lets the window's thread go first
        while starts[line + 1] <= start:
            line += 1
        found[line].append((start - starts[line], length, color))
    return [tuple(parts) for parts in found]


def _size(diff: FileDiff) -> int:
    return sum(len(line.text) + 1 for hunk in diff.hunks for line in hunk.lines)
