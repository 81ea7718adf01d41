"""AuditCommands: checks the record and writes it to a file, in threads, with connections of their own."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.config.folders import Folders, typed_path
from desktop.domain import commands as c
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError, StoreError
from desktop.domain.events import Envelope
from desktop.domain.gate.redaction import Redactor
from desktop.domain.updates import AuditExported, AuditVerified, CommandFailed
from desktop.store.audit.anchors import ANCHORS_NAME, Anchors
from desktop.store.core import verify_audit
from desktop.store.core.store import Store
from desktop.store.core.verify_audit import Finding, Report, other_store, other_stores, read_anchors

_SENTENCES = {
    "hash_mismatch": "Record {seq} does not match what was written.",
    "prev_mismatch": "Record {seq} does not follow the one before it.",
    "seq_gap": "Records before {seq} are missing.",
    "seq_duplicate": "There are two records {seq}.",
    "cut_before_anchor": "Record {seq} was written and is missing.",
    "anchor_without_session": "This chat had {seq} records or more, and they are gone.",
    "anchor_chain": "Line {seq} of the anchors in the log folder was changed.",
    "blob_mismatch": "Content that record {seq} names was changed.",
    "blob_missing": "Content that record {seq} names is missing.",
    "body_not_json": "Record {seq} cannot be read.",
}
_AFTER = {"hash_mismatch", "prev_mismatch", "seq_gap", "seq_duplicate", "body_not_json"}
"""What leaves nothing to hold the later records against."""


class AuditCommands:
    """All on the engine thread. `redactor`: what is removed from exports; it is asked for at each one."""

    def __init__(
        self,
        folders: Folders,
        store: Store,
        publish: Publish,
        clock: Callable[[], datetime],
        redactor: Callable[[], Redactor] = Redactor,
    ) -> None:
        self._anchors_file = folders.logs / ANCHORS_NAME
        self._publish = publish
        self._clock = clock
        self._redactor = redactor
        self._store = store
        self._anchors = Anchors(self._anchors_file, store.store_id, store.events.flush)
        store.events.subscribe(self._anchors.seen)

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about the record."""
        return {
            c.VerifyAudit: self.verify,
            c.ExportAudit: self.export,
        }

    def start(self) -> None:
        """Tell of anchors of another store beside a store that is new: chats that were there are not."""
        try:
            new = self._store.events.is_empty()
            known = read_anchors(self._anchors_file)[0] if new and self._anchors_file.is_file() else []
        except (OSError, StoreError):
            return
        for other in other_stores(known, self._store.store_id):
            self._publish(CommandFailed(command_id="", code="other_store", text=other_store(other)))

    async def verify(self, command: c.VerifyAudit) -> None:
        """Check one chat, or all, against its hashes and the anchors.

        Raises:
            CommandError: `unreadable`: the record or the anchors cannot be read.
        """
        anchors = self._anchors_file if self._anchors_file.is_file() else None
        try:
            report = await asyncio.to_thread(self._store.readings.verified, anchors, command.session_id or None)
        except (StoreError, OSError, verify_audit.Unreadable) as error:
            raise CommandError("unreadable", f"The record cannot be read: {error}.") from error
        self._publish(
            AuditVerified(
                session_id=command.session_id,
                ok=not report.findings,
                text=verdict_text(report, self._clock()),
                records=report.events,
            )
        )

    async def export(self, command: c.ExportAudit) -> None:
        """Write one chat's record to a new file, secrets removed.

        Raises:
            CommandError: `not_exported`: the file exists, its folder is missing, or it cannot be written.
        """
        path = typed_path(command.path)
        redactor = self._redactor()
        if not path.is_absolute():
            raise CommandError("not_exported", "Choose a file with its folder.")
        try:
            records = await asyncio.to_thread(
                self._store.readings.export_record, command.session_id, path, lambda text: redactor.redact(text).text
            )
        except StoreError as error:
            raise CommandError("not_exported", str(error)) from error
        self._publish(
            AuditExported(command_id=command.command_id, session_id=command.session_id, path=str(path), records=records)
        )

    def session_removed(self, last: Envelope) -> None:
        """A chat was deleted; its record ends with a closing anchor at `last`."""
        self._anchors.removed(last)

    async def close(self) -> None:
        """Anchor what was recorded last; before the store closes."""
        self._anchors.close()


def verdict_text(report: Report, at: datetime) -> str:
    """What a person is told of a check: one sentence when all is whole, else the first fault and what it means."""
    if not report.findings:
        time = f"{at.astimezone():%H:%M}"
        return (
            f"1 record verified at {time}." if report.events == 1 else f"{report.events:,} records verified at {time}."
        )
    first = report.findings[0]
    sentences = [_sentence(first)]
    if first.kind in _AFTER:
        sentences.append("Records after it cannot be trusted.")
    if len(report.findings) > 1:
        sentences.append(f"{len(report.findings)} faults in all.")
    return " ".join(sentences)


def _sentence(found: Finding) -> str:
    return _SENTENCES[found.kind].format(seq=found.seq)
