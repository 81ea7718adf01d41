"""The sandbox of this program, which hides the program's own folders from every command."""

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from desktop.config.folders import Folders
from desktop.domain.core.clock import utc_now
from desktop.domain.gate.sandbox import SandboxReport
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions


def own_sandbox(
    folders: Folders,
    lanes_root: Path,
    clock: Callable[[], datetime] = utc_now,
    found: SandboxReport | None = None,
) -> Sandbox:
    """`lanes_root`: where the worktrees of all lanes stand. `found`: see SandboxOptions. The person's skills alone can
    be read again by commands (memory-SK6)."""
    own = (folders.config, folders.data, folders.cache, folders.logs, lanes_root)
    return Sandbox(
        os.environ,
        SandboxOptions(hidden=own, readonly=(folders.skills,), scratch=folders.data, found=found),
        clock=clock,
    )
