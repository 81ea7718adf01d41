"""Whether what a store holds for good can be read: asked before anything is written, of large stores later."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from desktop.store.sqlite.connection import connect_reading

TRUTH = ("event", "blob", "meta", "deletion", "lane")
"""The tables that nothing can be rebuilt from but themselves."""

CHECKED_AT_OPENING = 16 * 1024 * 1024
"""Bytes. A larger file is checked in the background, unless an earlier check found something."""

_MARKER = "check-at-start"
_UNREADABLE = "SELECT 1 FROM event WHERE typeof(body) <> 'text' OR NOT json_valid(body) LIMIT 1"


def fault(connection: sqlite3.Connection) -> str:
    """The damage of a store, in the words of the database; "" when all of the truth can be read.

    Raises:
        sqlite3.Error: it is so damaged that not even this can be asked, or the check was interrupted.
    """
    for table in TRUTH:
        found = connection.execute(f"PRAGMA quick_check('{table}')").fetchmany(2)
        said = [str(row[0]) for row in found if row[0] != "ok"]
        if said:
            return said[0].strip().splitlines()[-1]
    return "an entry is not readable" if connection.execute(_UNREADABLE).fetchone() else ""


def is_due(file: Path) -> bool:
    """Whether the file is checked before it is opened."""
    return file.stat().st_size <= CHECKED_AT_OPENING or (file.parent / _MARKER).exists()


def remember_fault(folder: Path) -> None:
    """The next opening checks the file whatever its size. Best effort."""
    with suppress(OSError):
        os.close(os.open(folder / _MARKER, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))


def forget_fault(folder: Path) -> None:
    """The file was checked, and is whole."""
    with suppress(OSError):
        (folder / _MARKER).unlink()


class BackgroundCheck:
    """The check of one large store on a thread of the pool; `stop`, on any thread, ends it at once."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._interrupt: Callable[[], None] = _nothing
        self._stopped = False

    def run(self) -> str:
        """The damage that `fault` finds, "" also when the check was stopped. A fault is remembered for the next
        opening."""
        try:
            with closing(connect_reading(self._file, any_thread=True)) as connection:
                self._interrupt = connection.interrupt
                found = "" if self._stopped else fault(connection)
        except sqlite3.Error as error:
            found = "" if self._stopped else str(error)
        if found:
            remember_fault(self._file.parent)
        return found

    def stop(self) -> None:
        """Stop the check before its end."""
        self._stopped = True
        with suppress(sqlite3.ProgrammingError):  # it has ended meanwhile
            self._interrupt()


def _nothing() -> None:
    """There is nothing to interrupt."""
