"""A second start asks the first process for a window by a small private file in `<data>/instance/`. The socket there is
for editors alone."""

import contextlib
import json
import os
import stat
import sys
import time
from pathlib import Path

from desktop.config.folders import Folders

ACP_SOCKET = "acp.sock"
_ENDING = ".request"
_MOST_BYTES = 64 * 1024
_OLD_S = 30.0
if sys.platform == "win32":  # pragma: no cover
    _PLAINLY = os.O_BINARY
else:
    _PLAINLY = os.O_NOFOLLOW | os.O_NONBLOCK


def instance_folder(folders: Folders) -> Path:
    """Where a process that holds the chats is asked for something by others."""
    return folders.data / "instance"


def request_window(folder: Path, wanted: str) -> Path:
    """Ask the process that holds the store for a window: on the repository at this path, at this link, or ("") plainly.

    The file is gone once it was taken; take it back with `withdraw`.

    Raises:
        OSError: the folder cannot be written, or it is not this user's own.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _own(folder.stat()):
        raise PermissionError(f"{folder} belongs to somebody else.")
    name = f"{os.getpid()}-{os.urandom(6).hex()}"
    part, file = folder / f"{name}.part", folder / f"{name}{_ENDING}"
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        json.dump({"path": wanted}, opened)
    part.rename(file)
    return file


def wait_until_taken(file: Path, limit_s: float = 3.0) -> bool:
    """Whether the request was taken in time. Blocks."""
    end = time.monotonic() + limit_s
    while file.exists():
        if time.monotonic() >= end:
            return False
        time.sleep(0.05)
    return True


def withdraw(file: Path) -> None:
    """Take a request back, if it is still there."""
    file.unlink(missing_ok=True)


def take_requests(folder: Path) -> list[str]:
    """The repositories or links ("": none) of the windows that were asked for, oldest first; each is told once.

    A file that is not this user's own, no plain file, old, or not understood asks for nothing and is removed if it can.
    Never raises.
    """
    try:
        files = sorted(folder.glob(f"*{_ENDING}"), key=lambda file: file.lstat().st_mtime)
    except OSError:
        return []
    asked: list[str] = []
    for file in files:
        path = _read(file)
        with contextlib.suppress(OSError):
            file.unlink()
            if path is not None:
                asked.append(path)
    return asked


def _read(file: Path) -> str | None:
    try:
        descriptor = os.open(file, os.O_RDONLY | _PLAINLY)
        with os.fdopen(descriptor, "rb") as opened:
            status = os.fstat(opened.fileno())
            fresh = abs(time.time() - status.st_mtime) < _OLD_S
            if not stat.S_ISREG(status.st_mode) or not _own(status) or not fresh:
                return None
            asked = json.loads(opened.read(_MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    path = asked.get("path") if isinstance(asked, dict) else None
    return path if isinstance(path, str) else None


def _own(status: os.stat_result) -> bool:
    return sys.platform == "win32" or status.st_uid == os.getuid()
