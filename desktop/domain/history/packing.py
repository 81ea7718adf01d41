"""Events long ago as packed texts: a chat keeps its whole log at hand without holding every event as a value."""

import zlib
from collections.abc import Iterable

from desktop.domain.event_json import dump_event, load_event
from desktop.domain.events import Envelope, Event, UnknownEvent

KEPT = 64
"""The newest events of a log, which stay as they are: those of the running call, and what one looks back on."""

_WINDOW = 15
_SAMPLE_BYTES = 16 * 1024
"""Of the events that are packed first, so much tells the packing how events of this chat look."""


class PackedLog(list[Envelope]):
    """The events of one chat in order of writing. Those before the newest are packed while it grows; the envelopes in
    it are equal to those that were added, and may be read on any thread.

    A stored log, `opened`, stays as it came: packing it would take longer than reading it. `kept`: how many of the
    newest stay as they are.
    """

    def __init__(self, opened: Iterable[Envelope] = (), *, kept: int = KEPT) -> None:
        super().__init__(opened)
        self._packed = len(self)
        self._kept = kept
        self._batch = max(1, kept // 4)
        self._form: _Form | None = None

    def add(self, envelope: Envelope) -> None:
        """Put one more event at the end."""
        self.append(envelope)
        if len(self) - self._packed >= self._kept + self._batch:
            self._pack(self._batch)

    def _pack(self, count: int) -> None:
        first, self._packed = self._packed, self._packed + count
        texts = {at: _text(self[at]) for at in range(first, self._packed) if not _is_unknown(self[at])}
        self._form = self._form or _Form(b"".join(texts.values())[-_SAMPLE_BYTES:])
        read = self._form.read
        for at, text in texts.items():
            self[at] = self[at].packed(self._form.packed(text), read)


class _Form:
    """How the events of one chat are packed: beside a sample of them. It does not hold the log, which would keep
    itself alive."""

    def __init__(self, sample: bytes) -> None:
        self._sample = sample

    def packed(self, text: bytes) -> bytes:
        packing = zlib.compressobj(1, zlib.DEFLATED, -_WINDOW, zdict=self._sample)
        return packing.compress(text) + packing.flush()

    def read(self, packed: bytes) -> Event:
        unpacking = zlib.decompressobj(-_WINDOW, zdict=self._sample)
        event: Event = load_event(unpacking.decompress(packed).decode())
        return event


def _is_unknown(envelope: Envelope) -> bool:
    """Whether the event is a text already."""
    return isinstance(envelope.event, UnknownEvent)


def _text(envelope: Envelope) -> bytes:
    return dump_event(envelope.event, envelope.event_id, envelope.parent_id).encode()
