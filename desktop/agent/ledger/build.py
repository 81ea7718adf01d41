"""The undo ledger as a theme."""

from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.gate.build import Gate
from desktop.agent.lanes.base import LaneBase
from desktop.agent.ledger.branches import BranchTaker
from desktop.agent.ledger.commands import LedgerCommands
from desktop.agent.ledger.files import FileTaker
from desktop.agent.ledger.rows import RowTaker
from desktop.agent.ledger.rules import RuleTaker
from desktop.agent.ledger.undo import Undo
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.store.core.store import Store


def ledger_theme(base: LaneBase, sessions: Sessions, gate: Gate, settings: SettingsKeeper, store: Store) -> Theme:
    """The ledger is made from the log whenever it is asked for; nothing of it is kept."""
    undo = Undo(
        {
            "tree": FileTaker(base.contents.keeper, gate.look_back),
            "branch": BranchTaker(base.acts.use),
            "rule": RuleTaker(gate.rules),
            "rows": RowTaker(lambda: settings.databases, store.blobs),
        }
    )
    return Theme("ledger", handlers_of(LedgerCommands(sessions, store.readings, undo, base.telling, base.clock)))
