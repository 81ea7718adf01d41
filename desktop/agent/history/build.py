"""The commands that work on the history of a chat: going back, forking, checkpoints, its context, restarts."""

from collections.abc import Callable

from desktop.agent.context.edits import ContextEdits
from desktop.agent.core.commands import Commands
from desktop.agent.core.session import Session
from desktop.agent.gate.commands import GateCommands
from desktop.agent.history.checkpoints import CheckpointCommands
from desktop.agent.history.forks import ForkCommands, ForkParts
from desktop.agent.history.restarts import RestartCommands
from desktop.agent.history.rewinds import RewindCommands
from desktop.agent.reports.lane_evidence import LaneEvidence


def history_commands(
    parts: ForkParts, evidence: LaneEvidence, gate: GateCommands, tokens: Callable[[Session], int]
) -> tuple[Commands, ...]:
    """All of them. `tokens`: how many the next request of a session has now, estimated."""
    return (
        RewindCommands(parts.sessions, parts.turns, parts.keeper, parts.publish),
        CheckpointCommands(parts.sessions, parts.keeper, evidence, parts.publish),
        ContextEdits(parts.sessions, tokens),
        ForkCommands(parts),
        RestartCommands(parts.sessions, parts.turns, gate),
    )
