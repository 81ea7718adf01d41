"""The choice of a lane's checkpoints that are kept (lanes-D23): a pure function over their times and names."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Protocol

KEEP_ALL_FOR = timedelta(days=14)
KEEP_DAILY_FOR = timedelta(days=90)
MAX_KEPT = 2000


class Dated(Protocol):
    """A checkpoint as the rule for pruning sees it. `kept`: an entry of a chat, a proof or the evidence of a report
    names it."""

    @property
    def number(self) -> int:
        """The place of the checkpoint in the order of all."""

    @property
    def at(self) -> datetime:
        """The time at which the checkpoint was made."""

    @property
    def name(self) -> str:
        """A person's name for it, "" for none."""

    @property
    def kept(self) -> bool:
        """Something names it, so it never goes."""


def to_drop(checkpoints: Iterable[Dated], now: datetime) -> frozenset[int]:
    """The numbers of those that go.

    Kept are: all of the last 14 days, the last of each UTC day for 90 days, those that have a name or that
    something names, and the newest of all, so that no number is given twice. Of more than 2,000 the oldest go, never
    one with a name, one that is named, or the newest.
    """
    newest_first = sorted(checkpoints, key=lambda one: one.number, reverse=True)
    always = {one.number for index, one in enumerate(newest_first) if index == 0 or one.name or one.kept}
    days: set[object] = set()
    kept: list[int] = []
    for one in newest_first:
        age, day = now - one.at, one.at.date()
        if one.number in always or age <= KEEP_ALL_FOR or (age <= KEEP_DAILY_FOR and day not in days):
            kept.append(one.number)
        days.add(day)
    too_many = max(len(kept) - MAX_KEPT, 0)
    spare = [number for number in reversed(kept) if number not in always][:too_many]
    return frozenset(one.number for one in newest_first) - frozenset(kept) | frozenset(spare)
