"""ProofStore and ProofRemoval: records of proofs, to whom they belong, and how they go."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Protocol

from desktop.domain.proofs.values import OwnerKind, Proof, ProofLink

MAX_LISTED = 500


class ProofStore(Protocol):
    """Engine thread only. What is kept is on the disk when a method returns.

    Raises:
        StoreWriteFailed: it did not reach the disk.
    """

    def add(self, proof: Proof, links: Iterable[ProofLink]) -> None:
        """Keep a record with its owners, all or none."""

    def save(self, proof: Proof) -> None:
        """Replace what is known of a record; its content and lane stay."""

    def get(self, proof_id: str) -> Proof | None:
        """The record of that id."""

    def of_lane(self, lane_id: str, limit: int = MAX_LISTED) -> tuple[Proof, ...]:
        """The records of a lane, the newest first."""

    def trees(self, lane_id: str) -> tuple[str, ...]:
        """The ids of the files that the records of a lane are about, one for each record that knows."""

    def count(self, lane_id: str) -> int:
        """The number of proofs that a lane has."""

    def with_content(self, lane_id: str, sha256: str) -> tuple[Proof, ...]:
        """The records of a lane with exactly this content, the newest first."""

    def link(self, proof_id: str, link: ProofLink) -> bool:
        """Say that it belongs to this owner as well; False: that was known."""

    def links(self, proof_id: str) -> tuple[ProofLink, ...]:
        """The owners of a proof, in the order in which they were added."""

    def of_owner(self, owner: OwnerKind, owner_id: str) -> tuple[Proof, ...]:
        """The records that belong to this owner, the newest first."""

    def size_of_project(self, project_id: str) -> int:
        """Bytes of all contents that a project's records name, each once."""

    def publishes_pictures(self, project_id: str) -> bool:
        """Whether pictures were published too when proofs of this project were last attached to a request."""

    def save_publishes_pictures(self, project_id: str, yes: bool) -> None:
        """Keep whether pictures were published with the last post in this project."""


class ProofRemoval(Protocol):
    """Proofs whose owners are gone: kept for a while, then removed with the content that nothing else names."""

    def forget_gone_owners(self, lane_is_known: Callable[[str], bool], keep_until: datetime) -> None:
        """Chats that were removed and lanes that are gone own nothing any more. What nobody owns is kept until then."""

    async def remove_outlived(self, now: datetime) -> int:
        """Remove records without an owner whose time is over, and their content as `remove` does. How many went.

        Raises:
            StoreError: the store cannot be read, so nothing was removed.
        """

    async def remove(self, proofs: Sequence[Proof]) -> None:
        """Remove these records, and their content unless a chat or another record names it. The log is looked through
        on a worker thread.

        Raises:
            StoreError: the store cannot be read, so nothing was removed.
        """
