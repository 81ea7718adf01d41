"""The neutral form: sessions as plain JSON objects, one an event, that other programs can read and write.

A known neutral type stands for one product event; what it cannot say stands beside it in `x_banksman`. Fields of a
foreign log that no product event has are kept in `unknown_fields["x_neutral"]`.
"""

import base64
import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import JsonValue, ValidationError

from desktop.domain.core.errors import NeutralError
from desktop.domain.event_json import EVENT_TYPES, dump_event, load_event
from desktop.domain.events import Envelope, Event, UnknownEvent

Neutral = dict[str, Any]
Place = tuple[str, int, str]
"""The session, the seq and the id of an event."""
Blobs = Callable[[str], bytes | None]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
PLACE_FIELDS = frozenset({"seq", "type", "id", "session", "parent", "at", "x_banksman"})
HASH_FIELDS = frozenset({"body_sha256", "prev_hash", "hash"})
"""What an export of ours adds to each event, so that a copy can be verified without this program."""
PRODUCT_TYPES: dict[str, str] = {
    "session.start": "session_started",
    "session.fork": "session_forked",
    "session.rewind": "rewound",
    "message.user": "user_message",
    "message.assistant": "assistant_message",
    "tool.call": "tool_call_started",
    "tool.result": "tool_call_finished",
    "message.deleted": "message_deleted",
    "compaction.boundary": "compacted",
    "compaction.summary": "compacted",
    "compaction.staged": "compaction_staged",
    "context.cleared": "context_cleared",
}
"""Neutral type → product type. Every other neutral type is kept and has no effect."""

FIELDS: dict[str, dict[str, str]] = {
    "session_forked": {"from": "source_event_id"},
    "rewound": {"to": "to_event_id"},
    "user_message": {"content": "parts"},
    "assistant_message": {"content": "parts", "interrupted": "interrupted", "stop_reason": "stop_reason"},
    "tool_call_started": {"tool_use_id": "call_id", "name": "tool", "input": "input"},
    "tool_call_finished": {
        "tool_use_id": "call_id",
        "content": "content",
        "is_error": "is_error",
        "interrupted": "interrupted",
    },
    "message_deleted": {"target": "target_id"},
    "compacted": {"summary": "summary", "keep_from": "keep_from"},
}
"""Product type → neutral field → product field."""

_NAMES = {"from", "to", "target", "keep_from", "tool_use_id"}
_NEUTRAL_TYPES = {product: neutral for neutral, product in PRODUCT_TYPES.items()} | {"compacted": "compaction.boundary"}
_PARENT_FIELD = {"session.fork": "from", "session.rewind": "to"}


def load_neutral(events: list[Neutral]) -> list[Envelope]:
    """The envelopes of a neutral log: by session in order of first appearance, then by seq. The input is not changed.

    Ids, sessions, seqs, parents, unknown types and unknown fields are kept. An event of a known type with wrong fields
    becomes an UnknownEvent.

    Raises:
        NeutralError: an element is no object, has no integer `seq` or no `type`, or repeats a (session, seq) or an id.
    """
    places = _places(events)
    ranks = {session: rank for rank, session in enumerate(dict.fromkeys(session for session, _, _ in places))}
    previous: dict[str, str] = {}
    envelopes: list[Envelope] = []
    order = sorted(range(len(events)), key=lambda i: (ranks[places[i][0]], places[i][1]))
    for index in order:
        session, _, event_id = places[index]
        envelopes.append(placed_envelope(events[index], places[index], previous.get(session)))
        previous[session] = event_id
    return envelopes


def placed_envelope(event: Neutral, place: Place, previous: str | None) -> Envelope:
    """The envelope of one element; `previous`: the id of the event before it in its session, None: it is the first."""
    session, seq, event_id = place
    extra = _extra(event)
    return Envelope(
        event_id=event_id,
        session_id=session,
        seq=seq,
        parent_id=_parent(event, extra, previous),
        at=_time(event.get("at")),
        event=_product(event, extra),
        prev_hash=_text(extra.get("prev_hash")),
        hash=_text(extra.get("hash")),
    )


