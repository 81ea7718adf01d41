"""What the log of a chat says to its guest: what it was not told yet, its last session, what was declined, and a
summary for one that does not know it, made without a model (guests-A48)."""

import base64
from collections.abc import Callable, Sequence

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.domain.chats.mentions import mentions_in
from desktop.domain.events import AssistantMessage, Envelope, InputRequested, InputResolved, Notice, UserMessage
from desktop.domain.gate.pending import input_title
from desktop.domain.guests.events import GuestNoticed, GuestSessionBegan
from desktop.domain.guests.values import GuestSlash
from desktop.domain.history.state_of import message_text
from desktop.domain.history.words import Message
from desktop.records import dataclass
from desktop.tools.text import clip, one_line

MOST_CHARS = 24_000
LAST_MESSAGES = 10
MESSAGE_CHARS = 1_500
GO_ON = "Go on where you stopped."
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
MOST_LINKS = 20
_OF_FILES = ("", "file")
Blobs = Callable[[str], bytes | None]
_ANSWERED = frozenset({"assistant_message", "guest_session_began", "session_forked", "rewound"})
_FORGOT = {
    "clear": "was told to forget what stands above.",
    "compact": "was told to shorten what it remembers of what stands above.",
}
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


def tell_what_stays(session: Session, label: str, said: list[UserMessage], *, takes_pictures: bool) -> None:
    """A guest is given text, and pictures where it takes them: other files that a person attached stay here, and the
    person is told."""
    names = [name for event in said for name in event.attachments]
    left = [name for name in names if not (takes_pictures and name.lower().endswith(PICTURES))]
    if left:
        given = "the text and pictures" if len(left) < len(names) else "the text alone"
        told = f"{label} was given {given}, not {', '.join(left)}. Put files into the lane for it to read."
        session.append(Notice(kind="guest", level="warning", text=told))


def prompt_of(said: list[UserMessage], session: Session, blobs: Blobs | None) -> list[JsonValue]:
    """What a guest is told with these messages: their words, the files of the lane that they name with an @, and their
    pictures. `blobs` None: it takes no pictures (guests-A50)."""
    text = "\n\n".join(text for event in said if (text := message_text(event)).strip()) or GO_ON
    found = (one for event in said for one in mentions_in(message_text(event)) if one.kind in _OF_FILES)
    named = dict.fromkeys(one.name for one in found)
    links = (_link(session, name) for name in [*named][:MOST_LINKS] if name)
    pictures = (_picture(part, blobs) for event in said for part in event.parts if blobs is not None)
    return [{"type": "text", "text": text}, *(one for one in (*links, *pictures) if one is not None)]


def _link(session: Session, name: str) -> JsonValue:
    """A file of the lane, None where there is none that anybody may read."""
    if session.files is None:
        return None
    facts = session.files.resolve(name, "read")
    if facts.kind != "file" or facts.verdict != "inside":
        return None
    return {"type": "resource_link", "uri": (session.files.root / facts.rel).as_uri(), "name": facts.rel}


def _picture(part: JsonValue, blobs: Blobs | None) -> JsonValue:
    source = part.get("source") if isinstance(part, dict) and part.get("type") == "image" else None
    data = source.get("data") if isinstance(source, dict) else None
    if isinstance(data, dict) and isinstance(sha256 := data.get("$blob"), str) and blobs is not None:
        stored = blobs(sha256)
        data = base64.b64encode(stored).decode("ascii") if stored is not None else None
    if not isinstance(source, dict) or not isinstance(data, str):
        return None
    return {"type": "image", "data": data, "mimeType": source.get("media_type")}


def program_changed(session: Session, now: GuestSessionBegan) -> GuestNoticed | None:
    """That the program of a guest is another one than when it was last started here (guests-A13)."""
    before = _began_before(session, now.guest_id)
    if before is None or (before.version, before.program_sha256) == (now.version, now.program_sha256):
        return None
    text = f"{now.label} {before.version} → {now.version}"
    if before.version == now.version:
        text = f"{now.label} {now.version} is another program than before, of the same version."
    return GuestNoticed(kind="version", text=text, data={"before": before.program_sha256, "now": now.program_sha256})


def program_differs(session: Session, guest_id: str, label: str, sha256: str) -> GuestNoticed | None:
    """As `program_changed`, before it is started: its version is not known yet."""
    before = _began_before(session, guest_id)
    if before is None or not sha256 or before.program_sha256 == sha256:
        return None
    text = f"{label} is another program than before."
    return GuestNoticed(kind="version", text=text, data={"before": before.program_sha256, "now": sha256})


def _began_before(session: Session, guest_id: str) -> GuestSessionBegan | None:
    began = (one.event for one in reversed(session.log) if one.kind == "guest_session_began")
    return next((one for one in began if isinstance(one, GuestSessionBegan) and one.guest_id == guest_id), None)


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


def not_told_from(log: Sequence[Envelope]) -> int:
    """Behind which place a guest that starts now was told nothing of what was said: the begin of the turn that runs,
    and of those before it in which no guest had begun a session, such as one that wanted a sign-in first."""
    at = -1
    for envelope in reversed(log):
        if at >= 0 and envelope.kind in _ANSWERED:
            break
        if envelope.kind == "turn_started":
            at = envelope.seq
    return at


def forgetting(said: Sequence[UserMessage], known: Sequence[GuestSlash], label: str) -> str:
    """What is told where a guest forgot or shortened what it remembers, because it was told one of its own commands
    that do; "" for everything else (guests-A47)."""
    text = message_text(said[0]).strip() if len(said) == 1 else ""
    name = text[1:].partition(" ")[0] if text.startswith("/") else ""
    if name not in _FORGOT or all(one.name != name for one in known):
        return ""
    return f"{label} {_FORGOT[name]} The chat stays as it is here."


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
