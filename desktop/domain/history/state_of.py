"""The state of a session after its events, as one pure fold that the engine and the window share."""

from collections.abc import Callable
from datetime import datetime

from desktop.domain.boundaries.events import BoundaryDecided, BoundaryLiftingProposed, BoundaryProposed
from desktop.domain.chats.library_events import Imported, SessionFlagChanged
from desktop.domain.chats.queue_events import (
    LimitsChanged,
    MessageQueued,
    QueuedMessageEdited,
    QueuedMessageMoved,
    QueuedMessageRemoved,
    QueuePaused,
    QueueResumed,
)
from desktop.domain.context.events import CompactionStaged, Rewound, SideAnswered
from desktop.domain.core.event_base import EventBase
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.usage import Usage, add_usage
from desktop.domain.core.work_events import TodosChanged
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    InputRequested,
    InputResolved,
    LaneAttached,
    ModeChanged,
    ModelChanged,
    ProviderFailed,
    SessionForked,
    SessionResumed,
    SessionStarted,
    TitleChanged,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    TurnStarted,
    UserMessage,
)
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
from desktop.domain.gate.pending import ApprovalRequest
from desktop.domain.gate.titles import title_of
from desktop.domain.guests.events import GuestCounted
from desktop.domain.history import (
    boundary_fold,
    children_fold,
    gate_fold,
    memory_fold,
    queue_fold,
    skills_fold,
)
from desktop.domain.history.own_words import own_words
from desktop.domain.history.state import CallProgress as CallProgress
from desktop.domain.history.state import Grant as Grant
from desktop.domain.history.state import OpenInput as OpenInput
from desktop.domain.history.state import RunningTurn as RunningTurn
from desktop.domain.history.state import SessionRule as SessionRule
from desktop.domain.history.state import SessionState as SessionState
from desktop.domain.mcp.events import McpSampled
from desktop.domain.memory.events import MemorySearched

TITLE_MAX_CHARS = 48
PERSON_TITLE_MAX_CHARS = 80


def title_from(text: str) -> str:
    """An automatic title: the first non-blank line, at most 48 characters."""
    line = next((stripped for raw in text.splitlines() if (stripped := raw.strip())), "")
    return line if len(line) <= TITLE_MAX_CHARS else line[: TITLE_MAX_CHARS - 1].rstrip() + "…"


def message_text(event: UserMessage | AssistantMessage) -> str:
    """All text parts of a message, joined by blank lines."""
    parts = (part for part in event.parts if isinstance(part, dict) and part.get("type") == "text")
    return "\n\n".join(text for part in parts if isinstance(text := part.get("text"), str))


def _session_started(state: SessionState, event: SessionStarted, at: datetime, seq: int) -> dict[str, object]:
    return {
        "project_id": event.project_id,
        "project_path": event.project_path,
        "lane_id": event.lane_id,
        "branch": event.branch,
        "primary": event.primary,
        "kind": event.kind,
        "surface": event.surface,
        **children_fold.started(event),
        "mode": event.mode,
        "endpoint_id": event.endpoint_id,
        "model": event.model,
        "title": event.title,
        "automatic_title": event.title,
        "created_at": at,
    }


def _session_forked(state: SessionState, event: SessionForked, at: datetime, seq: int) -> dict[str, object]:
    return {
        "lane_id": event.lane_id, "branch": "", "worktree_path": "", "primary": False, "surface": "chat",
        "mode": event.mode, "mode_before_plan": None, "title": event.title, "automatic_title": event.title,
        "titled_by_person": False, "grants": {}, "hosted_grant": False,
        "rules": _without_allow(state.rules), "without_sandbox": False, "usage": Usage(), "cost_microusd": 0,
        "cost_unknown": False, "inherited_microusd": state.inherited_microusd + state.cost_microusd, "created_at": at,
        "turn": None, "last_turn": None, "open_inputs": {}, "late_inputs": {}, "reviews": {},
        "queue": (), "queue_paused": "", "turn_limits": None, "archived": False, "pinned": False, "muted": False,
        "kind": "interactive" if state.kind == "subagent" else state.kind, "imported": False, **children_fold.NONE,
    }  # fmt: skip


