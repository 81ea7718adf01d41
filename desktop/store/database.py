"""Opening a store: its folder, its lock, its database brought up to date; or for reading only, when it must be."""

import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing
from datetime import datetime
from functools import cached_property
from pathlib import Path

from desktop.config.private_files import make_private_file, make_private_folder
from desktop.domain.core.clock import utc_now
from desktop.domain.core.errors import StoreError, StoreUnavailable
from desktop.records import dataclass
from desktop.store.changes.reviews import SqliteReviews
from desktop.store.core.lock import LOCK_NAME, StoreLock
from desktop.store.core.store import Store
from desktop.store.core.unwritable import reason_and_way, write_hindrance
from desktop.store.history.blobs import SqliteBlobs
from desktop.store.history.events import SqliteEvents
from desktop.store.history.evidence_rows import SqliteEvidenceRows
from desktop.store.history.instruction_rows import SqliteInstructionRows
from desktop.store.lanes.lanes import SqliteLanes
from desktop.store.lanes.port_leases import SqlitePortLeases
from desktop.store.library.search import SqliteSearchIndex
from desktop.store.memory.entries import SqliteMemory
from desktop.store.proofs.proofs import SqliteProofs
from desktop.store.proofs.removal import SqliteProofRemoval
from desktop.store.pulls.pulls import SqlitePulls
from desktop.store.readings import SqliteReadings
from desktop.store.rounds.rounds import SqliteResolutions
from desktop.store.sqlite.connection import DATABASE_NAME as DATABASE_NAME
from desktop.store.sqlite.connection import Database, connect_reading, connect_writing
from desktop.store.sqlite.migrations import migrate, refuse_unusable
from desktop.store.sqlite.reading_copy import (
    ReadingCopy,
    copy_for_reading,
    missing_sentences,
    refuse_entries,
    restore_lists,
)
from desktop.store.sqlite.soundness import BackgroundCheck, fault, forget_fault, is_due


@dataclass(frozen=True)
class SqliteStore:
    """The `Store` that one SQLite file keeps, with large blobs beside it.

    `problems`: why it can only be read, and what of it cannot, as sentences; empty: it can be written. `checked`: all
    of it was looked through when it was opened. `copy`: what is read instead of the store itself.
    """

    events: SqliteEvents
    database: Database
    lock: StoreLock | None
    problems: tuple[str, ...] = ()
    checked: bool = True
    copy: ReadingCopy | None = None

    @property
    def store_id(self) -> str:
        """The id that names this store for ever, wherever it is moved."""
        return str(self.database.rows("SELECT value FROM meta WHERE key = 'store_id'")[0][0])

    @property
    def folder(self) -> Path:
        """The folder of the store; of one that can only be read, the folder of what can be read."""
        return self.database.folder

    @cached_property
    def blobs(self) -> SqliteBlobs:
        """Bytes that events and records name."""
        return SqliteBlobs(self.database)

    @cached_property
    def lanes(self) -> SqliteLanes:
        """The lanes that were created."""
        return SqliteLanes(self.database)

    @cached_property
    def ports(self) -> SqlitePortLeases:
        """The blocks of ports that lanes have."""
        return SqlitePortLeases(self.database)

    @cached_property
    def reviews(self) -> SqliteReviews:
        """The comments and looks of people on changes."""
        return SqliteReviews(self.database)

    @cached_property
    def pulls(self) -> SqlitePulls:
        """The requests of lanes."""
        return SqlitePulls(self.database)

    @cached_property
    def resolutions(self) -> SqliteResolutions:
        """The inventories of pull requests, and the rounds of work on them."""
        return SqliteResolutions(self.database)

    @cached_property
    def proofs(self) -> SqliteProofs:
        """Records of proofs."""
        return SqliteProofs(self.database)

    @cached_property
    def proof_removal(self) -> SqliteProofRemoval:
        """The removal of proofs and of what they alone hold."""
        return SqliteProofRemoval(self.database, self.proofs, self.blobs, self.readings.named_by_events)

    @cached_property
    def evidence(self) -> SqliteEvidenceRows:
        """The reports of agents, and the results of their commands."""
        return SqliteEvidenceRows(self.database)

    @cached_property
    def instructions(self) -> SqliteInstructionRows:
        """The chats whose agents left instruction files."""
        return SqliteInstructionRows(self.database)

    @cached_property
    def memory(self) -> SqliteMemory:
        """The entries of the memory."""
        return SqliteMemory(self.database)

    @cached_property
    def search(self) -> SqliteSearchIndex:
        """The index of full text."""
        return SqliteSearchIndex(self.database)

    @cached_property
    def readings(self) -> SqliteReadings:
        """Reads for other threads, over connections of their own."""
        return SqliteReadings(self.folder / DATABASE_NAME)

    def later_check(self) -> BackgroundCheck | None:
        """The check of the whole store that is still to be made; None: it was made when the store was opened."""
        return None if self.checked else BackgroundCheck(self.folder / DATABASE_NAME)

    def close(self) -> None:
        """Close the file, then let another process become the writer. Again is nothing."""
        self.database.close()
        self.events.close()
        if self.copy is not None:
            self.copy.remove()
        if self.lock is not None:
            self.lock.release()


