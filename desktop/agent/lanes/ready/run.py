"""LaneRunCommands: the run command of a lane, and what listens on the lane's ports meanwhile (lanes-L22, lanes-L23)."""

import asyncio
import contextlib
import logging

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish
from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.base import LaneActs
from desktop.agent.lanes.ready.command import LaneCommand, command_ending
from desktop.agent.lanes.ready.lane_file import LaneFileReader
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.lanes.commands import RunLaneCommand
from desktop.domain.lanes.lane import Lane, LaneHolder
from desktop.domain.lanes.updates import LaneRunChanged
from desktop.records import dataclass
from desktop.services.processes.ports import addresses_of, listeners, port_problem
from desktop.services.processes.session import MAX_SHELL_AGE_S

logger = logging.getLogger(__name__)

LOOK_EVERY_S, TERMINALS_EVERY_S = 1.0, 5.0
_LISTENING = frozenset({"run", "shell", "terminal"})


@dataclass
class _Run:
    """The last run of a lane. `task` is done when it has ended."""

    line: str
    command: LaneCommand
    task: "asyncio.Task[None] | None" = None
    ending: str = ""

    @property
    def goes_on(self) -> bool:
        return self.task is not None and not self.task.done()


class LaneRunCommands:
    """All on the engine thread. Ports are looked at every second while something runs in a lane, every five seconds
    while only terminals are open there, never else."""

    def __init__(
        self, ground: Ground, publish: Publish, acts: LaneActs, sessions: Sessions, files: LaneFileReader
    ) -> None:
        self._ground = ground
        self._publish = publish
        self._acts = acts
        self._sessions = sessions
        self._files = files
        self._runs: dict[str, _Run] = {}
        self._watched: set[str] = set()
        self._watching: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        self._seen: dict[str, tuple[tuple[str, ...], str]] = {}
        acts.use.add(self)
        sessions.shells_changed.add(self.watch)

    def handlers(self) -> dict[type[Command], Handler]:
        """Run and Stop."""
        return {RunLaneCommand: self._run}

    def holders(self, lane_id: str) -> list[LaneHolder]:
        """The run command, while it goes on."""
        run = self._runs.get(lane_id)
        return [LaneHolder(kind="run", label=run.line)] if run is not None and run.goes_on else []

    async def stop_in(self, lane_id: str) -> None:
        """End the run command."""
        run = self._runs.get(lane_id)
        if run is not None and run.task is not None and run.goes_on:
            await run.command.stop()
            await asyncio.wait({run.task})

    def watch(self, lane_id: str) -> None:
        """Something began or ended in this lane that may listen on its ports."""
        self._watched.add(lane_id)
        self._news.set()
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._look_on(), name="ports of lanes")

    def project_opened(self) -> None:
        """Nothing: what ran in another repository goes on."""

    async def close(self) -> None:
        """End every run command."""
        if self._watching is not None:
            self._watching.cancel()
        tasks = [run.task for run in self._runs.values() if run.task is not None and run.goes_on]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *([self._watching] if self._watching else []), return_exceptions=True)

    async def _run(self, command: RunLaneCommand) -> None:
        lane = self._ground.lane(command.lane_id)
        if command.stop:
            await self.stop_in(lane.id)
            return
        run = self._runs.get(lane.id)
        if run is not None and run.goes_on:
            raise CommandError("runs_already", "This lane's command runs already. Stop it first.")
        line = await self._line(lane)
        run = self._runs[lane.id] = _Run(line, LaneCommand(self._sessions, lane, "run", lambda: self._tell(lane.id)))
        run.task = asyncio.create_task(self._to_the_end(lane, run), name=f"run of {lane.id}")
        self._tell(lane.id)
        self.watch(lane.id)

    async def _line(self, lane: Lane) -> str:
        """What is to be run.

        Raises:
            CommandError: nothing can be run in this lane now.
        """
        if lane.type == "primary" or lane.state != "active":
            raise CommandError("lane_state", "Run works in lanes that are in use, never in your own checkout.")
        found = await self._files.found(self._ground.the_project())
        if found.problem:
            raise CommandError("lane_file", found.problem)
        if found.usable is None:
            raise CommandError("needs_trust", "Look at the lane file of this repository and trust it first.")
        if not found.usable.run.command:
            raise CommandError("no_run", "The lane file of this repository names nothing to run.")
        return found.usable.run.command

    async def _to_the_end(self, lane: Lane, run: _Run) -> None:
        try:
            async with self._acts.log.operation("run", lane.id, command=run.line) as operation:
                done = await run.command.run(run.line, timeout_s=MAX_SHELL_AGE_S, network=True, keep=False)
                ended = "The command ended." if done.ok else ""
                run.ending = ended or command_ending("run", run.command, done, MAX_SHELL_AGE_S)
                operation.text = run.ending
        except BanksmanError as error:
            run.ending = str(error)
        asyncio.get_running_loop().call_soon(self._over, lane.id)

    def _over(self, lane_id: str) -> None:
        self._tell(lane_id)
        self.watch(lane_id)

    # Telling

    async def _look_on(self) -> None:
        """Look at the ports of lanes in which something runs, as long as there are any."""
        while self._watched:
            self._news.clear()
            kinds = [await self._look(lane_id) for lane_id in tuple(self._watched)]
            quiet = frozenset[str]().union(*kinds) <= {"terminal"}
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TERMINALS_EVERY_S if quiet else LOOK_EVERY_S):
                    await self._news.wait()

    async def _look(self, lane_id: str) -> frozenset[str]:
        """Look at one lane; the kinds of what runs in it."""
        lane = self._ground.lanes.get(lane_id)
        busy = _LISTENING & {holder.kind for holder in self._acts.use.holders(lane_id)}
        if lane is None or not busy:
            self._watched.discard(lane_id)
        seen: tuple[tuple[str, ...], str] = ((), "")
        if lane is not None and busy and lane.ports:
            found = await asyncio.to_thread(listeners, range(lane.ports, lane.ports + lane.port_count))
            seen = (addresses_of(lane_id, found), port_problem(lane_id, found))
        if seen != self._seen.get(lane_id, ((), "")):
            self._seen[lane_id] = seen
            self._tell(lane_id)
        return busy

    def _tell(self, lane_id: str) -> None:
        run = self._runs.get(lane_id)
        addresses, problem = self._seen.get(lane_id, ((), ""))
        self._publish(
            LaneRunChanged(
                lane_id=lane_id,
                running=run is not None and run.goes_on,
                text=run.command.log if run is not None else "",
                addresses=addresses,
                port_problem=problem,
                command=run.line if run is not None else "",
                ending=run.ending if run is not None else "",
            )
        )
