"""The form of an event on disk: its time, its body within limits, its hash."""

import hashlib
import re
from datetime import UTC, datetime

from desktop.domain.core.errors import RefusedEvent
from desktop.domain.core.event_base import EventBase
from desktop.domain.event_json import dump_event
from desktop.domain.events import UnknownEvent

MAX_NESTING = 200
MAX_BODY_BYTES = 64 * 1024 * 1024
FIRST_PREV_HASH = "0" * 64
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_BRACKET = re.compile(r"[\[\]{}]")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def format_at(at: datetime) -> str:
    """`YYYY-MM-DDTHH:MM:SS.mmmZ`, cut to milliseconds."""
    here = at if at.tzinfo is UTC else at.astimezone(UTC)
    return f"{here.isoformat(timespec='milliseconds')[:-6]}Z"


def parse_at(text: str) -> datetime:
    """The time of a stored event; 1970 when somebody made it unreadable (verification says so, reading goes on)."""
    try:
        at = datetime.fromisoformat(text)
        return at if at.tzinfo is UTC else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return _EPOCH


def event_hash(prev_hash: str, session_id: str, seq: int | str, at: str, event_type: str, body: bytes) -> str:
    """The hash of one event: 64 hex digits over its place, its time, its type and the exact bytes of its body."""
    text = (
        f"banksman-event-v1\n{prev_hash}\n{session_id}\n{seq}\n{at}\n{event_type}\n{hashlib.sha256(body).hexdigest()}"
    )
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def encode_body(event: EventBase, event_id: str, parent_id: str | None) -> str:
    """The body to store.

    Raises:
        RefusedEvent: it holds NaN or Infinity, is nested too deep, too large, or has a value JSON has no form for.
    """
    if isinstance(event, UnknownEvent):
        raise RefusedEvent("An event that this version does not know cannot be recorded anew.")
    try:
        body = dump_event(event, event_id, parent_id)
    except RecursionError as error:
        raise RefusedEvent(_too_deep(event)) from error
    except (ValueError, TypeError) as error:
        raise RefusedEvent(f"This {event_type(event)} cannot be recorded: {error}.") from error
    if nesting(body, MAX_NESTING) > MAX_NESTING:
        raise RefusedEvent(_too_deep(event))
    if len(body) > MAX_BODY_BYTES:
        raise RefusedEvent(f"This {event_type(event)} cannot be recorded: it is larger than 64 MiB.")
    return body


def event_type(event: EventBase) -> str:
    """The name under which the event is stored."""
    return str(type(event).model_fields["type"].default)


def nesting(text: str, enough: int) -> int:
    """The depth to which lists and objects of a JSON text stand in one another. A result ≤ `enough` may be above the
    truth."""
    bound = text.count("[") + text.count("{")
    if bound <= enough:
        return bound
    depth = deepest = 0
    for bracket in _BRACKET.findall(_STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _too_deep(event: EventBase) -> str:
    return f"This {event_type(event)} cannot be recorded: it is nested over {MAX_NESTING} levels."
