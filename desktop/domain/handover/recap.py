"""Recap: what happened in a time, in a few lines of its handover."""

from datetime import datetime

from desktop.domain.core.base import Frozen
from desktop.domain.handover.values import Handover, Line

MOST_LINES = 4
_FIRST = ("Open", "Risks", "Tried and refused", "Undone", "Changed", "Asked")
"""The sections whose lines a person wants to see first who comes back."""


class RecapLine(Frozen):
    """A line of the handover with the section that it stands in."""

    section: str
    line: Line


class Recap(Frozen):
    """`calls` that were decided, `changes` in the undo ledger, `open`: what waits for a person or is not done.
    `lines`: the most urgent ones; `more`: how many others there are in the same sections."""

    since: datetime
    until: datetime
    calls: int
    changes: int
    open: int
    lines: tuple[RecapLine, ...]
    more: int = 0

    @property
    def is_empty(self) -> bool:
        """Nothing happened."""
        return not (self.calls or self.changes or self.lines)


def recap(page: Handover, since: datetime) -> Recap:
    """The most urgent lines of a page, the newest of each section first."""
    sections = {section.title: section for section in page.sections}
    chosen = [sections[title] for title in _FIRST if title in sections]
    lines = [RecapLine(section=one.title, line=line) for one in chosen for line in reversed(one.lines)]
    total = sum(len(one.lines) + one.more for one in chosen)
    opened = sections.get("Open")
    return Recap(
        since=since,
        until=page.until,
        calls=page.decided.calls,
        changes=page.changes,
        open=len(opened.lines) + opened.more if opened is not None else 0,
        lines=tuple(lines[:MOST_LINES]),
        more=total - len(lines[:MOST_LINES]),
    )
