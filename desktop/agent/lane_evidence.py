"""LaneEvidence: what was proved in a lane, by the id of the files that it was proved for."""

from desktop.domain.events import Envelope
from desktop.domain.evidence_events import CompletionReported, EvidenceRecorded
from desktop.domain.verdicts import matching
from desktop.store.database import Store
from desktop.store.evidence_rows import EvidenceRows
from desktop.store.proof_store import ProofStore


class LaneEvidence:
    """Reads the store. Engine thread. Deleted chats, and reports that a chat went back from, count no more."""

    def __init__(self, store: Store) -> None:
        self._rows = EvidenceRows(store.database)
        self._proofs = ProofStore(store.database)

    def trees(self, lane_id: str) -> frozenset[str]:
        """The ids of the files that proofs, and the runs that reports claim, are about (lanes-D23)."""
        named = {tree for run in self._claimed(lane_id) for tree in (run.tree_before, run.tree_after)}
        return frozenset(named | set(self._proofs.trees(lane_id))) - {""}

    def _claimed(self, lane_id: str) -> list[EvidenceRecorded]:
        """The runs of every command that a report of this lane claims."""
        reporting = self._rows.reporting()
        here = [one for one in self._rows.in_lane(lane_id) if one in reporting]
        return [run for session_id in here for run in _claimed(self._rows.on_path(session_id))]


def _claimed(kept: list[Envelope]) -> list[EvidenceRecorded]:
    events = [envelope.event for envelope in kept]
    runs = [event for event in events if isinstance(event, EvidenceRecorded)]
    reports = [event for event in events if isinstance(event, CompletionReported)]
    claims = [claim for report in reports for claim in report.claims if claim.kind == "command"]
    found = {run.evidence_id: run for claim in claims for run in matching(claim, runs)}
    return list(found.values())
