"""Handover: what somebody who takes over needs to know of a time, from the logs alone (memory-HO1)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from desktop.domain.core.base import Frozen
from desktop.domain.events import Envelope
from desktop.domain.history.state import SessionState

MOST_LINES = 200


class ChatLog(NamedTuple):
    """One chat: its own entries in order, and the state after all of them. `title`: as a list shows it. `damage`: what
    does not fit in its record, "" for nothing; what cannot be read at all is not among the entries."""

    title: str
    events: Sequence[Envelope]
    state: SessionState
    damage: str = ""


class Words(NamedTuple):
    """A line in words of the program: its form, with `{}` for each of what it names. `ours`: what the one at the place
    `at` is, where that is in words of the program too. `after`: what became of it, behind a comma."""

    form: str
    named: tuple[str, ...] = ()
    ours: Literal["", "call", "boundary", "words"] = ""
    after: str = ""
    at: int = 0

    def __str__(self) -> str:
        return self.form.format(*self.named) + (f", {self.after}" if self.after else "")


class Line(Frozen):
    """One line with the entry of the log that it comes from. `event_id` "": of the project's own log, which no chat
    shows. `chat`: the title of the chat. `words`: of what `text` is made, None where it is not the program's."""

    at: datetime
    text: str
    words: Words | None = None
    session_id: str
    seq: int
    event_id: str = ""
    chat: str = ""


class Section(Frozen):
    """A heading with its lines, oldest first, at most 200. `more`: how many others there are."""

    title: str
    lines: tuple[Line, ...] = ()
    more: int = 0


class Decided(Frozen):
    """By whom calls were decided in a time. `nobody`: asked, and closed by a stop, a restart, or because no person was
    there. `calls` is counted by itself; `difference` is 0 when each call was counted once."""

    calls: int = 0
    people: int = 0
    rules: int = 0
    modes: int = 0
    refused: int = 0
    nobody: int = 0

    @property
    def difference(self) -> int:
        """The calls that are counted twice or not at all."""
        return abs(self.calls - (self.people + self.rules + self.modes + self.refused + self.nobody))


class Apart(Frozen):
    """What chats add that are counted apart, in none of the page's own sums: imported ones, or ones whose record is
    damaged. They are marked."""

    chats: int = 0
    calls: int = 0
    changes: int = 0


class Handover(Frozen):
    """One page. `since` None: from the beginning. `changes`: entries of the undo ledger in this time; `difference`:
    how far the page is from the logs, 0 when nothing is missing or twice. `summary`: what a model wrote about the page,
    "" for nothing; it stands under a heading of its own, with the model's name in `summary_by`."""

    since: datetime | None
    until: datetime
    chats: int
    decided: Decided
    changes: int
    difference: int
    sections: tuple[Section, ...]
    imported: Apart = Apart()
    damaged: Apart = Apart()
    summary: str = ""
    summary_by: str = ""

    @property
    def summary_note(self) -> str:
        """Who wrote the summary, and that it is none of the lines."""
        return f"Written by {self.summary_by} from this page. It is no part of the record."
