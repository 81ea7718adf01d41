"""The small files by which git leads from one folder to another, read without waiting for a pipe in their place."""

import os
import stat
from pathlib import Path

from desktop.services.files.plain_paths import above, joined, leads_to_folder, real_path

MAX_POINTER_BYTES = 4096
_TWO_ABOVE = "../.."
"""What git itself writes into `commondir` of a worktree."""
_NO_BLOCK = getattr(os, "O_NONBLOCK", 0)
_PLAINLY = os.O_RDONLY | getattr(os, "O_BINARY", 0)


class NoRegularFile(ValueError):
    """A pipe, a folder or a device stands where a file was expected. No OSError, which may pass for a missing file."""


def open_regular(path: str, flags: int) -> int:
    """A descriptor of a regular file; the `opener` for `open`. A pipe that was put there after a look at the path is
    not waited for.

    Raises:
        NoRegularFile: it is something else.
        OSError: it cannot be opened.
    """
    handle = os.open(path, flags | _NO_BLOCK)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise NoRegularFile(f"'{path}' is no regular file")
    return handle


def read_pointer(path: Path | str, limit: int = MAX_POINTER_BYTES) -> str:
    """The text of a regular file, at most `limit` bytes of it, without blanks at its ends; "" where there is none.

    Raises:
        OSError: it cannot be read.
    """
    try:
        handle = open_regular(str(path), _PLAINLY)
        try:
            return os.fsdecode(os.read(handle, limit)).strip()
        finally:
            os.close(handle)
    except (FileNotFoundError, ValueError):  # or a name that no file can have, or no regular file
        return ""
    except OSError:
        if Path(path).is_file():
            raise
        return ""


def pointed(file: Path, *, prefix: str = "") -> Path | None:
    """The real path that a pointer file names, whether or not something stands there; None when it names none. Such
    files are `.git` of a worktree with the prefix `gitdir:`, and `commondir` and `gitdir` in its git folder."""
    found = _pointed(str(file), str(file.parent), prefix)
    return Path(found) if found else None


def _pointed(file: str, folder: str, prefix: str = "") -> str:
    named = _named(file, prefix)
    return _real(folder, named) if named else ""


def _named(file: str, prefix: str = "") -> str:
    """What a pointer file names, as it is written; "" when it names nothing."""
    try:
        text = read_pointer(file).partition("\0")[0]
    except (OSError, ValueError):
        return ""
    return text.removeprefix(prefix).strip() if text.startswith(prefix) else ""


def _real(folder: str, named: str) -> str:
    try:
        return real_path(joined(folder, named))
    except (OSError, ValueError):
        return ""


def git_folders(folder: Path) -> tuple[Path, Path]:
    """The git folder of the worktree at `folder`, and the one that it shares with the repository's others; the same
    one where it has none of its own. Read from git's files without starting git.

    Raises:
        OSError, ValueError: there is no worktree here.
    """
    own, shared = git_places(str(folder))
    return Path(own), Path(shared)


def git_places(folder: str) -> tuple[str, str]:
    """As `git_folders`, as text, for what is asked several times around each command."""
    pointer = joined(folder, ".git")
    own = _pointed(pointer, folder, "gitdir:") or os.path.realpath(pointer, strict=True)
    if not leads_to_folder(own):
        raise ValueError(f"'{pointer}' leads nowhere")
    named = _named(joined(own, "commondir"))
    if named == _TWO_ABOVE:
        return own, above(above(own))  # no link is in a real path
    shared = _real(own, named) if named else ""
    if shared and not leads_to_folder(shared):
        raise ValueError(f"'{own}' leads to no repository")
    return own, shared or own
