"""What became of a child, from its own log, and how its chat's model is told of it."""

from desktop.agent.core.notes import note_of_strangers
from desktop.agent.core.session import Session
from desktop.domain.children.events import ChildEnded, ChildResultDelivered
from desktop.domain.children.values import ENDED_WORDS, ChildOutcome, ChildState, tokens_of
from desktop.domain.core.content import TouchedFile
from desktop.domain.core.usage import Usage
from desktop.domain.events import AssistantMessage, Event, ToolCallFinished, TurnEnded
from desktop.domain.gate.events import SessionTainted
from desktop.domain.history.picked import picked
from desktop.domain.history.state_of import message_text
from desktop.tools.offers import ChildReport
from desktop.tools.text import clip, count_words, duration_words
from desktop.tools.untrusted import untrusted

MOST_CHARS = 30_000
NOTE_KIND = "subagent_result"
_OUTCOMES: dict[str, ChildOutcome] = {"completed": "completed", "limit": "limit", "loop": "limit", "failed": "failed"}


def last_text(child: Session, since: int = 0) -> str:
    """The last words of a child, "" for none since its entry of that number."""
    for envelope, event in picked(reversed(child.log), AssistantMessage):
        if envelope.seq < since:
            return ""
        if text := message_text(event).strip():
            return text
    return ""


def outcome_of(last: TurnEnded | None) -> tuple[ChildOutcome, str]:
    """How a child's run ended, by the end of its turn, and why as a sentence."""
    if last is None:
        return "not_begun", "Banksman closed before it began."
    if last.status == "interrupted":
        quit_ = last.reason in ("restart", "quit")
        return ("interrupted", last.detail) if quit_ else ("stopped", last.detail)
    return _OUTCOMES[last.status], "" if last.status == "completed" else last.detail


def ended(child: Session, state: ChildState, began: int, before: tuple[Usage, int]) -> ChildEnded:
    """The record of the end of a run. `began`: the first entry of the run in the child's log; `before`: what the child
    had used by then."""
    outcome, detail = outcome_of(child.state.last_turn)
    steps, duration_ms, changed = 0, 0, set[str]()
    files = 0
    for envelope, event in picked(reversed(child.log), TurnEnded, ToolCallFinished):
        if envelope.seq < began:
            break
        if isinstance(event, TurnEnded):
            steps, duration_ms = steps + event.steps, duration_ms + event.duration_ms
            files = max(files, event.files_changed or 0)
        elif isinstance(event, ToolCallFinished):
            changed |= {_path(touched) for touched in event.touched}
    head = child.log[-1]
    return ChildEnded(
        child_id=state.child_id,
        task_id=state.task_id,
        call_id=state.call_id,
        outcome=outcome,
        detail=detail,
        head_seq=head.seq,
        head_hash=head.hash,
        steps=steps,
        usage=_less(child.state.usage, before[0]),
        cost_microusd=None if child.state.cost_unknown else child.state.cost_microusd - before[1],
        duration_ms=duration_ms,
        files_changed=max(len(changed), files),
    )


def report(state: ChildState, text: str, follow: tuple[ChildResultDelivered | SessionTainted, ...]) -> ChildReport:
    """A task that ended, for the model of its chat."""
    return ChildReport(
        task_id=state.task_id,
        child_id=state.child_id,
        agent=state.agent,
        state="ended",
        line=told_line(state),
        text=untrusted(f"subagent:{state.agent}", clip(text, MOST_CHARS)) if text else "",
        ok=state.outcome == "completed",
        follow=follow,
    )


def ended_line(state: ChildState) -> str:
    """`t3 (explorer) done · 6 steps · 12k tokens · 41 s · 3 files changed`, and why when it is not done."""
    tokens = tokens_of(state.usage)
    parts = [
        f"{state.task_id} ({state.agent}) {ENDED_WORDS[state.outcome or 'interrupted']}",
        count_words(state.steps, "step"),
        f"{round(tokens / 1000)}k tokens" if tokens >= 1000 else count_words(tokens, "token"),
        duration_words(state.duration_ms / 1000),
    ]
    parts += [f"{count_words(state.files_changed, 'file')} changed"] if state.files_changed else []
    why = f". {state.detail}" if state.detail else ""
    return " · ".join(parts) + why


def told_line(state: ChildState) -> str:
    """`ended_line`, and below it where the work of a child is that has a lane of its own."""
    where = "Its work is in a lane of its own; take_task_changes brings it into this one."
    return f"{ended_line(state)}\n{where}" if state.lane == "own" and state.files_changed else ended_line(state)


def delivery(
    session: Session, state: ChildState, child: Session | None
) -> tuple[ChildResultDelivered | SessionTainted, ...]:
    """What is recorded with the telling: that it was told, and what the child has read that taints its chat."""
    delivered = ChildResultDelivered(child_id=state.child_id, task_id=state.task_id, call_id=state.call_id)
    if child is None:
        return (delivered,)
    known = session.state.tainted
    reasons = child.state.taint_reasons
    reason = next((one for one in reasons if one != "untrusted"), "untrusted")
    return (
        delivered,
        *(
            SessionTainted(reason=reason, source=source, call_id=state.call_id)
            for source in child.state.tainted
            if source not in known
        ),
    )


def note_events(session: Session, state: ChildState, child: Session | None) -> list[Event]:
    """A background result as a note, with the record that it was told (memory-SU9)."""
    text = last_text(child) if child is not None else ""
    message = note_of_strangers(NOTE_KIND, told_line(state), f"subagent:{state.agent}", clip(text, MOST_CHARS))
    return [*delivery(session, state, child), message]


def _path(touched: TouchedFile) -> str:
    return touched.path


def _less(now: Usage, before: Usage) -> Usage:
    """What was used since, field by field."""

    def minus(a: int | None, b: int | None) -> int | None:
        return None if a is None else a - (b or 0)

    return Usage(
        input=minus(now.input, before.input),
        output=minus(now.output, before.output),
        cache_read=minus(now.cache_read, before.cache_read),
        cache_write_5m=minus(now.cache_write_5m, before.cache_write_5m),
        cache_write_1h=minus(now.cache_write_1h, before.cache_write_1h),
    )
