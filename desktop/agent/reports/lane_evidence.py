"""LaneEvidence: what was proved in a lane, by the id of the files that it was proved for."""

from collections.abc import Iterator

from desktop.domain.chats.updates import CheckpointMark
from desktop.domain.reports.events import CompletionReported, EvidenceRecorded
from desktop.domain.reports.values import Claim
from desktop.domain.reports.verdicts import matching
from desktop.store.core.evidence import EvidenceRows
from desktop.store.core.readings import Readings

MOST_MARKS = 8
"""So many marks of a checkpoint are told, the newest."""
MOST_SAID = 200


class LaneEvidence:
    """Reads the store by a connection of its own: every method blocks and belongs on a worker thread. Deleted chats,
    and reports that a chat went back from, count no more.

    Raises:
        StoreError: it cannot be read.
    """

    def __init__(self, readings: Readings) -> None:
        self._readings = readings

    def trees(self, lane_id: str) -> frozenset[str]:
        """The ids of the files that proofs, and the runs that reports claim, are about (lanes-D23)."""
        with self._readings.opened() as rows:
            named: set[str] = set()
            for runs, claims in _chats(rows.evidence, lane_id):
                claimed = _claimed(runs, claims)
                for run in (one for one in runs if one.evidence_id in claimed):
                    named |= {run.tree_before, run.tree_after}
            return frozenset(named.union(rows.proofs.trees(lane_id))) - {""}

    def marks(self, lane_id: str) -> dict[str, tuple[CheckpointMark, ...]]:
        """By the id of files, what ran and what was made of exactly these (lanes-D21): the last run of each command
        that is claimed or counted tests, and the proofs that were not dismissed."""
        found: dict[str, dict[str, CheckpointMark]] = {}
        with self._readings.opened() as rows:
            for runs, claims in _chats(rows.evidence, lane_id):
                claimed = _claimed(runs, claims)
                for run in (one for one in runs if one.tree_before == one.tree_after):
                    if run.evidence_id in claimed or run.passed is not None:
                        mark = _run_mark(run, claimed.get(run.evidence_id, 0))
                        found.setdefault(run.tree_after, {})[run.command_sha256] = mark
            for proof in reversed(rows.proofs.of_lane(lane_id)):
                if proof.review != "dismissed":
                    found.setdefault(proof.tree_id, {})[proof.id] = CheckpointMark(kind="proof", text=proof.title)
        return {tree: tuple(marks.values())[-MOST_MARKS:] for tree, marks in found.items() if tree}


def _chats(rows: EvidenceRows, lane_id: str) -> Iterator[tuple[list[EvidenceRecorded], list[Claim]]]:
    """For each chat of a lane, what ran, in order, and which commands its reports claim."""
    for session_id in rows.in_lane(lane_id):
        events = [envelope.event for envelope in rows.on_path(session_id)]
        reports = [event for event in events if isinstance(event, CompletionReported)]
        claims = [claim for report in reports for claim in report.claims if claim.kind == "command"]
        yield [event for event in events if isinstance(event, EvidenceRecorded)], claims


def _claimed(runs: list[EvidenceRecorded], claims: list[Claim]) -> dict[str, int]:
    """The ids of the runs of claimed commands, each with the exit code that is claimed."""
    return {run.evidence_id: claim.expected_exit for claim in claims for run in matching(claim, runs)}


def _run_mark(run: EvidenceRecorded, expected_exit: int) -> CheckpointMark:
    passed = run.ending == "exited" and run.exit_code == expected_exit
    figures = f"{run.passed} passed" if run.passed is not None else ""
    figures = f"{figures}, {run.failed} failed" if figures and run.failed else figures
    text = " ".join(run.command.split())[:MOST_SAID]
    return CheckpointMark(kind="passed" if passed else "failed", text=f"{text} ({figures})" if figures else text)
