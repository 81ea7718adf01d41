"""Standing instructions and slash commands as files: read from the person's folder and, safely, from a lane."""

import hashlib
import stat
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from desktop.domain.core.base import Frozen
from desktop.domain.core.errors import PathError
from desktop.services.files.lane_files import LaneFiles

NAMES = ("AGENTS.md", "CLAUDE.md")
GUEST_NAMES = (*NAMES, "GEMINI.md")
"""What agents of others read by themselves."""
REFERENCE = "@AGENTS.md"
FILE_BYTES = 32 * 1024
ALL_BYTES = 64 * 1024
CUT = "[cut]"
READ_BYTES = 1024 * 1024
MOST_FOLDERS = 40
OWN_FOLDER = "(your own)"
REPOSITORY_COMMANDS = ".banksman/commands"
MOST_COMMANDS = 200


class FoundText(Frozen):
    """A file as it was read. `path`: as people and the model see it; `size`: bytes of the whole; `text`: what is used,
    which is less where it is `cut`."""

    path: str
    sha256: str
    size: int
    text: str
    cut: bool = False


def read_instructions(own: Path, files: LaneFiles | None, folders: Iterable[str]) -> tuple[FoundText, ...]:
    """AGENTS.md, then CLAUDE.md, of the person's folder, the lane's top, and these lane-relative folders, nearest last.

    A file that says nothing new is left out: one equal to its neighbour, or that only refers to it. Nothing outside the
    lane is read through a link. At most 32 KiB of a file and 64 KiB in all (sessions-SP6).
    """
    found: list[FoundText] = []
    found += _of_folder({name: (f"{OWN_FOLDER} {name}", _own_bytes(own / name)) for name in NAMES})
    if files is not None:
        for folder in _in_order(folders):
            paths = {name: str(PurePosixPath(folder, name)) for name in NAMES}
            found += _of_folder({name: (path, lane_bytes(files, path)) for name, path in paths.items()})
    return _within(found)


def read_for_guests(files: LaneFiles) -> tuple[FoundText, ...]:
    """The files at the lane's top that agents of others read by themselves (guests-A53): which there are, whole."""
    contents = {name: lane_bytes(files, name) for name in GUEST_NAMES}
    return tuple(one for name, content in contents.items() for one in _of_folder({name: (name, content)}))


def read_own_commands(own: Path) -> dict[str, bytes]:
    """The Markdown files of the person's folder of commands, by name without ending."""
    try:
        names = sorted(one.name for one in (own / "commands").iterdir())[:MOST_COMMANDS]
    except OSError:
        return {}
    contents = {name.removesuffix(".md"): _own_bytes(own / "commands" / name) for name in names if name.endswith(".md")}
    return {name: content for name, content in contents.items() if content is not None}


def read_lane_commands(files: LaneFiles) -> dict[str, bytes]:
    """The Markdown files of the repository's folder of commands, by name without ending; no link is followed out."""
    folder = files.resolve(REPOSITORY_COMMANDS, "read")
    if folder.deny or folder.ask or folder.kind != "dir":
        return {}
    try:
        names = sorted(one.name for one in (files.root / folder.rel).iterdir())[:MOST_COMMANDS]
    except OSError:
        return {}
    contents = {
        name.removesuffix(".md"): lane_bytes(files, f"{REPOSITORY_COMMANDS}/{name}")
        for name in names
        if name.endswith(".md")
    }
    return {name: content for name, content in contents.items() if content is not None}


def lane_bytes(files: LaneFiles, path: str) -> bytes | None:
    """The first MiB of a regular file of the lane; None where there is none, or a person would be asked to read it."""
    facts = files.resolve(path, "read")
    if facts.deny or facts.ask or facts.kind != "file":
        return None
    try:
        return files.read_bytes(facts, max_bytes=READ_BYTES)
    except PathError:
        return None


def _own_bytes(path: Path) -> bytes | None:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        with path.open("rb") as file:
            return file.read(READ_BYTES)
    except OSError:
        return None


def _in_order(folders: Iterable[str]) -> list[str]:
    """The lane's top, then the folders and those above them, the nearer the later."""
    every = {".": 0}
    for folder in list(dict.fromkeys(folders))[-MOST_FOLDERS:]:
        parts = PurePosixPath(folder).parts
        if PurePosixPath(folder).is_absolute() or ".." in parts:
            continue
        for depth in range(1, len(parts) + 1):
            every[str(PurePosixPath(*parts[:depth]))] = depth
    return sorted(every, key=lambda folder: (every[folder], folder))


def _of_folder(contents: dict[str, tuple[str, bytes | None]]) -> list[FoundText]:
    found: list[FoundText] = []
    seen: list[bytes] = []
    for path, content in contents.values():
        if content is None or content in seen:
            continue
        seen.append(content)
        text = content.decode("utf-8", "replace")
        text = "\n".join(line for line in text.splitlines() if line.strip() != REFERENCE).strip()
        if text:
            sha256 = hashlib.sha256(content).hexdigest()
            found.append(FoundText(path=path, sha256=sha256, size=len(content), text=text))
    return found


def _within(found: list[FoundText]) -> tuple[FoundText, ...]:
    """Each cut to its limit; what is nearest is kept before what is farther."""
    left = ALL_BYTES
    kept: list[FoundText] = []
    for one in reversed(found):
        text = _cut(one.text, min(FILE_BYTES, left))
        if text:
            left -= len(text.encode())
            kept.append(one.model_copy(update={"text": text, "cut": text != one.text}))
    return tuple(reversed(kept))


def _cut(text: str, most: int) -> str:
    """The text's first lines within so many bytes, with a mark where lines are missing."""
    if len(text.encode()) <= most:
        return text
    room = most - len(CUT) - 1
    lines: list[str] = []
    for line in text.splitlines():
        room -= len(line.encode()) + 1
        if room < 0:
            break
        lines.append(line)
    return "\n".join([*lines, CUT]) if lines else ""
