"""Events of boundaries: found in a person's words, decided by a person, and words that would lift one."""

from datetime import datetime
from typing import Literal

from desktop.domain.core.event_base import EventBase
from desktop.domain.gate.rules import Rule, RuleScope


class BoundaryProposed(EventBase):
    """Words of a person forbid something, or limit what the chat may cost. It holds from here on, `by` an agent only
    once it is kept."""

    type: Literal["boundary_proposed"] = "boundary_proposed"
    boundary_id: str
    quote: str
    action: str
    title: str
    rules: tuple[Rule, ...]
    limit_microusd: int = 0
    by: Literal["words", "agent"] = "words"
    call_id: str = ""


class BoundaryLiftingProposed(EventBase):
    """Later words of a person would lift a boundary, which holds until they say so on its chip."""

    type: Literal["boundary_lifting_proposed"] = "boundary_lifting_proposed"
    boundary_id: str
    quote: str


class BoundaryDecided(EventBase):
    """A person kept a boundary, so that `rules` of that scope hold in place of its own, or said that it is over.
    `until`: when they said that it ends, None for never."""

    type: Literal["boundary_decided"] = "boundary_decided"
    boundary_id: str
    decision: Literal["kept", "dismissed", "lifted"]
    scope: RuleScope = "session"
    rules: tuple[Rule, ...] = ()
    until: datetime | None = None
    by: Literal["person"] = "person"