def place_of(event: JsonValue, index: int) -> Place:
    """(session, seq, id) of one element.

    Raises:
        NeutralError: it is no object, or has no integer `seq` or no `type`.
    """
    if not isinstance(event, dict):
        raise NeutralError(index, "it is not an object")
    seq = event.get("seq")
    if not isinstance(seq, int) or isinstance(seq, bool):
        raise NeutralError(index, "it has no integer seq")
    if not isinstance(event.get("type"), str):
        raise NeutralError(index, "it has no type")
    session = _name(event.get("session")) or "main"
    event_id = _name(event.get("id")) or (f"e{seq}" if session == "main" else f"{session}.e{seq}")
    return session, seq, event_id


def dump_neutral(envelopes: Iterable[Envelope], blobs: Blobs | None = None) -> list[Neutral]:
    """The neutral form of these events, in their order; `load_neutral` gives the same envelopes back.

    With `blobs` (bytes by SHA-256, None: not stored) references to stored bytes inside message content are replaced by
    the bytes, for readers without our store.

    Raises:
        ValueError: an event holds NaN or Infinity.
    """
    return [_dump(envelope, blobs) for envelope in envelopes]


# -- reading -----------------------------------------------------------------------------------------------------------


def _places(events: list[Neutral]) -> list[Place]:
    """(session, seq, id) of each element."""
    places: list[Place] = []
    numbers: set[tuple[str, int]] = set()
    ids: set[str] = set()
    for index, event in enumerate(events):
        session, seq, event_id = place_of(event, index)
        if (session, seq) in numbers:
            raise NeutralError(index, f"session {session} has seq {seq} twice")
        if event_id in ids:
            raise NeutralError(index, f"the id {event_id} is taken")
        numbers.add((session, seq))
        ids.add(event_id)
        places.append((session, seq, event_id))
    return places


def _extra(event: Neutral) -> Neutral:
    extra = event.get("x_banksman")
    return extra if isinstance(extra, dict) else {}


def _parent(event: Neutral, extra: Neutral, previous: str | None) -> str | None:
    if "parent" in extra:
        return _name(extra["parent"])
    named = _name(event.get(_PARENT_FIELD.get(event["type"], "")))
    if named is not None:
        return named
    return _name(event["parent"]) if "parent" in event else previous


def _product(event: Neutral, extra: Neutral) -> Event:
    kind = PRODUCT_TYPES.get(event["type"]) or _own_type(extra)
    fields = extra.get("fields")
    body = {**_translated(kind, event), **(fields if isinstance(fields, dict) else {})}
    if kind == "unknown_event":
        return _kept(event, body)
    known = FIELDS.get(kind, {})
    ours = PLACE_FIELDS | HASH_FIELDS if extra else PLACE_FIELDS
    rest = {key: value for key, value in event.items() if key not in known and key not in ours}
    if rest:
        body.setdefault("x_neutral", rest)
    loaded: Event = load_event(json.dumps({"v": extra.get("v", 1), "type": kind, **body}))
    return _unknown(event, "invalid") if isinstance(loaded, UnknownEvent) else loaded


def _own_type(extra: Neutral) -> str:
    """The product type of an event that the tables do not know; it must not be one that they do know."""
    kind = extra.get("type")
    return kind if isinstance(kind, str) and kind in EVENT_TYPES and kind not in _NEUTRAL_TYPES else "unknown_event"


def _kept(event: Neutral, body: Neutral) -> UnknownEvent:
    """The event as it was before it was written in the neutral form, else one of another program."""
    try:
        return UnknownEvent.model_validate({**body, "v": _extra(event).get("v", 1)})
    except ValidationError:
        return _unknown(event, "unknown_type")


def _unknown(event: Neutral, reason: Literal["unknown_type", "invalid"]) -> UnknownEvent:
    raw = json.dumps(event, ensure_ascii=True, separators=(",", ":"))
    return UnknownEvent(original_type=event["type"], raw=raw, reason=reason)


