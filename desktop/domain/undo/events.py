"""Events of taking effects back. A person does it; no tool can."""

from typing import Literal

from desktop.domain.core.event_base import EventBase
from desktop.domain.undo.steps import Step

UndoReach = Literal["this", "turn", "back", "rest"]


class UndoBegun(EventBase):
    """Effects are about to be taken back, in this order; on the disk before the first. `digest`: of the plan that the
    person saw. `what`: a line for people."""

    type: Literal["undo_begun"] = "undo_begun"
    undo_id: str
    effect_ids: tuple[str, ...]
    digest: str = ""
    reach: UndoReach = "this"
    what: str = ""


class UndoStepDone(EventBase):
    """One step of an effect was taken. `opposite`: what takes that back in turn, None where nothing does. `text`: what
    was done, in words; `paths`: the lane's files that changed."""

    type: Literal["undo_step_done"] = "undo_step_done"
    undo_id: str
    effect_id: str
    step: int = 0
    opposite: Step | None = None
    text: str = ""
    paths: tuple[str, ...] = ()


class UndoFinished(EventBase):
    """An undo ended. `stopped`: at `effect_id`, which fits no longer, for the reason in `text`; what came before it is
    done. `cut_off`: the program ended within it."""

    type: Literal["undo_finished"] = "undo_finished"
    undo_id: str
    status: Literal["done", "stopped", "cut_off"] = "done"
    effect_id: str = ""
    text: str = ""
