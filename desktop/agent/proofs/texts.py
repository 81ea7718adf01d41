"""ProofTexts: what the text of a request says of proofs, and which request names which (lanes-F16)."""

from collections.abc import Mapping

from desktop.agent.proofs.intake import ProofIntake
from desktop.agent.reports.book import ReportBook
from desktop.domain.core.errors import CommandError
from desktop.domain.lanes.lane import Lane
from desktop.domain.proofs.block import ProofRow, proof_block
from desktop.domain.proofs.values import Proof, ProofLink, staleness


class ProofTexts:
    """Engine thread only. For people and for agents alike."""

    def __init__(self, intake: ProofIntake, reports: ReportBook) -> None:
        self._intake = intake
        self._reports = reports

    async def block(self, lane: Lane, proof_ids: tuple[str, ...], seen_at: Mapping[str, str] | None = None) -> str:
        """The part of a request's text that shows these proofs of the lane and the evidence of its last report.
        `seen_at`: by proof, where its picture can be seen.

        Raises:
            CommandError: `unknown_proof`: one of them is not this lane's, or is not there any more.
        """
        place = await self._intake.place(lane)
        return self.block_for(lane, proof_ids, place.head, place.tree_id, seen_at)

    def block_for(
        self, lane: Lane, proof_ids: tuple[str, ...], head: str, tree: str, seen_at: Mapping[str, str] | None = None
    ) -> str:
        """The same for the lane at this commit and with these files. Looks at no file.

        Raises:
            CommandError: `unknown_proof`: see `block`.
        """
        rows = [
            ProofRow(proof=proof, stale=staleness(proof, head, tree), url=(seen_at or {}).get(proof.id, ""))
            for proof in self.proofs(lane, proof_ids)
        ]
        return proof_block(rows, self._reports.evidence(lane.id, tree))

    def posted(self, lane: Lane, proof_ids: tuple[str, ...], request: str, url: str) -> None:
        """The text of this request (`owner/name#42`), which lies at `url`, names these proofs now."""
        link = ProofLink(owner="pull_request", owner_id=request, relation="published_to", address=url)
        for proof_id in proof_ids:
            self._intake.store.link(proof_id, link)

    def proofs(self, lane: Lane, proof_ids: tuple[str, ...]) -> list[Proof]:
        """The records of these, each once.

        Raises:
            CommandError: `unknown_proof`: see `block`.
        """
        found = [self._intake.store.get(proof_id) for proof_id in dict.fromkeys(proof_ids)]
        proofs = [one for one in found if one is not None and one.lane_id == lane.id]
        if len(proofs) != len(found):
            raise CommandError("unknown_proof", "One of these proofs does not exist in this lane any more.")
        return proofs