def _translated(kind: str, event: Neutral) -> Neutral:
    """The product fields that the neutral fields of an event say. An optional field that is null counts as absent."""
    fields: Neutral = {}
    for neutral, product in FIELDS.get(kind, {}).items():
        value = event.get(neutral)
        if value is None:
            continue
        if neutral in _NAMES:
            value = _name(value) or value
        if product == "parts" and isinstance(value, str):
            value = [{"type": "text", "text": value}]
        fields[product] = value
    if kind == "tool_call_started":
        fields.setdefault("tool", "")
    if kind == "tool_call_finished":
        fields["outcome"] = _outcome(event)
    return fields


def _outcome(event: Neutral) -> str:
    if event.get("interrupted") is True:
        return "interrupted"
    return "error" if event.get("is_error") is True else "ok"


def _name(value: JsonValue) -> str | None:
    """An id as a string; logs of other programs also use integers. None: it names nothing."""
    if isinstance(value, str):
        return value or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _time(value: JsonValue) -> datetime:
    """The moment in UTC; one without a zone is taken as UTC, and what is no ISO 8601 time as the epoch."""
    try:
        at = datetime.fromisoformat(_text(value))
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return EPOCH


# -- writing -----------------------------------------------------------------------------------------------------------


def _dump(envelope: Envelope, blobs: Blobs | None) -> Neutral:
    event = envelope.event
    if isinstance(event, UnknownEvent):
        body = event.model_dump()
    else:
        body = json.loads(dump_event(event, envelope.event_id, envelope.parent_id))
        del body["id"], body["parent"]
    kind = body.pop("type")
    version = body.pop("v")
    neutral: Neutral = {
        "seq": envelope.seq,
        "type": _NEUTRAL_TYPES.get(kind) or _foreign_type(event),
        "id": envelope.event_id,
        "session": envelope.session_id,
        "parent": envelope.parent_id,
        "at": _iso(envelope.at),
    }
    for name, product in FIELDS.get(kind, {}).items():
        if body[product] not in (None, False):
            neutral[name] = body[product] if blobs is None else _resolved(body[product], blobs)
    said = _translated(kind, neutral)
    extra: Neutral = {"type": kind, "v": version, "prev_hash": envelope.prev_hash, "hash": envelope.hash}
    extra["fields"] = {key: value for key, value in body.items() if key not in said or said[key] != value}
    if _parent(neutral, {}, None) != envelope.parent_id:
        extra["parent"] = envelope.parent_id
    neutral["x_banksman"] = extra
    return neutral


def _foreign_type(event: Event) -> str:
    """`banksman.<type>`; an event of another program keeps the type it came with, unless that has a meaning here."""
    if not isinstance(event, UnknownEvent):
        return f"banksman.{event.type}"
    kind = event.original_type
    if not kind or kind in PRODUCT_TYPES or kind.startswith("banksman."):
        return "banksman.unknown_event"
    return kind if "." in kind else f"banksman.{kind}"


def _iso(at: datetime) -> str:
    in_utc = at.astimezone(UTC)
    exact = in_utc.isoformat(timespec="microseconds" if in_utc.microsecond % 1000 else "milliseconds")
    return exact.replace("+00:00", "Z")


def _resolved(value: JsonValue, blobs: Blobs) -> JsonValue:
    """The value with every blob reference replaced by what it stands for; one whose bytes are gone stays."""
    if isinstance(value, list):
        return [_resolved(item, blobs) for item in value]
    if not isinstance(value, dict):
        return value
    sha256 = value.get("$blob")
    if not isinstance(sha256, str):
        return {key: _resolved(item, blobs) for key, item in value.items()}
    content = blobs(sha256)
    if content is None:
        return value
    match value.get("form"):
        case "text":
            return content.decode("utf-8", "surrogatepass")
        case "json":
            parsed: JsonValue = json.loads(content)
            return parsed
        case _:
            return base64.b64encode(content).decode("ascii")
