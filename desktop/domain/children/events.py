"""Events about children: in the parent's log that one began, ended and was told of; in its own what it is."""

from typing import Literal

from desktop.domain.chats.queue_events import Limits
from desktop.domain.children.values import ChildAgent, ChildLane, ChildOutcome
from desktop.domain.core.event_base import EventBase
from desktop.domain.core.usage import Usage


class ChildBegun(EventBase):
    """A call of this chat begins a child, or lets it go on (`again`). On the disk before the child's first request; a
    child whose log is not there never began (memory-SU2).

    `task_id`: what the model calls it. `agent_sha256`: of the agent's file. `lane_id`: where it works, "" while a lane
    of its own is not made yet.
    """

    type: Literal["child_begun"] = "child_begun"
    child_id: str
    task_id: str
    call_id: str
    agent: str
    agent_sha256: str = ""
    description: str = ""
    background: bool = False
    lane: ChildLane = "same"
    lane_id: str = ""
    limits: Limits | None = None
    again: bool = False


class ChildEnded(EventBase):
    """A run of a child is over. `head_seq`, `head_hash`: the newest entry of its log then, -1 and "" for one that never
    began. `usage`, `cost_microusd`: what this run used, that of its own children included. `detail`: why it is not
    completed, as a sentence."""

    type: Literal["child_ended"] = "child_ended"
    child_id: str
    task_id: str
    call_id: str
    outcome: ChildOutcome
    detail: str = ""
    head_seq: int = -1
    head_hash: str = ""
    steps: int = 0
    usage: Usage = Usage()
    cost_microusd: int | None = 0
    duration_ms: int = 0
    files_changed: int = 0


class ChildResultDelivered(EventBase):
    """The model of this chat gets the result of a child, in the same commit: with a call's result or as a note."""

    type: Literal["child_result_delivered"] = "child_result_delivered"
    child_id: str
    task_id: str
    call_id: str = ""


class AgentGiven(EventBase):
    """This chat is a child, and this agent. Second in its log."""

    type: Literal["agent_given"] = "agent_given"
    agent: ChildAgent
    task_id: str = ""
    description: str = ""


class GrantShared(EventBase):
    """A person allowed something in a child for as long as its chat is open; it counts for this chat, which began it,
    and for what this chat begins in the same lane (memory-SU3)."""

    type: Literal["grant_shared"] = "grant_shared"
    child_id: str
    remember_key: str
    covers: str = ""
