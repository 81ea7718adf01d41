"""The history of a chat as a theme: going back, forking, checkpoints, and what is said after a restart."""

from desktop.agent.core.ground import Telling
from desktop.agent.core.lane_register import Lanes
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.gate.commands import GateCommands
from desktop.agent.history.checkpoints import CheckpointCommands
from desktop.agent.history.forks import ForkCommands
from desktop.agent.history.restarts import RestartCommands
from desktop.agent.history.rewinds import RewindCommands
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.agent.reports.lane_evidence import LaneEvidence
from desktop.agent.turns.chat_work import ChatWork
from desktop.store.core.store import Store


def history_theme(
    chats: ChatWork, lanes: Lanes, keeper: LaneKeeper, store: Store, telling: Telling, gate: GateCommands
) -> Theme:
    """Made of what works with chats and with the checkpoints of their lanes."""
    sessions, turns = chats.sessions, chats.turns
    return Theme(
        "history",
        handlers_of(
            RewindCommands(sessions, turns, keeper, telling.publish),
            CheckpointCommands(sessions, keeper, LaneEvidence(store.readings), telling.publish),
            ForkCommands(chats, store.events, lanes, keeper, telling),
            RestartCommands(sessions, turns, gate),
        ),
    )
