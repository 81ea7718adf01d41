"""The write-ahead log of a database: commits go to it, and they are on the disk once it was flushed."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

if sys.platform == "darwin":  # pragma: no cover
    import fcntl

    def _flush(descriptor: int) -> None:
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
elif sys.platform == "win32":  # pragma: no cover
    _flush = os.fsync
else:
    _flush = os.fdatasync


class WriteAheadLog:
    """The file, by a descriptor of its own, opened with the database and kept: a disk that loses something tells each
    descriptor once, so nothing that SQLite was told and passed over is missed here."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._descriptor = os.open(file, os.O_RDWR)
        self._identity = identity(file)

    @property
    def stands(self) -> bool:
        """Whether the file is still the one that was opened: SQLite uses one file until the database is closed."""
        return self._identity == identity(self._file)

    def flushing(self) -> Callable[[], None]:
        """The work that puts the file on the disk, for any thread, once; `close` does not disturb it.

        Raises:
            OSError: from the work: the disk refused; from here: this process has no descriptor left.
        """
        descriptor = os.dup(self._descriptor)

        def flush() -> None:
            try:
                _flush(descriptor)
            finally:
                os.close(descriptor)

        return flush

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._descriptor)


def identity(file: Path) -> tuple[int, int] | None:
    """What names a file as long as it exists; None when there is none."""
    try:
        facts = file.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino
