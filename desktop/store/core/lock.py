"""The operating-system lock that makes one process the writer of a store."""

import json
import os
import socket
import sys
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import desktop
from desktop.config.private_files import make_private_file
from desktop.domain.core.errors import StoreUnavailable

if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    _BEHIND_THE_TEXT = 1 << 30

    def _take(file: BinaryIO) -> bool:
        file.seek(_BEHIND_THE_TEXT)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        file.seek(0)
        return True

    def _give_back(file: BinaryIO) -> None:
        """Closing the file is all that is needed."""
else:
    import fcntl

    def _take(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _give_back(file: BinaryIO) -> None:
        """For a child that was just forked too, which has the file open until it becomes another program."""
        fcntl.flock(file.fileno(), fcntl.LOCK_UN)


LOCK_NAME = "store.lock"


class StoreLock:
    """Held from `take` to `release` or to the end of the process. A file that nobody holds is no obstacle."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    @classmethod
    def take(cls, path: Path, now: datetime) -> "StoreLock":
        """Become the writer; the file then says who that is.

        Raises:
            StoreUnavailable: another process is the writer; the text names it.
            OSError: the file cannot be made, or the place knows no locks.
        """
        make_private_file(path)
        holder = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "started_at": now.isoformat(timespec="seconds"),
            "app_version": desktop.__version__,
        }
        file = path.open("r+b", buffering=0)
        try:
            if not _take(file):
                raise StoreUnavailable(_held(path))
            file.truncate(0)
            file.write(json.dumps(holder).encode())
        except BaseException:
            file.close()
            raise
        return cls(file)

    def release(self) -> None:
        """Let another process become the writer. Again is nothing."""
        if not self._file.closed:
            _give_back(self._file)
        self._file.close()


def is_held(path: Path) -> bool:
    """Whether a process is the writer now; nothing is changed."""
    try:
        file = path.open("r+b", buffering=0)
    except OSError:
        return False
    with file:
        return not _take(file)


def holder_pid(path: Path) -> int | None:
    """The process named in the lock file; None when it cannot be told. It says nothing on whether the lock is held."""
    try:
        holder = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    pid = holder.get("pid") if isinstance(holder, dict) else None
    return pid if isinstance(pid, int) else None


def _held(path: Path) -> str:
    pid = holder_pid(path)
    who = f"process {pid}" if pid is not None else "another process"
    return f"Banksman is already running ({who}). It holds the chats in {path.parent}; close it first."
