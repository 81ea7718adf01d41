"""The sentences of transcript rows: answered inputs, ended turns, notices, what happens now."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from desktop.domain.core.work import Activity
from desktop.domain.events import (
    InputResolved,
    ModeChanged,
    ProviderFailed,
    ResolvedReason,
    TurnEnded,
    TurnStatus,
)
from desktop.domain.gate.pending import (
    ApprovalRequest,
    InputRequest,
    QuestionRequest,
    credential_title,
    is_ours,
    is_verbatim_title,
    picture_title,
)
from desktop.domain.updates import ActivityChanged
from desktop.language import number, said, tr, trn
from desktop.ui.chats.folds.rows import Row
from desktop.ui.text.call_titles import call_title
from desktop.ui.text.format import count, duration, money, tokens
from desktop.ui.text.modes import mode_words

_LEAST_WAIT_MS = 1_000
_WITHDRAWN: dict[ResolvedReason, str] = {
    "mode": tr("Withdrawn because the mode changed"),
    "interrupted": tr("Withdrawn when the turn was stopped"),
    "restart": tr("Withdrawn when Banksman restarted"),
    "superseded": tr("Replaced by a newer request"),
    "no_person": tr("Nobody was there to answer"),
    "session_deleted": tr("Withdrawn with its chat"),
    "withdrawn": tr("Withdrawn by the agent"),
    "rule": tr("Decided by a rule"),
    "person": tr("Withdrawn"),
}
_ANSWERED = {
    "plan_yes": (tr("You approved the plan"), tr("The demo approved the plan")),
    "plan_no": (tr("You asked for another plan"), tr("The demo asked for another plan")),
    "picture_yes": (tr("You sent this"), tr("The demo sent this")),
    "picture_no": (tr("You did not send this"), tr("The demo did not send this")),
    "credential_yes": (tr("You gave this"), tr("The demo gave this")),
    "credential_no": (tr("You did not give this"), tr("The demo did not give this")),
    "edited": (tr("You edited this and allowed it once"), tr("The demo edited this and allowed it once")),
    "allow_once": (tr("You allowed this once"), tr("The demo allowed this once")),
    "allow_chat": (tr("You allowed this in this chat"), tr("The demo allowed this in this chat")),
    "allow_project": (tr("You saved a rule for this"), tr("The demo saved a rule for this")),
    "answered": (tr("You answered"), tr("The demo answered")),
    "reject": (tr("You declined this"), tr("The demo declined this")),
}
"""What a person did, and the same of the demo."""


def request_title(request: InputRequest | None) -> str:
    """What a request is about, in one line; "" when it is not known."""
    if request is None:
        return ""
    if request.kind == "approval":
        return request.card.title if is_verbatim_title(request) else call_title(request.card.title)
    if request.kind == "question":
        words = request.title or (request.questions[0].text if request.questions else "")
        return _ours(words, request)
    if request.kind == "picture":
        return picture_title(request)
    if request.kind == "credential":
        return credential_title(request)
    if request.kind == "skill":
        return tr("Install the skill {skill_id}", skill_id=request.skill_id)
    return plan_title(request.plan)


def _ours(words: str, request: QuestionRequest) -> str:
    return said(words) if is_ours(request) else words


def plan_title(plan: str) -> str:
    """A plan's first heading, else its first line."""
    lines = [line.strip() for line in plan.splitlines() if line.strip()]
    headings = [line for line in lines if line.startswith("#")]
    return (headings or lines or [""])[0].lstrip("# ").strip()


def answer_words(event: InputResolved, request: InputRequest | None) -> str:
    """Who closed an input, and how: "You allowed this once"."""
    outcome = event.answer.outcome
    if outcome == "cancelled" or event.reason not in ("person", "rule"):
        return _WITHDRAWN[event.reason]
    if event.reason == "rule":
        return tr("Allowed by a rule") if outcome.startswith("allow") else tr("Declined by a rule")
    return _ANSWERED[_answered(event, request)][event.demo]


def _answered(event: InputResolved, request: InputRequest | None) -> str:
    outcome = event.answer.outcome
    kind = request.kind if request is not None else ""
    if kind in ("plan", "picture"):
        return f"{kind}_yes" if outcome.startswith("allow") else f"{kind}_no"
    if kind == "credential":
        return "credential_yes" if outcome == "answered" else "credential_no"
    if outcome == "allow_once" and event.answer.edited_input is not None:
        return "edited"
    if outcome == "allow_always":
        return "allow_project" if event.answer.scope == "project" else "allow_chat"
    return outcome


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
            values = answer.choices.get(question.id, ())
            chosen = ", ".join(_ours(labels.get(value, value), request) for value in values)
            lines.append(f"{_ours(question.text, request)} → {chosen or tr('no answer')}")
    if answer.note.strip():
        lines.append(
            tr("Reason: {reason}", reason=answer.note.strip()) if answer.outcome == "reject" else answer.note.strip()
        )
    if answer.edited_input is not None and isinstance(request, ApprovalRequest):
        lines += _edited_lines(request.arguments, answer.edited_input)
    elif answer.edited_input is not None or answer.edited_plan is not None:
        lines.append(tr("Edited by you"))
    if answer.stop_turn:
        lines.append(tr("The turn was stopped."))
    return tuple(lines)


def _edited_lines(asked: Mapping[str, JsonValue], ran: Mapping[str, JsonValue]) -> list[str]:
    """Both versions of what a person changed."""
    changed = [name for name, value in ran.items() if asked.get(name) != value]
    lines = [
        (
            tr("{name}, the agent's: {content}", name=name, content=asked.get(name, "")),
            tr("{name}, yours: {content}", name=name, content=ran[name]),
        )
        for name in changed
    ]
    return [line for pair in lines for line in pair] or [tr("Edited by you")]


