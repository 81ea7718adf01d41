"""Text selected in a diff, character by character on one side, and what copying it gives: the text without signs."""

from collections.abc import Callable
from typing import NamedTuple

from desktop.domain.changes.values import FileDiff
from desktop.ui.changes.diff.shown import Shown

_KINDS = {"old": " -", "new": " +", "": " -+"}


class DiffPlace(NamedTuple):
    """A character: hunk, line of the hunk, place in the line as it is painted."""

    hunk: int
    line: int
    offset: int


class DiffSelection:
    """From `anchor` to `head`. `side`: "old" or "new" side by side, "" where both stand in one column."""

    def __init__(self) -> None:
        self.anchor: DiffPlace | None = None
        self.head: DiffPlace | None = None
        self.side = ""

    def clear(self) -> None:
        """Select nothing."""
        self.anchor = self.head = None

    def begin(self, place: DiffPlace, side: str) -> None:
        """Select from here on."""
        self.anchor = self.head = place
        self.side = side

    def select(self, anchor: DiffPlace, head: DiffPlace, side: str) -> None:
        """Select what is between."""
        self.anchor, self.head, self.side = anchor, head, side

    @property
    def span(self) -> tuple[DiffPlace, DiffPlace] | None:
        """First and last place in order; None when nothing is selected."""
        if self.anchor is None or self.head is None or self.anchor == self.head:
            return None
        return (min(self.anchor, self.head), max(self.anchor, self.head))

    def part(self, diff: FileDiff, hunk: int, line: int, length: int) -> tuple[int, int] | None:
        """Which characters of a line are selected."""
        span = self.span
        if span is None or not (span[0].hunk, span[0].line) <= (hunk, line) <= (span[1].hunk, span[1].line):
            return None
        if diff.hunks[hunk].lines[line].kind not in _KINDS[self.side]:
            return None
        first = span[0].offset if (hunk, line) == span[0][:2] else 0
        last = span[1].offset if (hunk, line) == span[1][:2] else max(1, length)
        return (first, last) if last > first else None

    def text(self, diff: FileDiff, shown: Callable[[int, int], Shown]) -> str:
        """What was selected as it stands in the file; lines end with LF."""
        span = self.span
        if span is None:
            return ""
        first, last = span
        parts: list[str] = []
        for hunk in range(first.hunk, last.hunk + 1):
            lines = diff.hunks[hunk].lines
            begin = first.line if hunk == first.hunk else 0
            end = last.line if hunk == last.hunk else len(lines) - 1
            for at in range(begin, end + 1):
                if lines[at].kind not in _KINDS[self.side]:
                    continue
                text = lines[at].text
                stop = shown(hunk, at).origin(last.offset, after=True) if (hunk, at) == last[:2] else len(text)
                start = shown(hunk, at).origin(first.offset) if (hunk, at) == first[:2] else 0
                parts.append(text[start:stop])
        return "\n".join(parts)
