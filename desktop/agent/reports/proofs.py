"""Proofs and reports: what claims about proofs are held against, and which reports name a proof."""

from collections.abc import Iterable

from desktop.domain.events import Envelope
from desktop.domain.proofs.values import ProofLink
from desktop.domain.reports.events import CompletionReported
from desktop.domain.reports.verdicts import Known
from desktop.store.core.proofs import ProofStore


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


def named_in(reports: Iterable[tuple[CompletionReported, Envelope]]) -> dict[str, dict[ProofLink, str]]:
    """By proof: the last report of each chat that names it, as an owner, with what people read of it."""
    found: dict[str, dict[str, tuple[ProofLink, str]]] = {}
    for report, envelope in reports:
        named = {claim.proof_id for claim in report.claims} | {one.reference for one in report.artifacts}
        link = ProofLink(owner="report", owner_id=f"{envelope.session_id}/{envelope.event_id}", relation="attached_to")
        for proof_id in named:
            found.setdefault(proof_id, {})[envelope.session_id] = (link, report.summary.strip().split("\n")[0])
    return {proof_id: dict(by_chat.values()) for proof_id, by_chat in found.items()}