def resolved_level(event: InputResolved) -> str:
    """The colour token's name of a resolved row's shape."""
    if event.answer.outcome.startswith("allow") or event.answer.outcome == "answered":
        return "success"
    return "danger" if event.answer.outcome == "reject" else "muted"


def recap(event: TurnEnded, files: str, failed: int) -> str:
    """The divider after a turn: "Worked 2 min 14 s · waited 4 min for you · 12 steps · 3 files +14 −4 · 18.2k tokens ·
    $0.21"; the time for which a person was waited for is not work."""
    waited = event.waited_ms if event.waited_ms >= _LEAST_WAIT_MS else 0
    worked = event.duration_ms - waited
    parts = [_ended(event.status, duration(worked) if worked else "")]
    parts += [tr("waited {waited} for you", waited=duration(waited))] if waited else []
    parts += [count(event.steps, "step")] if event.steps else []
    parts += [trn(failed, "{n} failed", "{n} failed")] if failed else []
    parts += [files] if files else []
    used = event.usage.total_input + (event.usage.output or 0)
    parts += [tr("{amount} tokens", amount=tokens(used)), money(event.cost_microusd)] if used else []
    claimed = event.claimed_tokens
    parts += [tr("{amount} tokens claimed by the agent", amount=tokens(claimed))] if claimed else []
    return " · ".join(parts)


def _ended(status: TurnStatus, worked: str) -> str:
    """How it ended, and after what time; "" for none."""
    if status == "completed":
        return tr("Worked {time}", time=worked) if worked else tr("Worked")
    if status == "interrupted":
        return tr("Stopped after {time}", time=worked) if worked else tr("Stopped")
    if status == "failed":
        return tr("Failed after {time}", time=worked) if worked else tr("Failed")
    if status == "limit":
        return tr("Stopped at a limit after {time}", time=worked) if worked else tr("Stopped at a limit")
    return tr("Stopped in a loop after {time}", time=worked) if worked else tr("Stopped in a loop")


def stopped_sentence(event: TurnEnded) -> str:
    """Why a turn did not complete, as a sentence."""
    told = said((event.detail or event.reason).strip())
    reason = told.rstrip(".") or tr("the reason was not recorded")
    return tr("The turn stopped: {reason}. Nothing after the last step was run.", reason=reason)


def retry_sentence(reason: str, wait_s: float, attempt: int, most: int) -> str:
    """Why and when: "The model is overloaded. Trying again in 8 s (2 of 5).", `wait_s` rounded up."""
    words = said(reason.strip()).rstrip(".") or tr("The model did not answer")
    if wait_s <= 0:
        return tr("{reason}. Trying again now ({attempt} of {most}).", reason=words, attempt=attempt, most=most)
    return tr(
        "{reason}. Trying again in {seconds} s ({attempt} of {most}).",
        reason=words,
        seconds=number(max(0, -int(-wait_s // 1))),
        attempt=attempt,
        most=most,
    )


def failed_attempt(event: ProviderFailed) -> str:
    """One failed attempt in words."""
    status = f" ({event.http_status})" if event.http_status else ""
    return (said(event.message.strip()).splitlines() or [tr("The model request failed") + status])[0]


def mode_sentence(event: ModeChanged) -> str:
    """A change of mode in words."""
    return tr(
        "Mode changed from {previous} to {mode}", previous=mode_words(event.previous), mode=mode_words(event.mode)
    )


_NOW_WORDS = {
    Activity.PREPARING: tr("Preparing"),
    Activity.REQUESTING: tr("Thinking"),
    Activity.STREAMING: tr("Writing", context="activity"),
    Activity.RETRYING: tr("Trying again"),
    Activity.WAITING_INPUT: tr("Waiting for you"),
    Activity.RUNNING: tr("Running"),
    Activity.STOPPING: tr("Stopping"),
    Activity.QUEUED: tr("Queued"),
    Activity.COMPACTING: tr("Shortening the conversation"),
}
_ACTIVE = frozenset(
    ("Preparing", "Thinking", "Writing", "Trying", "Waiting", "Running", "Stopping", "Queued", "Shortening")
)
"""The words with which a detail begins that is a whole sentence; details are recorded in English."""


_NEWEST = 50
"""Rows among which a sub-agent that was just begun stands."""


def live_line(update: ActivityChanged | None, rows: Sequence[Row] = ()) -> str:
    """What a session does now, in words: "Running pytest", "Waiting for you: run SQL"; "" when nothing does. `rows`:
    those of the chat, which tell of a sub-agent that only waits for room."""
    if update is None or update.activity is Activity.IDLE:
        return ""
    word = _NOW_WORDS[update.activity]
    detail = update.detail.strip()
    if not detail or update.activity is Activity.COMPACTING:
        return word
    if detail.split(" ")[0].rstrip(":…") in _ACTIVE:
        return said(detail)
    if update.activity is Activity.WAITING_INPUT:
        return f"{word}: {detail}"
    if update.activity is Activity.RUNNING and _waits_for_room(detail, rows):
        return tr("{title} · waits for room", title=detail)
    return tr("Running {what}", what=detail) if update.activity is Activity.RUNNING else said(detail)


def _waits_for_room(title: str, rows: Sequence[Row]) -> bool:
    """Whether the newest sub-agent of that title has not begun."""
    calls = (call for row in reversed(rows[-_NEWEST:]) for call in reversed(row.calls))
    child = next((call.child for call in calls if call.child is not None and call.title == title), None)
    return child is not None and child.state == "queued"
