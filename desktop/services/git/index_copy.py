"""A private copy of a worktree's index, in which Git may write without touching the lane's own."""

import contextlib
import os
import shutil
from pathlib import Path

from desktop.domain.core.errors import GitError
from desktop.services.files.pointers import NoRegularFile, open_regular


def copy_index(git_folder: Path, copy: Path) -> None:
    """Copy the index of the worktree whose git folder this is to `copy`; nothing where there is none. Blocking.

    The copy has the time of the index: by that Git tells which files may have changed in the moment in which it was
    written.

    Raises:
        GitError: something else stands in the place of the index.
        OSError: it cannot be read, or the copy cannot be written.
    """
    index = git_folder / "index"
    try:
        with contextlib.suppress(FileNotFoundError), open(index, "rb", opener=open_regular) as source:
            found = os.fstat(source.fileno())
            with copy.open("wb") as written:
                shutil.copyfileobj(source, written)
            os.utime(copy, ns=(found.st_atime_ns, found.st_mtime_ns))
    except NoRegularFile as error:
        raise GitError(f"Git's index cannot be read: {error}. Remove what stands there, then try again.") from error
