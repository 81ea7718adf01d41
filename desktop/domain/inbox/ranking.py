"""In which order the inbox lists what waits: what cannot be undone, how far it reaches, how long it waits, what it
blocks."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import IntEnum

from desktop.domain.gate.pending import (
    ApprovalRequest,
    CredentialRequest,
    InputRequest,
    PictureReview,
    PlanReview,
    QuestionRequest,
)
from desktop.records import dataclass


class Undoing(IntEnum):
    """Whether what is asked for can be taken back; the smaller, the sooner it is listed."""

    NEVER = 0
    NOT_BY_BANKSMAN = 1
    PARTLY = 2
    WHOLLY = 3


class Reach(IntEnum):
    """How far it reaches; the smaller, the sooner it is listed."""

    WORLD = 0
    COMPUTER = 1
    LANE = 2
    NOTHING = 3


@dataclass(frozen=True)
class Standing:
    """What the order of one entry follows from. `blocks`: how many turns stand still for it, those of the chats above
    it included."""

    key: str
    undoing: Undoing
    reach: Reach
    since: datetime
    blocks: int = 0


_AGES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240, 1440))
_UNDOING = {"no": Undoing.NOT_BY_BANKSMAN, "partly": Undoing.PARTLY}
_FAR = frozenset({"leaves_computer", "production"})
_WIDE = frozenset({"changes_data", "changes_schema", "outside_lane", "protected", "not_proven"})


def undoing_of(request: InputRequest) -> Undoing:
    """Whether a yes to this request can be taken back."""
    if isinstance(request, ApprovalRequest):
        if request.irreversible or request.risk == "irreversible" or "irreversible" in request.risk_flags:
            return Undoing.NEVER
        return _UNDOING.get(request.undoable, Undoing.WHOLLY)
    return Undoing.NOT_BY_BANKSMAN if isinstance(request, PictureReview | CredentialRequest) else Undoing.WHOLLY


def reach_of(request: InputRequest) -> Reach:
    """How far a yes to this request reaches."""
    if isinstance(request, PictureReview | CredentialRequest):
        return Reach.WORLD
    if isinstance(request, QuestionRequest):
        return Reach.NOTHING
    if isinstance(request, PlanReview):
        return Reach.LANE
    if not isinstance(request, ApprovalRequest):
        return Reach.COMPUTER
    flags = set(request.risk_flags)
    if flags & _FAR or request.subject == "external":
        return Reach.WORLD
    if flags & _WIDE or request.risk in ("high", "irreversible"):
        return Reach.COMPUTER
    return Reach.LANE


def age_step(since: datetime, now: datetime) -> int:
    """How long something has waited, in steps that grow: a minute more does not move what has waited for an hour."""
    waited = now - since
    return sum(waited >= age for age in _AGES)


def ranked(standings: Iterable[Standing], now: datetime) -> list[str]:
    """The keys in the order in which they are listed. It does not depend on the order in which they are given."""
    return [one.key for one in sorted(standings, key=lambda one: _place(one, now))]


def _place(one: Standing, now: datetime) -> tuple[int, int, int, int, datetime, str]:
    return one.undoing, one.reach, -age_step(one.since, now), -one.blocks, one.since, one.key
