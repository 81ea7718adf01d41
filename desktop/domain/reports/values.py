"""Completion reports: what an agent claims, and what Banksman found of each claim (lanes-E3)."""

from datetime import datetime
from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.content import BlobRef

ReportStatus = Literal["completed", "partial", "blocked"]
ClaimKind = Literal["command", "file", "proof", "pr", "statement"]
Verdict = Literal["proved", "failed", "stale", "changed_tree", "unproved", "refused", "not_checked", "checking"]
Found = Literal["found", "missing", "not_looked_up"]

VERDICT_WORDS: dict[Verdict, str] = {
    "proved": "proved",
    "failed": "failed",
    "stale": "stale",
    "changed_tree": "changed files",
    "unproved": "no evidence",
    "refused": "refused",
    "not_checked": "not checked",
    "checking": "checking…",
}
STATUS_WORDS: dict[ReportStatus, str] = {"completed": "Completed", "partial": "Partial", "blocked": "Blocked"}
NOT_PROVED: frozenset[Verdict] = frozenset({"failed", "refused", "unproved", "changed_tree"})


class Claim(Frozen):
    """One claim as the agent made it. `command` runs in `cwd`, lane-relative; `run`: Banksman may run it to find out.
    `path`, `proof_id`, `pr`: what a claim of the other kinds names."""

    text: str
    kind: ClaimKind
    command: str = ""
    cwd: str = "."
    expected_exit: int = 0
    path: str = ""
    proof_id: str = ""
    pr: str = ""
    run: bool = True


class Artifact(Frozen):
    """Something the agent made. `reference`: a path, an address or an id."""

    reference: str
    title: str = ""


class CompletionReport(Frozen):
    """The report of an agent, as the agent made it."""

    summary: str
    status: ReportStatus
    claims: tuple[Claim, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    blocker: str = ""


class ClaimView(Frozen):
    """A claim with what was found of it. `reason`: one sentence, "" for a plain proof; `warning`: tests that got fewer.

    `evidence_id`, `exit_code`, `ending`, `duration_ms`, `tree`, `output`: of the run that decided, if one did;
    `call_id`: the call it belongs to.
    """

    text: str
    kind: ClaimKind
    verdict: Verdict
    subject: str = ""
    cwd: str = "."
    reason: str = ""
    warning: str = ""
    evidence_id: str = ""
    call_id: str = ""
    exit_code: int | None = None
    ending: str = ""
    duration_ms: int = 0
    tree: str = ""
    output: BlobRef | None = None


class ArtifactView(Frozen):
    """An artifact, and whether what it names is there."""

    reference: str
    title: str = ""
    found: Found = "not_looked_up"


class ReportView(Frozen):
    """A report with the verdicts as they are now. `report_id`: the call that made it. `last`: no later one of this chat
    takes its place. `tree`: the id of the lane's files that the verdicts are about, "" where it is not known."""

    report_id: str
    session_id: str
    status: ReportStatus
    summary: str
    blocker: str = ""
    claims: tuple[ClaimView, ...] = ()
    artifacts: tuple[ArtifactView, ...] = ()
    at: datetime
    tree: str = ""
    last: bool = True
    open_todos: int = 0

    @property
    def checkable(self) -> tuple[ClaimView, ...]:
        """The claims that something can prove."""
        return tuple(claim for claim in self.claims if claim.kind != "statement")

    @property
    def proved(self) -> int:
        """The number of claims that are proved for the files as they are."""
        return sum(claim.verdict == "proved" for claim in self.claims)

    @property
    def stale(self) -> tuple[int, ...]:
        """The places of the claims whose command would have to run again."""
        wanted = ("stale", "changed_tree")
        return tuple(
            place for place, claim in enumerate(self.claims) if claim.verdict in wanted and claim.kind == "command"
        )

    @property
    def done(self) -> bool:
        """Whether the lane may say "done": completed, with commands that are all proved for the present files
        (lanes-E8)."""
        commands = [claim for claim in self.claims if claim.kind == "command"]
        return self.status == "completed" and bool(commands) and all(one.verdict == "proved" for one in commands)

    @property
    def title(self) -> str:
        """The words at the head of its card (lanes-E7)."""
        if self.status != "completed":
            return STATUS_WORDS[self.status]
        if not self.checkable:
            return "Completed, nothing to check"
        if any(claim.verdict == "checking" for claim in self.claims):
            return "Completed, checking…"
        if any(claim.verdict in NOT_PROVED for claim in self.claims):
            return "Completed, not proved"
        return "Completed, stale" if any(claim.verdict == "stale" for claim in self.claims) else "Completed"

    @property
    def count(self) -> str:
        """`3 of 4 claims proved`, "" where nothing can be checked."""
        total = len(self.checkable)
        if not total:
            return ""
        return f"{self.proved} of {total} {'claim' if total == 1 else 'claims'} proved"


class EvidenceRow(Frozen):
    """One command of a report for the body of a pull request (lanes-F17). `tree`: "" where nothing ran."""

    claim: str
    command: str
    cwd: str
    exit_code: int | None
    tree: str
    state: str
    stale: bool


def evidence_rows(view: ReportView) -> tuple[EvidenceRow, ...]:
    """The commands of a report, in order: command, exit code, tree, stale or not."""
    return tuple(
        EvidenceRow(
            claim=claim.text,
            command=claim.subject,
            cwd=claim.cwd,
            exit_code=claim.exit_code,
            tree=claim.tree,
            state=VERDICT_WORDS[claim.verdict],
            stale=claim.verdict == "stale",
        )
        for claim in view.claims
        if claim.kind == "command"
    )
