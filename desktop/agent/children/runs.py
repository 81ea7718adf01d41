"""ChildRuns: begins children, lets four of a chat run at once, waits for their ends, and stops them."""

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import field

from desktop.agent.children.agents import Agents
from desktop.agent.children.lanes import ChildLanes
from desktop.agent.children.models import ChildModels
from desktop.agent.children.results import ended
from desktop.agent.children.start import ChildPlace, ChildStart
from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.turns.commands import TurnCommands
from desktop.agent.turns.limits import Spent
from desktop.domain.children.commands import StopChild
from desktop.domain.children.events import ChildBegun, ChildEnded
from desktop.domain.children.values import MOST_AT_ONCE, ChildOutcome, ChildState, tokens_of
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.listeners import Listeners
from desktop.domain.core.usage import Usage
from desktop.records import dataclass
from desktop.tools.arguments import ArgumentsError
from desktop.tools.offers import WantedChild

logger = logging.getLogger(__name__)


@dataclass
class ChildRun:
    """One run of a child that has no end yet. `child`: once it has begun; `began`: the first entry of the run in its
    log; `before`: what it had used by then. `seated`: there is room for it; `stop_asked`: nothing of it begins any
    more."""

    parent: Session
    child_id: str
    start: ChildStart
    child: Session | None = None
    began: int = 0
    before: tuple[Usage, int] = (Usage(), 0)
    seated: bool = False
    stop_asked: bool = False
    task: "asyncio.Task[None] | None" = field(default=None)

    @property
    def spent(self) -> Spent:
        """What the run has used so far, without what its own running children have."""
        if self.child is None:
            return Spent()
        now = self.child.state
        tokens = tokens_of(now.usage) - tokens_of(self.before[0])
        return Spent(tokens, now.cost_microusd - self.before[1])


