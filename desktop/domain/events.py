"""Events: what happened in a session, for ever. The union and its envelope; event_json reads and writes them.
A type or field is never renamed, removed or given another meaning; adding one is free. Text fields that hold foreign
text carry no length or pattern constraint: pydantic would then reject lone surrogates, which models do produce."""

from datetime import datetime
from typing import Annotated, ClassVar, Literal

from pydantic import Field, FiniteFloat, JsonValue

from desktop.domain.boundaries.events import BoundaryDecided, BoundaryLiftingProposed, BoundaryProposed
from desktop.domain.chats.library_events import (
    AttachmentAdded,
    ContentErased,
    Imported,
    InstructionFilesChanged,
    InstructionFilesLoaded,
    LaneDetached,
    PromptChanged,
    SessionFlagChanged,
)
from desktop.domain.chats.mentions import MentionGiven
from desktop.domain.chats.queue_events import (
    LimitsChanged,
    MessageQueued,
    QueuedMessageEdited,
    QueuedMessageMoved,
    QueuedMessageRemoved,
    QueuePaused,
    QueueResumed,
)
from desktop.domain.children.events import AgentGiven, ChildBegun, ChildEnded, ChildResultDelivered, GrantShared
from desktop.domain.context.events import (
    Compacted,
    CompactionStaged,
    ContextCleared,
    DeletionUndone,
    MessageDeleted,
    Rewound,
    SideAnswered,
)
from desktop.domain.core.checkpoint_events import CheckpointMade, CheckpointSkipped, FilesRestored
from desktop.domain.core.content import BlobRef, Block, Card, TouchedFile
from desktop.domain.core.event_base import EventBase, Parts, TakenAsIs
from desktop.domain.core.late_event import LateEvent
from desktop.domain.core.permissions import PermissionMode, RuleHit, Verdict
from desktop.domain.core.usage import Usage
from desktop.domain.core.work_events import TodosChanged
from desktop.domain.credentials.events import CredentialEdited, CredentialRevoked, CredentialStored, CredentialUsed
from desktop.domain.egress.events import EgressRecorded
from desktop.domain.gate.events import (
    EffectPreviewed,
    HostedGrantGiven,
    InputRevised,
    ReviewFlagged,
    ReviewReverted,
    RuleRemoved,
    RulesAccepted,
    RuleSaved,
    SandboxChosen,
    SandboxProbed,
    SessionTainted,
    TaintCleared,
)
from desktop.domain.gate.pending import Answer, InputRequest
from desktop.domain.guests.events import GuestClaimed, GuestCounted, GuestNoticed, GuestSessionBegan, GuestSessionEnded
from desktop.domain.guests.values import HeldBy
from desktop.domain.hooks.events import HookEvent
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from desktop.domain.mcp.events import McpKeptOff, McpPinAccepted, McpSampled, McpServerChanged
from desktop.domain.memory.events import MemorySearched, MemoryWritten
from desktop.domain.preview.events import CommandTried, EffectApplied
from desktop.domain.reports.events import ClaimChecked, CompletionReported, EvidenceRecorded
from desktop.domain.skills.events import SkillsListed, SkillUsed
from desktop.domain.undo.events import UndoBegun, UndoFinished, UndoStepDone
from desktop.domain.web.events import VendorSearched

SessionKind = Literal["interactive", "hosted", "external", "subagent", "project"]
CallOutcome = Literal["ok", "error", "refused", "declined", "cancelled", "interrupted"]
TurnStatus = Literal["completed", "interrupted", "failed", "limit", "loop"]
ResolvedReason = Literal[
    "person", "rule", "mode", "interrupted", "restart", "superseded", "no_person", "session_deleted", "withdrawn"
]
ThinkingLevel = Literal["off", "low", "medium", "high"]


class SessionStarted(EventBase):
    """The root of a session that is not a fork. `depth`: how many chats stand above it."""

    type: Literal["session_started"] = "session_started"
    project_id: str = ""
    project_path: str = ""
    lane_id: str = ""
    branch: str = ""
    base_commit: str = ""
    kind: SessionKind = "interactive"
    role: str = "agent"
    profile: str = "workflow"
    surface: str = "chat"
    persona: str = ""
    primary: bool = False
    parent_session_id: str = ""
    parent_call_id: str = ""
    mode: PermissionMode = PermissionMode.EDIT
    endpoint_id: str = ""
    model: str = ""
    title: str = ""
    app_version: str = ""
    depth: int = 0


class SessionForked(EventBase):
    """The root of a fork; its parent is the event it forks from."""

    type: Literal["session_forked"] = "session_forked"
    source_session_id: str = ""
    source_event_id: str = ""
    lane_id: str = ""
    lane_from: Literal["checkpoint", "head", "none"] = "none"
    checkpoint_id: str = ""
    mode: PermissionMode = PermissionMode.EDIT
    title: str = ""


