"""Server-sent events from the bytes of an answer, each byte looked at once however the bytes are cut."""

from collections.abc import AsyncIterable, AsyncIterator
from typing import NamedTuple

from desktop.providers.errors import BadEvent, TooMuch

MOST_EVENT_BYTES = 24 * 1024**2
"""No model writes so much at once. An event is in memory up to four times while it is read (its bytes, its line, its
text, its value), so one never takes over 100 MiB. Larger ones are refused, not carried: a text of 50 MiB took 250 MiB
and 3 s of work until it was recorded, and as much again for each request after it, which no service takes."""
MOST_LINES = 1_000_000
_LINE_COST = 64
"""What a line takes beside its bytes."""


class ServerEvent(NamedTuple):
    """One event. `name` None: it had none."""

    name: str | None
    data: str


PING = ServerEvent("ping", "")
"""What a comment counts as: services keep a connection alive with them while an answer is not ready. Those that
came with the same bytes count once."""


async def server_events(chunks: AsyncIterable[bytes]) -> AsyncIterator[list[ServerEvent]]:
    """The events in order, those together that ended with the same bytes; no list is empty. One that is not ended by a
    blank line is none.

    Raises:
        TooMuch: an event is larger than 24 MiB, or there are over a million lines.
        BadEvent: an event is not UTF-8.
    """
    reader = _EventReader()
    async for chunk in chunks:
        if events := reader.take(chunk):
            yield events


class _EventReader:
    def __init__(self) -> None:
        self._line = bytearray()
        self._data: list[bytes] = []
        self._name: bytes | None = None
        self._size = self._lines = 0
        self._after_return = False

    def take(self, chunk: bytes) -> list[ServerEvent]:
        """The events that end in the next bytes."""
        if self._after_return and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        self._after_return = chunk.endswith(b"\r") if chunk else self._after_return
        found: list[ServerEvent] = []
        for piece in chunk.splitlines(keepends=True):
            self._line += piece
            if self._size + len(self._line) > MOST_EVENT_BYTES:
                raise TooMuch(f"the service sent more than {MOST_EVENT_BYTES // 1024**2} MiB in one event")
            if piece.endswith((b"\n", b"\r")):
                event = self._end_of_line()
                if event is not None and not (event is PING and PING in found[-1:]):
                    found.append(event)
        return found

    def _end_of_line(self) -> ServerEvent | None:
        self._lines += 1
        self._size += _LINE_COST
        if self._lines > MOST_LINES:
            raise TooMuch(f"the service sent more than {MOST_LINES:,} lines in one answer")
        line, self._line = bytes(self._line).rstrip(b"\r\n"), bytearray()
        if not line:
            return self._end_of_event()
        if line.startswith(b":"):
            return PING
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"event":
            self._name = value
        elif field == b"data":
            self._data.append(value)
            self._size += len(value)
        return None

    def _end_of_event(self) -> ServerEvent | None:
        name, data = self._name, self._data
        if name is None and not data:
            return None
        self._name, self._data, self._size = None, [], 0
        try:
            text = (data[0] if len(data) == 1 else b"\n".join(data)).decode()
            return ServerEvent(name.decode() if name is not None else None, text)
        except UnicodeDecodeError as error:
            raise BadEvent("the service sent an event that is not UTF-8") from error
