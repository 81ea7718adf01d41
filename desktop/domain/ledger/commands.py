"""Commands about the undo ledger."""

from typing import ClassVar, Literal

from desktop.domain.core.command import Command
from desktop.domain.undo.events import UndoReach


class LoadLedger(Command):
    """What this chat changed outside of the conversation. → LedgerLoaded."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["load_ledger"] = "load_ledger"
    session_id: str


class PlanUndo(Command):
    """What taking back this effect would do: `turn`: with all of its turn; `back`: with all that came after it; `rest`:
    what an undo of this id did not come to. → UndoPlanned."""

    type: Literal["plan_undo"] = "plan_undo"
    session_id: str
    effect_id: str
    reach: UndoReach = "this"


class RunUndo(Command):
    """Carry out the plan of this digest. → LedgerLoaded; UndoPlanned and CommandFailed `plan_changed` when it is
    another one by now."""

    type: Literal["run_undo"] = "run_undo"
    session_id: str
    effect_id: str
    digest: str
    reach: UndoReach = "this"
