"""Where a run writes: streams that somebody may stop reading, and JSON lines of limited length."""

import json
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Protocol, TextIO

from pydantic import JsonValue

from desktop.config.standard_streams import cannot_write, forget
from desktop.domain.core.errors import StartError

MOST_LINE_BYTES = 1024 * 1024
FIRST_CUT_CHARS = 65_536
LEAST_CUT_CHARS = 256
Line = dict[str, JsonValue]


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

    def add(self, line: Line) -> None:
        """One more line; nothing before the first and after the last one."""
        if self._began and not self._over:
            self._write(line)

    def end(self, started: Line, ended: Line) -> None:
        """The last line, after the first if that was not written."""
        self.begin(started)
        self.add({"type": "run_ended", **ended})
        self._over = True

    def _write(self, line: Line) -> None:
        self._outlet.write(fitted(line) + "\n")


def fitted(line: Line) -> str:
    """The line as JSON in ASCII of less than 1 MiB. Texts are cut where it would be longer; `cut` then says for each
    where it stands, how long it is, and the SHA-256 of the whole, which the chat's log has under the same id."""
    text = json.dumps(line, ensure_ascii=True)
    most = FIRST_CUT_CHARS
    while len(text) >= MOST_LINE_BYTES and most >= LEAST_CUT_CHARS:
        cuts: list[JsonValue] = []
        shorter = {name: _cut(value, f"/{name}", most, cuts) for name, value in line.items()}
        text = json.dumps({**shorter, "cut": cuts}, ensure_ascii=True)
        most //= 4
    if len(text) < MOST_LINE_BYTES:
        return text
    whole = json.dumps(line, ensure_ascii=True)
    known = {name: value for name, value in line.items() if name in ("type", "seq", "id")}
    return json.dumps({**known, "cut": [_said("", whole)]}, ensure_ascii=True)


def _cut(value: JsonValue, at: str, most: int, cuts: list[JsonValue]) -> JsonValue:
    if isinstance(value, str) and len(value) > most:
        cuts.append(_said(at, value))
        return value[:most]
    if isinstance(value, dict):
        return {name: _cut(one, f"{at}/{_escaped(name)}", most, cuts) for name, one in value.items()}
    if isinstance(value, list):
        return [_cut(one, f"{at}/{place}", most, cuts) for place, one in enumerate(value)]
    return value


def _escaped(name: str) -> str:
    """As JSON Pointer (RFC 6901) has names."""
    return name.replace("~", "~0").replace("/", "~1")


def _said(at: str, whole: str) -> JsonValue:
    return {"at": at, "chars": len(whole), "sha256": sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()}


def _nothing() -> None:
    """Nobody wants to know."""
