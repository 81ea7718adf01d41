"""Events about messages that wait while a turn runs, and about the limits a turn runs under."""

from typing import Literal

from pydantic import Field

from desktop.domain.core.base import Frozen
from desktop.domain.core.event_base import By, EventBase, Parts

QueuePause = Literal["stop", "limit", "loop", "failed", "manual", "restart"]


class Limits(Frozen):
    """Hard stops of a turn, a chat and a day (sessions-SK6 to sessions-SK9). 0: there is none; money in microdollars.

    `steps`, `tokens`, `cost_microusd`, `running_s` count one turn; `chat_microusd` the whole chat; `day_microusd` all
    chats of one UTC day.
    """

    steps: int = Field(default=100, ge=1, le=1000)
    tokens: int = Field(default=0, ge=0)
    cost_microusd: int = Field(default=0, ge=0)
    running_s: int = Field(default=0, ge=0)
    chat_microusd: int = Field(default=0, ge=0)
    day_microusd: int = Field(default=0, ge=0)


class LimitsChanged(EventBase):
    """The limits of the chat changed, or those of the turn that is continued next (`scope`)."""

    type: Literal["limits_changed"] = "limits_changed"
    limits: Limits
    scope: Literal["turn", "session"] = "session"
    by: By = "person"


class MessageQueued(EventBase):
    """A person's message waits for the end of the current step."""

    type: Literal["message_queued"] = "message_queued"
    queue_id: str
    parts: Parts
    attachments: tuple[str, ...] = ()


class QueuedMessageEdited(EventBase):
    """A waiting message has another text."""

    type: Literal["queued_message_edited"] = "queued_message_edited"
    queue_id: str
    parts: Parts
    attachments: tuple[str, ...] = ()


class QueuedMessageMoved(EventBase):
    """A waiting message has another place in the order; `position` counts from 0."""

    type: Literal["queued_message_moved"] = "queued_message_moved"
    queue_id: str
    position: int


class QueuedMessageRemoved(EventBase):
    """A message waits no more: it was delivered, taken back, or edited to nothing."""

    type: Literal["queued_message_removed"] = "queued_message_removed"
    queue_id: str
    why: Literal["delivered", "cancelled", "emptied"]


class QueuePaused(EventBase):
    """Waiting messages are not delivered by themselves."""

    type: Literal["queue_paused"] = "queue_paused"
    reason: QueuePause


class QueueResumed(EventBase):
    """Waiting messages are delivered again."""

    type: Literal["queue_resumed"] = "queue_resumed"
    reason: str = ""
