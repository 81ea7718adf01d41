"""Opening a store: its folder, its lock, its database brought up to date."""

import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from desktop.domain.errors import StoreError, StoreUnavailable
from desktop.store.blob_store import BlobStore
from desktop.store.connection import Database, connect_reading, connect_writing
from desktop.store.event_store import EventStore
from desktop.store.lane_store import LaneStore
from desktop.store.migrations import migrate, refuse_unusable
from desktop.store.private_files import make_private_file, make_private_folder
from desktop.store.store_lock import StoreLock

DATABASE_NAME = "banksman.db"
LOCK_NAME = "store.lock"


def utc_now() -> datetime:
    """The time, aware and in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Store:
    """An open store. This process is its one writer until `close`; all of it belongs to the thread that opened it."""

    events: EventStore
    blobs: BlobStore
    lanes: LaneStore
    database: Database
    lock: StoreLock

    @property
    def store_id(self) -> str:
        """What names this store for ever, wherever it is moved."""
        return str(self.database.rows("SELECT value FROM meta WHERE key = 'store_id'")[0][0])

    @property
    def folder(self) -> Path:
        """Where it stands."""
        return self.database.folder

    def close(self) -> None:
        """Close the file, then let another process become the writer. Again is nothing."""
        self.database.close()
        self.events.close()
        self.lock.release()


def open_store(folder: Path, *, clock: Callable[[], datetime] = utc_now) -> Store:
    """Open the store in `folder` for reading and writing; folder and files are made, for their owner alone.

    Raises:
        StoreUnavailable: another process is its writer, a newer version wrote it, it is damaged, or the folder cannot
            be used. The text says which. Nothing was changed.
    """
    now = clock()
    with ExitStack() as undo:
        try:
            make_private_folder(folder)
            lock = StoreLock.take(folder / LOCK_NAME, now)
        except OSError as error:
            raise StoreUnavailable(
                f"The chats cannot be kept in {folder}: {error.strerror or error}. Choose a folder you can write to."
            ) from error
        undo.callback(lock.release)
        try:
            connection = _connect(folder)
            undo.callback(connection.close)
            migrate(connection, folder, now)
            database = Database(connection, folder)
            store = Store(EventStore(database, clock), BlobStore(database), LaneStore(database), database, lock)
        except StoreUnavailable:
            raise
        except (sqlite3.Error, OSError, StoreError) as error:
            raise StoreUnavailable(_damaged(folder, error)) from error
        undo.pop_all()
    return store


def _connect(folder: Path) -> sqlite3.Connection:
    """A writing connection, made only after a reading one has seen that this version can use the file."""
    file = folder / DATABASE_NAME
    make_private_file(file)
    with closing(connect_reading(file)) as reading:
        refuse_unusable(reading, folder)
    return connect_writing(file)


def _damaged(folder: Path, error: Exception) -> str:
    return (
        f"The chats in {folder} cannot be opened: {error}. If {DATABASE_NAME} is damaged, put back a copy (for example "
        "one from backups/) or move it away to begin anew."
    )
