"""The holder of the lock that keeps a database from being written, where the system tells it."""

import os
import sys
from pathlib import Path

_LOCKS = Path("/proc/locks")
_PARTS = ("", "-shm", "-wal")


def lock_holders(database: Path, locks: Path = _LOCKS) -> tuple[str, ...]:
    """The other programs that hold a lock for writing on the database or its log, as `sqlite3 (process 4711)`.

    () where that cannot be told: not on Linux, or they belong to another container.
    """
    if sys.platform != "linux":  # pragma: no cover
        return ()
    try:
        lines = locks.read_text("ascii", "replace").splitlines()
    except OSError:
        return ()
    wanted = {key for part in _PARTS if (key := _key(database.with_name(database.name + part)))}
    pids = {pid for line in lines if (pid := _writer(line, wanted)) not in (0, os.getpid())}
    return tuple(f"{_name(pid)} (process {pid})" for pid in sorted(pids))


def _key(file: Path) -> str:
    """The file as the system's list of locks names it; "" when it is not there."""
    try:
        facts = file.stat()
    except OSError:
        return ""
    return f"{os.major(facts.st_dev):02x}:{os.minor(facts.st_dev):02x}:{facts.st_ino}"


def _writer(line: str, wanted: set[str]) -> int:
    """The process that a line of the list names as a writer of one of the files; 0: it names none."""
    words = line.replace("->", "").split()
    if len(words) < 6 or words[3] != "WRITE" or words[5] not in wanted:
        return 0
    return int(words[4]) if words[4].isdecimal() else 0


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip()
    except OSError:
        return "a program"
