"""Verdicts: what is true of each claim of a report now, from what Banksman recorded and found. Pure (lanes-E3)."""

import hashlib
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Literal

from desktop.domain.reports.events import ClaimChecked, CompletionReported, EvidenceRecorded
from desktop.domain.reports.values import Artifact, ArtifactView, Claim, ClaimView, Found, ReportView, Verdict
from desktop.records import dataclass

Known = Literal["found", "missing", "dismissed", "other_tree"]
Record = Sequence[EvidenceRecorded | ClaimChecked]

NO_RUN = "Banksman ran no such command in this chat."
NO_TREE = "Banksman cannot tell which files it ran on."
CHANGED = "Files changed while it ran. Run it again."
SINCE = "Files changed since it ran."
FAILED_BEFORE = "It failed when it ran last, on other files."


@dataclass(frozen=True)
class Facts:
    """The facts that claims are held against. `tree`: the id of the lane's files, "" where it is not known. `record`:
    runs and checks of the chat, in order; `earlier`: runs of other chats in the same lane, in order. `files`: by path,
    whether it is in the lane. `proofs`, `prs`, `artifacts`: by what was named; what is not in them could not be looked
    up. `checking`: (report, place) of the claims that are being checked."""

    tree: str = ""
    record: Record = ()
    earlier: Sequence[EvidenceRecorded] = ()
    files: Mapping[str, bool] = field(default_factory=dict)
    proofs: Mapping[str, Known] = field(default_factory=dict)
    prs: Mapping[str, bool] = field(default_factory=dict)
    artifacts: Mapping[str, Found] = field(default_factory=dict)
    checking: frozenset[tuple[str, int]] = frozenset()


def report_view(
    event: CompletionReported, facts: Facts, *, session_id: str, at: datetime, last: bool = True
) -> ReportView:
    """A report as it is to be shown now. Nothing in it is taken from what was said of it before."""
    claims = tuple(_claim_view(event, place, facts) for place in range(len(event.claims)))
    return ReportView(
        report_id=event.call_id,
        session_id=session_id,
        status=event.status,
        summary=event.summary,
        blocker=event.blocker,
        claims=claims,
        artifacts=tuple(_artifact_view(one, facts) for one in event.artifacts),
        at=at,
        tree=facts.tree,
        last=last,
        open_todos=event.open_todos,
    )


def command_sha256(command: str) -> str:
    """64 hex digits over the bytes that bash gets."""
    return hashlib.sha256(command.encode("utf-8", "surrogatepass")).hexdigest()


def matching(claim: Claim, record: Sequence[EvidenceRecorded | ClaimChecked]) -> list[EvidenceRecorded]:
    """The runs of a claim's very command in its folder, oldest first; those that a person stopped prove nothing."""
    wanted, cwd = command_sha256(claim.command), posixpath.normpath(claim.cwd or ".")
    return [
        one
        for one in record
        if isinstance(one, EvidenceRecorded)
        and one.command_sha256 == wanted
        and posixpath.normpath(one.cwd or ".") == cwd
        and one.ending != "interrupted"
    ]


def as_checking(claim: ClaimView) -> ClaimView:
    """A claim while it is checked: what was found before is not said."""
    return claim.model_copy(update={"verdict": "checking", "reason": "", "warning": ""})


def is_settled(claim: Claim, facts: Facts) -> bool:
    """Whether a command claim needs no run: one on these very files says already what comes of it."""
    return _here(matching(claim, facts.record), facts.tree) is not None


def _claim_view(event: CompletionReported, place: int, facts: Facts) -> ClaimView:
    claim = event.claims[place]
    view = ClaimView(text=claim.text, kind=claim.kind, verdict="not_checked")
    if claim.kind == "command":
        view = _command_view(event.call_id, place, claim, facts)
    elif claim.kind == "file":
        view = _file_view(claim, facts)
    elif claim.kind == "proof":
        view = _proof_view(claim, facts)
    elif claim.kind == "pr":
        view = _pr_view(claim, facts)
    return as_checking(view) if (event.call_id, place) in facts.checking else view


def _command_view(report_id: str, place: int, claim: Claim, facts: Facts) -> ClaimView:
    runs = matching(claim, facts.record)
    here = _here(runs, facts.tree)
    run = here if here is not None else runs[-1] if runs else None
    refused = _refusal(report_id, place, facts.record, run)
    verdict: Verdict
    if here is not None:
        verdict, reason = ("proved", "") if _as_expected(claim, here) else ("failed", _how(claim, here))
    elif refused:
        verdict, reason = "refused", refused
    else:
        verdict, reason = _elsewhere(claim, run, facts.tree)
    view = ClaimView(
        text=claim.text, kind="command", verdict=verdict, subject=claim.command, cwd=claim.cwd, reason=reason
    )
    if run is None or verdict == "refused":
        return view
    return view.model_copy(
        update={
            "evidence_id": run.evidence_id,
            "call_id": run.call_id,
            "exit_code": run.exit_code,
            "ending": run.ending,
            "duration_ms": run.duration_ms,
            "tree": run.tree_after,
            "output": run.output,
            "warning": fewer_tests(run, _proved_before(claim, run, facts)),
        }
    )


