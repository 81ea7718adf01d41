"""The entries of a lane with their stamps: one look at the disk serves all who ask, with what changed since theirs."""

import contextlib
import functools
import os
import re
import shutil
import stat
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

MAX_ENTRIES = 200_000
SMALL = 400
"""So many entries are looked at faster in Python than a child process starts."""
MAX_KEPT = 64
SYSTEM_FOLDERS = "/usr/local/bin:/usr/bin:/bin"
MOST_BYTES = 100 * 1024 * 1024
HALVED = 4_000
"""From so many entries on two child processes share a look."""
MAX_PARTS = 16
_PLAIN_PATH = re.compile(r"[\w/.+@=-]+", re.ASCII)
_FOLDER, _OTHER = "d%m %i%p\\0", "%y%m %i %s %T@ %C@%p\\0"
_PRINT = ("(", "-type", "d", "-printf", _FOLDER, "-o", "-printf", _OTHER, ")", "-name", ".git", "-prune")
_CALM = "-ignore_readdir_race"
_KINDS = {
    stat.S_IFREG: "f",
    stat.S_IFLNK: "l",
    stat.S_IFIFO: "p",
    stat.S_IFSOCK: "s",
    stat.S_IFCHR: "c",
    stat.S_IFBLK: "b",
}

Stamp = bytes
"""Kind (a letter) and rights, inode, size, and the times of the last change of the content and of any sort, of which no
program can set the second. Of a folder the first two, so what happens in it does not show. b"" where nothing is."""


def stamp_of(found: os.stat_result) -> Stamp:
    """The stamp of an entry with these facts."""
    mode = stat.S_IMODE(found.st_mode)
    if stat.S_ISDIR(found.st_mode):
        return f"d{mode:o} {found.st_ino}".encode()
    kind = _KINDS.get(stat.S_IFMT(found.st_mode), "?")
    changed, touched = _seconds(found.st_mtime_ns), _seconds(found.st_ctime_ns)
    return f"{kind}{mode:o} {found.st_ino} {found.st_size} {changed} {touched}".encode()


def is_folder(stamp: Stamp) -> bool:
    """Whether it is the stamp of a folder."""
    return stamp[:1] == b"d"


def is_link(stamp: Stamp) -> bool:
    """Whether it is the stamp of a symbolic link."""
    return stamp[:1] == b"l"


def last_change_ns(stamp: Stamp) -> int:
    """When an entry of this stamp was changed last, in ns since 1970; 0 for a folder and for nothing."""
    fields = stamp.split()[3:]
    return max((int(field[:-1].replace(b".", b"")) for field in fields), default=0)


