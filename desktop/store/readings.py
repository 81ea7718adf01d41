"""SqliteReadings: what is read of a store beside its one connection, from any thread."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from desktop.domain.core.errors import StoreError
from desktop.domain.events import Envelope
from desktop.domain.gate.rules import PastCall
from desktop.domain.handover.values import ChatLog
from desktop.domain.memory.values import Entry, Scope
from desktop.records import dataclass
from desktop.store.audit.export import export_session
from desktop.store.core.events import OpenedChat, Orphans
from desktop.store.core.imports import ImportRefused, ImportReport, Where
from desktop.store.core.library import Attachment, ExportOptions, Page, Redact
from desktop.store.core.memory import FoundEntries, MemoryQuery, Owner
from desktop.store.core.readings import Readings, RuleUse
from desktop.store.core.verify_audit import Finding, Report, verify, verify_session
from desktop.store.history.answers import answers
from desktop.store.history.call_history import past_commands, rule_uses
from desktop.store.history.chat_logs import chat_logs, family_logs
from desktop.store.history.evidence_rows import SqliteEvidenceRows
from desktop.store.history.imports import prepare_import, staged_blobs
from desktop.store.history.paths import read_newest, read_path
from desktop.store.history.removal import find_orphans
from desktop.store.history.state_keeper import opened_chat
from desktop.store.library.attachments import recorded_attachments
from desktop.store.library.exports import export_chats
from desktop.store.library.search import search
from desktop.store.memory.alike import alike
from desktop.store.memory.search import all_entries, search_memory
from desktop.store.proofs.proofs import SqliteProofs
from desktop.store.proofs.removal import named_by_events
from desktop.store.sqlite.connection import DATABASE_NAME, Database, connect_reading


@dataclass(frozen=True)
class OpenedRows:
    """The rows of themes over one connection that only reads."""

    evidence: SqliteEvidenceRows
    proofs: SqliteProofs


class SqliteReadings:
    """Reads for a worker thread. Each call blocks and opens a connection of its own, which cannot change the store.
    `file`: the store's database."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def search(self, text: str, page: int = 0) -> Page:
        """As `store.library.search.search`."""
        return search(self._file, text, page)

    def memory(self, query: MemoryQuery) -> FoundEntries:
        """As `store.memory.search.search_memory`. Raises StoreError: it cannot be read."""
        with _reading():
            return search_memory(self._file, query)

    def alike(self, scope: Scope, owner: str, content: str) -> tuple[Entry, ...]:
        """As `store.memory.alike.alike`. Raises StoreError: it cannot be read."""
        with _reading():
            return alike(self._file, scope, owner, content)

    def memory_entries(self, owners: Sequence[Owner]) -> tuple[Entry, ...]:
        """As `store.memory.search.all_entries`. Raises StoreError: they cannot be read."""
        with _reading():
            return all_entries(self._file, owners)

    def orphans(self, session_id: str) -> Orphans:
        """As `store.history.removal.find_orphans`."""
        return find_orphans(self._file, session_id)

    def export(self, session_ids: Sequence[str] | None, out: Path, options: ExportOptions) -> int:
        """As `store.library.exports.export_chats`."""
        return export_chats(self._file, session_ids, out, options)

    def prepare_import(self, source: Path, staging: Path, where: Where, now: datetime) -> ImportReport:
        """As `store.history.imports.prepare_import`. Raises ImportRefused also when the database says no."""
        with _refusing_imports():
            return prepare_import(source, self._file, staging, where, now)

    def staged_blobs(self, staging: Path) -> Iterator[tuple[str, bytes]]:
        """As `store.history.imports.staged_blobs`. Raises ImportRefused: it cannot be read."""
        with _refusing_imports():
            yield from staged_blobs(staging)

    def chat(self, session_id: str) -> OpenedChat:
        """A session as it would be opened; its path is empty where there is none."""
        with self._database() as database:
            return opened_chat(database, session_id, read_path(database, session_id))

    def newest(self, session_id: str, most: int) -> list[Envelope]:
        """As `store.history.paths.read_newest`."""
        with self._database() as database:
            return read_newest(database, session_id, most)

    def logs(self, project_id: str | None, since: datetime | None) -> list[ChatLog]:
        """As `store.history.chat_logs.chat_logs`."""
        with self._database() as database:
            return chat_logs(database, project_id, since)

    def family_logs(self, session_id: str) -> list[ChatLog]:
        """As `store.history.chat_logs.family_logs`."""
        with self._database() as database:
            return [*family_logs(database, session_id)]

    def attachments(self) -> list[Attachment]:
        """As `store.library.attachments.recorded_attachments`."""
        return recorded_attachments(self._file)

    def past_commands(self, project_id: str | None, now: datetime) -> tuple[PastCall, ...]:
        """As `store.history.call_history.past_commands`."""
        return past_commands(self._file, project_id, now)

    def answers(self, since: datetime) -> list[Envelope]:
        """As `store.history.answers.answers`."""
        with self._database() as database:
            return answers(database, since)

    def rule_uses(self, project_id: str | None) -> dict[str, RuleUse]:
        """As `store.history.call_history.rule_uses`."""
        return rule_uses(self._file, project_id)

    def verified(self, anchors: Path | None, session_id: str | None) -> Report:
        """As `store.core.verify_audit.verify`. Raises StoreError: the database cannot be read."""
        with _reading():
            return verify(self._file, anchors, session_id)

    def newest_findings(self, session_id: str, most: int) -> list[Finding]:
        """The faults in the newest entries of a chat, of which `most` are looked at.

        Raises:
            StoreError, OSError: they cannot be read.
        """
        with _reading(), closing(connect_reading(self._file)) as connection:
            return verify_session(connection, self._file.parent, session_id, most)

    def export_record(self, session_id: str, out: Path, redact: Redact) -> int:
        """As `store.audit.export.export_session`."""
        return export_session(self._file, session_id, out, redact)

    def named_by_events(self, digests: frozenset[str]) -> frozenset[str]:
        """As `store.proofs.removal.named_by_events`."""
        return named_by_events(self._file, digests)

    @contextmanager
    def opened(self) -> Iterator[OpenedRows]:
        """The rows of themes, until the block is left.

        Raises:
            StoreError: it cannot be read, also while it is open.
        """
        with self._database() as database:
            yield OpenedRows(SqliteEvidenceRows(database), SqliteProofs(database))

    @contextmanager
    def _database(self) -> Iterator[Database]:
        try:
            with closing(connect_reading(self._file)) as connection:
                yield Database(connection, self._file.parent)
        except sqlite3.Error as error:
            raise StoreError(f"The chats in {self._file.parent} cannot be read: {error}.") from error


def readings_at(store: Path) -> Readings:
    """Of a store that this process has not opened: its folder, or its database."""
    return SqliteReadings(store / DATABASE_NAME if store.is_dir() else store)


@contextmanager
def _reading() -> Iterator[None]:
    """What the database says instead of an answer, as an error of the store."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(str(error)) from error


@contextmanager
def _refusing_imports() -> Iterator[None]:
    """What the database says instead of taking in a file, as the reason why that is refused."""
    try:
        yield
    except sqlite3.Error as error:
        raise ImportRefused(str(error)) from error
