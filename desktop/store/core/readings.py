"""Readings: what is read of a store beside its one connection, from any thread."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol

from desktop.domain.core.base import Frozen
from desktop.domain.events import Envelope
from desktop.domain.gate.rules import PastCall
from desktop.domain.handover.values import ChatLog
from desktop.domain.memory.values import Entry, Scope
from desktop.store.core.events import OpenedChat, Orphans
from desktop.store.core.evidence import EvidenceRows
from desktop.store.core.imports import ImportReport, Where
from desktop.store.core.library import Attachment, ExportOptions, Page, Redact
from desktop.store.core.memory import FoundEntries, MemoryQuery, Owner
from desktop.store.core.proofs import ProofStore
from desktop.store.core.verify_audit import Finding, Report


class RuleUse(Frozen):
    """The use of a rule: how many calls it spoke about, and when last."""

    hits: int
    last_used: datetime


class ThemeRows(Protocol):
    """The rows of themes over a connection that only reads, for the thread that opened it."""

    @property
    def evidence(self) -> EvidenceRows:
        """Reports and evidence of chats."""

    @property
    def proofs(self) -> ProofStore:
        """Records of proofs; nothing can be kept here."""


class Readings(Protocol):
    """Reads for a worker thread. Each call blocks and uses a connection of its own, which cannot change the store.

    Raises:
        StoreError: the store cannot be read. `search` says that on its page.
    """

    def search(self, text: str, page: int = 0) -> Page:
        """One page of the entries that match, best first, then newer. Nothing that is typed raises."""

    def memory(self, query: MemoryQuery) -> FoundEntries:
        """The entries of the memory that match. Nothing that is asked for raises, but a store that cannot be read."""

    def alike(self, scope: Scope, owner: str, content: str) -> tuple[Entry, ...]:
        """The entries of one owner that say the same or nearly so, the equal ones first; not those that are archived
        or wait for a person."""

    def memory_entries(self, owners: Sequence[Owner]) -> tuple[Entry, ...]:
        """All entries of these owners, the newest first.

        Raises:
            StoreError: they cannot be read.
        """

    def orphans(self, session_id: str) -> Orphans:
        """The blobs that no other chat names."""

    def export(self, session_ids: Sequence[str] | None, out: Path, options: ExportOptions) -> int:
        """Write a copy of these chats (None: of all) to a new file; its size in bytes.

        Raises:
            StoreError: no such chat, the file exists, its folder is missing, or it cannot be written. Nothing is left.
            ExportCancelled: `options.cancelled` was set. Nothing is left.
        """

    def prepare_import(self, source: Path, staging: Path, where: Where, now: datetime) -> ImportReport:
        """Write what the file's chats become here to a new file at `staging`, for `EventStore.adopt`.

        Raises:
            ImportRefused: the file is not usable, or nothing could be prepared; says why.
        """

    def staged_blobs(self, staging: Path) -> Iterable[tuple[str, bytes]]:
        """Media type and bytes of each blob that the file carried from which `staging` was prepared.

        Raises:
            ImportRefused: what was prepared cannot be read.
        """

    def chat(self, session_id: str) -> OpenedChat:
        """A session with all of its path, which is empty where there is none.

        Raises:
            StoreError: it cannot be read.
            CorruptLog: the parents form a cycle.
        """

    def newest(self, session_id: str, most: int) -> list[Envelope]:
        """The newest of a session's own events, at most so many, oldest first.

        Raises:
            StoreError: they cannot be read.
        """

    def logs(self, project_id: str | None, since: datetime | None) -> list[ChatLog]:
        """The chats of a project (None: of all), and the project's own log, in which something was recorded after
        `since` (None: all), oldest first. Each says what of it is damaged.

        Raises:
            StoreError: it cannot be read which chats there are.
        """

    def family_logs(self, session_id: str) -> list[ChatLog]:
        """One chat, then its sub-agents and those below them; none where there is no such chat. Each says what of it
        is damaged.

        Raises:
            StoreError: the store cannot be opened.
        """

    def attachments(self) -> list[Attachment]:
        """The attachments that the events of all chats name."""

    def past_commands(self, project_id: str | None, now: datetime) -> tuple[PastCall, ...]:
        """The bash calls of a project (None: of all) of the last 90 days, newest first, each with what came of it."""

    def answers(self, since: datetime) -> list[Envelope]:
        """The requests of each chat in which one was closed since then, in order, and behind them what closed some."""

    def rule_uses(self, project_id: str | None) -> dict[str, RuleUse]:
        """By rule, how often it spoke in a project (None: in all)."""

    def verified(self, anchors: Path | None, session_id: str | None) -> Report:
        """The record of a chat (None: of all) held against its hashes and the anchors.

        Raises:
            OSError, Unreadable: the store or the anchors cannot be read.
        """

    def newest_findings(self, session_id: str, most: int) -> list[Finding]:
        """The faults in the newest entries of a chat, of which `most` are looked at."""

    def export_record(self, session_id: str, out: Path, redact: Redact) -> int:
        """Write the record of a chat to a new file; the number of entries. `redact` takes secrets out of a text.

        Raises:
            StoreError: the file exists, its folder is missing, or it cannot be written.
        """

    def opened(self) -> AbstractContextManager[ThemeRows]:
        """The rows of themes, until the block is left.

        Raises:
            StoreError: they cannot be read, also while they are open.
        """
