"""Anchors: a file in the log folder that names the newest entries, so that an end that was cut off shows (gate-A3)."""

import hashlib
import json
import logging
import os
from collections.abc import Callable
from datetime import date
from pathlib import Path

from desktop.config.private_files import make_private_file, make_private_folder
from desktop.domain.core.errors import StoreError
from desktop.domain.events import Envelope, SessionStarted
from desktop.store.history.event_body import FIRST_PREV_HASH, format_at

logger = logging.getLogger(__name__)

ANCHORS_NAME = "anchors.jsonl"
_LINE_MOST = 4096


class Anchors:
    """Writes the first entry of each session in this process and on each later UTC day, and the newest ones at the end.

    Engine thread only; `seen` is a listener of the event store. What cannot be written is logged and nothing else: an
    anchor less never stops the work it would vouch for. `flush`: puts what was recorded on the disk, before an anchor
    there says that it stands.
    """

    def __init__(self, file: Path, store_id: str, flush: Callable[[], None]) -> None:
        self._file = file
        self._flush = flush
        self._store_id = store_id
        self._day: dict[str, date] = {}
        self._unanchored: dict[str, Envelope] = {}

    def seen(self, envelope: Envelope) -> None:
        """An entry was recorded."""
        today = envelope.at.date()
        if self._day.get(envelope.session_id) == today or _is_named_above(envelope):
            self._day[envelope.session_id] = today
            self._unanchored[envelope.session_id] = envelope
            return
        self._day[envelope.session_id] = today
        self._try_write(envelope)

    def removed(self, last: Envelope) -> None:
        """A session is deleted; `last` was its newest entry. What earlier anchors name need not be there any more."""
        self._day.pop(last.session_id, None)
        self._unanchored.pop(last.session_id, None)
        self._try_write(last, closing=True)

    def close(self) -> None:
        """Anchor the newest entry of every session that went on after its last anchor. Again is nothing."""
        if self._unanchored:
            self._try_write(*self._unanchored.values())
        self._unanchored.clear()

    def _try_write(self, *envelopes: Envelope, closing: bool = False) -> None:
        try:
            self._flush()
            self._write(envelopes, closing=closing)
        except (OSError, StoreError) as error:
            logger.warning("No anchor could be written to %s: %s", self._file, error)

    def _write(self, envelopes: tuple[Envelope, ...], *, closing: bool) -> None:
        """A line for each, which names the line before it; all are on the disk when this returns."""
        make_private_folder(self._file.parent)
        make_private_file(self._file)
        with self._file.open("r+b") as file:
            prev = _last_hash(file.fileno())
            file.seek(0, os.SEEK_END)
            for envelope in envelopes:
                line = self._line(envelope, prev, closing=closing)
                prev = hashlib.sha256(line).hexdigest()
                file.write(line + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _line(self, envelope: Envelope, prev: str, *, closing: bool) -> bytes:
        fields = {
            "v": 1,
            "at": format_at(envelope.at),
            "store": self._store_id,
            "session": envelope.session_id,
            "seq": envelope.seq,
            "hash": envelope.hash,
            "prev": prev,
            **({"closing": True} if closing else {}),
        }
        text = json.dumps(fields, separators=(",", ":"))[:-1]
        return f'{text},"sum":"{hashlib.sha256(text.encode()).hexdigest()}"}}'.encode()


def _is_named_above(envelope: Envelope) -> bool:
    """Whether a log begins whose end the anchored log of another chat will name: it gets its anchor at the end."""
    event = envelope.event if envelope.kind == "session_started" else None
    return isinstance(event, SessionStarted) and event.kind == "subagent"


def _last_hash(descriptor: int) -> str:
    """The SHA-256 of the last line; 64 zeros when there is none. A line without its end is taken away."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    start = max(0, size - 2 * _LINE_MOST)
    os.lseek(descriptor, start, os.SEEK_SET)
    tail = os.read(descriptor, size - start)
    whole = tail[: tail.rfind(b"\n") + 1]
    if len(whole) < len(tail):
        logger.warning("The last anchor was not written to its end")
        os.ftruncate(descriptor, start + len(whole))
    return hashlib.sha256(whole[:-1].rpartition(b"\n")[2]).hexdigest() if whole else FIRST_PREV_HASH
