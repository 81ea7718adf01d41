"""Proofs whose owners are gone: kept for a while, then removed with the content that nothing else names."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

from desktop.domain.core.errors import StoreError
from desktop.domain.proofs.values import Proof
from desktop.store.history.blobs import BlobStore
from desktop.store.proofs.proofs import ProofStore
from desktop.store.sqlite.connection import Database, connect_reading

Named = Callable[[frozenset[str]], frozenset[str]]
"""Those of the digests that some event names; StoreError: the store cannot be read."""

_GONE_CHATS = "SELECT session_id FROM deletion WHERE keep_upto_seq = -1"


def forget_gone_owners(
    store: ProofStore, database: Database, lane_is_known: Callable[[str], bool], keep_until: datetime
) -> None:
    """Chats that were removed and lanes that are gone own nothing any more. What nobody owns is kept until then."""
    gone = {str(session_id) for (session_id,) in database.rows(_GONE_CHATS)}
    for session_id in store.owners("session") & gone:
        store.forget_owner("session", session_id, keep_until)
    for lane_id in store.owners("lane"):
        if not lane_is_known(lane_id):
            store.forget_owner("lane", lane_id, keep_until)


async def remove_outlived(store: ProofStore, database: Database, named: Named, now: datetime) -> int:
    """Remove records without an owner whose time is over, and their content unless a chat or another record names it.
    How many went. `named` is called on a
    worker thread.

    Raises:
        StoreError: the store cannot be read, so nothing was removed.
    """
    outlived = store.outlived(now)
    if outlived:
        await remove_proofs(store, database, named, outlived)
    return len(outlived)


async def remove_proofs(store: ProofStore, database: Database, named: Named, proofs: Sequence[Proof]) -> None:
    """Remove these records, and their content unless a chat or another record names it. `named` is
    called on a worker thread.

    Raises:
        StoreError: the store cannot be read, so nothing was removed.
    """
    wanted = frozenset({one for proof in proofs for one in (proof.sha256, proof.thumb_sha256) if one})
    (upto,) = database.rows("SELECT coalesce(max(rowid), 0) FROM event")[0]
    used = await asyncio.to_thread(named, wanted)
    later = (str(body) for (body,) in database.rows("SELECT body FROM event WHERE rowid > ?", (int(str(upto)),)))
    used |= {digest for body in later for digest in wanted if digest in body}
    blobs = BlobStore(database)
    for proof in proofs:
        for sha256 in store.remove(proof.id) - used:
            blobs.remove(sha256)


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
