"""Folders and files for the moment that a process left when it was killed, and how the next one takes them away."""

import contextlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

_OWN = re.compile(r"\.?banksman-passing-pid(?P<pid>\d{1,10})-.+")


def passing_prefix() -> str:
    """The beginning of a passing file's name, by which it can be told whose it was, and that it is nobody else's."""
    return f"banksman-passing-pid{os.getpid()}-"


def sweep(folders: Iterable[Path] = ()) -> tuple[Path, ...]:
    """Take away what ended processes of this user left in the system's temporary folder and in these; what was taken.

    Each names its process, and goes when that is no more; where another process has its number by now, it stays for
    longer. Links are not followed. Blocking.
    """
    taken: list[Path] = []
    for folder in dict.fromkeys((Path(tempfile.gettempdir()), *folders)):
        with contextlib.suppress(OSError):
            found = [(Path(entry.path), _OWN.fullmatch(entry.name)) for entry in os.scandir(folder)]
            taken += [path for path, match in found if match and _is_left(path, match["pid"]) and _take(path)]
    return tuple(taken)


def _is_left(path: Path, pid: str) -> bool:
    try:
        facts = path.lstat()
    except OSError:
        return False
    if os.name == "posix" and facts.st_uid != os.getuid():
        return False
    return int(pid) != os.getpid() and not _lives(int(pid))


def _lives(pid: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _take(path: Path) -> bool:
    try:
        if stat.S_ISDIR(path.lstat().st_mode):
            shutil.rmtree(path)
        else:
            path.unlink()
    except OSError:
        return False
    return True
