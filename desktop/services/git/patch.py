"""Taking the output of `git diff` apart: one part for each file, with its name and its counts."""

import os
import re
from itertools import pairwise

from desktop.records import dataclass

_START = re.compile(rb"^diff --(?:git|cc|combined) ", re.MULTILINE)
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


@dataclass(frozen=True)
class FilePatch:
    """One file of a patch. `raw`: its part, byte for byte. `old_path` when it was renamed, else "". Paths are the
    system's names of files."""

    path: str
    old_path: str
    raw: bytes
    added: int = 0
    removed: int = 0

    @property
    def text(self) -> str:
        """The part as text; what is no UTF-8 is replaced."""
        return self.raw.decode("utf-8", "replace")

    @property
    def hunks(self) -> str:
        """The part from its first hunk on; all of it when it has none."""
        start = self.raw.find(b"\n@@")
        return self.raw[start + 1 :].decode("utf-8", "replace") if start >= 0 else self.text


def files_of(patch: bytes) -> tuple[FilePatch, ...]:
    """The files of a patch in its order. A part whose name cannot be told is left out."""
    starts = [match.start() for match in _START.finditer(patch)]
    parts = [patch[start:end] for start, end in pairwise([*starts, len(patch)])]
    return tuple(file for part in parts if (file := _file(part)) is not None)


def _file(part: bytes) -> FilePatch | None:
    start = part.find(b"\n@@")
    head, body = (part, b"") if start < 0 else (part[:start], part[start:])
    lines = head.split(b"\n")
    old, new = _named(lines)
    path = new or old
    if not path:
        return None
    changes = [line[:1] for line in body.split(b"\n")]
    renamed = bool(old and new) and old != new
    return FilePatch(path, old if renamed else "", part, changes.count(b"+"), changes.count(b"-"))


def _named(lines: list[bytes]) -> tuple[str, str]:
    """The file's name before and after; "" where there was or is none."""
    found = {b"--- ": "", b"+++ ": "", b"rename from ": "", b"rename to ": ""}
    for line in lines[1:]:
        for key in found:
            if line.startswith(key):
                found[key] = _name(line[len(key) :], prefixed=key in (b"--- ", b"+++ "))
    old, new = found[b"--- "] or found[b"rename from "], found[b"+++ "] or found[b"rename to "]
    if old or new:
        return old, new
    title = lines[0].split(b" ", 2)[2]
    if not lines[0].startswith(b"diff --git "):
        return "", _name(title, prefixed=False)
    if title.startswith(b'"'):
        return "", _name(title[: len(title) // 2], prefixed=True)
    first, second = title[: len(title) // 2], title[len(title) // 2 + 1 :]
    same = first[2:] == second[2:] and title[len(title) // 2 : len(title) // 2 + 1] == b" "
    return "", _name(first, prefixed=True) if same else ""


def _name(word: bytes, *, prefixed: bool) -> str:
    word = word.removesuffix(b"\t")
    if word.startswith(b'"'):
        word = _ESCAPE.sub(_plain, word[1:].removesuffix(b'"'))
    if prefixed:
        if word == b"/dev/null":
            return ""
        word = word[2:]
    return os.fsdecode(word)


def _plain(match: re.Match[bytes]) -> bytes:
    code = match.group(1)
    return bytes([int(code, 8) & 0xFF]) if len(code) == 3 else _ESCAPED.get(code, code)
