"""Proofs whose owners are gone: kept for a while, then removed with the content that nothing else names."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

from desktop.domain.core.errors import StoreError
from desktop.domain.proofs.values import Proof
from desktop.store.core.blobs import BlobStore
from desktop.store.proofs.proofs import SqliteProofs
from desktop.store.sqlite.connection import Database, connect_reading

Named = Callable[[frozenset[str]], frozenset[str]]
"""Those of the digests that some event names; StoreError: the store cannot be read."""

_GONE_CHATS = "SELECT session_id FROM deletion WHERE keep_upto_seq = -1"


class SqliteProofRemoval:
    """`named` is called on a worker thread."""

    def __init__(self, database: Database, proofs: SqliteProofs, blobs: BlobStore, named: Named) -> None:
        self._database = database
        self._proofs = proofs
        self._blobs = blobs
        self._named = named

    def forget_gone_owners(self, lane_is_known: Callable[[str], bool], keep_until: datetime) -> None:
        """Chats that were removed and lanes that are gone own nothing any more. What nobody owns is kept until then."""
        gone = {str(session_id) for (session_id,) in self._database.rows(_GONE_CHATS)}
        for session_id in self._proofs.owners("session") & gone:
            self._proofs.forget_owner("session", session_id, keep_until)
        for lane_id in self._proofs.owners("lane"):
            if not lane_is_known(lane_id):
                self._proofs.forget_owner("lane", lane_id, keep_until)

    async def remove_outlived(self, now: datetime) -> int:
        """Remove records without an owner whose time is over, and their content as `remove` does. How many went.

        Raises:
            StoreError: the store cannot be read, so nothing was removed.
        """
        outlived = self._proofs.outlived(now)
        if outlived:
            await self.remove(outlived)
        return len(outlived)

    async def remove(self, proofs: Sequence[Proof]) -> None:
        """Remove these records, and their content unless a chat or another record names it.

        Raises:
            StoreError: the store cannot be read, so nothing was removed.
        """
        wanted = frozenset({one for proof in proofs for one in (proof.sha256, proof.thumb_sha256) if one})
        (upto,) = self._database.rows("SELECT coalesce(max(rowid), 0) FROM event")[0]
        used = await asyncio.to_thread(self._named, wanted)
        later = self._database.rows("SELECT body FROM event WHERE rowid > ?", (int(str(upto)),))
        used |= {digest for (body,) in later for digest in wanted if digest in str(body)}
        for proof in proofs:
            for sha256 in self._proofs.remove(proof.id) - used:
                self._blobs.remove(sha256)


def named_by_events(file: Path, digests: frozenset[str]) -> frozenset[str]:
    """Those of the digests that some event names. Reads the whole store: for a worker thread.

    Raises:
        StoreError: the store cannot be read.
    """
    try:
        with closing(connect_reading(file)) as connection:
            found = (
                digest
                for digest in digests
                if connection.execute("SELECT 1 FROM event WHERE instr(body, ?) LIMIT 1", (digest,)).fetchone()
            )
            return frozenset(found)
    except sqlite3.Error as error:
        raise StoreError(f"The chats in {file.parent} cannot be read: {error}.") from error