class ChildRuns:
    """Engine thread. `agents`: which there are; `models`: what they think with; `lanes`: makes those of children that
    work apart. `over` is told the parent and the child of each run that ended."""

    def __init__(
        self, sessions: Sessions, turns: TurnCommands, agents: Agents, models: ChildModels, lanes: ChildLanes
    ) -> None:
        self.agents = agents
        self._models = models
        self._lanes = lanes
        self.over = Listeners[Session, str]()
        self._sessions = sessions
        self._turns = turns
        self._runs: dict[str, ChildRun] = {}
        self._seats: dict[str, asyncio.Semaphore] = {}
        self._stops: set[asyncio.Task[None]] = set()

    def of(self, session_id: str) -> Iterator[ChildRun]:
        """The runs of a chat's children that have no end yet, the oldest first."""
        return (run for run in [*self._runs.values()] if run.parent.session_id == session_id)

    def run_of(self, child_id: str) -> ChildRun | None:
        """The run of a child that has no end yet."""
        return self._runs.get(child_id)

    def below(self, session: Session) -> Spent:
        """What the running children of a chat have used, and theirs."""
        tokens = cost = 0
        for run in self.of(session.session_id):
            deeper = self.below(run.child) if run.child is not None else Spent()
            tokens += run.spent.tokens + deeper.tokens
            cost += run.spent.cost_microusd + deeper.cost_microusd
        return Spent(tokens, cost)

    def handlers(self) -> dict[type[Command], Handler]:
        """The one command."""
        return {StopChild: self._stop_one}

    async def _stop_one(self, command: StopChild) -> None:
        """Raises CommandError `not_running`."""
        if not await self.stop(command.child_id):
            raise CommandError("not_running", "This sub-agent does not run any more.")

    async def begin(self, session: Session, call_id: str, wanted: WantedChild) -> ChildRun:
        """Record that a child is begun, and have it run when there is room for it.

        Raises:
            ArgumentsError: there is no such agent or task, or it still runs.
            StoreError: it could not be recorded; nothing runs.
        """
        if wanted.resume:
            known = self.child(session, wanted.resume)
            if known.running:
                raise ArgumentsError(f"{wanted.resume} still runs. Wait for it with task_output, or stop it.")
            return self._record(session, call_id, ChildStart.again(session, known, wanted), known.child_id)
        file = await self.agents.whole(session, self.agents.find(session, wanted.agent))
        start = ChildStart.first(session, file, self.agents.given(file, wanted.scope), wanted)
        return self._record(session, call_id, start, new_session_id())

    def child(self, session: Session, task_id: str) -> ChildState:
        """The child of a chat that its model calls so. Raises ArgumentsError: there is none."""
        found = next((one for one in session.state.children.values() if one.task_id == task_id), None)
        if found is None:
            names = ", ".join(one.task_id for one in session.state.children.values())
            raise ArgumentsError(f'There is no task "{task_id}". There are: {names or "none"}.')
        return found

    def turn_begun(self, child: Session) -> None:
        """A person lets a child go on, or writes to it: its run counts for its chat again, which is told of it."""
        parent = child.parent
        state = parent.state.children.get(child.session_id) if parent is not None else None
        if parent is None or state is None or child.session_id in self._runs:
            return
        start = ChildStart.by_person(state)
        run = self._record(parent, state.call_id, start, child.session_id)
        run.child, run.began = child, child.state.head_seq
        run.before = (child.state.usage, child.state.cost_microusd)

    async def stop(self, child_id: str) -> bool:
        """End a child with its own children and all their processes. Whether it ran."""
        run = self._runs.get(child_id)
        if run is None:
            return False
        run.stop_asked = True
        await asyncio.sleep(0)  # a task that is cancelled before its first step would record no end
        for deeper in [*self.of(child_id)]:
            await self.stop(deeper.child_id)
        if run.child is not None:
            await self._turns.stop(run.child)
        elif run.task is not None:
            run.task.cancel()
        if run.task is not None:
            await asyncio.wait({run.task})
        return True

    def stop_all_of(self, session_id: str) -> None:
        """A person stops the turn of a chat: all of its children end."""
        for run in self.of(session_id):
            run.stop_asked = True
            task = asyncio.create_task(self._stopped(run.child_id), name="stop child")
            self._stops.add(task)
            task.add_done_callback(self._stops.discard)

    async def close(self) -> None:
        """The app closes: what runs ends with its turn, what waits is not begun."""
        for run in [*self._runs.values()]:
            run.stop_asked = True
            if run.child is None and run.task is not None:
                run.task.cancel()
        tasks = [run.task for run in self._runs.values() if run.task is not None and run.child is None]
        await asyncio.gather(*tasks, *self._stops, return_exceptions=True)

    async def ended(self) -> None:
        """Once no run is left."""
        tasks = [run.task for run in self._runs.values() if run.task is not None]
        await asyncio.gather(*tasks, *self._stops, return_exceptions=True)

    async def _stopped(self, child_id: str) -> None:
        await self.stop(child_id)

    def _record(self, session: Session, call_id: str, start: ChildStart, child_id: str) -> ChildRun:
        task_id = f"t{len(session.state.children) + 1}"
        known = session.state.children.get(child_id)
        session.append(
            ChildBegun(
                child_id=child_id,
                task_id=known.task_id if known is not None else task_id,
                call_id=call_id,
                agent=start.agent_name,
                agent_sha256=start.agent.sha256 if start.agent is not None else "",
                description=start.description,
                background=start.background,
                lane=start.lane,
                lane_id=session.state.lane_id if start.lane == "same" else "",
                limits=start.limits,
                again=known is not None,
            ),
            lazy=True,
        )
        run = ChildRun(session, child_id, start)
        self._runs[child_id] = run
        run.task = asyncio.create_task(self._live(run), name=f"child {child_id}")
        return run

    async def _live(self, run: ChildRun) -> None:
        """All of a run; its end is on record afterwards, whatever happens."""
        outcome: tuple[ChildOutcome, str] | None = None
        try:
            seats = self._seats.setdefault(run.parent.session_id, asyncio.Semaphore(MOST_AT_ONCE))
            async with seats:
                run.seated = True
                if run.child is None:
                    await self._open(run)
                await self._until_over(run)
        except asyncio.CancelledError:
            outcome = ("not_begun", "It was stopped before it began.") if run.child is None else None
        except BanksmanError as error:
            outcome = ("failed", str(error))
        except Exception as error:
            logger.exception("child %s failed", run.child_id)
            outcome = ("failed", f"{type(error).__name__}. Details are in the log.")
        finally:
            await self._end(run, outcome)

    async def _open(self, run: ChildRun) -> None:
        """Begin its chat, or find it again, and its turn."""
        if self._sessions.knows(run.child_id):
            child = self._sessions.get(run.child_id)
            run.before = (child.state.usage, child.state.cost_microusd)
            run.began = child.state.head_seq + 1
        else:
            child = await self._begun(run)
        run.child = child
        told = [event for events in self._turns.beforehand(child) for event in events]
        self._turns.start(child, [*told, run.start.message(run.parent)])

    async def _begun(self, run: ChildRun) -> Session:
        """The chat of a new child, in the lane of its own if it has one, which goes when the chat cannot begin."""
        chosen = await self._models.chosen(run.parent, run.start.model)
        own = await self._lanes.make(run.parent, run.start.description) if run.start.lane == "own" else None
        place = ChildPlace(own or run.parent.lane, chosen.model, chosen.notice)
        try:
            return run.start.open(self._sessions, run.parent, run.child_id, place)
        except BanksmanError:
            if own is not None:
                await self._lanes.discard(own)
            raise

    async def _until_over(self, run: ChildRun) -> None:
        while run.child is not None and run.child.running and run.child.task is not None:
            await asyncio.wait({run.child.task})

    async def _end(self, run: ChildRun, outcome: tuple[ChildOutcome, str] | None) -> None:
        self._runs.pop(run.child_id, None)
        state = run.parent.state.children[run.child_id]
        if run.child is not None and run.child.log:
            event = ended(run.child, state, run.began, run.before)
        else:
            event = ChildEnded(child_id=run.child_id, task_id=state.task_id, call_id=state.call_id, outcome="not_begun")
        if outcome is not None:
            event = event.model_copy(update={"outcome": outcome[0], "detail": outcome[1]})
        run.parent.record(event)
        if not any(self.of(run.parent.session_id)):
            self._seats.pop(run.parent.session_id, None)
        if run.child is not None and not run.child.running:
            await self._sessions.drop(run.child_id)
        self.over(run.parent, run.child_id)


class RunEnds:
    """Closed once no chat works any more: the end of every run is on record then."""

    def __init__(self, runs: ChildRuns) -> None:
        self._runs = runs

    async def close(self) -> None:
        """Wait for them."""
        await self._runs.ended()
