"""Sandbox: finds the strongest tier that works on this machine and starts every command in it."""

import asyncio
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from desktop.domain.core.clock import utc_now
from desktop.domain.core.ids import new_id
from desktop.domain.core.listeners import Listeners
from desktop.domain.gate.sandbox import SandboxReport, SandboxTier
from desktop.records import dataclass
from desktop.services.processes.sandbox.bubblewrap import find_bubblewrap
from desktop.services.processes.sandbox.guard import BARE, Guard, Places, home_folder
from desktop.services.processes.sandbox.landlock import LEAST_ABI, landlock_abi
from desktop.services.processes.sandbox.limits import ProcessLimits
from desktop.services.processes.sandbox.own_limits import own_obstacle
from desktop.services.processes.sandbox.probing import probe_guard
from desktop.services.processes.sandbox.resource_watch import ResourceWatch
from desktop.services.processes.sandbox.seatbelt import SANDBOX_EXEC

ALL_TIERS: tuple[SandboxTier, ...] = ("bwrap", "landlock", "seatbelt")
NO_TIER_LINUX = "This kernel has no Landlock of version 4 or later (Linux 6.7), or it is turned off."
NO_TIER = "There is no sandbox for commands on this system."


@dataclass(frozen=True)
class SandboxOptions:
    """The options of a sandbox that its owner chooses.

    `hidden`: the product's own folders and the one of all lanes. `readonly`: folders that the person chose to show
    (package caches). `tiers`: which may be used. `programs`: where bwrap is looked for, "" for the system's folders.
    `scratch`: where the probe plants its files, None: the system's folder for temporary files. `found`: what a probe of
    this process has told already; the first one is spared, later ones are made. `limits`: how much a command may use,
    None: the usual ones.
    """

    hidden: tuple[Path, ...] = ()
    readonly: tuple[Path, ...] = ()
    tiers: tuple[SandboxTier, ...] = ALL_TIERS
    programs: str = ""
    scratch: Path | None = None
    found: SandboxReport | None = None
    limits: ProcessLimits | None = None


EVERY_TIER = SandboxOptions()


class Sandbox:
    """The sandbox of the program, one for all sessions; every method belongs to the engine's loop. `ready` before
    anything is started in it.

    `env`: the person's environment, for the home folder and the PATH. `reported` is told after every probe.
    """

    def __init__(
        self,
        env: Mapping[str, str],
        options: SandboxOptions = EVERY_TIER,
        *,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.reported = Listeners[SandboxReport]()
        self.watch = ResourceWatch(options.limits)
        self._env = dict(env)
        self._options = options
        self._places = Places(home_folder(env), options.hidden, options.readonly)
        self._clock = clock
        self._guard = BARE
        self._report: SandboxReport | None = None
        self._probing: asyncio.Task[SandboxReport] | None = None
        self._ahead: asyncio.Task[SandboxReport] | None = None
        self._found = options.found

    @property
    def report(self) -> SandboxReport | None:
        """The report of the last probe; None before the first is over and after a launch failed."""
        return self._report

    @property
    def tried(self) -> bool:
        """Whether it was probed or is being probed, so that `ready` begins no probe."""
        return self._report is not None or self._probing is not None

    async def ready(self) -> Guard:
        """The tier in use; probed first when there is no report. A probe that was begun ahead is waited for, and its
        report is still that of the first call of `probe`."""
        if self._report is None:
            await (asyncio.shield(self._ahead) if self._ahead is not None else self.probe())
        return self._guard

    async def probe(self) -> SandboxReport:
        """Try each tier with its real profile and real escapes, at most 10 s each, and use the first that works.

        Callers that come while a probe is under way get its report.
        """
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            return await asyncio.shield(ahead)
        if self._probing is None:
            self._probing = asyncio.create_task(self._probe(), name="sandbox probe")
        return await asyncio.shield(self._probing)

    def probe_ahead(self) -> None:
        """Begin a probe, before anything else is asked of it: the first call of `probe` gets its report, also when the
        probe is over by then."""
        self._ahead = self._probing = asyncio.create_task(self._probe(), name="sandbox probe")

    def failed(self) -> None:
        """A launch failed: whoever needs the sandbox next probes anew."""
        self._report = self._ahead = None

    async def close(self) -> None:
        """Wait for a probe that is under way; look no more at what commands use."""
        await self.watch.close()
        if self._probing is not None:
            await asyncio.wait({self._probing})

    async def _probe(self) -> SandboxReport:
        try:
            guard, report = await self._find()
        finally:
            self._probing = None
        self._guard, self._report = guard, report
        self.reported(report)
        return report

    async def _find(self) -> tuple[Guard, SandboxReport]:
        told, self._found = self._found, None
        if told is not None:
            known, *_ = await asyncio.to_thread(self._candidate, told.tier)
            if known is not None:
                return known, told
        reasons: list[str] = []
        for tier in self._options.tiers:
            guard, binary, version, reason = await asyncio.to_thread(self._candidate, tier)
            if guard is not None:
                found = await probe_guard(guard, self._env, scratch=self._options.scratch)
                reason = found.reason
                if not reason:
                    stopped = all(probe.outcome == "passed" for probe in found.probes)
                    report = SandboxReport(
                        id=new_id("sbx_"),
                        tier=tier,
                        level="full" if stopped and tier != "landlock" else "limited",
                        probes=found.probes,
                        reason=" ".join(reasons),
                        binary=binary,
                        version=version,
                        at=self._clock(),
                    )
                    return guard, report
            if reason:
                reasons.append(reason)
        obstacle = await asyncio.to_thread(own_obstacle, self._options.scratch)
        why = obstacle or " ".join(reasons) or NO_TIER
        return BARE, SandboxReport(id=new_id("sbx_"), reason=why, at=self._clock())

    def _candidate(self, tier: SandboxTier) -> tuple[Guard | None, str, str, str]:
        """A tier that might work: its guard, the tool's path, its version; or None and why not. Blocking."""
        if tier == "bwrap" and sys.platform == "linux":
            found = find_bubblewrap(self._options.programs)
            if found is None:
                return None, "", "", "bubblewrap is not installed."
            private = self.watch.limits.private
            return Guard(tier, self._places, bubblewrap=found, private_bytes=private), found.binary, found.version, ""
        if tier == "landlock" and sys.platform == "linux":
            abi = landlock_abi()
            if abi < LEAST_ABI:
                return None, "", "", NO_TIER_LINUX
            return Guard(tier, self._places, abi=abi), "", f"Landlock {abi}", ""
        if tier == "seatbelt" and sys.platform == "darwin" and Path(SANDBOX_EXEC).exists():
            return Guard(tier, self._places), SANDBOX_EXEC, "", ""
        return None, "", "", ""
