"""The sandbox as people are told of it: which tier works here, what was tried, and what it does not stop."""

from datetime import datetime
from typing import Literal

from desktop.domain.core.base import Frozen

SandboxTier = Literal["bwrap", "landlock", "seatbelt", "none"]
SandboxLevel = Literal["full", "limited", "none"]
ProbeOutcome = Literal["passed", "failed", "skipped"]


class ProbeResult(Frozen):
    """The result of trying one escape from the sandbox. `passed`: it was stopped. `gap`: what it would let a command
    do, in one line, when it was not stopped or could not be tried (`skipped`)."""

    name: str
    outcome: ProbeOutcome
    gap: str = ""
    detail: str = ""


class SandboxReport(Frozen):
    """The sandbox of this computer as the probes found it. `level` full: every probe passed on a tier that isolates;
    limited: named gaps; none: no tier works, `reason` says why. `binary` is the tool's path, `version` its own word."""

    id: str
    tier: SandboxTier = "none"
    level: SandboxLevel = "none"
    probes: tuple[ProbeResult, ...] = ()
    reason: str = ""
    binary: str = ""
    version: str = ""
    at: datetime

    @property
    def gaps(self) -> tuple[str, ...]:
        """The escapes that this sandbox does not stop, or could not be seen to stop, one line each."""
        return tuple(probe.gap for probe in self.probes if probe.outcome != "passed" and probe.gap)