def _here(runs: Sequence[EvidenceRecorded], tree: str) -> EvidenceRecorded | None:
    """The newest run that began and ended on these very files."""
    return next((run for run in reversed(runs) if tree and run.tree_before == run.tree_after == tree), None)


def _as_expected(claim: Claim, run: EvidenceRecorded) -> bool:
    return run.ending == "exited" and run.exit_code == claim.expected_exit


def _how(claim: Claim, run: EvidenceRecorded) -> str:
    """How a run ended that was to end otherwise."""
    if run.ending == "timed_out":
        return "It was stopped at its time limit."
    if run.ending != "exited" or run.exit_code is None:
        return f"It was stopped by {run.signal}." if run.signal else "It did not end by itself."
    return f"It ended with {run.exit_code} instead of {claim.expected_exit}."


def _elsewhere(claim: Claim, run: EvidenceRecorded | None, tree: str) -> tuple[Verdict, str]:
    """What the newest run says that was not on these files."""
    if run is None:
        return "unproved", NO_RUN
    if not tree or not run.tree_before or not run.tree_after:
        return "unproved", NO_TREE
    if not _as_expected(claim, run):
        return ("failed", _how(claim, run)) if run.tree_after == tree else ("unproved", FAILED_BEFORE)
    return ("stale", SINCE) if run.tree_before == run.tree_after else ("changed_tree", CHANGED)


def _refusal(report_id: str, place: int, record: Record, run: EvidenceRecorded | None) -> str:
    """Why the newest check did not run, "" where it did or something ran after it."""
    for one in reversed(record):
        if one is run:
            return ""
        if isinstance(one, ClaimChecked) and (one.report_id, one.claim) == (report_id, place):
            return one.refused
    return ""


def _proved_before(claim: Claim, run: EvidenceRecorded, facts: Facts) -> list[EvidenceRecorded]:
    """The runs in this lane that proved the same command before this one, of every chat."""
    runs = matching(claim, [*facts.earlier, *facts.record])
    return [one for one in runs if one.started_at < run.started_at and _as_expected(claim, one)]


def fewer_tests(run: EvidenceRecorded, before: Sequence[EvidenceRecorded]) -> str:
    """The warning that fewer tests passed, or more were skipped, than ever before in the lane; "" for none (lanes-E6).

    Not only the run just before counts: else whoever lost tests would have but to run what is left once more.
    """
    counted = [one for one in before if one.passed is not None]
    most = max((one.passed or 0 for one in counted), default=0)
    if run.passed is not None and run.passed < most:
        return f"fewer tests than last time: {run.passed} instead of {most}"
    least = min((one.skipped or 0 for one in counted), default=None)
    if run.skipped is not None and least is not None and run.skipped > least:
        return f"more skipped tests than last time: {run.skipped} instead of {least}"
    return ""


def _file_view(claim: Claim, facts: Facts) -> ClaimView:
    there = facts.files.get(claim.path, False)
    verdict: Verdict = "proved" if there else "failed"
    reason = "" if there else "There is no such file in the lane."
    return ClaimView(text=claim.text, kind="file", verdict=verdict, subject=claim.path, reason=reason)


_PROOFS: dict[Known | None, tuple[Verdict, str]] = {
    "found": ("proved", ""),
    "missing": ("failed", "There is no such proof."),
    "dismissed": ("failed", "The proof was dismissed."),
    "other_tree": ("stale", "Files changed since it was made."),
    None: ("unproved", "Proofs cannot be looked up here."),
}


def _proof_view(claim: Claim, facts: Facts) -> ClaimView:
    verdict, reason = _PROOFS[facts.proofs.get(claim.proof_id)]
    return ClaimView(text=claim.text, kind="proof", verdict=verdict, subject=claim.proof_id, reason=reason)


_PULLS: dict[bool | None, tuple[Verdict, str]] = {
    True: ("proved", ""),
    False: ("failed", "The server has no such pull request."),
    None: ("unproved", "The server could not be asked."),
}


def _pr_view(claim: Claim, facts: Facts) -> ClaimView:
    verdict, reason = _PULLS[facts.prs.get(claim.pr)]
    return ClaimView(text=claim.text, kind="pr", verdict=verdict, subject=claim.pr, reason=reason)


def _artifact_view(artifact: Artifact, facts: Facts) -> ArtifactView:
    found = facts.artifacts.get(artifact.reference, "not_looked_up")
    return ArtifactView(reference=artifact.reference, title=artifact.title, found=found)
