"""Looking at what a command wrote in a copy: from what was caught alone, never at the whole lane (memory-EP4)."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from desktop.domain.core.errors import BanksmanError
from desktop.records import dataclass

MOST_ENTRIES = 20_000
_OPAQUE = "user.overlay.opaque"


class TooMuch(BanksmanError):
    """More was written than is looked at."""

    def __init__(self) -> None:
        super().__init__(f"the command wrote or removed more than {MOST_ENTRIES:,} files.")


@dataclass(frozen=True)
class Written:
    """One place in the copy that is not as in the lane. `gone`: nothing is there, or nothing of what was below it.
    `mode`: the permissions of a file. `at`: where its content lies; of a link its target is read there."""

    path: str
    kind: Literal["file", "link", "gone", "folder", "special"]
    mode: int = 0
    size: int = 0
    at: Path = Path()


def written_over(upper: Path, lane: Path) -> list[Written]:
    """What was written in an overlay: its upper folder, read against the lane. A file that was only touched is among
    it. Blocking. Raises TooMuch, OSError."""
    found: list[Written] = []
    waiting = [("", True)]
    while waiting:
        rel, merged = waiting.pop()
        listed = _listed(upper / rel)
        if rel and merged and _is_opaque(upper / rel):
            found += _gone_below(lane / rel, rel, {entry.name for entry in listed})
            merged = False
        for entry in listed:
            path, facts = _joined(rel, entry.name), entry.stat(follow_symlinks=False)
            below = _mode(lane / path) if merged else 0
            if stat.S_ISDIR(facts.st_mode):
                waiting.append((path, stat.S_ISDIR(below)))
                found += [] if stat.S_ISDIR(below) else [Written(path, "folder")]
                found += [Written(path, "gone")] if below and not stat.S_ISDIR(below) else []
            else:
                found += _one(path, Path(entry.path), facts, below)
        if len(found) + len(waiting) > MOST_ENTRIES:
            raise TooMuch
    return found


def _gone_below(folder: Path, rel: str, kept: set[str]) -> list[Written]:
    """What a folder of the lane held, where the copy has another folder in its place."""
    return [Written(_joined(rel, entry.name), "gone") for entry in _listed(folder) if entry.name not in kept]


def written_in(copy: Path, known: dict[str, tuple[int, ...]]) -> list[Written]:
    """What is not as it was in a whole copy, of which `known` are the files with their stamps. Blocking. Raises
    TooMuch, OSError."""
    found: list[Written] = []
    seen: set[str] = set()
    folders = {""} | {path[:at] for path in known for at, char in enumerate(path) if char == "/"}
    waiting = [""]
    while waiting:
        rel = waiting.pop()
        if rel not in folders:
            found.append(Written(rel, "folder"))
        for entry in _listed(copy / rel):
            path, facts = _joined(rel, entry.name), entry.stat(follow_symlinks=False)
            if path == ".git":
                continue
            if stat.S_ISDIR(facts.st_mode):
                waiting.append(path)
                continue
            seen.add(path)
            if known.get(path) != stamp(facts):
                found += _one(path, Path(entry.path), facts, 0)
        if len(found) > MOST_ENTRIES:
            raise TooMuch
    return [*found, *(Written(path, "gone") for path in known if path not in seen)]


def stamp(facts: os.stat_result) -> tuple[int, ...]:
    """Differs once a file was written, or put in the place of another."""
    return (facts.st_ino, facts.st_mode, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)


def _one(path: str, at: Path, facts: os.stat_result, below: int) -> Iterator[Written]:
    """What stands in the copy where no folder is. `below`: the mode of what the lane has there, 0: nothing."""
    is_whiteout = stat.S_ISCHR(facts.st_mode) and facts.st_rdev == 0
    if is_whiteout or stat.S_ISDIR(below):
        yield Written(path, "gone")
    if is_whiteout:
        return
    if stat.S_ISREG(facts.st_mode):
        yield Written(path, "file", stat.S_IMODE(facts.st_mode), facts.st_size, at)
    elif stat.S_ISLNK(facts.st_mode):
        yield Written(path, "link", at=at)
    else:
        yield Written(path, "special")


def _is_opaque(folder: Path) -> bool:
    try:
        return os.getxattr(folder, _OPAQUE, follow_symlinks=False) == b"y"
    except OSError:
        return False


def _mode(path: Path) -> int:
    try:
        return path.lstat().st_mode
    except OSError:
        return 0


def _listed(folder: Path) -> list["os.DirEntry[str]"]:
    with os.scandir(folder) as found:
        return list(found)


def _joined(rel: str, name: str) -> str:
    return f"{rel}/{name}" if rel else name
