"""Claims of a report that no run bears out, as far as the record of its chat says (memory-HO2)."""

from collections.abc import Iterable

from desktop.domain.core.checkpoint_events import CheckpointMade
from desktop.domain.events import Envelope, ToolCallFinished
from desktop.domain.handover.told import CLAIMS_TOLD
from desktop.domain.handover.values import Words
from desktop.domain.reports.events import ClaimChecked, CompletionReported, EvidenceRecorded
from desktop.domain.reports.verdicts import Facts, report_view

KINDS = frozenset(
    {"completion_reported", "evidence_recorded", "claim_checked", "checkpoint_made", "tool_call_finished"}
)
"""The kinds of entries that say what becomes of claims."""
_ANOTHER = "another"


def open_claims(log: Iterable[Envelope]) -> tuple[Envelope, tuple[Words, ...]] | None:
    """The newest report of a chat with a line for each claim about a command that is not proved on the files as the
    record knows them last; None where there is no report, or nothing of it is open. Files, proofs and requests are no
    part of a record, so claims about them are not judged."""
    kept = [envelope for envelope in log if envelope.kind in KINDS]
    if all(envelope.kind != "completion_reported" for envelope in kept):
        return None
    told: Envelope | None = None
    record: list[EvidenceRecorded | ClaimChecked] = []
    tree = ""
    for envelope in kept:
        match envelope.event:
            case CompletionReported():
                told = envelope
            case EvidenceRecorded() as run:
                record.append(run)
                tree = run.tree_after or tree
            case ClaimChecked() as checked:
                record.append(checked)
            case CheckpointMade(changed=changed) as made if changed:
                tree = "" if made.partial or made.not_restorable else made.tree
            case ToolCallFinished(touched=touched) if touched:
                tree = _ANOTHER
            case _:
                pass
    if told is None or not isinstance(told.event, CompletionReported):
        return None
    view = report_view(told.event, Facts(tree=tree, record=record), session_id=told.session_id, at=told.at)
    lines = tuple(
        Words(CLAIMS_TOLD[claim.verdict], (claim.text, claim.reason), "words", at=1)
        for claim in view.claims
        if claim.kind == "command" and claim.verdict != "proved"
    )
    return (told, lines) if lines else None
