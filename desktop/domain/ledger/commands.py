"""Commands about the undo ledger."""

from typing import ClassVar, Literal

from desktop.domain.core.command import Command


class LoadLedger(Command):
    """What this chat changed outside of the conversation. → LedgerLoaded."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["load_ledger"] = "load_ledger"
    session_id: str
