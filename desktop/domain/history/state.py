"""SessionState: the values that a session's events fold into; desktop.domain.history.state_of does the folding."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from desktop.domain.boundaries.values import ChatBoundary
from desktop.domain.chats.queue_events import Limits, QueuePause
from desktop.domain.children.values import ChildAgent, ChildState
from desktop.domain.core.base import Frozen
from desktop.domain.core.event_base import Parts
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.usage import Usage
from desktop.domain.core.work import Todo
from desktop.domain.events import ThinkingLevel, TurnEnded
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.gate.events import TaintReason
from desktop.domain.gate.pending import InputRequest
from desktop.domain.gate.rules import Rule
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.memory.values import GuardClass
from desktop.domain.skills.events import ListedSkill


class OpenInput(Frozen):
    """A pending input that nobody has resolved yet."""

    input_id: str
    call_id: str
    request: InputRequest
    since: datetime


class QueuedMessage(Frozen):
    """A person's message that waits for the end of the current step."""

    queue_id: str
    parts: Parts
    attachments: tuple[str, ...] = ()
    since: datetime


class Grant(Frozen):
    """A permission that a person gave for the rest of this session. It counts only in the process that recorded it
    (sessions-SR6)."""

    covers: str
    seq: int


class SessionRule(Frozen):
    """A rule of this session alone. One that allows counts only in the process that recorded it (gate-R5)."""

    rule: Rule
    seq: int


class CallProgress(Frozen):
    """The progress of one call of the current turn. `verbatim`: no letter of its title may differ."""

    tool: str = ""
    title: str = ""
    verbatim: bool = False
    started: bool = False
    finished: bool = False


class SkillInUse(Frozen):
    """A skill that was loaded. `by_person`: a person called it."""

    sha256: str = ""
    by_person: bool = False


class RunningTurn(Frozen):
    """The turn that has no end yet. `waited_s`: how long people were waited for whose answers are there.
    `many_children`: a person let it begin more than a few."""

    turn_id: str
    started_at: datetime
    steps: int = 0
    waited_s: float = 0.0
    calls: dict[str, CallProgress] = Field(default_factory=dict)
    many_children: bool = False


class MemoryGuard(Frozen):
    """What the turn asks of the memory: the strictest class of its messages, the class for which the app
    searched last, and whether a search was made that lets the agent change things."""

    needed: GuardClass = "none"
    oriented: GuardClass = "none"
    satisfied: bool = False


CUT_OFF = frozenset({"restart", "quit"})
"""The reasons of a turn's end that nobody decided about this turn: the process died, or the app was closed."""
AT_A_LIMIT = frozenset({"limit", "loop"})
"""The ends of a turn that stopped before its work was done, and that a person may let go on."""


class SessionState(Frozen):
    """The state of a session, without its messages.

    `open_inputs` are blocking ones, oldest first; `late_inputs`: questions and plans that a restart closed and that can
    still be answered, which continues the turn; `reviews`: by input id, the calls to look back on, whose records are in
    the log alone; `reverted`: the calls that were taken back. `boundaries`: what a person forbade in words.
    `previews`: by input id, what was shown of the effect of
    its SQL. `review_note` waits to be told to the agent. `tainted`: secret and untrusted sources it has read,
    `taint_reasons`: of which kinds they are, each once. `turn` is the turn without an end: whether something still runs
    it, the engine knows. `memory`: of the last turn, also of one that is over. `queue_paused`: why what waits is not
    delivered, "" if it is. `limits`: those of this chat, None: the settings' own; `turn_limits`: those of the turn that
    is continued next. `skills_known`: what the model can load, of which `skills_in_prompt` stands in its prompt;
    `skills_used`: by id, the last loaded last. `mcp_tools`: of servers, those it called or searched out.
    `inherited_microusd`: what the chats that this one was forked from had spent by then. `agent`: of a child, what it
    is; `children`: by id, those that this chat began, oldest first;
    `parent_session_id` and `parent_call_id`: who began it, "" for none; `depth`: how many chats stand above it.
    """

    session_id: str = ""
    project_id: str = ""
    project_path: str = ""
    lane_id: str = ""
    branch: str = ""
    worktree_path: str = ""
    primary: bool = False
    kind: str = "interactive"
    surface: str = "chat"
    parent_session_id: str = ""
    parent_call_id: str = ""
    depth: int = 0
    agent: ChildAgent | None = None
    children: dict[str, ChildState] = Field(default_factory=dict)
    mode: PermissionMode = PermissionMode.EDIT
    mode_before_plan: PermissionMode | None = None
    endpoint_id: str = ""
    model: str = ""
    thinking: ThinkingLevel = "off"
    title: str = ""
    automatic_title: str = ""
    titled_by_person: bool = False
    archived: bool = False
    pinned: bool = False
    muted: bool = False
    imported: bool = False
    queue: tuple[QueuedMessage, ...] = ()
    queue_paused: QueuePause | Literal[""] = ""
    limits: Limits | None = None
    turn_limits: Limits | None = None
    todos: tuple[Todo, ...] = ()
    open_inputs: dict[str, OpenInput] = Field(default_factory=dict)
    late_inputs: dict[str, OpenInput] = Field(default_factory=dict)
    reviews: dict[str, str] = Field(default_factory=dict)
    grants: dict[str, Grant] = Field(default_factory=dict)
    rules: tuple[SessionRule, ...] = ()
    boundaries: tuple[ChatBoundary, ...] = ()
    tainted: tuple[str, ...] = ()
    taint_reasons: tuple[TaintReason, ...] = ()
    reverted: frozenset[str] = frozenset()
    review_note: str = ""
    previews: dict[str, EffectPreview] = Field(default_factory=dict)
    sandbox: SandboxReport | None = None
    hosted_grant: bool = False
    without_sandbox: bool = False
    turn: RunningTurn | None = None
    last_turn: TurnEnded | None = None
    memory: MemoryGuard = MemoryGuard()
    skills_in_prompt: tuple[ListedSkill, ...] = ()
    skills_known: tuple[ListedSkill, ...] = ()
    skills_used: dict[str, SkillInUse] = Field(default_factory=dict)
    mcp_tools: tuple[str, ...] = ()
    turns: int = 0
    usage: Usage = Usage()
    cost_microusd: int = 0
    cost_unknown: bool = False
    inherited_microusd: int = 0
    head_seq: int = -1
    created_at: datetime | None = None
    last_activity_at: datetime | None = None

    @staticmethod
    def begin(session_id: str) -> "SessionState":
        """The state before the first event. No validator is built for it (0.01 s): there is nothing to validate."""
        return SessionState.model_construct(session_id=session_id)

    @property
    def interrupted(self) -> bool:
        """The last turn was cut off by a crash or by closing the app, and nothing happened since."""
        return self.turn is None and self.last_turn is not None and self.last_turn.reason in CUT_OFF

    @property
    def failed(self) -> str:
        """Why the last turn failed, "" if it did not."""
        if self.turn is None and self.last_turn is not None and self.last_turn.status == "failed":
            return self.last_turn.reason
        return ""

    @property
    def limited(self) -> bool:
        """The last turn stopped at a limit, and nothing happened since."""
        return self.turn is None and self.last_turn is not None and self.last_turn.status in AT_A_LIMIT