def open_store(folder: Path, *, clock: Callable[[], datetime] = utc_now) -> Store:
    """Open the store in `folder` for reading and writing; folder and files are made, for their owner alone.

    A store that is damaged or cannot be written is opened for reading only, with what can be read of it: `problems`
    says so. Its file is not changed then.

    Raises:
        StoreUnavailable: another process is its writer, a newer version wrote it, nothing of it can be read, or the
            folder cannot be used. The text says which. Nothing was changed.
    """
    now = clock()
    with ExitStack() as undo:
        try:
            make_private_folder(folder)
            lock = StoreLock.take(folder / LOCK_NAME, now)
        except OSError as error:
            if (folder / DATABASE_NAME).is_file():
                return _reading(folder, _unwritable(folder, error), None, clock)
            reason, way = reason_and_way(folder, error)
            raise StoreUnavailable(f"The chats cannot be kept in {folder}: {reason}. {way}") from error
        undo.callback(lock.release)
        try:
            store = _writing(folder, lock, clock)
        except StoreUnavailable:
            raise
        except (sqlite3.Error, StoreError) as error:
            hindrance = write_hindrance(folder)  # the database says "disk I/O error" of a full disk too
            why = _damaged(folder, error) if hindrance is None else _unwritable(folder, hindrance)
            store = _reading(folder, why, lock, clock)
        except OSError as error:
            raise StoreUnavailable(_damaged(folder, error)) from error
        undo.pop_all()
    return store


def _writing(folder: Path, lock: StoreLock, clock: Callable[[], datetime]) -> SqliteStore:
    with ExitStack() as undo:
        connection, checked = _connect(folder)
        undo.callback(connection.close)
        migrate(connection, folder, clock())
        database = Database(connection, folder)
        events = SqliteEvents(database, clock)
        undo.pop_all()
    return SqliteStore(events, database, lock, checked=checked)


def _connect(folder: Path) -> tuple[sqlite3.Connection, bool]:
    """A writing connection, made only after a reading one has seen that this version can use the file and, if that
    takes no time, that all of it can be read; and whether it has seen that."""
    file = folder / DATABASE_NAME
    make_private_file(file)
    checked = is_due(file)
    with closing(connect_reading(file)) as reading:
        refuse_unusable(reading, folder)
        found = fault(reading) if checked and file.stat().st_size else ""
    if found:
        raise StoreError(found)
    if checked:
        forget_fault(folder)
    return connect_writing(file), checked


def _reading(folder: Path, why: str, lock: StoreLock | None, clock: Callable[[], datetime]) -> SqliteStore:
    """The store for reading only, over a copy of what can be read."""
    try:
        copy = copy_for_reading(folder, DATABASE_NAME, why, clock())
    except (OSError, sqlite3.Error) as error:
        raise StoreUnavailable(f"{why} A copy to read from could not be made: {error}.") from error
    with ExitStack() as undo:
        undo.callback(copy.remove)
        connection = connect_writing(copy.folder / DATABASE_NAME)
        undo.callback(connection.close)
        database = Database(connection, copy.folder)
        events = SqliteEvents(database, clock)
        restore_lists(connection, copy.found.lists.items())
        refuse_entries(connection)
        titles = {row.session_id: row.title or "Untitled chat" for row in events.rows()}
        problems = (*copy.problems, *missing_sentences(copy.found, lambda session_id: titles.get(session_id, "")))
        undo.pop_all()
    return SqliteStore(events, database, lock, problems=problems, copy=copy)


def _unwritable(folder: Path, error: OSError) -> str:
    reason, way = reason_and_way(folder, error)
    return " ".join((f"The chats in {folder} cannot be written: {reason}.", way))


def _damaged(folder: Path, error: Exception) -> str:
    return (
        f"The chats in {folder} are damaged: {error}. Nothing was changed. Put back a copy of {DATABASE_NAME} (for "
        "example one from backups/), or move it away to begin anew."
    )
