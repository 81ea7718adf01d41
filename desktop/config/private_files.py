"""Files and folders for their owner alone, and writes that are on the disk when they return."""

import os
import sys
from pathlib import Path

if sys.platform == "win32":  # pragma: no cover  # the folder of a user is private there, and folders are not synced

    def make_private_folder(folder: Path) -> None:
        """Make the folder, with those above it, if it is not there."""
        folder.mkdir(parents=True, exist_ok=True)

    def make_private_file(file: Path) -> None:
        """Make the file, if it is not there."""
        file.touch()

    def _sync_folder(folder: Path) -> None:
        """Do nothing: such a system writes names through."""

else:

    def make_private_folder(folder: Path) -> None:
        """Make the folder, if it is not there, and let its owner alone use it.

        Raises:
            OSError: it cannot be made.
        """
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)

    def make_private_file(file: Path) -> None:
        """Make the file, if it is not there, and let its owner alone read and write it. A link in its place is refused.

        Raises:
            OSError: it cannot be made or opened.
        """
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            os.fchmod(descriptor, 0o600)
        finally:
            os.close(descriptor)

    def _sync_folder(folder: Path) -> None:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_durably(file: Path, data: bytes) -> None:
    """Write a file: afterwards it has exactly these bytes, on the disk, or is as it was; never a part of them. Its
    folder exists.

    Raises:
        OSError: the disk refused.
    """
    part = file.with_name(f".part-{os.getpid()}-{file.name}")
    try:
        make_private_file(part)
        with part.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        part.replace(file)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _sync_folder(file.parent)
    _sync_folder(file.parent.parent)
