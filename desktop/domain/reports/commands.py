"""Commands about completion reports."""

from typing import ClassVar, Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.command import Command


class WantedCheck(Frozen):
    """A claim to be checked again: its place from 0, and the SHA-256 of the command as it was on screen."""

    claim: int
    command_sha256: str


class CheckClaims(Command):
    """Run the commands of these claims of a report again. A person's click allows exactly them, as far as a card could
    have been answered with one click; the rest asks. → ReportsChanged."""

    type: Literal["check_claims"] = "check_claims"
    session_id: str
    report_id: str
    claims: tuple[WantedCheck, ...]


class LookAtReports(Command):
    """A person looks at the reports of a chat: find their verdicts anew. → ReportsChanged."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["look_at_reports"] = "look_at_reports"
    session_id: str
