"""Addresses in a terminal: plain ones that can be read there, never those a program hides behind other text."""

import re

from desktop.domain.display.links import is_safe_link
from desktop.records import dataclass
from desktop.ui.terminals.book import TerminalFacts
from desktop.ui.terminals.text import Place, line_rows, line_start, text_line

_ADDRESS = re.compile(r"https?://[^\s<>\"'`|\\^{}]{3,2000}")
_TRAILING = ".,;:!?"


@dataclass(frozen=True)
class TerminalLink:
    """An address and where it stands in the row that was asked about: its cells from `start` up to `end`."""

    address: str
    row: int
    start: int
    end: int


def link_at(facts: TerminalFacts, place: Place) -> TerminalLink | None:
    """The address at a place, None when there is none."""
    first = line_start(facts.row, place[0], facts.dropped)
    line = text_line(line_rows(facts.row, first, facts.end), first)
    for match in _ADDRESS.finditer(line.text):
        address = _trimmed(match.group())
        places = line.places[match.start() : match.start() + len(address)]
        if place in places and is_safe_link(address):
            cells = [cell for row, cell in places if row == place[0]]
            return TerminalLink(address, place[0], cells[0], cells[-1] + 1)
    return None


def _trimmed(address: str) -> str:
    """Without the signs of the sentence around it."""
    address = address.rstrip(_TRAILING)
    for opening, closing in ("()", "[]"):
        if address.endswith(closing) and address.count(opening) < address.count(closing):
            address = address[:-1]
    return address.rstrip(_TRAILING)
