"""The diff of two states of one file: its lines byte for byte, and in words what lines do not show."""

import os
import re
import tempfile
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Literal

from desktop.domain.changes.values import DiffHunk, DiffImage, DiffLine, FileDiff
from desktop.domain.core.errors import GitError
from desktop.services.changes.sides import FileState, sha256_of
from desktop.services.files.leftovers import passing_prefix
from desktop.services.git.run import DIFF_LIMIT_S, Git
from desktop.services.git.trees.listing import LINK, SUBMODULE
from desktop.services.pictures.header import read_header

MAX_LINES = 5_000
MAX_PATCH_BYTES = 1_000_000
MAX_IMAGE_BYTES = 8 * 1024 * 1024
WHOLE_FILE = 10_000_000
_SNIFFED = 8_000
_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?([^\n]*)\n", re.MULTILINE)
_POINTER = b"version https://git-lfs.github.com/spec/"
_OPTIONS = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--text",
    "--no-renames",
    "--diff-algorithm=myers",
    "--inter-hunk-context=0",
    "--indent-heuristic",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)
_MODE_WORDS = {"100644": "file", "100755": "program", "120000": "link", "160000": "submodule"}


class Lines:
    """The form in which the lines of a diff are asked for. `context`: lines around each change, below 0 for the whole
    file."""

    def __init__(self, context: int = 3, *, ignore_space: bool = False, anyway: bool = False) -> None:
        self.context = WHOLE_FILE if context < 0 else min(context, WHOLE_FILE)
        self.ignore_space = ignore_space
        self.anyway = anyway


def diff_of(
    old: FileState | None, new: FileState | None, path: str, old_path: str = "", lines: Lines | None = None
) -> FileDiff:
    """The differences between the contents `old` and `new` of a file. Without its lines when that is no text, or so
    long that a person must ask. Blocking.

    Raises:
        GitError: it could not be computed in time.
    """
    plain = FileDiff(path, old_path, sha256_of(old), sha256_of(new), note=" ".join(_notes(old, new)))
    if _is_submodule(old) or _is_submodule(new):
        return plain
    if too_large := [side for side in (old, new) if side is not None and side.data is None]:
        note = f"{plain.note} {_size(too_large[0].size)} is too large to be compared line by line.".strip()
        return replace(plain, note=note, binary=True)
    before, after = old.data or b"" if old else b"", new.data or b"" if new else b""
    if is_binary(before) or is_binary(after):
        return replace(
            plain,
            note=f"{plain.note} {_sizes(old, new)}".strip(),
            binary=True,
            old_image=_image(old),
            new_image=_image(new),
        )
    if before == after:
        return plain
    asked = lines or Lines()
    patch = patch_of(before, after, asked)
    changed = _changed_lines(patch)
    if not asked.anyway and (changed > MAX_LINES or len(patch) > MAX_PATCH_BYTES):
        return replace(plain, large=True, changed_lines=changed)
    return replace(plain, hunks=hunks_of(patch), changed_lines=changed)


def is_binary(data: bytes) -> bool:
    """Whether Git takes it for no text: a zero byte among the first 8,000."""
    return b"\0" in data[:_SNIFFED]


def patch_of(before: bytes, after: bytes, lines: Lines) -> bytes:
    """The patch that `git diff` prints of two contents, its counts first; b"" when nothing differs. No setting shapes
    it."""
    with tempfile.TemporaryDirectory(prefix=passing_prefix()) as name:
        folder = Path(name)
        (folder / "old").write_bytes(before)
        (folder / "new").write_bytes(after)
        own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
        options = (*_OPTIONS, f"--unified={lines.context}", *(["--ignore-all-space"] if lines.ignore_space else []))
        done = Git(folder, own).run_now(
            "diff",
            "--no-index",
            *options,
            "--numstat",
            "--patch",
            "--",
            "old",
            "new",
            limit_s=DIFF_LIMIT_S,
            check=False,
        )
    if done.status > 1:
        raise GitError(f"git diff failed: {done.stderr.strip()}", stderr=done.stderr, status=done.status)
    return done.raw


def hunks_of(patch: bytes) -> tuple[DiffHunk, ...]:
    """The hunks of a patch of one file. Lines are told apart by the counts of their hunk, so that no content can be
    taken for a header."""
    found: list[DiffHunk] = []
    match = _HUNK.search(patch)
    while match is not None:
        old_start, old_count, new_start, new_count = (int(n) if n is not None else 1 for n in match.groups()[:4])
        body, end = _body(patch, match.end(), old_count, new_count)
        heading = match.group(5).decode("utf-8", "replace")
        found.append(DiffHunk(old_start, new_start, heading, _numbered(body, old_start, new_start)))
        match = _HUNK.match(patch, end)
    return tuple(found)


