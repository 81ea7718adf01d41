"""What rules, marks, reviews, the sandbox and tools of servers are in a session, as its events fold."""

from collections.abc import Iterable
from datetime import datetime

from desktop.domain.events import ToolCallFinished, ToolCallStarted
from desktop.domain.gate.events import (
    EffectPreviewed,
    HostedGrantGiven,
    ReviewFlagged,
    ReviewReverted,
    RuleRemoved,
    RuleSaved,
    SandboxChosen,
    SandboxProbed,
    SessionTainted,
    TaintCleared,
)
from desktop.domain.history.state import SessionRule, SessionState

SERVER_TOOL = "mcp__"
FOUND_TOOLS = "mcp_tools"
"""Under what the end of a search names the tools of servers that it found."""


def hosted_grant(state: SessionState, event: HostedGrantGiven, at: datetime, seq: int) -> dict[str, object]:
    """A session without a window may write, or may not."""
    return {"hosted_grant": event.granted}


def sandbox_chosen(state: SessionState, event: SandboxChosen, at: datetime, seq: int) -> dict[str, object]:
    """The level of sandbox for full auto."""
    return {"without_sandbox": event.level != "full"}


def rule_saved(state: SessionState, event: RuleSaved, at: datetime, seq: int) -> dict[str, object]:
    """A rule of the session, new or changed."""
    if event.rule.scope != "session":
        return {}
    others = tuple(kept for kept in state.rules if kept.rule.id != event.rule.id)
    return {"rules": (*others, SessionRule(rule=event.rule, seq=seq))}


def rule_removed(state: SessionState, event: RuleRemoved, at: datetime, seq: int) -> dict[str, object]:
    """A rule of the session is gone."""
    return {"rules": tuple(kept for kept in state.rules if kept.rule.id != event.rule_id)}


def tainted(state: SessionState, event: SessionTainted, at: datetime, seq: int) -> dict[str, object]:
    """One more source that was read."""
    return {
        "tainted": tuple(dict.fromkeys((*state.tainted, event.source))),
        "taint_reasons": tuple(dict.fromkeys((*state.taint_reasons, event.reason))),
    }


def taint_cleared(state: SessionState, event: TaintCleared, at: datetime, seq: int) -> dict[str, object]:
    """A person cleared the mark."""
    return {"tainted": (), "taint_reasons": ()}


def review_flagged(state: SessionState, event: ReviewFlagged, at: datetime, seq: int) -> dict[str, object]:
    """Looked back on; what is to be told waits."""
    notes = [note for note in (state.review_note, event.note.strip()) if note]
    return {
        "reviews": {k: v for k, v in state.reviews.items() if k not in event.input_ids},
        "review_note": "\n".join(notes),
    }


def review_reverted(state: SessionState, event: ReviewReverted, at: datetime, seq: int) -> dict[str, object]:
    """A call was taken back."""
    return {
        "reverted": state.reverted | {event.call_id},
        "reviews": {k: v for k, v in state.reviews.items() if v != event.call_id},
    }


def effect_previewed(state: SessionState, event: EffectPreviewed, at: datetime, seq: int) -> dict[str, object]:
    """What its SQL would do, by the input."""
    return {"previews": {**state.previews, event.input_id: event.preview}}


def sandbox_probed(state: SessionState, event: SandboxProbed, at: datetime, seq: int) -> dict[str, object]:
    """The report in force."""
    return {"sandbox": event.report}


def server_tool_called(state: SessionState, event: ToolCallStarted) -> dict[str, object]:
    """A tool of a server was called: the model is told of it from then on."""
    return _with_tools(state, (event.tool,)) if event.tool.startswith(SERVER_TOOL) else {}


def server_tools_found(state: SessionState, event: ToolCallFinished) -> dict[str, object]:
    """A search named tools of servers."""
    names = event.data.get(FOUND_TOOLS) if event.data else None
    return _with_tools(state, (name for name in names if isinstance(name, str))) if isinstance(names, list) else {}


def _with_tools(state: SessionState, names: Iterable[str]) -> dict[str, object]:
    known = tuple(dict.fromkeys((*state.mcp_tools, *names)))
    return {} if known == state.mcp_tools else {"mcp_tools": known}
