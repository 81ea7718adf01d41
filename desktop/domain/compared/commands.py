"""Commands about results that are compared."""

from typing import ClassVar, Literal

from desktop.domain.core.command import Command


class LoadComparisons(Command):
    """The tasks that several were given in the open repository, the newest first, with the figures of each that works
    on one. → ComparisonsLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["load_comparisons"] = "load_comparisons"


class KeepResult(Command):
    """Go on with the result of this chat: the others are stopped where they work or wait, and archived with their
    lanes. → ResultKept."""

    type: Literal["keep_result"] = "keep_result"
    comparison_id: str
    session_id: str


class UndoKeepResult(Command):
    """Bring back what was archived when a result was kept. → ResultKept."""

    type: Literal["undo_keep_result"] = "undo_keep_result"
    comparison_id: str