def _body(patch: bytes, start: int, old_left: int, new_left: int) -> tuple[list[bytes], int]:
    """The lines of a hunk with their signs, a mark of a missing end among them, and where the next one begins."""
    lines: list[bytes] = []
    while old_left > 0 or new_left > 0 or patch[start : start + 1] == b"\\":
        end = patch.find(b"\n", start)
        if end < 0:
            raise GitError("git diff printed a hunk that is cut off.")
        line = patch[start:end]
        sign = line[:1]
        old_left -= sign in (b" ", b"-")
        new_left -= sign in (b" ", b"+")
        lines.append(line)
        start = end + 1
    return lines, start


def _numbered(body: list[bytes], old: int, new: int) -> tuple[DiffLine, ...]:
    lines: list[DiffLine] = []
    add = lines.append
    for line, following in zip(body, [*islice(body, 1, None), b""], strict=True):
        sign, text = line[:1], line[1:].decode("utf-8", "replace")
        if sign == b"\\":
            continue
        ends: Literal["\n", "\r\n", ""] = "\n"
        if following[:1] == b"\\":
            ends = ""
        elif text.endswith("\r"):
            ends, text = "\r\n", text[:-1]
        if sign == b"+":
            add(DiffLine("+", 0, new, text, ends))
            new += 1
        elif sign == b"-":
            add(DiffLine("-", old, 0, text, ends))
            old += 1
        else:
            add(DiffLine(" ", old, new, text, ends))
            old, new = old + 1, new + 1
    return tuple(lines)


def _changed_lines(patch: bytes) -> int:
    """Of the counts that stand before the patch."""
    words = patch[: patch.find(b"\n")].split(b"\t")
    return sum(int(word) for word in words[:2] if word.isdigit())


def _notes(old: FileState | None, new: FileState | None) -> list[str]:
    notes: list[str] = []
    if old is not None and new is not None and old.mode != new.mode:
        kinds = _MODE_WORDS.get(old.mode, old.mode), _MODE_WORDS.get(new.mode, new.mode)
        runs = {"file", "program"} == set(kinds)
        notes.append(f"Mode {old.mode} → {new.mode}." if runs else f"Was a {kinds[0]}, is a {kinds[1]}.")
    elif new is not None and old is None and new.mode != "100644":
        notes.append(f"New {_MODE_WORDS.get(new.mode, new.mode)}, mode {new.mode}.")
    if _is_submodule(old) or _is_submodule(new):
        notes.append(f"Submodule {_short(old)} → {_short(new)}.")
        return notes
    if any(side is not None and (side.data or b"").startswith(_POINTER) for side in (old, new)):
        notes.append("Stored by Git LFS: this is its pointer.")
    if note := _line_ends(old, new):
        notes.append(note)
    return notes


def _line_ends(old: FileState | None, new: FileState | None) -> str:
    if old is None or new is None or LINK in (old.mode, new.mode) or not old.data or not new.data:
        return ""
    was, now = _ends(old.data), _ends(new.data)
    if was == now or "" in (was, now):
        return ""
    alone = old.data.replace(b"\r\n", b"\n") == new.data.replace(b"\r\n", b"\n")
    return f"{'Only the line' if alone else 'Line'} ends changed: {was} → {now}."


def _ends(data: bytes) -> str:
    both, crlf = data.count(b"\n"), data.count(b"\r\n")
    if not both or is_binary(data):
        return ""
    return "CRLF" if crlf == both else "mixed" if crlf else "LF"


def _is_submodule(side: FileState | None) -> bool:
    return side is not None and side.mode == SUBMODULE


def _short(side: FileState | None) -> str:
    return side.oid[:12] if side is not None and side.mode == SUBMODULE else "none"


def _sizes(old: FileState | None, new: FileState | None) -> str:
    sizes = [_size(side.size) for side in (old, new) if side is not None]
    return f"Binary: {' → '.join(sizes)}."


def _size(size: int) -> str:
    if size < 1000:
        return f"{size} bytes"
    value, unit = (size / 1e3, "KB") if size < 999_950 else (size / 1e6, "MB")
    return f"{value:.1f}".removesuffix(".0") + f" {unit}"


def _image(side: FileState | None) -> DiffImage | None:
    if side is None or side.data is None or read_header(side.data) is None:
        return None
    return DiffImage(side.data if side.size <= MAX_IMAGE_BYTES else b"", side.size)
