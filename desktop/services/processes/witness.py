"""The witnesses of each command of a session, who are told what was to run, in what, and how it ended."""

from datetime import datetime
from pathlib import Path
from typing import Protocol

from desktop.records import dataclass
from desktop.services.processes.running import Completed


@dataclass(frozen=True)
class CommandRun:
    """A command that is about to start. `environment`, `sandbox`: ids of the policies it runs under; `reading`: it was
    shown to only read."""

    command: str
    cwd: Path
    call_id: str
    started_at: datetime
    reading: bool = False
    sandbox: str = ""
    background: bool = False

    @property
    def environment(self) -> str:
        """The id of the policy that its environment was built by."""
        return "read" if self.reading else "lane"


class CommandWitness(Protocol):
    """Writes down what ran. Nothing it does keeps a command from running or its result from being told."""

    def began(self, run: CommandRun) -> None:
        """Note that the command starts now."""

    async def ended(self, run: CommandRun, completed: Completed) -> None:
        """Note that the command has ended; its output can still be read."""

    def stopped(self, run: CommandRun, duration_s: float) -> None:
        """Nobody waited for its end: the call was stopped, and all of it was ended."""