class SessionResumed(EventBase):
    """A person continued a session that was cut off, or one from a file; then `project_id` says where it goes on."""

    type: Literal["session_resumed"] = "session_resumed"
    app_version: str = ""
    unfinished_turn_id: str = ""
    closed_inputs: tuple[str, ...] = ()
    unknown_calls: tuple[str, ...] = ()
    not_executed_calls: tuple[str, ...] = ()
    project_id: str = ""
    project_path: str = ""


class TitleChanged(EventBase):
    """The chat has a new title. One set by a person is never replaced by an automatic one."""

    type: Literal["title_changed"] = "title_changed"
    title: str
    by: Literal["person", "auto"] = "auto"


class LaneAttached(EventBase):
    """The session works in this lane from here on."""

    type: Literal["lane_attached"] = "lane_attached"
    lane_id: str
    branch: str = ""
    worktree_path: str = ""
    base_commit: str = ""


class ModeChanged(EventBase):
    """The permission mode changed."""

    type: Literal["mode_changed"] = "mode_changed"
    mode: PermissionMode
    previous: PermissionMode
    by: Literal["person", "plan_approval", "system", "restart", "fork", "import"]
    reason: str = ""


class ModelChanged(EventBase):
    """Another model, endpoint or thinking level from the next turn on."""

    type: Literal["model_changed"] = "model_changed"
    endpoint_id: str
    model: str
    thinking: ThinkingLevel = "off"
    max_output_tokens: int = 0


class TurnStarted(EventBase):
    """A turn of the agent began."""

    type: Literal["turn_started"] = "turn_started"
    turn_id: str
    kind: Literal["prompt", "queued", "continue"] = "prompt"
    continues_turn_id: str = ""
    mode: PermissionMode = PermissionMode.EDIT
    memory_guard: Literal["none", "soft", "required"] = "none"
    limits: dict[str, JsonValue] = Field(default_factory=dict)


class TurnEnded(EventBase):
    """A turn ended. Sums are for display; they are never added to totals. `reason`: why, when not completed, as a word;
    `detail`: the same as a sentence for people. `files_changed`: how many of the lane's files differ from its start;
    None unless a call ran that does not name the files it changes. `waited_ms`: the part of `duration_ms` for which
    people were waited for. `claimed_tokens`: what an agent of others says it used, which nobody counted."""

    type: Literal["turn_ended"] = "turn_ended"
    turn_id: str
    status: TurnStatus
    reason: str = ""
    detail: str = ""
    steps: int = 0
    passes: int = 0
    usage: Usage = Usage()
    cost_microusd: int | None = None
    duration_ms: int = 0
    waited_ms: int = 0
    open_todos: int = 0
    files_changed: int | None = None
    claimed_tokens: int = 0


class UserMessage(EventBase):
    """Text for the model: of a person, another agent or the app (`note`, `reminder`). `full`: all that a note names."""

    type: Literal["user_message"] = "user_message"
    parts: Parts
    origin: Literal["person", "queued", "agent", "note", "reminder", "import"] = "person"
    note_kind: str = ""
    full: BlobRef | None = None
    sender_session_id: str = ""
    attachments: tuple[str, ...] = ()
    mentions: tuple[MentionGiven, ...] = ()
    queue_id: str = ""
    display: str = ""
    turn_id: str = ""


class AssistantMessage(EventBase):
    """One answer of the model, whole, stored before any of its calls is judged. `parts`: content blocks in order."""

    type: Literal["assistant_message"] = "assistant_message"
    message_id: str = ""
    parts: Parts
    endpoint_id: str = ""
    model: str = ""
    stop_reason: str | None = None
    interrupted: bool = False
    usage: Usage = Usage()
    cost_microusd: int | None = None
    first_delta_ms: int | None = None
    duration_ms: int = 0
    attempt: int = 1
    request_id: str = ""
    turn_id: str = ""


class ProviderFailed(EventBase):
    """One attempt of a model request failed. `message`: at most 2,000 characters, keys redacted."""

    type: Literal["provider_failed"] = "provider_failed"
    turn_id: str = ""
    attempt: int
    max_attempts: int
    category: str
    http_status: int | None = None
    error_type: str = ""
    message: str = ""
    request_id: str = ""
    will_retry: bool = False
    wait_s: FiniteFloat = 0.0
    usage: Usage = Usage()
    cost_microusd: int | None = None


class ToolCallDecided(EventBase):
    """The decision of the gate about one call, with the facts it decided on. Of a call of a guest also: `supersedes`:
    the call as which it was asked about before; `held_by`: what really stops it; `part_of`: the call that it is a part
    of, such as one that began a sub-agent of the guest."""

    type: Literal["tool_call_decided"] = "tool_call_decided"
    call_id: str
    name_called: str
    tool: str = ""
    input: JsonValue = None
    executed_input: JsonValue = None
    input_digest: str = ""
    digest: str = ""
    verdict: Verdict
    rule: str
    reason: str = ""
    hits: tuple[RuleHit, ...] = ()
    lifted_by: str | None = None
    review_after: bool = False
    facts: dict[str, JsonValue] = Field(default_factory=dict)
    mode: PermissionMode
    category: str = ""
    card: Card | None = None
    supersedes: str = ""
    held_by: HeldBy | Literal[""] = ""
    part_of: str = ""