class LaneView:
    """The entries of a lane as the last look found them. Nothing is known before the first one; one thread at a time.

    `stamps`: by lane-relative path; no link is followed, and what is in a `.git` folder is not in it. `version` grows
    with every look that found a change. `whole` False: there are more than `most`, and only so many are known.
    `small`: up to so many are looked at in Python; `halved`: from so many on by two processes.
    """

    def __init__(self, root: Path, *, most: int = MAX_ENTRIES, small: int = SMALL, halved: int = HALVED) -> None:
        self.stamps: dict[str, Stamp] = {}
        self.version = 0
        self.whole = False
        self._root, self._most, self._small, self._halved = str(root), most, small, halved
        self._expected = 0
        self._looked = float("-inf")
        self._printed: tuple[bytes, ...] = ()
        self._parts: tuple[str, ...] = ()
        self._parted = 0
        self._blocked = False
        self._changes: deque[dict[str, Stamp]] = deque(maxlen=MAX_KEPT)

    def look(self) -> None:
        """Look at every entry. What cannot be listed has nothing in it."""
        began, was_whole = time.monotonic(), self.whole
        printed = None
        entries = len(self.stamps) if self.whole else self._expected
        self._expected = 0
        if entries > self._small and not self._blocked:
            printed = _printed(_find(), self._root, self._parts, self._most)
        changes = self._walked() if printed is None else self._read(printed)
        if not (was_whole and self.whole) or len(changes) > MAX_KEPT + len(self.stamps) // 2:
            self._changes.clear()
            self.version += 1
        elif changes:
            self._changes.append(changes)
            self.version += 1
        if self.whole and len(self.stamps) > self._small:
            self._part()
        self._looked = began

    def expect(self, entries: int) -> None:
        """There may be so many entries, which says how the first look is best taken."""
        self._expected = entries

    def since(self, moment: float) -> None:
        """See that the last look began at this `time.monotonic()` or later; look if it did not."""
        if self._looked < moment:
            self.look()

    def changes(self, version: int) -> dict[str, Stamp] | None:
        """The entries that are not as they were in this version, with the stamps that they had then. None: not known
        any more."""
        looks = self.version - version
        if looks > len(self._changes) or not self.whole:
            return None
        found: dict[str, Stamp] = {}
        for changes in islice(self._changes, len(self._changes) - looks, None):
            for path, stamp in changes.items():
                found.setdefault(path, stamp)
        return found

    def _part(self) -> None:
        """Choose the folders into which, next time, one of two child processes looks while the other looks into the
        rest."""
        entries = len(self.stamps)
        if not self._parted * 3 // 4 <= entries <= self._parted * 4 // 3:
            parts = half(self.stamps) if entries >= self._halved and (os.cpu_count() or 1) > 1 else ()
            self._parted = entries
            if parts != self._parts:
                was_one = len(self._printed) == 1 and bool(parts)
                self._printed = parted(self._printed[0], parts) if was_one else ()
                self._parts = parts

    def _walked(self) -> dict[str, Stamp]:
        before = self.stamps
        self.stamps, self.whole, self._blocked = walk(self._root, self._most)
        self._printed = ()
        return _changed(before, self.stamps, chain(before, self.stamps))

    def _read(self, printed: tuple[bytes, ...]) -> dict[str, Stamp]:
        known, self._printed, self.whole = self._printed, printed, True
        if not known:
            all_before, self.stamps = self.stamps, _read_all(printed)
            return _changed(all_before, self.stamps, chain(all_before, self.stamps))
        before: dict[str, Stamp] = {}
        gone, new = set[bytes](), set[bytes]()
        for one in zip(known, printed, strict=True):
            less, more = _differing(*one)
            gone |= less
            new |= more
        for record in gone:
            path = _path(record)
            before[path] = self.stamps.pop(path, b"")
        for record in new:
            path = _path(record)
            before.setdefault(path, self.stamps.get(path, b""))
            self.stamps[path] = record.partition(b"./")[0]
        before.pop("", None)
        self.stamps.pop("", None)
        return _changed(before, self.stamps, before)


def _read_all(printed: Iterable[bytes]) -> dict[str, Stamp]:
    """The stamps in these records, without one step that others would have to wait for."""
    records = (record.partition(b"./") for part in printed for record in part.split(b"\0"))
    return {os.fsdecode(path): found for found, _, path in records if path}


def walk(
    root: str, most: int, enters: Callable[[str], bool] = lambda path: True
) -> tuple[dict[str, Stamp], bool, bool]:
    """The entries below `root` with their stamps; whether these are all, at most `most`; whether a folder could not be
    listed. `enters`: whether to look into the folder at a path."""
    stamps: dict[str, Stamp] = {}
    blocked = False
    waiting = [""]
    while waiting:
        above = waiting.pop()
        try:
            with os.scandir(f"{root}/{above}") as listed:
                found = [(entry.name, entry.path) for entry in listed]
        except OSError:
            blocked = True
            continue
        for name, place in found:
            try:
                stamp = stamp_of(os.lstat(place))
            except OSError:
                continue
            path = above + name
            stamps[path] = stamp
            if is_folder(stamp) and name != ".git" and enters(path):
                waiting.append(f"{path}/")
        if len(stamps) > most:
            return dict(islice(stamps.items(), most)), False, blocked
    return stamps, True, blocked


def _changed(before: dict[str, Stamp], now: dict[str, Stamp], paths: Iterable[str]) -> dict[str, Stamp]:
    return {path: was for path in paths if (was := before.get(path, b"")) != now.get(path, b"")}


def _seconds(time_ns: int) -> str:
    """A time as `find` prints it."""
    return f"{time_ns // 10**9}.{time_ns % 10**9:09}0"


@functools.cache
def _find() -> str:
    """A `find` of the system's own folders that prints stamps as we write them, "" for none. Blocking."""
    program = shutil.which("find", path=SYSTEM_FOLDERS) if sys.platform == "linux" else None
    if program is None:
        return ""
    try:
        asked = [program, program, _CALM, "-maxdepth", "0", *_PRINT]
        printed = subprocess.run(asked, env={}, stdin=subprocess.DEVNULL, capture_output=True, check=False).stdout
        return program if printed == stamp_of(os.lstat(program)) + os.fsencode(program) + b"\0" else ""
    except OSError:
        return ""


