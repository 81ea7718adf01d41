"""Events of previews: a command was tried in a copy of the lane, and the difference it made there was applied."""

from typing import Literal

from desktop.domain.core.content import Block
from desktop.domain.core.event_base import EventBase
from desktop.domain.preview.effect import CopyTier, Effect, EffectFile


class CommandTried(EventBase):
    """The command of an open request ran in a copy of the lane, which nothing reached but the copy.

    `problem`: why there is no effect to show, "" when there is one; whatever it says, the lane is as it was. `digest`:
    what applying it is bound to, "" where it cannot be applied; `ticked_digest`: the same with the files that Git
    ignores, "" where they cannot be ticked. `finished` False: it was ended before it was done.
    `output`: its last lines without secrets. `left_running`: something it had started went on and was ended. `blocks`:
    the difference for people. `limits`: what a copy does not show.
    """

    type: Literal["command_tried"] = "command_tried"
    input_id: str
    call_id: str
    call_digest: str
    tier: CopyTier | None = None
    problem: str = ""
    digest: str = ""
    ticked_digest: str = ""
    effect: Effect = Effect()
    finished: bool = True
    ending: str = ""
    exit_code: int | None = None
    duration_ms: int = 0
    output: str = ""
    left_running: bool = False
    blocks: tuple[Block, ...] = ()
    limits: tuple[str, ...] = ()
    by: Literal["person", "setting"] = "person"


class EffectApplied(EventBase):
    """A person had the recorded difference of a command made in the lane; the command itself did not run there.

    `checkpoint_id`: holds the files as they were just before, with the bytes that were replaced or removed. `beside`:
    files that Git ignores, which the person had ticked; no checkpoint holds them.
    """

    type: Literal["effect_applied"] = "effect_applied"
    input_id: str
    call_id: str
    digest: str
    files: tuple[EffectFile, ...] = ()
    folders: tuple[str, ...] = ()
    beside: tuple[EffectFile, ...] = ()
    checkpoint_id: str = ""
    tree_before: str = ""
    tree_after: str = ""
    by: Literal["person"] = "person"
