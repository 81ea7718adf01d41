"""Reading and writing of events as stored bodies. What this version does not know is kept, never an error."""

import json
import re
from datetime import datetime
from typing import Any, get_args

from pydantic import ValidationError
from pydantic_core import from_json

from desktop.domain.core.event_base import EventBase
from desktop.domain.events import KnownEvent, UnknownEvent

EVENT_TYPES: dict[str, type[EventBase]] = {cls.model_fields["type"].default: cls for cls in get_args(KnownEvent)}

_HEAD = re.compile(r'\{"id":"[A-Za-z0-9_.-]+","parent":(?:null|"[A-Za-z0-9_.-]+"),(?="v":\d+,"type":"([a-z_]+)")')
"""How `dump_event` begins; the event's own fields follow."""


def load_event(body: str) -> Any:
    """The event in a stored body. Never raises: what is not understood becomes an UnknownEvent that keeps the text."""
    head = _HEAD.match(body)
    cls = EVENT_TYPES.get(head[1]) if head is not None else None
    if head is None or cls is None:
        return _read_field_by_field(body)
    try:
        event = cls.__pydantic_validator__.validate_json(f"{{{body[head.end() :]}")  # without the layer for callers
    except (ValueError, TypeError):
        return _read_field_by_field(body)
    held_more = "unknown_fields" in event.__pydantic_fields_set__
    return _read_field_by_field(body) if held_more else event


def _read_field_by_field(body: str) -> Any:
    """As `load_event`, for every text."""
    try:
        raw = _parsed(body)
    except (ValueError, RecursionError):
        return UnknownEvent(original_type="", raw=body, reason="invalid")
    if not isinstance(raw, dict) or not isinstance(raw.get("type"), str):
        return UnknownEvent(original_type="", raw=body, reason="invalid")
    kind = raw["type"]
    cls = EVENT_TYPES.get(kind)
    if cls is None:
        return UnknownEvent(original_type=kind, raw=body, reason="unknown_type")
    for name in ("id", "parent", "unknown_fields"):
        raw.pop(name, None)
    fields = cls.model_fields
    unknown = {name: raw.pop(name) for name in [name for name in raw if name not in fields]}
    try:
        return cls.model_validate({**raw, "unknown_fields": unknown})
    except ValidationError:
        return UnknownEvent(original_type=kind, raw=body, reason="invalid")


def _parsed(body: str) -> Any:
    """The value of a JSON text; what the quick parser does not take, such as lone surrogates, the other decides about.

    Raises:
        ValueError, RecursionError: it is no JSON.
    """
    try:
        return from_json(body, cache_strings="keys")
    except (ValueError, TypeError):
        return json.loads(body)


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
