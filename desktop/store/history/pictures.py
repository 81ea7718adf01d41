"""Pictures and documents of an event, taken out of its body before it is recorded: their bytes stand beside the log.

In the body stands `{"$blob": sha256, "form": "base64", "media_type", "size"}` in the place of the base64 text.
"""

import base64
import binascii
import json
from collections.abc import Callable

from pydantic import JsonValue

from desktop.domain.core.content import BlobRef
from desktop.domain.events import AssistantMessage, Event, ToolCallFinished, UserMessage

Put = Callable[[bytes, str], BlobRef]
_KINDS = frozenset({"image", "document"})


def take_out(event: Event, put: Put) -> Event:
    """The event as it is recorded. `put` keeps the bytes; it is called before anything names them.

    What a tool or a model made cannot pose as a reference: only what this puts there, and the message of a person, may
    name stored bytes (sessions-SZ8).

    Raises:
        StoreWriteFailed: the bytes did not reach the disk.
    """
    match event:
        case UserMessage():
            parts = tuple(_taken(part, put, trusted=True) for part in event.parts)
            return event if parts == event.parts else event.model_copy(update={"parts": parts})
        case AssistantMessage():
            parts = tuple(_taken(part, put, trusted=False) for part in event.parts)
            return event if parts == event.parts else event.model_copy(update={"parts": parts})
        case ToolCallFinished() if not isinstance(event.content, str):
            content = tuple(_taken(part, put, trusted=False) for part in event.content)
            return event if list(content) == list(event.content) else event.model_copy(update={"content": content})
    return event


def _taken(part: JsonValue, put: Put, *, trusted: bool) -> JsonValue:
    if not isinstance(part, dict) or part.get("type") not in _KINDS:
        return part
    source = part.get("source")
    if not isinstance(source, dict):
        return part
    data, media_type = source.get("data"), source.get("media_type")
    if isinstance(data, str) and source.get("type") == "base64" and isinstance(media_type, str):
        raw = _decoded(data)
        return part if raw is None else {**part, "source": {**source, "data": _reference(put(raw, media_type))}}
    if not trusted and any(
        key.startswith("$") for value in (data, source, part) if isinstance(value, dict) for key in value
    ):
        return {"type": "text", "text": json.dumps(part)}
    return part


def _decoded(data: str) -> bytes | None:
    """The bytes, if writing them again gives the very same text."""
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
    return raw if raw and base64.b64encode(raw).decode("ascii") == data else None


def _reference(ref: BlobRef) -> dict[str, JsonValue]:
    return {"$blob": ref.sha256, "form": "base64", "media_type": ref.media_type, "size": ref.size}
