"""A disk that takes what is written to the log of a store and says that it is not there when it is asked to keep it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path


def lose_flushes(store: Path) -> None:
    """Every barrier of the store open in `store` fails from here on; its commits go on."""
    for descriptor in _of_log(store):
        if not _is_of_sqlite(descriptor):
            _lead_away(descriptor)


@contextmanager
def losing_commits(store: Path) -> Iterator[None]:
    """Nothing of the store open in `store` is kept meanwhile: commits that wait for the disk fail, and barriers."""
    with ExitStack() as undo:
        for descriptor in _of_log(store):
            before = os.dup(descriptor)
            undo.callback(os.close, before)
            undo.callback(os.dup2, before, descriptor, inheritable=False)
            _lead_away(descriptor)
        yield


def _of_log(store: Path) -> list[int]:
    log = store.resolve() / "banksman.db-wal"
    return [int(link.name) for link in Path("/proc/self/fd").iterdir() if _leads_to(link, log)]


def _leads_to(link: Path, file: Path) -> bool:
    try:
        return link.readlink() == file
    except FileNotFoundError:  # closed by another thread since the folder was listed
        return False


def _is_of_sqlite(descriptor: int) -> bool:
    return bool(fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_NOFOLLOW)


def _lead_away(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, descriptor, inheritable=False)
    os.close(nowhere)
