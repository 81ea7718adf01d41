"""Looking over a lane after a command for what should not be in it (gate-P10)."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from desktop.domain.core.base import Frozen
from desktop.services.files.lane_files import LaneFiles

MAX_ENTRIES = 200_000


class OddEntry(Frozen):
    """Something in a lane that a person should know of. `path` is lane-relative; `what` says in words what is odd."""

    path: str
    what: str


class LaneScan(Frozen):
    """The result of looking over the lane. `complete` False: there were too many entries to look at all of them."""

    odd: frozenset[OddEntry]
    complete: bool = True

    def new_since(self, before: "LaneScan") -> tuple[OddEntry, ...]:
        """The odd entries that were not there in the scan `before`, sorted by path."""
        return tuple(sorted(self.odd - before.odd, key=lambda entry: entry.path))


def scan_lane(files: LaneFiles, *, max_entries: int = MAX_ENTRIES) -> LaneScan:
    """Links that lead out of the lane, files that run with another user's rights, pipes, sockets and devices.

    Links are not followed and Git's own folder is not looked into. What cannot be listed is passed over. May take
    long in a large lane: call it from a thread.
    """
    odd: set[OddEntry] = set()
    for seen, entry in enumerate(_entries(files.root)):
        if seen >= max_entries:
            return LaneScan(odd=frozenset(odd), complete=False)
        rel = Path(entry.path).relative_to(files.root).as_posix()
        if what := _oddness(files, entry, rel):
            odd.add(OddEntry(path=rel, what=what))
    return LaneScan(odd=frozenset(odd))


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                found = list(entries)
        except OSError:
            continue
        for entry in found:
            yield entry
            if entry.name != ".git" and entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)


def _oddness(files: LaneFiles, entry: os.DirEntry[str], rel: str) -> str:
    try:
        mode = entry.stat(follow_symlinks=False).st_mode
    except OSError:
        return ""
    if stat.S_ISLNK(mode):
        facts = files.resolve(rel, "read")
        return f"a link out of the lane, to {facts.rel}" if facts.verdict == "outside" else ""
    if stat.S_ISDIR(mode):
        return ""
    if not stat.S_ISREG(mode):
        return "a pipe, socket or device"
    return "a file that runs with its owner's rights" if mode & (stat.S_ISUID | stat.S_ISGID) else ""
