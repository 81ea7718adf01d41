"""Where a run writes: streams that somebody may stop reading, and JSON lines of limited length."""

import json
import sys
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Protocol, TextIO

from pydantic import JsonValue

from desktop.config.standard_streams import cannot_write, forget
from desktop.domain.core.errors import StartError

MOST_LINE_BYTES = 1024 * 1024
FIRST_CUT_CHARS = 65_536
LEAST_CUT_CHARS = 256
TEXT = "text/plain"
Line = dict[str, JsonValue]
Keep = Callable[[bytes], bool]
"""Keeps a text whole beside the log, as a blob of type `TEXT`; whether it did."""


class Outlet(Protocol):
    """Takes text, and what was taken is with its reader when `write` returns."""

    def write(self, text: str) -> None:
        """Write."""


class StandardOutput:
    """Standard output until it takes nothing more; `on_closed` is called then, once. `problem`: why that is, "" as long
    as it takes something, and where nobody reads it any more."""

    def __init__(self) -> None:
        self.on_closed: Callable[[], None] = _nothing
        self.problem = ""
        self._closed = False

    def write(self, text: str) -> None:
        """Write now; nothing once its reader is gone, or what it leads to is full."""
        if self._closed:
            return
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except OSError as error:
            if not cannot_write(error):
                raise
            self._closed = True
            if not isinstance(error, BrokenPipeError):
                self.problem = f"Standard output is not whole: {error.strerror}."
            forget(sys.stdout.fileno())
            self.on_closed()


class OutputFile:
    """A file of the person's choice. `problem`: why it is not whole, "" as long as it is.

    Raises:
        StartError: it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.problem = ""
        self._path = path
        try:
            self._file: TextIO = path.open("w", encoding="utf-8", errors="replace", newline="\n")
        except OSError as error:
            raise StartError(f"The output file {path} cannot be written: {error.strerror}.") from error

    def write(self, text: str) -> None:
        """Write now; nothing after the first time that it failed."""
        if self.problem:
            return
        try:
            self._file.write(text)
            self._file.flush()
        except OSError as error:
            self.problem = f"The output file {self._path} is not whole: {error.strerror}."


class Lines:
    """JSON lines: `run_started` first, `run_ended` last, each exactly once whatever happens."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._began = self._over = False

    def begin(self, started: Line) -> None:
        """The first line."""
        if not self._began:
            self._began = True
            self._write({"type": "run_started", **started})

    def add(self, line: Line, keep: Keep | None = None) -> None:
        """One more line; nothing before the first and after the last one. `keep`: keeps what is cut of it."""
        if self._began and not self._over:
            self._write(line, keep)

    def end(self, started: Line, ended: Line) -> None:
        """The last line, after the first if that was not written."""
        self.begin(started)
        self.add({"type": "run_ended", **ended})
        self._over = True

    def _write(self, line: Line, keep: Keep | None = None) -> None:
        self._outlet.write(fitted(line, keep) + "\n")


def fitted(line: Line, keep: Keep | None = None) -> str:
    """The line as JSON in ASCII of less than 1 MiB. Texts are cut where it would be longer; `cut` then says for each
    where it stands, how long it is, the SHA-256 of the whole, which the chat's log has under the same id, and the blob
    that `keep` made of it, if it did."""
    text = json.dumps(line, ensure_ascii=True)
    most = FIRST_CUT_CHARS
    cuts: dict[str, str] = {}
    shorter = line
    while len(text) >= MOST_LINE_BYTES and most >= LEAST_CUT_CHARS:
        cuts = {}
        shorter = {name: _cut(value, f"/{name}", most, cuts) for name, value in line.items()}
        text = _with_cuts(shorter, cuts, keep is not None)
        most //= 4
    if len(text) >= MOST_LINE_BYTES:
        cuts = {"": json.dumps(line, ensure_ascii=True)}
        shorter = {name: value for name, value in line.items() if name in ("type", "seq", "id")}
        text = _with_cuts(shorter, cuts, keep is not None)
    if keep is None or not cuts:
        return text
    kept = [keep(_bytes(whole)) for whole in cuts.values()]
    return text if all(kept) else _with_cuts(shorter, cuts, False)


def _with_cuts(line: Line, cuts: Mapping[str, str], kept: bool) -> str:
    return json.dumps({**line, "cut": [_said(at, whole, kept) for at, whole in cuts.items()]}, ensure_ascii=True)


def _cut(value: JsonValue, at: str, most: int, cuts: dict[str, str]) -> JsonValue:
    if isinstance(value, str) and len(value) > most:
        cuts[at] = value
        return value[:most]
    if isinstance(value, dict):
        return {name: _cut(one, f"{at}/{_escaped(name)}", most, cuts) for name, one in value.items()}
    if isinstance(value, list):
        return [_cut(one, f"{at}/{place}", most, cuts) for place, one in enumerate(value)]
    return value


def _escaped(name: str) -> str:
    """As JSON Pointer (RFC 6901) has names."""
    return name.replace("~", "~0").replace("/", "~1")


def _said(at: str, whole: str, kept: bool) -> JsonValue:
    raw = _bytes(whole)
    digest = sha256(raw).hexdigest()
    said: Line = {"at": at, "chars": len(whole), "sha256": digest}
    return {**said, "blob": {"sha256": digest, "media_type": TEXT, "size": len(raw)}} if kept else said


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _nothing() -> None:
    """Nobody wants to know."""
