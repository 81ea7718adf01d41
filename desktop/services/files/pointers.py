"""The small files by which git leads from one folder to another, read without waiting for a pipe in their place."""

import os
import stat
from pathlib import Path

from desktop.services.files.plain_paths import leads_to_folder, real_path

MAX_POINTER_BYTES = 4096
_NO_BLOCK = getattr(os, "O_NONBLOCK", 0)


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


def read_pointer(path: Path, limit: int = MAX_POINTER_BYTES) -> str:
    """The text of a regular file, at most `limit` bytes of it, without blanks at its ends; "" where there is none.

    Raises:
        OSError: it cannot be read.
    """
    try:
        with open(path, "rb", buffering=0, opener=open_regular) as file:
            return os.fsdecode(file.read(limit)).strip()
    except (FileNotFoundError, ValueError):  # or a name that no file can have, or no regular file
        return ""
    except OSError:
        if path.is_file():
            raise
        return ""


def pointed(file: Path, *, prefix: str = "") -> Path | None:
    """The real path that a pointer file names, whether or not something stands there; None when it names none. Such
    files are `.git` of a worktree with the prefix `gitdir:`, and `commondir` and `gitdir` in its git folder."""
    try:
        text = read_pointer(file).partition("\0")[0]
        named = text.removeprefix(prefix).strip()
        return Path(real_path(str(file.parent / named))) if text.startswith(prefix) and named else None
    except (OSError, ValueError):
        return None


def git_folders(folder: Path) -> tuple[Path, Path]:
    """The git folder of the worktree at `folder`, and the one that it shares with the repository's others; the same
    one where it has none of its own. Read from git's files without starting git.

    Raises:
        OSError, ValueError: there is no worktree here.
    """
    pointer = folder / ".git"
    own = pointed(pointer, prefix="gitdir:") or pointer.resolve(strict=True)
    if not leads_to_folder(str(own)):
        raise ValueError(f"'{pointer}' leads nowhere")
    shared = pointed(own / "commondir")
    if shared is not None and not leads_to_folder(str(shared)):
        raise ValueError(f"'{own}' leads to no repository")
    return own, shared or own