def _rewound(state: SessionState, event: Rewound, at: datetime, seq: int) -> dict[str, object]:
    """What follows the path goes back with it; what was allowed for the session ends (sessions-SF1)."""
    return {
        "todos": state.todos if event.todos is None else event.todos,
        "turn": None,
        "last_turn": None,
        "open_inputs": {},
        "late_inputs": {},
        "turn_limits": None,
        "grants": {},
        "hosted_grant": False,
        "rules": _without_allow(state.rules),
    }


def _lane_attached(state: SessionState, event: LaneAttached, at: datetime, seq: int) -> dict[str, object]:
    return {"lane_id": event.lane_id, "branch": event.branch, "worktree_path": event.worktree_path}


def _title_changed(state: SessionState, event: TitleChanged, at: datetime, seq: int) -> dict[str, object]:
    if event.by == "person":
        title = event.title[:PERSON_TITLE_MAX_CHARS]
        return {"title": title or state.automatic_title, "titled_by_person": bool(title)}
    if state.titled_by_person:
        return {"automatic_title": event.title}
    return {"title": event.title, "automatic_title": event.title}


def _flag_changed(state: SessionState, event: SessionFlagChanged, at: datetime, seq: int) -> dict[str, object]:
    return {event.flag: event.value}


def _mode_changed(state: SessionState, event: ModeChanged, at: datetime, seq: int) -> dict[str, object]:
    before = event.previous if event.mode is PermissionMode.PLAN else None
    return {"mode": event.mode, "mode_before_plan": before}


def _model_changed(state: SessionState, event: ModelChanged, at: datetime, seq: int) -> dict[str, object]:
    return {
        "endpoint_id": event.endpoint_id,
        "model": event.model,
        "thinking": event.thinking,
        "grants": {},
        "rules": _without_allow(state.rules),
    }


def _turn_started(state: SessionState, event: TurnStarted, at: datetime, seq: int) -> dict[str, object]:
    turn = RunningTurn(turn_id=event.turn_id, started_at=at)
    memory = memory_fold.begun(state, event)
    return {"turn": turn, "turns": state.turns + 1, "late_inputs": {}, "memory": memory}


def _turn_ended(state: SessionState, event: TurnEnded, at: datetime, seq: int) -> dict[str, object]:
    return {"turn": None, "last_turn": event, "open_inputs": {}, "turn_limits": None}


def _user_message(state: SessionState, event: UserMessage, at: datetime, seq: int) -> dict[str, object]:
    told: dict[str, object] = {"review_note": ""} if event.note_kind == "review" else {}
    if event.origin == "person" and not state.title:
        said = (own_words(event) or event.attachments[0]) if event.attachments else message_text(event)
        title = title_from(said)
        return {**told, "title": title, "automatic_title": title}
    return told


def _assistant_message(state: SessionState, event: AssistantMessage, at: datetime, seq: int) -> dict[str, object]:
    changed = _spend(state, event.usage, event.cost_microusd)
    if state.turn is not None and not event.interrupted:
        changed["turn"] = state.turn.model_copy(update={"steps": state.turn.steps + 1})
    return changed


def _no_answer(
    state: SessionState, event: ProviderFailed | CompactionStaged | SideAnswered | McpSampled, at: datetime, seq: int
) -> dict[str, object]:
    return _spend(state, event.usage, event.cost_microusd) if event.usage != Usage() else {}


def _guest_counted(state: SessionState, event: GuestCounted, at: datetime, seq: int) -> dict[str, object]:
    return _spend(state, event.usage, event.cost_microusd)


def _spend(state: SessionState, usage: Usage, cost: int | None) -> dict[str, object]:
    return {
        "usage": add_usage(state.usage, usage),
        "cost_microusd": state.cost_microusd + (cost or 0),
        "cost_unknown": state.cost_unknown or cost is None,
    }


