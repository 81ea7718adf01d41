"""What a readable copy of a chat says: its events as headings, words, calls and decisions, in order."""

import json
from collections.abc import Iterator

from pydantic import JsonValue

from desktop.domain.chats.library_events import Imported
from desktop.domain.context.events import Compacted, ContextCleared, MessageDeleted, Rewound
from desktop.domain.core.checkpoint_events import FilesRestored
from desktop.domain.core.content import ImageBlock
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    InputRequested,
    InputResolved,
    ModeChanged,
    ModelChanged,
    Notice,
    ProviderFailed,
    SessionForked,
    SessionStarted,
    TitleChanged,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    TurnStarted,
    UserMessage,
)
from desktop.domain.gate.pending import ApprovalRequest, CredentialRequest, PictureReview, PlanReview
from desktop.domain.history.own_words import own_words
from desktop.domain.skills.review import SkillReview
from desktop.domain.web.events import VendorSearched
from desktop.records import dataclass


@dataclass(frozen=True)
class Item:
    """One piece of an exported chat. `kind`: heading, prompt, answer, note, call, result or line; `text` is the words,
    as recorded.

    `mark`: "rewound" or "removed", when the model no longer gets it. `pictures`: digests of stored images.
    """

    kind: str
    head: str
    text: str = ""
    mark: str = ""
    pictures: tuple[str, ...] = ()


class ItemReader:
    """Turns events into items, one after the other. `left`: ids of events off the path; `removed`: of hidden ones."""

    def __init__(self, left: frozenset[str] = frozenset(), removed: frozenset[str] = frozenset()) -> None:
        self._left = left
        self._removed = removed
        self._turn = 0
        self._mode = ""
        self._model = ""
        self._titles: dict[str, str] = {}

    def items(self, envelope: Envelope) -> Iterator[Item]:
        """The pieces that one event gives a reader; most events give none."""
        mark = "rewound" if envelope.event_id in self._left else ""
        mark = "removed" if envelope.event_id in self._removed else mark
        for item in self._said(envelope):
            yield Item(item.kind, item.head, item.text, mark, item.pictures)

    def _said(self, envelope: Envelope) -> Iterator[Item]:  # noqa: C901  # one case per event type
        event = envelope.event
        match event:
            case SessionStarted() | SessionForked():
                self._mode = event.mode.value
                self._model = event.model if isinstance(event, SessionStarted) else self._model
                forked = isinstance(event, SessionForked)
                if isinstance(event, SessionStarted) and event.kind == "subagent":
                    yield Item("heading", f"Sub-agent {event.persona}")
                yield Item("line", "Forked from another chat" if forked else "Chat began", _at(envelope))
            case ModeChanged():
                self._mode = event.mode.value
                yield Item(
                    "line", f"Mode: {event.mode.value}", f"{_at(envelope)}, by {event.by}. {event.reason}".strip()
                )
            case ModelChanged():
                self._model = event.model
                yield Item("line", f"Model: {event.model}", _at(envelope))
            case TurnStarted():
                self._turn += 1
                yield Item(
                    "heading", f"Turn {self._turn}", ", ".join(filter(None, (_at(envelope), self._mode, self._model)))
                )
            case UserMessage():
                yield from _message(event)
            case AssistantMessage():
                texts, pictures = _words(event.parts)
                if texts or pictures:
                    yield Item("answer", "Agent (interrupted)" if event.interrupted else "Agent", texts, "", pictures)
            case ToolCallDecided() | InputRequested() | InputResolved():
                yield self._decision(envelope, event)
            case ToolCallStarted():
                given = event.input if event.executed_input is None else event.executed_input
                yield Item("call", f"Call {event.tool}", _json(given))
            case ToolCallFinished():
                text, pictures = _words(event.content)
                shown = (block.blob.sha256 for block in event.blocks if isinstance(block, ImageBlock))
                head = f"Result: {event.outcome}, {event.duration_ms / 1000:.1f} s"
                yield Item("result", head, text, "", tuple(dict.fromkeys((*pictures, *shown))))
            case _:
                yield from _passing(envelope)

    def _decision(self, envelope: Envelope, event: ToolCallDecided | InputRequested | InputResolved) -> Item:
        """Who decided what, when, by which rule (sessions-SG6)."""
        at = _at(envelope)
        if isinstance(event, ToolCallDecided):
            title = event.card.title if event.card is not None else event.name_called
            self._titles[event.call_id] = title
            return Item(
                "line",
                f"{event.verdict.name.capitalize()}: {title}",
                f"{at}, rule {event.rule}. {event.reason}".strip(),
            )
        if isinstance(event, InputRequested):
            request = event.request
            title = request.card.title if isinstance(request, ApprovalRequest) else "a question"
            title = "a plan" if isinstance(request, PlanReview) else title
            title = "a picture of the screen" if isinstance(request, PictureReview) else title
            title = "a secret" if isinstance(request, CredentialRequest) else title
            title = "a skill to install" if isinstance(request, SkillReview) else title
            self._titles[event.input_id] = title
            return Item("line", f"Asked: {title}", at)
        who = "the demo" if event.demo else (event.person or event.reason)
        note = f" {event.answer.note}" if event.answer.note else ""
        outcome = event.answer.outcome.replace("_", " ").capitalize()
        return Item("line", f"{outcome}: {self._titles.get(event.input_id, '')}", f"{at}, by {who}.{note}")


