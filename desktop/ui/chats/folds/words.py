"""The sentences of transcript rows: answered inputs, ended turns, notices, what happens now."""

from collections.abc import Mapping

from pydantic import JsonValue

from desktop.domain.core.permissions import mode_label
from desktop.domain.core.work import Activity
from desktop.domain.events import (
    InputResolved,
    ModeChanged,
    ProviderFailed,
    ResolvedReason,
    TurnEnded,
    TurnStatus,
)
from desktop.domain.gate.pending import ApprovalRequest, InputRequest, QuestionRequest, credential_title, picture_title
from desktop.domain.updates import ActivityChanged
from desktop.ui.text.format import count, duration, money, tokens

_LEAST_WAIT_MS = 1_000
_WITHDRAWN: dict[ResolvedReason, str] = {
    "mode": "Withdrawn because the mode changed",
    "interrupted": "Withdrawn when the turn was stopped",
    "restart": "Withdrawn when Banksman restarted",
    "superseded": "Replaced by a newer request",
    "no_person": "Nobody was there to answer",
    "session_deleted": "Withdrawn with its chat",
    "rule": "Decided by a rule",
    "person": "Withdrawn",
}


def request_title(request: InputRequest | None) -> str:
    """What a request is about, in one line; "" when it is not known."""
    if request is None:
        return ""
    if request.kind == "approval":
        return request.card.title
    if request.kind == "question":
        return request.title or (request.questions[0].text if request.questions else "")
    if request.kind == "picture":
        return picture_title(request)
    if request.kind == "credential":
        return credential_title(request)
    if request.kind == "skill":
        return f"Install the skill {request.skill_id}"
    return plan_title(request.plan)


def plan_title(plan: str) -> str:
    """A plan's first heading, else its first line."""
    lines = [line.strip() for line in plan.splitlines() if line.strip()]
    headings = [line for line in lines if line.startswith("#")]
    return (headings or lines or [""])[0].lstrip("# ").strip()


def answer_words(event: InputResolved, request: InputRequest | None) -> str:
    """Who closed an input, and how: "You allowed this once"."""
    who = "The demo" if event.demo else "You"
    outcome = event.answer.outcome
    if outcome == "cancelled" or event.reason not in ("person", "rule"):
        return _WITHDRAWN[event.reason]
    if event.reason == "rule":
        return "Allowed by a rule" if outcome.startswith("allow") else "Declined by a rule"
    if request is not None and request.kind == "plan":
        return f"{who} approved the plan" if outcome.startswith("allow") else f"{who} asked for another plan"
    if request is not None and request.kind == "picture":
        return f"{who} sent this" if outcome.startswith("allow") else f"{who} did not send this"
    if request is not None and request.kind == "credential":
        return f"{who} gave this" if outcome == "answered" else f"{who} did not give this"
    if outcome == "allow_once" and event.answer.edited_input is not None:
        return f"{who} edited this and allowed it once"
    lasting = "saved a rule for this" if event.answer.scope == "project" else "allowed this in this chat"
    verbs = {
        "allow_once": "allowed this once",
        "allow_always": lasting,
        "answered": "answered",
        "reject": "declined this",
    }
    return f"{who} {verbs[outcome]}"


def resolved_sentence(event: InputResolved, request: InputRequest | None) -> str:
    """How an input was closed: "You allowed this once: run SQL on staging". A plan's title stands on its own row."""
    words = answer_words(event, request)
    title = "" if request is not None and request.kind == "plan" else request_title(request)
    return f"{words}: {title}" if title else words


def resolved_lines(event: InputResolved, request: InputRequest | None) -> tuple[str, ...]:
    """What belongs under the sentence: answers of questions, the reason given, that the call was edited."""
    answer = event.answer
    lines: list[str] = []
    if isinstance(request, QuestionRequest) and answer.outcome == "answered":
        for question in request.questions:
            labels = {option.value: option.label for option in question.options}
            chosen = ", ".join(labels.get(value, value) for value in answer.choices.get(question.id, ()))
            lines.append(f"{question.text} → {chosen or 'no answer'}")
    if answer.note.strip():
        lines.append(f"Reason: {answer.note.strip()}" if answer.outcome == "reject" else answer.note.strip())
    if answer.edited_input is not None and isinstance(request, ApprovalRequest):
        lines += _edited_lines(request.arguments, answer.edited_input)
    elif answer.edited_input is not None or answer.edited_plan is not None:
        lines.append("Edited by you")
    if answer.stop_turn:
        lines.append("The turn was stopped.")
    return tuple(lines)


