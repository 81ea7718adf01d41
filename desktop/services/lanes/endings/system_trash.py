"""The system's trash: files are moved there so that a person can bring them back with the desktop's own means."""

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Mapping
from datetime import datetime
from itertools import count
from pathlib import Path
from urllib.parse import quote

from desktop.domain.core.errors import LaneError

_MOST_TRIES = 1000


class NoTrash(LaneError):
    """The system has no trash that can take the file, which stays where it is."""


def move_to_trash(path: Path, env: Mapping[str, str]) -> None:
    """The file or folder is in the trash of this person, and no longer at its place. Blocking.

    On Linux and the like by the FreeDesktop rules (https://specifications.freedesktop.org/trash-spec/): the home trash
    for what lies on its file system, else the one at the top of the other file system. On macOS the home trash alone.

    Raises:
        NoTrash: there is none that could take it; nothing was changed.
    """
    try:
        if sys.platform == "win32":
            raise NoTrash("The trash of this system cannot be used.")
        if sys.platform == "darwin":
            _move(path, _home(env) / ".Trash", None, "")
            return
        home_trash = Path(env.get("XDG_DATA_HOME") or _home(env) / ".local" / "share") / "Trash"
        if _device(home_trash) == path.lstat().st_dev:
            _move(path, home_trash / "files", home_trash / "info", str(path))
            return
        top = _top(path)
        trash = _trash_at(top)
        _move(path, trash / "files", trash / "info", str(path.relative_to(top)))
    except OSError as error:
        raise NoTrash(f"The trash could not take it: {error.strerror or error}.") from error


def _home(env: Mapping[str, str]) -> Path:
    return Path(env.get("HOME") or Path.home())


def _device(folder: Path) -> int:
    """The file system that a folder is on, or would be."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.stat().st_dev


def _top(path: Path) -> Path:
    """The top folder of the file system that holds the path."""
    here = path.parent
    while not here.is_mount() and here != here.parent:
        here = here.parent
    return here


def _trash_at(top: Path) -> Path:
    """The trash of this person at the top of a file system: the shared one if it is sound, else one of their own."""
    own = str(os.getuid())
    shared = top / ".Trash"
    with contextlib.suppress(OSError):
        found = shared.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX:
            (shared / own).mkdir(mode=0o700, exist_ok=True)
            return _sound(shared / own)
    private = top / f".Trash-{own}"
    private.mkdir(mode=0o700, exist_ok=True)
    return _sound(private)


def _sound(folder: Path) -> Path:
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise NoTrash(f"The trash {folder} belongs to somebody else.")
    return folder


def _move(path: Path, files: Path, information: Path | None, told: str) -> None:
    """Move it under a free name. The name is taken by its file of information first, as the rules want. Raises
    OSError."""
    for folder in (files, *([information] if information is not None else [])):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for number in count(1):
        name = path.name if number == 1 else f"{path.stem}.{number}{path.suffix}"
        note = information / f"{name}.trashinfo" if information is not None else None
        try:
            if note is not None:
                _take(note, told)
            if os.path.lexists(files / name):
                raise FileExistsError(errno.EEXIST, "There is something of this name", name)
            path.rename(files / name)
        except FileExistsError:
            if number >= _MOST_TRIES:
                raise
        except OSError:
            if note is not None:
                note.unlink(missing_ok=True)
            raise
        else:
            return


def _take(note: Path, told: str) -> None:
    now = datetime.now().astimezone().strftime("%Y-%m-%dT%H:%M:%S")
    text = f"[Trash Info]\nPath={quote(os.fsencode(told))}\nDeletionDate={now}\n"
    with os.fdopen(os.open(note, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
