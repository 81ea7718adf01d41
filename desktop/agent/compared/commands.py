"""ComparedCommands: which tasks several work on, and keeping one of the results."""

import asyncio
from collections.abc import Awaitable, Callable

from desktop.agent.compared.figures import ChatFigures
from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish
from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.project_log import ProjectLog, project_log_id
from desktop.domain.commands import ArchiveSession, Interrupt
from desktop.domain.compared.commands import KeepResult, LoadComparisons, UndoKeepResult
from desktop.domain.compared.fold import KEEP, UNDO, Compared, fold_compared
from desktop.domain.compared.updates import ComparisonsLoaded, ResultKept
from desktop.domain.compared.values import ComparedRun, Comparison, KeptResult
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.lanes.commands import ArchiveLane, UnarchiveLane
from desktop.store.core.events import EventStore

MOST = 20
STOP_S = 20.0
_OF_PEOPLE = ("interactive", "hosted")
Run = Callable[[Command], Awaitable[None]]


class ComparedCommands:
    """All on the engine thread. What belongs together is in the log of the repository; nothing else keeps it. `run`
    carries out another command."""

    def __init__(
        self,
        ground: Ground,
        publish: Publish,
        record: tuple[ProjectLog, EventStore],
        chats: tuple[Sessions, ChatFigures],
        run: Run,
    ) -> None:
        self._ground, self._publish, self._run = ground, publish, run
        self._log, self._events = record
        self._sessions, self._figures = chats
        self._folded: dict[str, tuple[int, Compared]] = {}

    def handlers(self) -> dict[type[Command], Handler]:
        """Listing, keeping, and taking that back."""
        return {LoadComparisons: self._load, KeepResult: self._keep, UndoKeepResult: self._undo}

    async def _load(self, command: LoadComparisons) -> None:
        newest = list(reversed(self._compared().comparisons.values()))[:MOST]
        told = [one for one in [await self._now(comparison) for comparison in newest] if one.runs]
        self._publish(ComparisonsLoaded(command_id=command.command_id, comparisons=tuple(told)))

    async def _now(self, comparison: Comparison) -> Comparison:
        """With the figures of those that were begun and are still there."""
        runs: list[ComparedRun] = []
        for run in comparison.runs:
            found = await self._figures.of(run.slot.session_id)
            if found is not None:
                runs.append(run.model_copy(update={"figures": found[0], "archived": found[1]}))
        return comparison.model_copy(update={"runs": tuple(runs)})

    async def _keep(self, command: KeepResult) -> None:
        one = self._comparison(command.comparison_id)
        if one.run_of(command.session_id) is None or not self._sessions.knows(command.session_id):
            raise CommandError("no_result", "That chat is not one of these results.")
        others = [run for run in one.runs if run.slot.session_id != command.session_id]
        others = [run for run in others if self._sessions.knows(run.slot.session_id)]
        named = [run.slot.session_id for run in others]
        begun = self._log.operation(KEEP, comparison_id=one.id, session_id=command.session_id, others=[*named])
        async with begun as running:
            chats: list[str] = []
            lanes: list[str] = []
            left: list[str] = []
            running.result |= {"chats": [], "lanes": []}
            for run in others:
                if not self._sessions.get(run.slot.session_id).state.archived:
                    await self._stop(run)
                    await self._run(ArchiveSession(session_id=run.slot.session_id, archived=True))
                    chats.append(run.slot.session_id)
                    running.result["chats"] = [*chats]
                left += await self._archive_lane(run, lanes)
                running.result["lanes"] = [*lanes]
            running.text = " ".join([_said(one, command.session_id, len(chats)), *left])
        told = ResultKept(
            command_id=command.command_id, comparison_id=one.id, session_id=command.session_id, text=running.text
        )
        self._publish(told)

    async def _stop(self, run: ComparedRun) -> None:
        """Raises CommandError: it works on."""
        session = self._sessions.get(run.slot.session_id)
        if session.running:
            await self._run(Interrupt(session_id=session.session_id))
            if session.task is not None:
                await asyncio.wait({session.task}, timeout=STOP_S)
        if session.running:
            raise CommandError("running", f"{run.slot.name} could not be stopped. Stop it, then keep the result.")

    async def _archive_lane(self, run: ComparedRun, done: list[str]) -> list[str]:
        """Archive the lane where nothing else works in it; why it stays, [] where it went or was gone."""
        lane = self._ground.lanes.get(run.slot.lane_id)
        if lane is None or lane.state != "active":
            return []
        rows = (row for row in self._events.rows(lane.project_id) if row.lane_id == lane.id and not row.archived)
        if any(row.kind in _OF_PEOPLE for row in rows):
            return [f"The lane of {run.slot.name} stays: another chat works there."]
        try:
            await self._run(ArchiveLane(lane_id=lane.id))
        except BanksmanError as error:
            return [f"The lane of {run.slot.name} stays: {error}"]
        done.append(lane.id)
        return []

    async def _undo(self, command: UndoKeepResult) -> None:
        one = self._comparison(command.comparison_id)
        if one.kept is None:
            raise CommandError("nothing_kept", "No result was kept, so there is nothing to bring back.")
        async with self._log.operation(UNDO, comparison_id=one.id) as running:
            await self._bring_back(one.kept)
            running.text = "The other results are back."
        told = ResultKept(command_id=command.command_id, comparison_id=one.id, session_id="", text=running.text)
        self._publish(told)

    async def _bring_back(self, kept: KeptResult) -> None:
        for lane_id in kept.lanes:
            lane = self._ground.lanes.get(lane_id)
            if lane is not None and lane.state == "archived":
                await self._run(UnarchiveLane(lane_id=lane_id))
        for session_id in kept.chats:
            if self._sessions.knows(session_id):
                await self._run(ArchiveSession(session_id=session_id, archived=False))

    def _comparison(self, comparison_id: str) -> Comparison:
        found = self._compared().comparisons.get(comparison_id)
        if found is None:
            raise CommandError("no_comparison", "There is no such comparison in this repository.")
        return found

    def _compared(self) -> Compared:
        """As the log of the open repository has it now; only what is new there is read."""
        log_id = project_log_id(self._ground.the_project().id)
        if self._events.head(log_id) is None:
            return Compared()
        seq, compared = self._folded.get(log_id, (-1, Compared()))
        for envelope in self._events.read(log_id, seq):
            seq, compared = envelope.seq, fold_compared(compared, envelope)
        self._folded[log_id] = seq, compared
        return compared


def _said(one: Comparison, session_id: str, archived: int) -> str:
    run = one.run_of(session_id)
    name = run.slot.name if run is not None else ""
    return f"Kept {name}. 1 other was archived." if archived == 1 else f"Kept {name}. {archived} others were archived."