def _edited_lines(asked: Mapping[str, JsonValue], ran: Mapping[str, JsonValue]) -> list[str]:
    """Both versions of what a person changed."""
    changed = [name for name, value in ran.items() if asked.get(name) != value]
    lines = [(f"{name}, the agent's: {asked.get(name, '')}", f"{name}, yours: {ran[name]}") for name in changed]
    return [line for pair in lines for line in pair] or ["Edited by you"]


def resolved_level(event: InputResolved) -> str:
    """The colour token's name of a resolved row's shape."""
    if event.answer.outcome.startswith("allow") or event.answer.outcome == "answered":
        return "success"
    return "danger" if event.answer.outcome == "reject" else "muted"


def recap(event: TurnEnded, files: str, failed: int) -> str:
    """The divider after a turn: "Worked 2 min 14 s · waited 4 min for you · 12 steps · 3 files +14 −4 · 18.2k tokens ·
    $0.21"; the time for which a person was waited for is not work."""
    verbs: dict[TurnStatus, str] = {
        "completed": "Worked",
        "interrupted": "Stopped after",
        "failed": "Failed after",
        "limit": "Stopped at a limit after",
        "loop": "Stopped in a loop after",
    }
    verb = verbs[event.status]
    waited = event.waited_ms if event.waited_ms >= _LEAST_WAIT_MS else 0
    worked = event.duration_ms - waited
    parts = [f"{verb} {duration(worked)}" if worked else verb.removesuffix(" after")]
    parts += [f"waited {duration(waited)} for you"] if waited else []
    parts += [count(event.steps, "step")] if event.steps else []
    parts += [f"{failed} failed"] if failed else []
    parts += [files] if files else []
    used = event.usage.total_input + (event.usage.output or 0)
    parts += [f"{tokens(used)} tokens", money(event.cost_microusd)] if used else []
    parts += [f"{tokens(event.claimed_tokens)} tokens claimed by the agent"] if event.claimed_tokens else []
    return " · ".join(parts)


def stopped_sentence(event: TurnEnded) -> str:
    """Why a turn did not complete, as a sentence."""
    reason = (event.detail or event.reason).strip().rstrip(".") or "the reason was not recorded"
    return f"The turn stopped: {reason}. Nothing after the last step was run."


def retry_sentence(reason: str, wait_s: float, attempt: int, most: int) -> str:
    """Why and when: "The model is overloaded. Trying again in 8 s (2 of 5).", `wait_s` rounded up."""
    words = reason.strip().rstrip(".") or "The model did not answer"
    when = f"in {max(0, -int(-wait_s // 1))} s" if wait_s > 0 else "now"
    return f"{words}. Trying again {when} ({attempt} of {most})."


def failed_attempt(event: ProviderFailed) -> str:
    """One failed attempt in words."""
    status = f" ({event.http_status})" if event.http_status else ""
    return (event.message.strip().splitlines() or [f"The model request failed{status}"])[0]


def mode_sentence(event: ModeChanged) -> str:
    """A change of mode in words."""
    return f"Mode changed from {mode_label(event.previous)} to {mode_label(event.mode)}"


_NOW_WORDS = {
    Activity.PREPARING: "Preparing",
    Activity.REQUESTING: "Thinking",
    Activity.STREAMING: "Writing",
    Activity.RETRYING: "Trying again",
    Activity.WAITING_INPUT: "Waiting for you",
    Activity.RUNNING: "Running",
    Activity.STOPPING: "Stopping",
    Activity.QUEUED: "Queued",
    Activity.COMPACTING: "Shortening the conversation",
}


def live_line(update: ActivityChanged | None) -> str:
    """What a session does now, in words: "Running pytest", "Waiting for you: run SQL"; "" when nothing does."""
    if update is None or update.activity is Activity.IDLE:
        return ""
    word = _NOW_WORDS[update.activity]
    detail = update.detail.strip()
    if not detail:
        return word
    if detail.split(" ")[0].rstrip(":…") in {words.split(" ")[0] for words in _NOW_WORDS.values()}:
        return detail
    joint = ": " if update.activity is Activity.WAITING_INPUT else " "
    return f"{word}{joint}{detail}" if update.activity in (Activity.WAITING_INPUT, Activity.RUNNING) else detail
