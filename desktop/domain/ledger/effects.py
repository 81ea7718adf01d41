"""Effect: what a chat changed outside of the conversation, and whether and how that can be taken back (memory-UL1)."""

from datetime import datetime
from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.content import TouchedFile
from desktop.domain.ledger.inverses import EffectKind, Undoable
from desktop.domain.undo.steps import Step

EffectState = Literal["standing", "undone", "partly", "cannot", "expired"]


class Effect(Frozen):
    """One effect. `effect_id`: of the call, the operation on a lane, the rule, or the undo. `what`: a line for people;
    `verbatim`: no letter of it may differ.
    `asker`: the path of the sub-agents by titles whose it is, "" for the chat's own.

    `how`: how it is taken back, "" where it cannot be; `not_covered`: what stays all the same, or why nothing can be
    done. `state` cannot: it stands and cannot be taken back; expired: what was kept for that is gone, since `until`.
    `unknown`: how it ended is not on record. `steps`: what takes it back, in this order; `done`: which of them were
    taken. `origins`: of an undo, what each of its steps brings back: an effect and the place of a step there.
    """

    effect_id: str
    session_id: str
    seq: int
    at: datetime
    kind: EffectKind
    what: str
    asker: str = ""
    tool: str = ""
    verbatim: bool = False
    lane_id: str = ""
    turn_id: str = ""
    undoable: Undoable = "no"
    how: str = ""
    not_covered: str = ""
    until: datetime | None = None
    state: EffectState = "cannot"
    files: tuple[TouchedFile, ...] = ()
    checkpoint_id: str = ""
    unknown: bool = False
    steps: tuple[Step, ...] = ()
    done: tuple[int, ...] = ()
    origins: tuple[tuple[str, int], ...] = ()

    @property
    def left(self) -> tuple[int, ...]:
        """The places of the steps that can still be taken."""
        over = self.state in ("cannot", "expired")
        return () if over else tuple(at for at in range(len(self.steps)) if at not in self.done)
