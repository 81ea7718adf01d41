"""Events that change what the model is told of a conversation: rewinding, removing, clearing, summarising."""

from typing import Literal

from pydantic import JsonValue

from desktop.domain.core.event_base import By, EventBase
from desktop.domain.core.usage import Usage
from desktop.domain.core.work import Todo


class Rewound(EventBase):
    """The conversation continues from `to_event_id`; what came after stays in the log, off the path.

    `todos`: the list as it was there, None where that is not known. `checkpoint_id`: the files before it, for an undo.
    """

    type: Literal["rewound"] = "rewound"
    to_event_id: str
    abandoned_head_id: str = ""
    scope: Literal["conversation", "conversation_and_files"] = "conversation"
    undo_of: str = ""
    todos: tuple[Todo, ...] | None = None
    checkpoint_id: str = ""


class MessageDeleted(EventBase):
    """A message or result no longer goes to the model."""

    type: Literal["message_deleted"] = "message_deleted"
    target_id: str
    by: By = "person"


class DeletionUndone(EventBase):
    """The reverse of MessageDeleted; per target the last of the two decides."""

    type: Literal["deletion_undone"] = "deletion_undone"
    target_id: str
    by: By = "person"


class ContextCleared(EventBase):
    """The model starts over here; the transcript does not."""

    type: Literal["context_cleared"] = "context_cleared"
    tokens_before: int = 0
    by: By = "person"


class CompactionStaged(EventBase):
    """A summary is ready but not in force. `keep_from`: what it leaves; `cost_microusd` None: nobody knows."""

    type: Literal["compaction_staged"] = "compaction_staged"
    staging_id: str = ""
    trigger: str = ""
    summary: str = ""
    usage: Usage = Usage()
    tokens_before: int = 0
    cost_microusd: int | None = None
    keep_from: JsonValue = None


class SideAnswered(EventBase):
    """The model was asked something beside the conversation, which does not become part of it. `purpose`: for what;
    `cost_microusd` None: nobody knows."""

    type: Literal["side_answered"] = "side_answered"
    purpose: str = ""
    model: str = ""
    text: str = ""
    usage: Usage = Usage()
    cost_microusd: int | None = None


class Compacted(EventBase):
    """The summary replaces every message before `keep_from`, for the model only."""

    type: Literal["compacted"] = "compacted"
    summary: JsonValue = None
    keep_from: JsonValue = None
    trigger: Literal["auto", "manual", "overflow"] = "auto"
    method: Literal["model", "plain"] = "model"
    staging_id: str = ""
    tokens_before: int = 0
    tokens_after: int = 0
    edited: bool = False
