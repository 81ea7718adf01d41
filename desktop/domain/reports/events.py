"""Events about what was proved: commands that ran with what came of them, reports of an agent, checks of its claims."""

from datetime import datetime
from typing import Literal

from desktop.domain.core.content import BlobRef
from desktop.domain.core.event_base import EventBase
from desktop.domain.reports.values import Artifact, Claim, ReportStatus

RunEnding = Literal["exited", "timed_out", "output_limit", "stopped", "interrupted"]


class EvidenceRecorded(EventBase):
    """A command that Banksman ran for an agent has ended; written by the app, never by a model (lanes-E1).

    `command_sha256`: of the bytes given to bash. `cwd`: lane-relative. `environment`, `sandbox`: ids of the policies it
    ran under. `ending` interrupted: the call was stopped. `output_sha256`: of the bytes it printed; `output`: the same
    without secrets. `tree_before`, `tree_after`: ids of the lane's files, "" where they are not known; ignored files
    are no part of them. `dirty`: the files differ from `head`, None where that is not known. `passed`, `failed`,
    `skipped`: tests that it said it ran. `in_copy`: it ran in a copy of the lane, whose files the lane has since.
    """

    type: Literal["evidence_recorded"] = "evidence_recorded"
    evidence_id: str
    call_id: str = ""
    command: str = ""
    command_sha256: str = ""
    cwd: str = "."
    environment: str = "lane"
    sandbox: str = ""
    started_at: datetime
    duration_ms: int = 0
    exit_code: int | None = None
    signal: str = ""
    ending: RunEnding = "exited"
    background: bool = False
    output_sha256: str = ""
    output: BlobRef | None = None
    output_bytes: int = 0
    tree_before: str = ""
    tree_after: str = ""
    head: str = ""
    dirty: bool | None = None
    passed: int | None = None
    failed: int | None = None
    skipped: int | None = None
    in_copy: bool = False


class CompletionReported(EventBase):
    """An agent says how far it came. `tree`: the id of the lane's files then, "" where it is not known. Verdicts are no
    part of it: they are found anew whenever they are needed."""

    type: Literal["completion_reported"] = "completion_reported"
    call_id: str
    summary: str
    status: ReportStatus
    claims: tuple[Claim, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    blocker: str = ""
    tree: str = ""
    head: str = ""
    open_todos: int = 0


class ClaimChecked(EventBase):
    """Banksman ran, or tried to run, the command of a claim. `report_id`: the call that reported; `claim`: its place,
    from 0; `call_id`: the call that ran. `by` person: they clicked "Check again". `refused`: why it did not run, "" if
    it did."""

    type: Literal["claim_checked"] = "claim_checked"
    report_id: str
    claim: int
    call_id: str
    command_sha256: str = ""
    by: Literal["report", "person"] = "report"
    refused: str = ""
