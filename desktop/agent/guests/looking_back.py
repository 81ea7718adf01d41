"""What the log of a chat says to its guest: what it was not told yet, its last session, what was declined, and a
summary for one that does not know it, made without a model (guests-A48)."""

from collections.abc import Sequence

from desktop.agent.core.session import Session
from desktop.domain.events import AssistantMessage, Envelope, InputRequested, InputResolved, Notice, UserMessage
from desktop.domain.gate.pending import input_title
from desktop.domain.guests.events import GuestSessionBegan
from desktop.domain.history.words import Message
from desktop.records import dataclass
from desktop.tools.text import clip, one_line

MOST_CHARS = 24_000
LAST_MESSAGES = 10
MESSAGE_CHARS = 1_500
_FIRST = {"handover": 0, "guest_tools": 1}


@dataclass(frozen=True)
class LastSession:
    """A session that a guest may have kept. `id`: its own, "" for none; `prompts`: how often it was told something at
    least; `calls`: how many it made at most."""

    id: str = ""
    prompts: int = 0
    calls: int = 0


def said_since(session: Session, told: int) -> list[UserMessage]:
    """What was said behind a place of the log: a summary of what was before first, then which tools it has."""
    new = _since(session.log, told)
    said = [event for one in new if isinstance(event := one.event, UserMessage)]
    return sorted(said, key=lambda event: _FIRST.get(event.note_kind, len(_FIRST)))


def tell_what_stays(session: Session, label: str, said: list[UserMessage]) -> None:
    """A guest is given text alone so far: files that a person attached stay here, and the person is told."""
    names = [name for event in said for name in event.attachments]
    if names:
        told = f"{label} was given the text alone, not {', '.join(names)}. Put files into the lane for it to read."
        session.append(Notice(kind="guest", level="warning", text=told))


def _since(log: Sequence[Envelope], seq: int) -> list[Envelope]:
    """The events behind a place, in order."""
    found: list[Envelope] = []
    for envelope in reversed(log):
        if envelope.seq <= seq:
            break
        found.append(envelope)
    return found[::-1]


def last_session(log: Sequence[Envelope]) -> LastSession:
    """The guest's own last session here; none where the chat began as a fork, or went back, since then: what that
    session holds is not what this chat does (guests-A51)."""
    turns, calls = -1, 0  # the turn that runs now is not among them
    for envelope in reversed(log):
        turns += envelope.kind == "turn_started"
        calls += envelope.kind == "tool_call_decided"
        if envelope.kind in ("session_forked", "rewound"):
            break
        if envelope.kind == "guest_session_began" and isinstance(began := envelope.event, GuestSessionBegan):
            return LastSession(began.guest_session_id, turns + 1, calls)
    return LastSession()


def declined_since(log: Sequence[Envelope], since: int) -> tuple[list[tuple[str, str]], bool]:
    """What a person declined with a reason, and whether the agent said or did anything afterwards."""
    titles: dict[str, str] = {}
    found: list[tuple[str, str]] = []
    went_on = False
    for envelope in _since(log, since):
        event = envelope.event
        if isinstance(event, InputRequested):
            titles[event.input_id] = input_title(event.request)
        elif isinstance(event, InputResolved) and event.answer.outcome == "reject" and event.answer.note.strip():
            found.append((titles.get(event.input_id, ""), event.answer.note.strip()))
            went_on = False
        elif isinstance(event, AssistantMessage):
            went_on = True
    return found, went_on


def handover_text(session: Session) -> str:
    """What a new guest must know of the chat, "" where nothing was said before."""
    messages = session.history.messages()
    if not any(message["role"] == "assistant" for message in messages):
        return ""
    goal = next((text for message in messages if message["role"] == "user" and (text := _words(message))), "")
    lines = ["You take over this conversation, which you do not remember.", f"It began with: {one_line(goal, 1_000)}"]
    todos = [f"- [{todo.status}] {todo.content}" for todo in session.state.todos if todo.status != "completed"]
    if todos:
        lines += ["Open todos:", *todos]
    lines.append("Its last messages:")
    for message in messages[-LAST_MESSAGES:]:
        who = "You" if message["role"] == "assistant" else "Person"
        if words := _words(message):
            lines.append(f"{who}: {clip(words, MESSAGE_CHARS)}")
    return clip("\n".join(lines), MOST_CHARS)


def _words(message: Message) -> str:
    parts = message["content"]
    texts = [part["text"] for part in parts if part["type"] == "text"]
    calls = [f"[called {part['name']}]" for part in parts if part["type"] == "tool_use"]
    return "\n".join([*texts, *calls]).strip()
