"""What a child is: the agent it was given, how it was begun, and what became of it. Pure values."""

from typing import Literal

from pydantic import Field

from desktop.domain.core.base import Frozen
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.usage import Usage

ChildOutcome = Literal["completed", "failed", "limit", "stopped", "interrupted", "not_begun"]
ChildLane = Literal["same", "own"]
MOST_AT_ONCE, MOST_OF_A_TURN, MOST_OF_A_CHAT = 4, 16, 64
DEEPEST = 3

ENDED_WORDS: dict[ChildOutcome, str] = {
    "completed": "done",
    "failed": "failed",
    "limit": "stopped at a limit",
    "stopped": "stopped",
    "interrupted": "interrupted",
    "not_begun": "not begun",
}


WAITS_FOR_PERSON, WAITS_FOR_ROOM = "waiting for you", "waits for room"
"""The beginnings of what is told of a child that runs, where it does nothing by itself."""


class ChildAgent(Frozen):
    """The agent that a child is, as its file said when it began. `tools`: the names that it lists, None for all;
    `denied`: those taken away again; `bash_words`: the beginnings that its commands must have, () for any; `cap`: the
    widest mode, None for that of the parent; `text`: what its prompt gets; `scope`: where it is to look."""

    name: str
    sha256: str = ""
    text: str = ""
    tools: tuple[str, ...] | None = None
    denied: tuple[str, ...] = ()
    bash_words: tuple[str, ...] = ()
    cap: PermissionMode | None = None
    scope: tuple[str, ...] = ()

    def lists(self, tool: str) -> bool:
        """Whether the file names this tool itself."""
        return self.tools is not None and tool in self.tools

    def may_have(self, tool: str) -> bool:
        """Whether the file leaves this tool to the agent."""
        return tool not in self.denied and (self.tools is None or tool in self.tools)


class ChildState(Frozen):
    """A child as its parent's log tells of it. `task_id`: the name by which the parent's model calls it. `began`: how
    often it was begun. `outcome`: how its last run ended, None while it runs; `delivered`: the parent's model got the
    result of that run. The sums are those of all its runs that ended."""

    child_id: str
    task_id: str
    call_id: str = ""
    agent: str = ""
    description: str = ""
    background: bool = False
    lane: ChildLane = "same"
    lane_id: str = ""
    runs: int = 1
    outcome: ChildOutcome | None = None
    delivered: bool = False
    detail: str = ""
    steps: int = 0
    usage: Usage = Field(default_factory=Usage)
    cost_microusd: int = 0
    duration_ms: int = 0
    files_changed: int = 0

    @property
    def running(self) -> bool:
        """It was begun, and no end of it is on record."""
        return self.outcome is None


def weakest(*modes: PermissionMode | None) -> PermissionMode:
    """The mode that allows the least of those that are given; one at least is."""
    return min((mode for mode in modes if mode is not None), key=list(PermissionMode).index)


def tokens_of(usage: Usage) -> int:
    """All tokens of requests and answers."""
    return usage.total_input + (usage.output or 0)
