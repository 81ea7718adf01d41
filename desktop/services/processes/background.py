"""A command that goes on beside the chat, and a look at it."""

import asyncio
from datetime import datetime

from desktop.records import dataclass
from desktop.services.processes.running import Completed, RunningCommand


@dataclass(frozen=True)
class ShellOutput:
    """A look at a background shell. `text`: what was asked for; `skipped`: bytes before it that are no longer shown.

    `completed` None: it still runs.
    """

    text: str
    skipped: int
    age_s: float
    completed: Completed | None


@dataclass
class BackgroundShell:
    """One background command of a session. `seen`: bytes of its output that were handed out; `reported`: its end was
    told; `secrets`: the ids of those it was given."""

    shell_id: str
    running: RunningCommand
    started_at: datetime
    task: "asyncio.Task[Completed]"
    seen: int = 0
    reported: bool = False
    secrets: tuple[str, ...] = ()

    @property
    def completed(self) -> Completed | None:
        """The end of the command; None while it runs."""
        return self.task.result() if self.task.done() and not self.task.cancelled() else None