def _todos_changed(state: SessionState, event: TodosChanged, at: datetime, seq: int) -> dict[str, object]:
    return {"todos": event.todos}


def _with_call(state: SessionState, call_id: str, **changes: object) -> dict[str, object]:
    if state.turn is None:
        return {}
    progress = state.turn.calls.get(call_id, CallProgress()).model_copy(update=changes)
    return {"turn": state.turn.model_copy(update={"calls": {**state.turn.calls, call_id: progress}})}


def _call_decided(state: SessionState, event: ToolCallDecided, at: datetime, seq: int) -> dict[str, object]:
    title, verbatim = title_of(event)
    return _with_call(state, event.call_id, tool=event.tool, title=title, verbatim=verbatim)


def _call_started(state: SessionState, event: ToolCallStarted, at: datetime, seq: int) -> dict[str, object]:
    return {
        **_with_call(state, event.call_id, tool=event.tool, started=True),
        **gate_fold.server_tool_called(state, event),
    }


def _call_finished(state: SessionState, event: ToolCallFinished, at: datetime, seq: int) -> dict[str, object]:
    return {**_with_call(state, event.call_id, finished=True), **gate_fold.server_tools_found(state, event)}


def _input_requested(state: SessionState, event: InputRequested, at: datetime, seq: int) -> dict[str, object]:
    if not event.request.blocking:
        return {"reviews": {**state.reviews, event.input_id: event.call_id}}
    opened = OpenInput(input_id=event.input_id, call_id=event.call_id, request=event.request, since=at)
    return {"open_inputs": {**state.open_inputs, event.input_id: opened}}


def _input_revised(state: SessionState, event: InputRevised, at: datetime, seq: int) -> dict[str, object]:
    opened = state.open_inputs.get(event.input_id)
    if opened is None:
        return {}
    return {"open_inputs": {**state.open_inputs, event.input_id: opened.model_copy(update={"request": event.request})}}


def _input_resolved(state: SessionState, event: InputResolved, at: datetime, seq: int) -> dict[str, object]:
    opened = state.open_inputs.get(event.input_id)
    changed: dict[str, object] = {
        "open_inputs": {k: v for k, v in state.open_inputs.items() if k != event.input_id},
        "reviews": {k: v for k, v in state.reviews.items() if k != event.input_id},
    }
    request = opened.request if opened is not None else None
    if opened is not None and state.turn is not None:
        waited_s = state.turn.waited_s + max((at - opened.since).total_seconds(), 0.0)
        many = children_fold.allows_many(state.turn, request, event.answer)
        changed["turn"] = state.turn.model_copy(update={"waited_s": waited_s, "many_children": many})
    if opened is not None and event.reason == "restart" and opened.request.kind in ("question", "plan"):
        changed["late_inputs"] = {**state.late_inputs, event.input_id: opened}
    if (
        isinstance(request, ApprovalRequest)
        and event.answer.outcome == "allow_always"
        and event.answer.scope != "project"  # that is a rule, which ends when it is taken back
        and request.remember_key is not None
    ):
        covers = next((offer.covers for offer in request.grants if offer.scope == "session"), "")
        changed["grants"] = {**state.grants, request.remember_key: Grant(covers=covers, seq=seq)}
    return changed


def _without_allow(rules: tuple[SessionRule, ...]) -> tuple[SessionRule, ...]:
    return tuple(kept for kept in rules if kept.rule.decision != "allow")


def _imported(state: SessionState, event: Imported, at: datetime, seq: int) -> dict[str, object]:
    """What a file says of modes, rules, grants, limits and lanes is kept and counts for nothing here (sessions-SG7)."""
    return {
        "imported": True, "project_id": event.project_id or state.project_id,
        "project_path": event.project_path, "kind": "interactive", "surface": "chat", "primary": False,
        "lane_id": "", "branch": "", "worktree_path": "", "mode": PermissionMode.EDIT, "mode_before_plan": None,
        "endpoint_id": "", "model": "", "thinking": "off", "grants": {}, "rules": (), "boundaries": (),
        "hosted_grant": False, "without_sandbox": False, "sandbox": None, "queue": (), "queue_paused": "",
        "limits": None, "turn_limits": None, "turn": None, "last_turn": None, "open_inputs": {}, "late_inputs": {},
        "reviews": {}, "previews": {}, "review_note": "", "usage": Usage(), "cost_microusd": 0, "cost_unknown": False,
        "inherited_microusd": 0, **children_fold.NONE,
    }  # fmt: skip


