"""ChatChildren: what the tools of one chat can do with its sub-agents."""

import asyncio

from desktop.agent.children.lanes import ChildLanes
from desktop.agent.children.results import delivery, last_text, report
from desktop.agent.children.runs import ChildRun, ChildRuns
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.turns.commands import TurnCommands
from desktop.agent.turns.slots import TurnSlots
from desktop.domain.children.values import ChildState, tokens_of
from desktop.domain.core.work import Activity
from desktop.records import dataclass
from desktop.services.processes.stubborn import to_its_end
from desktop.tools.arguments import ArgumentsError
from desktop.tools.offers import ChildReport, ChildRunState, KnownAgent, TakenChanges, WantedChild
from desktop.tools.text import count_words


@dataclass(frozen=True)
class ChildMeans:
    """What all chats' children work with."""

    runs: ChildRuns
    sessions: Sessions
    turns: TurnCommands
    slots: TurnSlots
    lanes: ChildLanes


@dataclass(frozen=True)
class ChatChildren:
    """The offers `Children` and `OwnChildren` of one chat."""

    session: Session
    means: ChildMeans

    def agent(self, name: str) -> KnownAgent:
        """See `Children`."""
        agents = self.means.runs.agents
        file = agents.find(self.session, name)
        return agents.known(agents.given(file), file.description).model_copy(update={"lane": file.lane})

    def agent_of(self, task_id: str) -> KnownAgent:
        """See `Children`."""
        known = self.means.runs.child(self.session, task_id)
        given = self.means.sessions.glance(known.child_id).state.agent
        found = self.agent(known.agent) if given is None else self.means.runs.agents.known(given)
        return found.model_copy(update={"lane": known.lane})

    async def run(self, call_id: str, wanted: WantedChild) -> ChildReport:
        """See `Children`."""
        run = await self.means.runs.begin(self.session, call_id, wanted)
        if not run.start.background:
            await self._wait(run)
        return self._report(self.session.state.children[run.child_id])

    async def look(self, task_id: str, wait_s: float) -> ChildReport:
        """See `OwnChildren`."""
        known = self.means.runs.child(self.session, task_id)
        run = self.means.runs.run_of(known.child_id)
        if run is not None and run.task is not None and wait_s:
            await asyncio.wait({run.task}, timeout=wait_s)
        return self._report(self.session.state.children[known.child_id])

    async def stop(self, task_id: str) -> bool:
        """See `OwnChildren`."""
        return await self.means.runs.stop(self.means.runs.child(self.session, task_id).child_id)

    async def foresee(self, task_id: str) -> None:
        """See `OwnChildren`."""
        known = self.means.runs.child(self.session, task_id)
        if not known.running and self.means.sessions.knows(known.child_id):
            child = self.means.sessions.get(known.child_id)
            await self.means.lanes.foresee(self.session, known, child)

    def asks_about(self, task_id: str) -> tuple[str, ...]:
        """See `OwnChildren`."""
        return self.means.lanes.asks_about(self.session, task_id)

    async def take(self, task_id: str, *, asked: bool) -> TakenChanges:
        """See `OwnChildren`."""
        known = self.means.runs.child(self.session, task_id)
        if known.running:
            raise ArgumentsError(f"{task_id} still runs. Wait for it with task_output, or stop it.")
        if not self.means.sessions.knows(known.child_id):
            raise ArgumentsError(f"{task_id} never began, so there is nothing to take.")
        child = self.means.sessions.get(known.child_id)
        return await self.means.lanes.take(self.session, known, child, asked=asked)

    async def _wait(self, run: ChildRun) -> None:
        """Until the end of a run; when the call is stopped, the child is, and its end is on record before that is
        raised."""
        if run.task is None:
            return
        turn = self.means.turns.turn_of(self.session.session_id)
        try:
            if turn is None:
                await asyncio.shield(run.task)
                return
            async with self.means.slots.lent(turn, lambda: self.session.set_activity(Activity.QUEUED)):
                await asyncio.shield(run.task)
        except asyncio.CancelledError:
            await to_its_end(self.means.runs.stop(run.child_id))
            raise

    def _report(self, state: ChildState) -> ChildReport:
        if state.running:
            return self._running(state)
        child = self.means.sessions.glance(state.child_id) if self.means.sessions.knows(state.child_id) else None
        text = last_text(child) if child is not None else ""
        follow = () if state.delivered else delivery(self.session, state, child)
        return report(state, text, follow)

    def _running(self, state: ChildState) -> ChildReport:
        run = self.means.runs.run_of(state.child_id)
        child = run.child if run is not None else None
        where: ChildRunState = "queued" if child is None else "waiting" if child.state.open_inputs else "running"
        words = {"queued": "waits for room", "waiting": "waits for a person"}.get(where, "runs")
        line = f"Task {state.task_id} {words}."
        if child is not None and child.state.turn is not None:
            steps = count_words(child.state.turn.steps, "step")
            line += f" {state.agent} · {steps} · {tokens_of(child.state.usage):,} tokens"
        return ChildReport(task_id=state.task_id, child_id=state.child_id, agent=state.agent, state=where, line=line)
