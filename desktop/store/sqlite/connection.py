"""The one SQLite connection of a store: its pragmas, its transactions, its thread, its errors in words."""

import asyncio
import logging
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from desktop.domain.core.errors import StoreError, StoreUnavailable, StoreWriteFailed, WrongThread
from desktop.store.core.lock_holder import lock_holders
from desktop.store.core.store import READ_ONLY
from desktop.store.sqlite.write_ahead import WriteAheadLog, identity

logger = logging.getLogger(__name__)

Value: TypeAlias = str | int | float | bytes | None
Row: TypeAlias = tuple[Value, ...]

DATABASE_NAME = "banksman.db"

_PRAGMAS = (
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA recursive_triggers=ON",
    "PRAGMA secure_delete=ON",
    "PRAGMA trusted_schema=OFF",
)
_FLUSH_TO_THE_DISK_ON_A_MAC = ("PRAGMA fullfsync=ON", "PRAGMA checkpoint_fullfsync=ON")


def pragmas(platform: str = sys.platform) -> tuple[str, ...]:
    """The pragmas that are set on every writing connection, after the journal mode. A commit is on the disk when it
    returns, unless `Database.transaction` is told otherwise.

    The page cache stays at SQLite's 2 MB: the system keeps the file's pages too, and a larger one, which a long chat
    fills, made appends to 100,000 events no quicker.
    """
    return _PRAGMAS + (_FLUSH_TO_THE_DISK_ON_A_MAC if platform == "darwin" else ())


def connect_writing(file: Path) -> sqlite3.Connection:
    """A connection in WAL mode with all pragmas set. The file exists (it may be empty).

    Raises:
        sqlite3.Error: not a database, damaged, or the disk refused.
        StoreUnavailable: the folder cannot keep a write-ahead log (some network folders cannot).
    """
    connection = sqlite3.connect(file, timeout=5.0, isolation_level=None)
    try:
        (mode,) = connection.execute("PRAGMA journal_mode=WAL").fetchone()
        if mode != "wal":
            raise StoreUnavailable(
                f"The chats in {file.parent} cannot be opened: the folder cannot keep a write-ahead log "
                f"(journal mode {mode}). Choose a folder on a local disk."
            )
        for pragma in pragmas():
            connection.execute(pragma)
    except BaseException:
        connection.close()
        raise
    return connection


def connect_reading(file: Path, *, any_thread: bool = False) -> sqlite3.Connection:
    """A connection that cannot change the file. The lock of the store is not needed. `any_thread`: another thread may
    interrupt it.

    Raises:
        sqlite3.Error: the file is missing or cannot be opened.
    """
    address = f"{file.absolute().as_uri()}?mode=ro"
    return sqlite3.connect(address, uri=True, timeout=5.0, isolation_level=None, check_same_thread=not any_thread)


