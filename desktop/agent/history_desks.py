"""The desks that work on the history of a chat: going back, forking, checkpoints, its context, restarts."""

from collections.abc import Callable

from desktop.agent.checkpoint_desk import CheckpointDesk
from desktop.agent.command_desk import CommandDesk
from desktop.agent.edit_context_desk import EditContextDesk
from desktop.agent.fork_desk import ForkDesk, ForkParts
from desktop.agent.gate_desk import GateDesk
from desktop.agent.lane_evidence import LaneEvidence
from desktop.agent.restart_desk import RestartDesk
from desktop.agent.rewind_desk import RewindDesk
from desktop.agent.session import Session


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
