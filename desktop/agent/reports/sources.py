"""Where claims about proofs and pull requests are looked up; supplied by the parts that know of them."""

from typing import Protocol

from desktop.domain.reports.verdicts import Known


class ProofSource(Protocol):
    """What is known of the proofs of a lane."""

    def known(self, lane_id: str, proof_id: str, tree: str) -> Known | None:
        """Whether the proof is there, for the files with this id; None: proofs cannot be looked up. Engine thread."""


class PullSource(Protocol):
    """What is known of the pull requests of a lane's repository."""

    async def exists(self, lane_id: str, pr: str) -> bool | None:
        """Whether the server has this pull request, by its number, id or address; None: it could not be asked."""
