"""The state of a chat as people read it: one word, one shape, one colour; waiting beats everything, worst first."""

from datetime import datetime
from enum import IntEnum

from desktop.domain.core.work import Activity, SessionSummary, WaitingInput
from desktop.domain.display.text import display_text, prose_text
from desktop.language import ENGLISH, said, tr, worn
from desktop.records import dataclass
from desktop.ui.text import format as fmt
from desktop.ui.text.call_titles import call_title

RETRYING, AT_A_LIMIT = tr("retrying"), tr("stopped at a limit")
RUNNING_ACTIVITIES = frozenset(Activity) - {Activity.IDLE, Activity.WAITING_INPUT}


class ChatState(IntEnum):
    """Ordered: of several chats the smallest is shown."""

    APPROVAL = 0
    QUESTION = 1
    INTERRUPTED = 2
    FAILED = 3
    RUNNING = 4
    UNSEEN = 5
    IDLE = 6


@dataclass(frozen=True)
class Shape:
    """How a state is drawn. `icon` "" means the row's own icon (branch or bubble); `dot`: with a filled dot."""

    icon: str
    token: str
    word: str
    dot: bool = False


SHAPES: dict[ChatState, Shape] = {
    ChatState.APPROVAL: Shape("shield-alert", "warning", tr("waiting")),
    ChatState.QUESTION: Shape("message-circle-question-mark", "accent", tr("waiting")),
    ChatState.INTERRUPTED: Shape("pause", "warning", tr("interrupted")),
    ChatState.FAILED: Shape("triangle-alert", "danger", tr("failed")),
    ChatState.RUNNING: Shape("loader-circle", "accent", tr("running")),
    ChatState.UNSEEN: Shape("", "accent", tr("done"), dot=True),
    ChatState.IDLE: Shape("", "muted", tr("idle")),
}


_FAILURES = {
    "auth": tr("the key was refused"),
    "permission": tr("this key may not use the model"),
    "billing": tr("no credit"),
    "not_found": tr("the model does not exist"),
    "bad_request": tr("the request was refused"),
    "too_large": tr("the chat is too long"),
    "context_overflow": tr("the chat is too long"),
    "rate_limited": tr("too many requests"),
    "overloaded": tr("the model is overloaded"),
    "server": tr("the service failed"),
    "guest_ended": tr("the agent ended"),
    "guest_error": tr("the agent failed"),
    "guest_late": tr("the agent did not answer"),
    "guest_mode": tr("not in this mode"),
    "guest_sign_in": tr("sign in first"),
    "guest_start": tr("the agent did not start"),
    "no_guest": tr("the agent is not here"),
    "unasked": tr("the agent did not ask"),
    "network": tr("no connection"),
    "timeout": tr("no answer in time"),
    "tls": tr("the certificate is not trusted"),
    "not_an_api": tr("no model service there"),
}


def chat_state(chat: SessionSummary, seen_at: datetime | None) -> ChatState:
    """The state of a chat. `seen_at`: the last activity that was on screen, None if it counts as seen."""
    if chat.waiting:
        return ChatState.QUESTION if all(w.kind == "question" for w in chat.waiting) else ChatState.APPROVAL
    if chat.interrupted:
        return ChatState.INTERRUPTED
    if chat.activity is not Activity.IDLE:
        return ChatState.RUNNING
    if chat.failed:
        return ChatState.FAILED
    unseen = seen_at is not None and chat.turns > 0 and chat.last_activity_at > seen_at
    return ChatState.UNSEEN if unseen else ChatState.IDLE


def state_word(chat: SessionSummary, state: ChatState) -> str:
    """The state in a word or two."""
    if state is ChatState.RUNNING and chat.activity is Activity.RETRYING:
        return RETRYING
    resting = state in (ChatState.UNSEEN, ChatState.IDLE)
    return AT_A_LIMIT if resting and chat.limited else SHAPES[state].word


def failed_words(chat: SessionSummary) -> str:
    """Why the last turn failed, in a few words for a second line; "" if it did not."""
    return _FAILURES.get(chat.failed, display_text(chat.failed))


def waiting_words(waiting: WaitingInput) -> str:
    """What waits, for a second line: "Approve: run SQL", "Question: which dialect?", "Plan to review"."""
    if waiting.kind == "plan":
        return tr("Plan to review")
    shown = prose_text if waiting.kind == "question" else display_text
    title = shown(waiting.title).strip()
    if waiting.kind == "picture":
        return tr("Send: {what}", what=_within(title))
    if waiting.kind == "credential":
        return call_title(title)
    if waiting.kind == "question":
        title = title if waiting.verbatim else said(title)
        return tr("Question: {title}", title=title) if title else tr("Question")
    if waiting.verbatim and title:
        return tr("Approve: {what}", what=title)
    return tr("Approve: {what}", what=_within(call_title(title))) if title else tr("Approval")


def _within(title: str) -> str:
    """A title within a sentence, which begins small in English."""
    return title[:1].lower() + title[1:] if worn() == ENGLISH else title


def oldest_wait(chat: SessionSummary) -> WaitingInput | None:
    """The input that has waited longest, None if none waits."""
    return min(chat.waiting, key=lambda w: w.since, default=None)


def state_sentence(chat: SessionSummary, state: ChatState, now: datetime) -> str:
    """The state in words for tooltips and assistive programs."""
    waiting = oldest_wait(chat)
    if waiting is not None:
        title = waiting.title if waiting.verbatim else call_title(waiting.title)
        what = tr("question") if waiting.kind == "question" else display_text(title) or tr("plan")
        others, age = len(chat.waiting) - 1, fmt.age(waiting.since, now)
        if others:
            return tr("Waiting for you: {what} and {others} more, {age}", what=what, others=others, age=age)
        return tr("Waiting for you: {what}, {age}", what=what, age=age)
    if state is ChatState.INTERRUPTED:
        return fmt.interrupted_since(chat.last_activity_at, now)
    if state is ChatState.FAILED:
        return tr("Failed: {why}", why=failed_words(chat))
    if (word := state_word(chat, state)) in (RETRYING, AT_A_LIMIT):
        return word[:1].upper() + word[1:]
    if state is ChatState.RUNNING:
        return tr("Running")
    return tr("Done, not yet seen") if state is ChatState.UNSEEN else tr("Idle")
