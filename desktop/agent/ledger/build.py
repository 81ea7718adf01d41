"""The undo ledger as a theme."""

from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.gate.build import Gate
from desktop.agent.lanes.base import LaneBase
from desktop.agent.ledger.acts import ActTaker
from desktop.agent.ledger.branches import BranchTaker
from desktop.agent.ledger.commands import LedgerCommands
from desktop.agent.ledger.files import FileTaker
from desktop.agent.ledger.rows import RowTaker
from desktop.agent.ledger.rules import RuleTaker
from desktop.agent.ledger.skills import SkillTaker
from desktop.agent.ledger.undo import Undo
from desktop.agent.turns.chat_work import ChatWork
from desktop.store.core.store import Store


def ledger_theme(
    base: LaneBase, chats: ChatWork, gate: Gate, store: Store, others: tuple[ActTaker, SkillTaker]
) -> Theme:
    """The ledger is made from the log whenever it is asked for; nothing of it is kept."""
    settings = chats.settings
    undo = Undo(
        {
            "tree": FileTaker(base.contents.keeper, gate.look_back),
            "branch": BranchTaker(base.acts.use),
            "rule": RuleTaker(gate.rules),
            "rows": RowTaker(lambda: settings.databases, store.blobs),
            "act": others[0],
            "skill": others[1],
        }
    )
    held = chats.turns.held
    commands = LedgerCommands(chats.sessions, store.readings, undo, base.telling, base.clock, held)
    return Theme("ledger", handlers_of(commands))
