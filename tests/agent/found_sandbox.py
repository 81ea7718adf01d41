"""What the sandbox of this machine stops, tried once in each test process instead of at each start of an engine.
Processes with engines that a test starts are told of it."""

import os

from desktop.domain.core.update import Update
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.updates import SandboxReported

_TOLD = "TESTED_SANDBOX"
_kept: list[SandboxReport] = []


def found_sandbox() -> SandboxReport | None:
    """What an engine of this process, or of the one that started it, found first; None before that, or where no tier
    stops everything."""
    if not _kept and (told := os.environ.get(_TOLD)):
        _kept.append(SandboxReport.model_validate_json(told))
    return _kept[0] if _kept else None


def remember_sandbox(update: Update) -> None:
    """Keep the first good report among what an engine says."""
    if isinstance(update, SandboxReported) and update.report.level == "full" and not _kept:
        _kept.append(update.report)
        os.environ[_TOLD] = update.report.model_dump_json()
