"""SandboxCommands: which sandbox commands run in, as the gate, the window and the log are told of it."""

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.domain.commands import ProbeSandbox
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.core.listeners import Listeners
from desktop.domain.gate.events import SandboxProbed
from desktop.domain.gate.sandbox import SandboxLevel, SandboxReport
from desktop.domain.updates import SandboxReported
from desktop.services.processes.sandbox.sandbox import Sandbox

_WORTH = {"none": 0, "limited": 1, "full": 2}


class SandboxCommands:
    """`lost` is told the new report when the sandbox is worse than it was; after it, and when it is better,
    `changed` is told."""

    def __init__(self, sandbox: Sandbox, publish: Publish) -> None:
        self.sandbox = sandbox
        self.lost = Listeners[SandboxReport]()
        self.changed = Listeners[[]]()
        self._publish = publish
        self._told: SandboxLevel | None = None
        sandbox.reported.add(self._reported)

    @property
    def report(self) -> SandboxReport | None:
        """What the last probe found; None: none was made yet."""
        return self.sandbox.report

    @property
    def level(self) -> SandboxLevel:
        """How much the sandbox stops. Before the first probe nothing is claimed."""
        return self.report.level if self.report is not None else "none"

    def handlers(self) -> dict[type[Command], Handler]:
        """Probing again."""
        return {
            ProbeSandbox: self.probe_again,
        }

    def start(self) -> None:
        """Tell of a report that was there before anybody could hear of it: the sandbox may be tried while the engine is
        still being made."""
        if self.report is not None and self._told is None:
            self._reported(self.report)

    async def ready(self) -> None:
        """Once it is known in what a command would run."""
        await self.sandbox.ready()

    async def probe(self) -> SandboxReport:
        """Try the sandbox now and tell everybody."""
        return await self.sandbox.probe()

    def _reported(self, report: SandboxReport) -> None:
        """After every probe, whoever asked for it, also one that a failed launch made necessary."""
        before, self._told = self._told, report.level
        self._publish(SandboxReported(report=report))
        if before is not None and _WORTH[report.level] < _WORTH[before]:
            self.lost(report)
        if before is not None and before != report.level:
            self.changed()

    async def probe_again(self, command: ProbeSandbox) -> None:
        """Try the sandbox because a person asked."""
        await self.probe()

    def probed(self) -> SandboxProbed:
        """The event that records the report in force.

        Raises:
            CommandError: there is none yet.
        """
        if self.report is None:
            raise CommandError("no_report", "The sandbox was not tried yet.")
        return SandboxProbed(report=self.report)
