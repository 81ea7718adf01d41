"""CallRunner: the calls of one answer, in order: neighbouring reads together, every other call alone (sessions 7.3)."""

import asyncio

from desktop.agent.core.notes import note
from desktop.agent.core.session import Session
from desktop.agent.gate.calls.caller import ToolCaller
from desktop.agent.gate.calls.loop_guard import LOOP_NOTE, LoopGuard, goes_on, question
from desktop.agent.gate.calls.prepared import Prepared
from desktop.agent.gate.calls.recording import Outcome
from desktop.agent.gate.judge import Judge
from desktop.agent.turns.limits import LimitWatch
from desktop.agent.turns.turn import Turn, record_stop, stopped
from desktop.domain.core.content import ToolUse

MAX_PARALLEL = 8


class CallRunner:
    """For the turns of all sessions."""

    def __init__(self, judge: Judge, caller: ToolCaller, limits: LimitWatch, guard: LoopGuard) -> None:
        self._judge = judge
        self._caller = caller
        self._limits = limits
        self._guard = guard

    async def carry_out(self, session: Session, turn: Turn, calls: list[ToolUse]) -> bool:
        """Carry out the calls of one answer in order; neighbouring reads run together. True: the turn is over."""
        outcomes: list[Outcome] = []
        together: list[Prepared] = []
        await self._judge.ready()
        try:
            for call in calls:
                if together and not self._joins(session, together, call):
                    outcomes += await self._together(session, together)
                if turn.stop_after_step or not await self._may_begin(session, turn, call):
                    break
                prepared = await self._prepare(session, call)
                if prepared.runs_parallel and len(together) < MAX_PARALLEL:
                    together.append(prepared)
                    continue
                outcomes += await self._together(session, together)
                outcomes.append(await self._caller.carry_out(session, prepared))
                if outcomes[-1].stop_turn:
                    break
            outcomes += await self._together(session, together)
        finally:
            for call in calls:
                self._caller.skip(session, call.id)
        if any(outcome.stop_turn for outcome in outcomes):
            turn.status, turn.reason = "interrupted", "declined"
            record_stop(session, turn)
        if turn.status is not None:
            return True
        return len(outcomes) == len(calls) and all(outcome.ends_turn for outcome in outcomes)

    def _joins(self, session: Session, together: list[Prepared], call: ToolUse) -> bool:
        """Whether a call may run beside those; the same call waits for their results."""
        name = self._judge.proper_name(session, call.name)
        same = any(
            self._guard.same(self._judge.proper_name(session, other.name), other.raw, name, call.input)
            for other in together
        )
        return not same and self._judge.runs_parallel(session, call.name)

    async def _prepare(self, session: Session, call: ToolUse) -> Prepared:
        self._guard.made(session.session_id, call.id, self._judge.proper_name(session, call.name), call.input)
        return await self._caller.prepare(session, call.id, call.name, call.input)

    async def _may_begin(self, session: Session, turn: Turn, call: ToolUse) -> bool:
        """Whether one more call may be made: there is time left, and it does not go round in circles (sessions-SL22).

        Raises:
            LimitReached: the turn has run long enough.
        """
        self._limits.before_call(session)
        name = self._judge.proper_name(session, call.name)
        if not self._guard.one_too_many(session.session_id, name, call.input):
            return True
        answer = await self._caller.ask_to_go_on(session, question(call.id, name))
        if answer is not None and goes_on(answer):
            self._guard.allow(session.session_id)
            return True
        if answer is None:
            turn.status, turn.reason, turn.detail = "loop", "loop", LOOP_NOTE
            session.record(note("loop", LOOP_NOTE, turn.turn_id))
        else:
            stopped(session, turn)
        return False

    async def _together(self, session: Session, prepared: list[Prepared]) -> list[Outcome]:
        """Carry out allowed reads at the same time; results are recorded as they finish. The list is emptied."""
        batch = prepared.copy()
        prepared.clear()
        if len(batch) == 1:
            return [await self._caller.carry_out(session, batch[0])]
        if not batch:
            return []
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._caller.carry_out(session, one)) for one in batch]
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return [task.result() for task in tasks]