def _resumed(state: SessionState, event: SessionResumed, at: datetime, seq: int) -> dict[str, object]:
    here = {"project_id": event.project_id, "project_path": event.project_path} if event.project_id else {}
    return {"imported": False, **here}


_FOLDS: dict[type[EventBase], Callable[..., dict[str, object]]] = {
    SessionStarted: _session_started,
    SessionForked: _session_forked,
    Rewound: _rewound,
    LaneAttached: _lane_attached,
    TitleChanged: _title_changed,
    SessionFlagChanged: _flag_changed,
    ModeChanged: _mode_changed,
    SandboxChosen: gate_fold.sandbox_chosen,
    HostedGrantGiven: gate_fold.hosted_grant,
    ModelChanged: _model_changed,
    TurnStarted: _turn_started,
    TurnEnded: _turn_ended,
    UserMessage: _user_message,
    AssistantMessage: _assistant_message,
    ProviderFailed: _no_answer,
    CompactionStaged: _no_answer,
    SideAnswered: _no_answer,
    McpSampled: _no_answer,
    GuestCounted: _guest_counted,
    TodosChanged: _todos_changed,
    ToolCallDecided: _call_decided,
    ToolCallStarted: _call_started,
    ToolCallFinished: _call_finished,
    InputRequested: _input_requested,
    InputResolved: _input_resolved,
    InputRevised: _input_revised,
    Imported: _imported,
    SessionResumed: _resumed,
    RuleSaved: gate_fold.rule_saved,
    BoundaryProposed: boundary_fold.proposed,
    BoundaryLiftingProposed: boundary_fold.lifting_proposed,
    BoundaryDecided: boundary_fold.decided,
    RuleRemoved: gate_fold.rule_removed,
    SessionTainted: gate_fold.tainted,
    TaintCleared: gate_fold.taint_cleared,
    ReviewFlagged: gate_fold.review_flagged,
    ReviewReverted: gate_fold.review_reverted,
    SandboxProbed: gate_fold.sandbox_probed,
    EffectPreviewed: gate_fold.effect_previewed,
    MessageQueued: queue_fold.queued,
    QueuedMessageEdited: queue_fold.edited,
    QueuedMessageMoved: queue_fold.moved,
    QueuedMessageRemoved: queue_fold.removed,
    QueuePaused: queue_fold.paused,
    QueueResumed: queue_fold.resumed,
    LimitsChanged: queue_fold.limits_changed,
    MemorySearched: memory_fold.searched,
    **skills_fold.FOLDS,
    **children_fold.FOLDS,
}

FOLDED_KINDS = frozenset(str(cls.model_fields["type"].default) for cls in _FOLDS)
"""The stored types of all events that change more of the state than its position."""


def closes_after_restart(event: EventBase) -> bool:
    """Whether an event is no activity of its chat: it records that a restart had cut something off, long after it did,
    or that a person changed rules elsewhere, in every chat that they count for."""
    if isinstance(event, RuleRemoved | RulesAccepted) or (isinstance(event, RuleSaved) and not event.input_id):
        return True
    return isinstance(event, InputResolved | TurnEnded) and event.reason == "restart"


def fold(state: SessionState, envelope: Envelope) -> SessionState:
    """The state after one more event. Events this version does not know change nothing but the position."""
    event = envelope.glance()
    step = _FOLDS.get(type(event))
    changed = step(state, event, envelope.at, envelope.seq) if step is not None else {}
    if not closes_after_restart(event):
        changed["last_activity_at"] = envelope.at
    return state.model_copy(update={"session_id": envelope.session_id, "head_seq": envelope.seq, **changed})
