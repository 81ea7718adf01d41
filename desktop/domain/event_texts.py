"""The text by which an event is found, and its kind for filters; thinking is not searched."""

import json
from typing import NamedTuple

from pydantic import JsonValue

from desktop.domain.context.events import Compacted
from desktop.domain.core.event_base import EventBase
from desktop.domain.events import (
    AssistantMessage,
    InputRequested,
    InputResolved,
    SessionStarted,
    TitleChanged,
    ToolCallFinished,
    ToolCallStarted,
    UserMessage,
)
from desktop.domain.gate.pending import ApprovalRequest, CredentialRequest, PictureReview, PlanReview
from desktop.domain.skills.review import SkillReview

MOST_CHARS = 20_000
SEARCHED_KINDS = (
    "session_started",
    "title_changed",
    "user_message",
    "assistant_message",
    "tool_call_started",
    "tool_call_finished",
    "compacted",
    "input_requested",
    "input_resolved",
)


class Searched(NamedTuple):
    """`kind`: title, prompt, note, answer, call, result, summary, question or reply."""

    kind: str
    text: str


def searched(event: EventBase) -> Searched | None:
    """The text and the kind by which a search finds an event, at most 20,000 characters; None: nothing finds it."""
    found = _found(event)
    return found if found is None or found.text.strip() else None


def _found(event: EventBase) -> Searched | None:
    match event:
        case TitleChanged() | SessionStarted():
            return _cut("title", event.title)
        case UserMessage():
            own = event.origin in ("person", "queued", "import")
            return _cut("prompt" if own else "note", _words(event.parts))
        case AssistantMessage():
            return _cut("answer", _words(event.parts))
        case ToolCallStarted():
            given = event.input if isinstance(event.input, str) else json.dumps(event.input, ensure_ascii=False)
            return _cut("call", f"{event.tool} {given}")
        case ToolCallFinished():
            return _cut("result", _words(event.content))
        case Compacted(summary=str() as summary):
            return _cut("summary", summary)
        case InputRequested() | InputResolved():
            return _asked(event)
    return None


def _asked(event: InputRequested | InputResolved) -> Searched | None:
    if isinstance(event, InputResolved):
        answers = (word for words in event.answer.choices.values() for word in words)
        return _cut("reply", " ".join([*answers, event.answer.note]))
    request = event.request
    if isinstance(request, ApprovalRequest):
        return None
    if isinstance(request, PlanReview):
        return _cut("question", request.plan)
    if isinstance(request, PictureReview):
        return _cut("question", request.title) if request.title else None
    if isinstance(request, CredentialRequest):
        return _cut("question", " ".join((request.provider, request.label, request.why)))
    if isinstance(request, SkillReview):
        return _cut("question", f"{request.skill_id} {request.description}")
    return _cut("question", "\n".join(question.text for question in request.questions))


def _words(content: JsonValue | tuple[JsonValue, ...]) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else ()
    texts = (part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text")
    return "\n".join(text for text in texts if isinstance(text, str))


def _cut(kind: str, text: str) -> Searched:
    """The text as a database can hold it: lone surrogates become U+FFFD."""
    short = text[:MOST_CHARS].replace("\0", " ")
    if not short.isascii():
        short = short.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return Searched(kind, short)
