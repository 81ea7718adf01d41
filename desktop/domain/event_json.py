"""Reading and writing of events as stored bodies. What this version does not know is kept, never an error."""

import json
from datetime import datetime
from typing import Any, get_args

from pydantic import ValidationError

from desktop.domain.core.event_base import EventBase
from desktop.domain.events import KnownEvent, UnknownEvent

EVENT_TYPES: dict[str, type[EventBase]] = {cls.model_fields["type"].default: cls for cls in get_args(KnownEvent)}


def load_event(body: str) -> Any:
    """The event in a stored body. Never raises: what is not understood becomes an UnknownEvent that keeps the text."""
    try:
        raw = json.loads(body)
    except (ValueError, RecursionError):
        return UnknownEvent(original_type="", raw=body, reason="invalid")
    if not isinstance(raw, dict) or not isinstance(raw.get("type"), str):
        return UnknownEvent(original_type="", raw=body, reason="invalid")
    kind = raw["type"]
    cls = EVENT_TYPES.get(kind)
    if cls is None:
        return UnknownEvent(original_type=kind, raw=body, reason="unknown_type")
    fields = cls.model_fields
    known = {k: v for k, v in raw.items() if k in fields and k != "unknown_fields"}
    unknown = {k: v for k, v in raw.items() if k not in fields and k not in ("id", "parent")}
    try:
        return cls.model_validate({**known, "unknown_fields": unknown})
    except ValidationError:
        return UnknownEvent(original_type=kind, raw=body, reason="invalid")


def dump_event(event: EventBase, event_id: str, parent_id: str | None) -> str:
    """The body to store: one line of ASCII JSON that begins with id, parent, v and type.

    Raises:
        ValueError: the event holds NaN or Infinity.
    """
    if isinstance(event, UnknownEvent):
        return event.raw
    fields = event.model_dump()
    head = {"id": event_id, "parent": parent_id, "v": fields.pop("v"), "type": fields.pop("type")}
    ordered = {**head, **fields, **event.unknown_fields}
    return json.dumps(ordered, ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=_time)


def _time(value: object) -> str:
    """Times within events, for example of a rule, as ISO 8601 with their offset.

    Raises:
        TypeError: it is anything else that JSON has no form for.
    """
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