class InputRequested(EventBase):
    """Something waits for a person (or, `request.blocking` False, can be looked back on)."""

    type: Literal["input_requested"] = "input_requested"
    input_id: str
    call_id: str
    request: InputRequest


class InputResolved(EventBase):
    """A pending input is closed. `demo`: the built-in demo pressed the keys, not a person."""

    type: Literal["input_resolved"] = "input_resolved"
    input_id: str
    answer: Answer
    reason: ResolvedReason = "person"
    person: str = ""
    digest: str = ""
    shown_sha256: str = ""
    demo: bool = False


class ToolCallStarted(EventBase):
    """Intent, on disk before the effect begins. `input` is the model's, in full."""

    type: Literal["tool_call_started"] = "tool_call_started"
    call_id: str
    tool: str
    input: JsonValue = None
    executed_input: JsonValue = None
    digest: str = ""
    input_id: str = ""
    checkpoint_id: str = ""
    report_id: str = ""


class ToolCallFinished(EventBase):
    """The one result of a call. `content` is byte for byte what the model gets; `blocks` are what people see."""

    type: Literal["tool_call_finished"] = "tool_call_finished"
    call_id: str
    outcome: CallOutcome
    content: str | Parts = ""
    is_error: bool = False
    interrupted: bool = False
    blocks: tuple[Block, ...] = ()
    full: BlobRef | None = None
    touched: tuple[TouchedFile, ...] = ()
    duration_ms: int = 0
    summary: str = ""
    data: dict[str, JsonValue] = Field(default_factory=dict)


class Notice(EventBase):
    """A line for people only. `kept`: what it says was kept beside the log."""

    type: Literal["notice"] = "notice"
    kind: str
    level: Literal["info", "warning", "error"] = "info"
    text: str
    detail: str = ""
    kept: tuple[BlobRef, ...] = ()


class UnknownEvent(EventBase):
    """An event this version does not know or cannot read. It keeps its place without effect. `raw`: its exact body."""

    type: Literal["unknown_event"] = "unknown_event"
    original_type: str
    raw: str
    reason: Literal["unknown_type", "invalid"]


# fmt: off
KnownEvent = (
    SessionStarted | SessionForked | SessionResumed | TitleChanged | SessionFlagChanged | LaneAttached | ModeChanged
    | SandboxChosen | HostedGrantGiven | ModelChanged | PromptChanged | TurnStarted | TurnEnded | UserMessage
    | AssistantMessage | ProviderFailed | ToolCallDecided | InputRequested | InputResolved | ToolCallStarted
    | ToolCallFinished | Rewound | MessageDeleted | DeletionUndone | ContextCleared | CompactionStaged | Compacted
    | TodosChanged | Notice | SandboxProbed | RuleSaved | RuleRemoved | RulesAccepted | SessionTainted | TaintCleared
    | InputRevised | EffectPreviewed | ReviewFlagged | ReviewReverted | CheckpointMade | CheckpointSkipped
    | FilesRestored | LimitsChanged | MessageQueued | QueuedMessageEdited | QueuedMessageMoved | QueuedMessageRemoved
    | QueuePaused | QueueResumed | InstructionFilesLoaded | AttachmentAdded | ContentErased | LaneDetached | Imported
    | LaneOperationStarted | LaneOperationFinished | SideAnswered | EvidenceRecorded | CompletionReported | ClaimChecked
    | InstructionFilesChanged | MemoryWritten | MemorySearched | SkillsListed | SkillUsed | CredentialStored
    | CredentialUsed | CredentialRevoked | AgentGiven | ChildBegun | ChildEnded | ChildResultDelivered | GrantShared
    | CredentialEdited | BoundaryProposed | BoundaryLiftingProposed | BoundaryDecided | UndoBegun | UndoStepDone
    | UndoFinished | CommandTried | EffectApplied | McpServerChanged | McpPinAccepted | McpKeptOff | McpSampled
    | HookEvent | EgressRecorded | VendorSearched
    | GuestSessionBegan | GuestSessionEnded | GuestNoticed | GuestClaimed | GuestCounted
)
# fmt: on
Event = Annotated[KnownEvent | UnknownEvent, Field(discriminator="type")]


class Envelope(LateEvent):
    """An event with its place: where it stands in its session, what it follows, when it was written, and its hash.

    `seq` is gap-free from 0 in sessions of our own, `parent_id` None only for a root; `at` is UTC, shown, never used
    for order; `prev_hash` and `hash` are "" before storing."""

    event_id: str
    session_id: str
    seq: int
    parent_id: str | None
    at: datetime
    event: Annotated[KnownEvent | UnknownEvent, TakenAsIs()]
    prev_hash: str = ""
    hash: str = ""

    type: ClassVar[str] = "envelope"