def fetch(connection: sqlite3.Connection, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
    """All rows of a query. Text that is not UTF-8 (somebody changed the file) comes with surrogate escapes instead of
    failing."""
    try:
        return connection.execute(sql, parameters).fetchall()
    except sqlite3.OperationalError as error:
        if "decode" not in str(error):
            raise
    strict = connection.text_factory
    connection.text_factory = _decode
    try:
        return connection.execute(sql, parameters).fetchall()
    finally:
        connection.text_factory = strict


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


class Database:
    """The open database of a store. Every call checks that it comes from the thread that opened it.

    A commit is on the disk when it returns, or, where the caller says so, with the next one that is, or with the next
    `barrier`: what is lost by a cut of power is then an end of what was committed, never something in between.
    """

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self.connection = connection
        self.folder = folder
        self._file = folder / DATABASE_NAME
        self._identity = identity(self._file)
        self._synced = True
        self._committed = self._on_disk = 0
        self._flushing: asyncio.Task[None] | None = None
        self._lost = ""
        self._thread = threading.get_ident()
        self._open = True

    @cached_property
    def _log(self) -> WriteAheadLog:
        """What commits go to; where nothing is written, there is none."""
        return WriteAheadLog(self.folder / f"{DATABASE_NAME}-wal")

    def check(self) -> None:
        """Make sure that this thread may use the store.

        Raises:
            WrongThread: another thread opened it.
            StoreError: it is closed.
        """
        if threading.get_ident() != self._thread:
            raise WrongThread("The store was called from another thread than the one that opened it.")
        if not self._open:
            raise StoreError(f"The store in {self.folder} is closed.")

    def rows(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """All rows of a query.

        Raises:
            StoreError: the file is damaged or cannot be read.
        """
        self.check()
        try:
            return fetch(self.connection, sql, parameters)
        except sqlite3.Error as error:
            raise StoreError(f"The chats in {self.folder} cannot be read: {error}.") from error

    @contextmanager
    def transaction(self, *, synced: bool = True) -> Iterator[sqlite3.Connection]:
        """A transaction: one commit, on the disk when the block is left; nothing of it when the block raises.

        Not `synced`: it is on the disk with the next one that is, or with the next `barrier` or `flush`. The end of
        this process loses nothing of it. Within another one it is part of that.

        Raises:
            StoreWriteFailed: it did not reach the disk, or its file is no longer the one that was opened: what is
                written to a file without a name is gone with this process.
        """
        self._refuse_lost()
        connection = self.connection
        within = connection.in_transaction
        if within:
            yield connection
            return
        try:
            if synced is not self._synced:
                connection.execute(f"PRAGMA synchronous={'FULL' if synced else 'NORMAL'}")
                self._synced = synced
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        except BaseException as error:
            if connection.in_transaction:
                connection.rollback()
            if isinstance(error, sqlite3.Error):
                if vars(error).get("sqlite_errorname") == "SQLITE_IOERR_FSYNC":
                    raise self._lose(error) from error
                raise StoreWriteFailed(write_failure(self.folder, error)) from error
            raise
        self._committed += 1
        if synced:
            self._on_disk = self._committed

    async def barrier(self) -> None:
        """Return once everything that was committed before is on the disk. The flush runs in a pool thread, which it is
        given at once; those who wait at the same time share it.

        Raises:
            StoreWriteFailed: it is not known to be there. Nothing can be written until the store is opened again.
        """
        self._refuse_lost()
        upto = self._committed
        while self._on_disk < upto:
            if self._flushing is None:
                work = asyncio.get_running_loop().run_in_executor(None, self._flush_of_log())
                self._flushing = asyncio.create_task(self._flushed(work, self._committed), name="flush")
            await asyncio.shield(self._flushing)
            self._refuse_lost()

    async def _flushed(self, work: asyncio.Future[None], upto: int) -> None:
        try:
            await work
            self._on_disk = max(self._on_disk, upto)
        except OSError as error:
            self._lose(error)
        finally:
            self._flushing = None

    def flush(self) -> None:
        """As `barrier`, and the calling thread waits."""
        self._refuse_lost()
        if self._on_disk == self._committed:
            return
        flush = self._flush_of_log()
        try:
            flush()
        except OSError as error:
            raise self._lose(error) from error
        self._on_disk = self._committed

    def _flush_of_log(self) -> Callable[[], None]:
        try:
            return self._log.flushing()
        except OSError as error:
            raise StoreWriteFailed(write_failure(self.folder, error)) from error

    def _refuse_lost(self) -> None:
        self.check()
        if self._lost:
            raise StoreWriteFailed(self._lost)
        if not self._log.stands or self._identity != identity(self._file):
            raise StoreWriteFailed(VANISHED.format(self.folder))

    def _lose(self, error: Exception) -> StoreWriteFailed:
        """The disk lost something that was committed. A second try would not write it again, so there is none."""
        reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        self._lost = LOST.format(self.folder, reason)
        return StoreWriteFailed(self._lost)

    def close(self) -> None:
        """Close it; again is nothing. What was committed stays."""
        if not self._open:
            return
        self.check()
        try:
            self.flush()
        except StoreWriteFailed as error:
            logger.error("what was recorded last may be missing: %s", error)
        self._log.close()
        self._open = False
        self.connection.close()


VANISHED = (
    "Nothing was recorded: the chats in {} were removed, moved or replaced while Banksman runs. Put them back and "
    "start Banksman again."
)


LOST = (
    "What was recorded last may not be on the disk: writing in {} failed ({}). Nothing more is done. Check the "
    "disk, then start Banksman again."
)


def write_failure(folder: Path, error: Exception) -> str:
    """The sentence for a write that did not reach the disk."""
    if "is read-only" in str(error):
        return READ_ONLY
    if "disk is full" in str(error):
        return f"Nothing was recorded: the disk that holds {folder} is full. Free some space, then try again."
    if "is locked" in str(error):
        held = " and ".join(lock_holders(folder / DATABASE_NAME)) or "another program"
        return f"Nothing was recorded: the database in {folder} is locked by {held}. Close that, then try again."
    reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
    return f"Nothing was recorded: writing in {folder} failed ({reason}). Check the disk, then try again."
