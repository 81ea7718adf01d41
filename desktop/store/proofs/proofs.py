"""Records of proofs and to whom they belong. Their content stands in the blob store."""

import json
import logging
from collections.abc import Iterable
from datetime import datetime

from pydantic import ValidationError

from desktop.domain.proofs.values import OwnerKind, Proof, ProofLink
from desktop.store.core.proofs import MAX_LISTED
from desktop.store.sqlite.connection import Database

logger = logging.getLogger(__name__)


class SqliteProofs:
    """Engine thread only. What is kept is on the disk when a method returns.

    Raises:
        StoreWriteFailed: it did not reach the disk.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, proof: Proof, links: Iterable[ProofLink]) -> None:
        """Keep a record with its owners, all or none."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO proof (proof_id, project_id, lane_id, sha256, thumb_sha256, body) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (proof.id, proof.project_id, proof.lane_id, proof.sha256, proof.thumb_sha256, _body(proof)),
            )
            connection.executemany(_LINK, [_link_row(proof.id, link) for link in links])

    def save(self, proof: Proof) -> None:
        """Replace what is known of a record; its content and lane stay."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE proof SET body = ? WHERE proof_id = ?", (_body(proof), proof.id))

    def get(self, proof_id: str) -> Proof | None:
        """The record of that id."""
        rows = self._database.rows("SELECT body FROM proof WHERE proof_id = ?", (proof_id,))
        return _proof(str(rows[0][0])) if rows else None

    def of_lane(self, lane_id: str, limit: int = MAX_LISTED) -> tuple[Proof, ...]:
        """The records of a lane, the newest first."""
        rows = self._database.rows(
            "SELECT body FROM proof WHERE lane_id = ? ORDER BY rowid DESC LIMIT ?", (lane_id, limit)
        )
        return tuple(proof for (body,) in rows if (proof := _proof(str(body))) is not None)

    def trees(self, lane_id: str) -> tuple[str, ...]:
        """The ids of the files that the records of a lane are about, one for each record that knows."""
        wanted = "SELECT json_extract(body, '$.tree_id') FROM proof WHERE lane_id = ? AND json_valid(body)"
        return tuple(str(tree) for (tree,) in self._database.rows(wanted, (lane_id,)) if tree)

    def count(self, lane_id: str) -> int:
        """The number of proofs that a lane has."""
        return int(str(self._database.rows("SELECT count(*) FROM proof WHERE lane_id = ?", (lane_id,))[0][0]))

    def with_content(self, lane_id: str, sha256: str) -> tuple[Proof, ...]:
        """The records of a lane with exactly this content, the newest first."""
        rows = self._database.rows(
            "SELECT body FROM proof WHERE lane_id = ? AND sha256 = ? ORDER BY rowid DESC", (lane_id, sha256)
        )
        return tuple(proof for (body,) in rows if (proof := _proof(str(body))) is not None)

    def link(self, proof_id: str, link: ProofLink) -> bool:
        """Say that it belongs to this owner as well; False: that was known."""
        with self._database.transaction() as connection:
            return connection.execute(_LINK, _link_row(proof_id, link)).rowcount > 0

    def links(self, proof_id: str) -> tuple[ProofLink, ...]:
        """The owners of a proof, in the order in which they were added."""
        rows = self._database.rows(
            "SELECT owner, owner_id, relation, address FROM proof_link WHERE proof_id = ? ORDER BY rowid", (proof_id,)
        )
        fields = ("owner", "owner_id", "relation", "address")
        return tuple(ProofLink.model_validate(dict(zip(fields, row, strict=True))) for row in rows)

    def of_owner(self, owner: OwnerKind, owner_id: str) -> tuple[Proof, ...]:
        """The records that belong to this owner, the newest first."""
        rows = self._database.rows(
            "SELECT DISTINCT p.body, p.rowid FROM proof p JOIN proof_link l ON l.proof_id = p.proof_id "
            "WHERE l.owner = ? AND l.owner_id = ? ORDER BY p.rowid DESC",
            (owner, owner_id),
        )
        return tuple(proof for body, _ in rows if (proof := _proof(str(body))) is not None)

    def owners(self, owner: OwnerKind) -> frozenset[str]:
        """The ids of all owners of this kind."""
        rows = self._database.rows("SELECT DISTINCT owner_id FROM proof_link WHERE owner = ?", (owner,))
        return frozenset(str(owner_id) for (owner_id,) in rows)

    def forget_owner(self, owner: OwnerKind, owner_id: str, keep_until: datetime) -> tuple[Proof, ...]:
        """Remove an owner that is gone. Its proofs that nobody owns now are kept until `keep_until`; these are
        given."""
        held = self.of_owner(owner, owner_id)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM proof_link WHERE owner = ? AND owner_id = ?", (owner, owner_id))
        left = tuple(proof for proof in held if not self.links(proof.id))
        for proof in left:
            self.save(proof.model_copy(update={"keep_until": keep_until}))
        return left

    def outlived(self, now: datetime) -> tuple[Proof, ...]:
        """Records that nobody owns and whose time is over."""
        rows = self._database.rows(
            "SELECT body FROM proof p WHERE NOT EXISTS (SELECT 1 FROM proof_link l WHERE l.proof_id = p.proof_id)"
        )
        found = (_proof(str(body)) for (body,) in rows)
        return tuple(one for one in found if one is not None and one.keep_until is not None and one.keep_until < now)

    def remove(self, proof_id: str) -> frozenset[str]:
        """The record is gone; the digests that no other record names."""
        proof = self.get(proof_id)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM proof_link WHERE proof_id = ?", (proof_id,))
            connection.execute("DELETE FROM proof WHERE proof_id = ?", (proof_id,))
        digests = {proof.sha256, proof.thumb_sha256} - {""} if proof is not None else set[str]()
        return frozenset(digests - {one for one in digests if self._is_named(one)})

    def size_of_project(self, project_id: str) -> int:
        """Bytes of all contents that a project's records name, each once."""
        rows = self._database.rows(
            "SELECT coalesce(sum(size), 0) FROM blob WHERE sha256 IN (SELECT sha256 FROM proof WHERE project_id = ?)",
            (project_id,),
        )
        return int(str(rows[0][0]))

    def publishes_pictures(self, project_id: str) -> bool:
        """Whether pictures were published too when proofs of this project were last attached to a request."""
        return bool(self._database.rows("SELECT 1 FROM meta WHERE key = ?", (_PICTURES + project_id,)))

    def save_publishes_pictures(self, project_id: str, yes: bool) -> None:
        """Keep whether pictures were published with the last post in this project."""
        words = "INSERT OR IGNORE INTO meta VALUES (?, '1')" if yes else "DELETE FROM meta WHERE key = ?"
        with self._database.transaction() as connection:
            connection.execute(words, (_PICTURES + project_id,))

    def _is_named(self, sha256: str) -> bool:
        return bool(self._database.rows("SELECT 1 FROM proof WHERE ? IN (sha256, thumb_sha256) LIMIT 1", (sha256,)))


_PICTURES = "proof_pictures:"
_LINK = "INSERT OR IGNORE INTO proof_link (proof_id, owner, owner_id, relation, address) VALUES (?, ?, ?, ?, ?)"


def _link_row(proof_id: str, link: ProofLink) -> tuple[str, str, str, str, str]:
    return proof_id, link.owner, link.owner_id, link.relation, link.address


def _body(proof: Proof) -> str:
    return json.dumps(proof.model_dump(mode="json"))


def _proof(body: str) -> Proof | None:
    try:
        return Proof.model_validate(json.loads(body))
    except (ValueError, ValidationError):
        logger.warning("The record of a proof cannot be read; it is left out: %.200s", body)
        return None