def half(stamps: Iterable[str]) -> tuple[str, ...]:
    """Some folders with about half of all these entries in them, () where none do."""
    sizes = Counter(path.rpartition("/")[0] for path in stamps)
    inner: dict[str, list[str]] = {}
    for folder in sorted(sizes, key=lambda path: path.count("/") + bool(path), reverse=True):
        above = folder.rpartition("/")[0]
        if folder:
            sizes[above] += sizes[folder]
            inner.setdefault(above, []).append(folder)
    wanted, above, chosen = sizes[""] // 2, "", list[str]()
    while wanted * 8 > sizes[""] and len(chosen) < MAX_PARTS:
        rest = []
        for folder in sorted(inner.get(above, ()), key=lambda path: (-sizes[path], path)):
            if sizes[folder] > wanted or len(chosen) == MAX_PARTS or not _PLAIN_PATH.fullmatch(folder):
                rest.append(folder)
            else:
                chosen.append(folder)
                wanted -= sizes[folder]
        if not rest:
            break
        above = rest[0]
    return tuple(chosen)


def parted(printed: bytes, parts: Iterable[str]) -> tuple[bytes, bytes]:
    """What one `find` printed as it would have come from two, of which the second looks into these folders."""
    inside: dict[bytes, list[bytes]] = {b"./" + os.fsencode(folder): [] for folder in parts}
    rest: list[bytes] = []
    below, taking = b"./", rest
    for record in printed.split(b"\0")[:-1]:
        path = record[record.find(b"./") :]
        if taking is rest or not path.startswith(below):
            taking = inside.get(path, rest)
            below = path + b"/"
        taking.append(record)
    second = [record for records in inside.values() for record in records]
    return b"".join(record + b"\0" for record in rest), b"".join(record + b"\0" for record in second)


def _printed(program: str, root: str, parts: tuple[str, ...], most: int) -> tuple[bytes, ...] | None:
    """What one `find` prints of the entries in these folders and another one of all else below `root`; None: they
    cannot tell all, or there are more than `most`."""
    if not program or sys.platform != "linux":
        return None
    names = [f"./{folder}" for folder in parts]
    skips = [word for name in names for word in ("-o", "-path", name)][1:]
    asked = [[program, ".", _CALM, *(["-type", "d", "(", *skips, ")", "-prune", "-o"] if skips else []), *_PRINT]]
    if names:
        asked.append([program, *names, _CALM, *_PRINT])
    with contextlib.ExitStack() as opened:
        try:
            outputs = [opened.enter_context(os.fdopen(os.memfd_create("look"), "rb")) for _ in asked]
            with contextlib.ExitStack() as running:
                finds = [running.enter_context(_started(*one, root)) for one in zip(asked, outputs, strict=True)]
        except OSError:
            return None
        size = sum(os.fstat(output.fileno()).st_size for output in outputs)
        if size > MOST_BYTES or any(find.returncode for find in finds):
            return None
        for output in outputs:
            output.seek(0)
        printed = tuple(output.read() for output in outputs)
    return printed if sum(part.count(0) for part in printed) <= most + 1 else None


def _started(words: list[str], output: BinaryIO, root: str) -> subprocess.Popen[bytes]:
    nothing = subprocess.DEVNULL
    return subprocess.Popen(words, cwd=root, env={}, stdin=nothing, stdout=output, stderr=nothing)


def _path(record: bytes) -> str:
    return os.fsdecode(record.partition(b"./")[2])


def _differing(before: bytes, now: bytes) -> tuple[set[bytes], set[bytes]]:
    """The records, ended with NUL, that are in one of these alone. What both begin and end with is not split."""
    if before == now:
        return set(), set()
    shorter = min(len(before), len(now))
    start = before.rfind(b"\0", 0, _alike(shorter, lambda a, b: before[a:b] == now[a:b])) + 1
    rest = shorter - start
    ends = len(before), len(now)
    same = _alike(rest, lambda a, b: before[ends[0] - b : ends[0] - a] == now[ends[1] - b : ends[1] - a])
    old, new = before[start : ends[0] - same], now[start : ends[1] - same]
    tail = before[ends[0] - same :].partition(b"\0")[0] if same else b""
    gone, came = set((old + tail).split(b"\0")), set((new + tail).split(b"\0"))
    return gone - came, came - gone


def _alike(most: int, same: Callable[[int, int], bool]) -> int:
    """How many bytes are the same, at most `most`; `same` compares those from one place to another."""
    known = 0
    while known < most:
        middle = (known + most + 1) // 2
        if same(known, middle):
            known = middle
        else:
            most = middle - 1
    return known
