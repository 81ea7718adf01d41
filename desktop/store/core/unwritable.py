"""Why a store cannot be written when it is opened, and what a person can do about it."""

import errno
from contextlib import suppress
from pathlib import Path

from desktop.config.private_files import write_durably
from desktop.store.core.lock import LOCK_NAME

_ROOM = "Free some space there, then start Banksman again."
_RIGHT = "Make that folder writable, or name another one with BANKSMAN_HOME, then start Banksman again."
_WAYS = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EFBIG: "Raise 'ulimit -f', then start Banksman again.",
    errno.EROFS: _RIGHT,
    errno.EACCES: _RIGHT,
    errno.EPERM: _RIGHT,
}
_AWAY = "Move it away, then start Banksman again."
_ENOUGH = 64 * 1024
"""Bytes. What the database needs beside it to be opened at all."""


def reason_and_way(folder: Path, error: OSError) -> tuple[str, str]:
    """The reason in the words of the system, for behind a colon, and a sentence on the way on."""
    lock = folder / LOCK_NAME
    if lock.is_symlink() or (lock.exists() and not lock.is_file()):
        return f"{LOCK_NAME} there is no plain file", _AWAY
    return str(error.strerror or error), _WAYS.get(error.errno or 0, "Choose a folder you can write to.")


def write_hindrance(folder: Path) -> OSError | None:
    """The hindrance to writing files in the folder, found by trying a small one; None: there is none."""
    tried = folder / "written-at-start"
    try:
        write_durably(tried, bytes(_ENOUGH))
    except OSError as error:
        return error
    finally:
        with suppress(OSError):
            tried.unlink(missing_ok=True)
    return None
