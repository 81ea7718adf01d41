"""The output of a command: its ends in memory, all of it in a file, both with a bound."""

import codecs
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

KEEP_EACH_END = 64 * 1024
MAX_SPILL = 64 * 1024 * 1024
TAIL_CHARS = 4_000


class CommandOutput:
    """Bytes as they come. The first and last 64 KiB stay in memory, everything up to 64 MiB goes to a file.

    The file is created when the output outgrows the memory. `full`: the bound is reached; later bytes are dropped.
    """

    def __init__(self, spill_file: Path, *, limit: int = MAX_SPILL, on_text: Callable[[], None] | None = None) -> None:
        self.total = 0
        self.full = False
        self.lines = 0
        self.chars = 0
        self._limit = limit
        self._spill_file = spill_file
        self._spill: BinaryIO | None = None
        self._head = bytearray()
        self._tail = bytearray()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._recent = ""
        self._on_text = on_text

    def add(self, data: bytes) -> None:
        """Take the next bytes."""
        data = data[: self._limit - self.total]
        self.full = self.full or self.total + len(data) >= self._limit
        if not data:
            return
        self.total += len(data)
        self._keep(data)
        text = self._decoder.decode(data)
        self.chars += len(text)
        self.lines += text.count("\n")
        self._recent = (self._recent + text)[-TAIL_CHARS:]
        if self._on_text is not None:
            self._on_text()

    def _keep(self, data: bytes) -> None:
        room = KEEP_EACH_END - len(self._head)
        self._head += data[:room] if room > 0 else b""
        rest = data[room:] if room > 0 else data
        if self._spill is None and len(self._tail) + len(rest) > KEEP_EACH_END:
            self._spill = self._spill_file.open("wb")
            self._spill.write(self._head + self._tail + rest)
        elif self._spill is not None:
            self._spill.write(data)
        self._tail += rest
        if len(self._tail) > KEEP_EACH_END:
            del self._tail[:-KEEP_EACH_END]

    @property
    def recent(self) -> str:
        """The last 4,000 characters, for display while the command runs."""
        return self._recent

    @property
    def cut(self) -> bool:
        """Whether head and tail do not hold everything."""
        return self._spill is not None

    def head(self) -> str:
        """The first 64 KiB of the output as text; all of it when it is no longer than both ends together."""
        if not self.cut:
            return bytes(self._head + self._tail).decode("utf-8", "replace")
        return bytes(self._head).decode("utf-8", "ignore")

    def tail(self) -> str:
        """The last 64 KiB as text when something lies between it and the head, else ""."""
        if not self.cut:
            return ""
        raw = bytes(self._tail)
        start = next((i for i, byte in enumerate(raw[:4]) if byte & 0xC0 != 0x80), 0)
        return raw[start:].decode("utf-8", "replace")

    def read(self, start: int = 0, length: int = MAX_SPILL) -> bytes:
        """The raw bytes from `start`, at most `length`."""
        if self._spill is None:
            return bytes(self._head + self._tail)[start : start + length]
        if not self._spill.closed:
            self._spill.flush()
        with self._spill_file.open("rb") as file:
            file.seek(start)
            return file.read(length)

    def close(self) -> None:
        """No more bytes will come; the file stays readable."""
        if self._spill is not None and not self._spill.closed:
            self._spill.close()

    def discard(self) -> None:
        """Remove the file that holds the output."""
        self.close()
        self._spill_file.unlink(missing_ok=True)


LONGEST_LINE = 64 * 1024


def whole_characters(raw: bytes) -> int:
    """The number of bytes of `raw` that end on a whole UTF-8 character, as far as the last three bytes can tell."""
    for back in range(1, min(4, len(raw) + 1)):
        byte = raw[-back]
        if byte & 0xC0 != 0x80:
            needs = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
            return len(raw) if needs <= back else len(raw) - back
    return len(raw)


def whole_lines(raw: bytes) -> int:
    """The number of bytes of `raw` that end on a whole line; all of them where one is longer than 64 KiB. A secret that
    is handed out in two halves would not be known by either."""
    end = raw.rfind(b"\n") + 1
    return end if len(raw) - end < LONGEST_LINE else len(raw)