def _message(event: UserMessage) -> Iterator[Item]:
    """What a person wrote, without what was added for the model, and its files; or what else the model was told."""
    texts, pictures = _words(event.parts)
    if event.origin not in ("person", "queued", "import"):
        yield Item("note", event.origin.capitalize(), texts, "", pictures)
        return
    yield Item("prompt", "You", event.display or own_words(event), "", pictures)
    if event.attachments:
        yield Item("line", "Attached", ", ".join(event.attachments))


def _passing(envelope: Envelope) -> Iterator[Item]:  # noqa: C901  # one case per event type
    """Lines about the chat itself."""
    event, at = envelope.event, _at(envelope)
    match event:
        case TurnEnded():
            yield Item("line", f"Turn ended: {event.status}", f"{at}. {event.detail}".strip())
        case Compacted():
            yield Item(
                "note",
                "Earlier messages were replaced by a summary",
                event.summary if isinstance(event.summary, str) else "",
            )
        case ContextCleared():
            yield Item("line", "Context cleared", at)
        case Rewound():
            yield Item("line", "Went back to an earlier point", at)
        case MessageDeleted():
            yield Item("line", "A message was removed from the context", at)
        case TitleChanged():
            yield Item("line", f"Title: {event.title}", at)
        case FilesRestored():
            yield Item("line", "Files were put back", at)
        case ProviderFailed():
            yield Item("line", f"A request failed: {event.category}", f"{at}. {event.message}")
        case Notice():
            yield Item("line", event.text, at)
        case VendorSearched():
            found = ", ".join(page.url for page in event.results) or event.problem
            asked = f"{event.tool}: {event.query}"
            yield Item("line", f"The model's service did by itself: {asked}", f"{at}. {found}".strip())
        case Imported():
            yield Item("line", "What stands above came from a file", f"{at}. Record: {event.chain}.")


def _words(content: JsonValue | tuple[JsonValue, ...]) -> tuple[str, tuple[str, ...]]:
    """The text of message content, and the digests of its pictures. Thinking is left out."""
    if isinstance(content, str):
        return content, ()
    texts: list[str] = []
    pictures: list[str] = []
    for part in content if isinstance(content, list | tuple) else ():
        if not isinstance(part, dict):
            continue
        text, source = part.get("text"), part.get("source")
        if part.get("type") == "text" and isinstance(text, str):
            texts.append(text)
        elif isinstance(source, dict):
            data = source.get("data")
            digest = data.get("$blob") if isinstance(data, dict) else source.get("sha256")
            texts.append(f"[{part.get('type')}]")
            pictures += [digest] if isinstance(digest, str) else []
    return "\n\n".join(text for text in texts if text.strip()), tuple(pictures)


def _json(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _at(envelope: Envelope) -> str:
    return f"{envelope.at:%Y-%m-%d %H:%M:%S} UTC"
