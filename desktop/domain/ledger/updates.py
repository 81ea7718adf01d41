"""Updates about the undo ledger: passing state, never stored."""

from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.update import Answer
from desktop.domain.ledger.effects import Effect
from desktop.domain.undo.events import UndoReach


class LedgerLoaded(Answer):
    """The newest effects of a chat, newest first. `more`: how many older ones there are. `cut_off`: an undo that the
    end of the program cut off, "" for none. `told`: what an undo that was asked for came to."""

    session_id: str
    effects: tuple[Effect, ...] = ()
    more: int = 0
    cut_off: str = ""
    told: str = ""


class ThreeWay(Frozen):
    """A file that stands in the way: what the entry changed in it, and what changed since, as unified diffs; "" where
    that cannot be shown."""

    path: str
    did: str = ""
    since: str = ""


class PlannedEntry(Frozen):
    """One effect of a plan. `verbatim`: no letter of `what` may differ. `verdict` blocked: `text` says what stands in
    the way, and nothing after it is reached; cannot: it stays as it is. `text` else: what is done. `paths`: files that
    change, or that stand in the way."""

    effect_id: str
    what: str
    verbatim: bool = False
    verdict: Literal["undo", "done", "partly", "cannot", "blocked", "not_reached"]
    text: str = ""
    paths: tuple[str, ...] = ()
    three_way: tuple[ThreeWay, ...] = ()


class UndoPlanned(Answer):
    """What would be taken back, in this order: newest first. `digest`: of all that was seen for it."""

    session_id: str
    effect_id: str
    reach: UndoReach
    digest: str
    entries: tuple[PlannedEntry, ...] = ()
