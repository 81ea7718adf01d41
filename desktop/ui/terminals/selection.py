"""What is selected in a terminal: from a place to another, by characters, words or lines."""

import re
from typing import Literal

from desktop.ui.terminals.book import TerminalFacts
from desktop.ui.terminals.text import Place, line_rows, line_start, selected_text, text_line

By = Literal["character", "word", "line"]
_WORD = re.compile(r"[\w./~:@%+#=?&-]+")


class TerminalSelection:
    """Places are kept by the number of their row, so that scrolling does not move them."""

    def __init__(self) -> None:
        self._anchor: tuple[Place, Place] | None = None
        self._span: tuple[Place, Place] | None = None
        self._by: By = "character"

    def clear(self) -> bool:
        """Nothing is selected. Whether something was."""
        had, self._anchor, self._span = self._span is not None, None, None
        return had

    def begin(self, facts: TerminalFacts, place: Place, by: By) -> None:
        """Start at a place, with the word or line that is there."""
        self._by = by
        self._anchor = self._around(facts, place)
        self._span = self._anchor if by != "character" else None

    def reach(self, facts: TerminalFacts, place: Place) -> None:
        """Select from where it began to this place."""
        if self._anchor is None:
            self.begin(facts, place, "character")
            return
        low, high = self._around(facts, place)
        span = (min(self._anchor[0], low), max(self._anchor[1], high))
        self._span = span if span[0] < span[1] else None

    def select_all(self, facts: TerminalFacts) -> None:
        """Everything there is."""
        self._by = "character"
        self._anchor = self._span = ((facts.dropped, 0), (facts.end - 1, facts.columns))

    def text(self, facts: TerminalFacts) -> str:
        """What is selected, "" for nothing."""
        return selected_text(facts.row, *self._span) if self._span is not None else ""

    def in_row(self, number: int, columns: int) -> tuple[int, int] | None:
        """The selected cells of a row."""
        if self._span is None or not self._span[0][0] <= number <= self._span[1][0]:
            return None
        low = self._span[0][1] if number == self._span[0][0] else 0
        high = self._span[1][1] if number == self._span[1][0] else columns
        return (low, high) if low < high else None

    def _around(self, facts: TerminalFacts, place: Place) -> tuple[Place, Place]:
        if self._by == "character":
            return place, place
        first = line_start(facts.row, place[0], facts.dropped)
        rows = line_rows(facts.row, first, facts.end)
        if self._by == "line":
            return (first, 0), (first + len(rows) - 1, facts.columns)
        line = text_line(rows, first)
        for match in _WORD.finditer(line.text):
            start, stop = line.places[match.start()], line.places[match.end() - 1]
            if start <= place <= stop:
                return start, (stop[0], stop[1] + 1)
        return place, (place[0], place[1] + 1)
