"""The desks that work on the history of a chat: going back, forking, checkpoints, its context, restarts."""

from collections.abc import Callable

from desktop.agent.context.edits import EditContextDesk
from desktop.agent.core.desk import CommandDesk
from desktop.agent.core.session import Session
from desktop.agent.gate.desk import GateDesk
from desktop.agent.history.checkpoints import CheckpointDesk
from desktop.agent.history.forks import ForkDesk, ForkParts
from desktop.agent.history.restarts import RestartDesk
from desktop.agent.history.rewinds import RewindDesk
from desktop.agent.reports.lane_evidence import LaneEvidence


def history_desks(
    parts: ForkParts, evidence: LaneEvidence, gate: GateDesk, tokens: Callable[[Session], int]
) -> tuple[CommandDesk, ...]:
    """All of them. `tokens`: how many the next request of a session has now, estimated."""
    return (
        RewindDesk(parts.sessions, parts.turns, parts.keeper, parts.publish),
        CheckpointDesk(parts.sessions, parts.keeper, evidence, parts.publish),
        EditContextDesk(parts.sessions, tokens),
        ForkDesk(parts),
        RestartDesk(parts.sessions, parts.turns, gate),
    )
