"""LateEvent: an envelope read from the store holds the text of its event and reads it when it is first asked for.

Opening a long chat shows its end; most of its events are never looked at. Reading one costs about fifty times what
making its envelope costs. Of events long ago the envelope holds a packed text, a fiftieth of the event's memory.
"""

from collections.abc import Callable, Mapping
from typing import Any, Self

from desktop.domain.core.base import Frozen, made_of
from desktop.domain.core.update import Update

_TEXT = "_text"
_READ = "_read"
_KIND = "_kind"


class LateEvent(Frozen, Update):
    """Base of `Envelope`. Whether its event was read yet shows nowhere: not in comparisons, copies or dumps."""

    @classmethod
    def late(cls, place: dict[str, Any], kind: str, text: str, read: Callable[[str], object]) -> Self:
        """An envelope of these fields whose event is `read(text)`, read at its first use; `kind` is its stored type.

        The fields are taken as they are: they are ours, and the dictionary is the envelope's from here on. `read` never
        raises.
        """
        place[_KIND] = kind
        place[_TEXT] = text
        place[_READ] = read
        return cls._made(place)

    def glance(self) -> Any:
        """Its event, which is not kept if it was not read before."""
        late = self.__dict__
        text, read = late.get(_TEXT), late.get(_READ)
        return read(text) if text is not None and read is not None else late["event"]

    @property
    def unread(self) -> str | None:
        """The stored text of its event while nobody has read it; None: it was read, or is packed."""
        text = self.__dict__.get(_TEXT)
        return text if isinstance(text, str) else None

    def packed(self, text: bytes, read: Callable[[bytes], object]) -> Self:
        """An envelope equal to this one that holds no event: it is `read(text)` each time it is asked for.

        `read` gives an event equal to this one's. It may be called on any thread, and never raises.
        """
        mine = self.__dict__
        place = {name: mine[name] for name in _PLACE}
        place[_KIND] = self.kind
        place[_TEXT] = text
        place[_READ] = read
        return self._made(place)

    def unpacked(self) -> Self:
        """An equal envelope that reads its event once at most: this one, unless it is packed."""
        if not isinstance(self.__dict__.get(_TEXT), bytes):
            return self
        return self._made({**{name: self.__dict__[name] for name in _PLACE}, _KIND: self.kind, "event": self.event})

    @classmethod
    def _made(cls, place: dict[str, Any]) -> Self:
        return made_of(cls, place, _FIELDS)

    @property
    def kind(self) -> str:
        """The type of the event as it is stored, without reading it; that of an unknown event is its own."""
        late = self.__dict__
        known = late.get(_KIND)
        if type(known) is str:
            return known
        known = late[_KIND] = _kind(late["event"])
        return known

    def __getattr__(self, name: str) -> Any:
        """The event, at its first use. Two threads may read it at once; both get an equal one."""
        if name != "event":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        late = self.__dict__
        text, read = late.get(_TEXT), late.get(_READ)
        if text is None or read is None:
            return late["event"]
        if isinstance(text, bytes):
            return read(text)
        event = late["event"] = read(text)
        late.pop(_TEXT, None)
        late.pop(_READ, None)
        return event

    def __eq__(self, other: object) -> bool:
        """Whether all fields are equal."""
        if not isinstance(other, LateEvent) or type(self) is not type(other):
            return NotImplemented
        return all(_field(self, name) == _field(other, name) for name in type(self).model_fields)

    def __hash__(self) -> int:
        """By its id, which names one event for ever."""
        return hash(self.__dict__["event_id"])

    def __repr__(self) -> str:
        """The event with all its fields, which is read before."""
        self._settle()
        return super().__repr__()

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with these fields changed; its event is read before."""
        self._settle()
        return super().model_copy(update=update, deep=deep)

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """The fields as plain values; the event is read before."""
        self._settle()
        return super().model_dump(**options)

    def model_dump_json(self, **options: Any) -> str:
        """The fields as JSON; the event is read before."""
        self._settle()
        return super().model_dump_json(**options)

    def _settle(self) -> None:
        late = self.__dict__
        if "event" not in late:
            late["event"] = self.__getattr__("event")
        for key in (_KIND, _TEXT, _READ):
            late.pop(key, None)


_PLACE = ("event_id", "session_id", "seq", "parent_id", "at", "prev_hash", "hash")
_FIELDS = {"event_id", "session_id", "seq", "parent_id", "at", "event", "prev_hash", "hash"}


def _field(envelope: LateEvent, name: str) -> object:
    fields = envelope.__dict__
    return fields[name] if name in fields else envelope.__getattr__(name)


def _kind(event: Any) -> str:
    original = event.__dict__.get("original_type")
    return str(event.type if original is None else original)
