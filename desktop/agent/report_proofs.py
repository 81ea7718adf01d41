"""ProofClaims: what a report's claims about proofs are held against."""

from desktop.domain.verdicts import Known
from desktop.store.proof_store import ProofStore


class ProofClaims:
    """Engine thread."""

    def __init__(self, store: ProofStore) -> None:
        self._store = store

    def known(self, lane_id: str, proof_id: str, tree: str) -> Known | None:
        """Whether the lane has this proof, for the files with this id; None: nobody knows for which files it is."""
        proof = self._store.get(proof_id)
        if proof is None or proof.lane_id != lane_id:
            return "missing"
        if proof.review == "dismissed":
            return "dismissed"
        if not proof.tree_id or not tree:
            return None
        return "found" if proof.tree_id == tree else "other_tree"
