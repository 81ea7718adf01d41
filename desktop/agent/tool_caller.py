"""ToolCaller: the only place that waits for a person and runs a handler. One result for each call, whatever happens."""

import asyncio
import logging
import time
from dataclasses import replace

from pydantic import JsonValue

from desktop.agent.approval import approval_request
from desktop.agent.inputs import PendingInputs
from desktop.agent.judge import Judge
from desktop.agent.lane_watch import can_plant, look_after, look_before
from desktop.agent.prepared import Prepared
from desktop.agent.session import Session
from desktop.domain.base import Frozen
from desktop.domain.errors import RefusedEvent, StoreError
from desktop.domain.events import (
    CallOutcome,
    Event,
    HostedGrantGiven,
    InputRequested,
    ToolCallFinished,
    ToolCallStarted,
)
from desktop.domain.ids import new_id
from desktop.domain.pending import Answer, InputRequest
from desktop.domain.permissions import Category, Verdict
from desktop.domain.updates import ToolProgress
from desktop.domain.work import Activity
from desktop.policy import refusals
from desktop.tools.tool import ToolError, ToolResult

logger = logging.getLogger(__name__)

LANE_IN_USE = "Waiting for another chat that works in the same folder"
_PROGRESS_CHARS = 4000
_PROGRESS_EVERY_S = 0.25


class Outcome(Frozen):
    """How a call ended, for the loop. `stop_turn`: the person declined and stopped."""

    outcome: CallOutcome
    ends_turn: bool = False
    stop_turn: bool = False


class ToolCaller:
    """Carries out the calls of all sessions. `can_ask`: a person can answer cards in this process."""

    def __init__(self, judge: Judge, inputs: PendingInputs, *, can_ask: bool) -> None:
        self._judge = judge
        self._inputs = inputs
        self._can_ask = can_ask

    def prepare(self, session: Session, call_id: str, name: str, raw: JsonValue) -> Prepared:
        """Judge one call and record the decision. Nothing runs and nobody is asked."""
        prepared = self._judge.judge(session, call_id, name, raw)
        session.append(self._judge.decided(session, prepared))
        return prepared

    def skip(self, session: Session, call_id: str) -> None:
        """Record that a call of a stored message was never judged, because the turn ended before it."""
        if not session.is_finished(call_id):
            session.record(_finished(call_id, "cancelled", refusals.STOPPED_BEFORE))

    async def carry_out(self, session: Session, prepared: Prepared) -> Outcome:
        """Ask if it must be asked, run it if it may run, and record exactly one result.

        Raises:
            StoreError: the log cannot be written, so nothing may begin.
        """
        try:
            return await self._carried_out(session, prepared)
        except (Exception, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError | StoreError):
                self.skip(session, prepared.call_id)
                raise
            logger.exception("call %s failed before it could run", prepared.call_id)
            return self._finish(session, prepared, "refused", refusals.gate_error(type(error).__name__))

    async def _carried_out(self, session: Session, prepared: Prepared) -> Outcome:
        if prepared.decision.verdict is Verdict.DENY:
            return self._finish(session, prepared, "refused", prepared.refusal)
        if prepared.decision.verdict is Verdict.ASK:
            return await self._ask_then_run(session, prepared)
        return await self._run(session, prepared, input_id="")

    # Asking

    async def _ask_then_run(self, session: Session, prepared: Prepared) -> Outcome:
        if not self._can_ask:
            return self._finish(session, prepared, "declined", refusals.NO_PERSON)
        input_id, answer = await self._wait(session, approval_request(session, prepared))
        if answer.outcome in ("allow_once", "allow_always"):
            if answer.outcome == "allow_always" and prepared.decision.rule == "hosted_write":
                session.append(HostedGrantGiven())
            return await self._run(session, prepared, input_id=input_id)
        if answer.outcome == "cancelled":
            return self._finish(session, prepared, "cancelled", refusals.withdrawn(session.state.mode))
        text = refusals.declined(answer.note, stopped=answer.stop_turn)
        return self._finish(session, prepared, "declined", text, stop_turn=answer.stop_turn)

    async def _wait(self, session: Session, request: InputRequest) -> tuple[str, Answer]:
        session.set_activity(Activity.WAITING_INPUT)
        try:
            return await self._inputs.ask(session, request)
        finally:
            session.set_activity(Activity.RUNNING)

    # Running

    async def _run(self, session: Session, prepared: Prepared, *, input_id: str) -> Outcome:
        tool = prepared.tool
        if tool is None or tool.asks_person or tool.category not in (Category.WRITE, Category.BASH):
            outcome = await self._run_checked(session, prepared, input_id)
        else:
            if session.write_lock.locked():
                session.set_activity(Activity.RUNNING, LANE_IN_USE)
            async with session.write_lock:
                outcome = await self._run_checked(session, prepared, input_id)
        return outcome if outcome is not None else await self._ask_anew(session, prepared)

    async def _run_checked(self, session: Session, prepared: Prepared, input_id: str) -> Outcome | None:
        """Every call is judged once more in the moment it runs; any difference to what a person approved refuses it
        (gate-G24). None: what needed no person before needs one now."""
        again = self._judge.judge(session, prepared.call_id, prepared.name, prepared.raw)
        if again.decision.verdict is Verdict.DENY:
            return self._finish(session, prepared, "refused", again.refusal)
        if input_id and again.action_digest != prepared.action_digest:
            return self._finish(session, prepared, "refused", refusals.DIGEST)
        if not input_id and again.decision.verdict is Verdict.ASK:
            return None
        return await self._run_now(session, replace(again, decision=prepared.decision), input_id)

    async def _ask_anew(self, session: Session, prepared: Prepared) -> Outcome:
        again = self.prepare(session, prepared.call_id, prepared.name, prepared.raw)
        return await self._carried_out(session, again)

    async def _run_now(self, session: Session, prepared: Prepared, input_id: str) -> Outcome:
        tool, args = prepared.tool, prepared.args
        if tool is None or args is None or prepared.facts is None:
            return self._finish(session, prepared, "refused", prepared.refusal)

        async def ask(request: InputRequest) -> Answer:
            return (await self._wait(session, request))[1]

        progress = _Progress(session, prepared.call_id)
        context = self._judge.context(session, prepared.call_id, ask, progress.show, judged=prepared.facts.paths)
        started = ToolCallStarted(
            call_id=prepared.call_id, tool=tool.name, input=prepared.raw, digest=prepared.action_digest,
            input_id=input_id,
        )  # fmt: skip
        detail = "" if tool.asks_person else tool.card(args).title
        session.append(started)
        began = time.monotonic()
        try:
            if detail:
                session.set_activity(Activity.RUNNING, detail)
            if can_plant(prepared):
                await look_before(session)
            result = await tool.run(args, context)
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            tail = f"{progress.tail}\n" if progress.tail.strip() else ""
            self._finish(session, prepared, "interrupted", tail + refusals.STOPPED_WHILE, began=began)
            raise
        except ToolError as error:
            result = ToolResult(text=str(error), is_error=True, summary=error.summary, data=error.data)
        except Exception as error:
            logger.exception("tool %s failed", tool.name)
            first_line = next(iter(str(error).splitlines()), "")[:300]
            text = f"The tool failed: {type(error).__name__}: {first_line}. Details are in the log."
            result = ToolResult(text=text, is_error=True)
        outcome = self._finish_result(session, prepared, result, began)
        if can_plant(prepared):
            await look_after(session)
        return outcome

    # Recording

    def _finish_result(self, session: Session, prepared: Prepared, result: ToolResult, began: float) -> Outcome:
        content: str | tuple[JsonValue, ...] = result.text
        if result.images:
            content = ({"type": "text", "text": result.text}, *result.images)
        outcome: CallOutcome = "error" if result.is_error else "ok"
        finished = ToolCallFinished(
            call_id=prepared.call_id,
            outcome=outcome,
            content=content,
            is_error=result.is_error,
            blocks=result.blocks,
            full=result.full,
            touched=result.touched,
            duration_ms=_ms_since(began),
            summary=result.summary,
            data=result.data,
        )
        events: list[Event] = [*result.follow, finished, *self._review(session, prepared)]
        try:
            session.record(*events)
        except RefusedEvent as error:
            return self._finish(session, prepared, "error", f"The result cannot be kept: {error}", began=began)
        ends = prepared.tool is not None and prepared.tool.ends_turn and not result.is_error
        return Outcome(outcome=outcome, ends_turn=ends)

    def _review(self, session: Session, prepared: Prepared) -> tuple[InputRequested, ...]:
        """The record to look back on, for a call that ran without asking where a person usually decides (gate-F1)."""
        if not prepared.decision.review_after or not self._can_ask or session.state.kind != "interactive":
            return ()
        request = approval_request(session, prepared).model_copy(update={"blocking": False, "grants": ()})
        return (InputRequested(input_id=new_id("inp_"), call_id=prepared.call_id, request=request),)

    def _finish(
        self, session: Session, prepared: Prepared, outcome: CallOutcome, text: str, *,
        stop_turn: bool = False, began: float | None = None,
    ) -> Outcome:  # fmt: skip
        if not session.is_finished(prepared.call_id):
            session.record(_finished(prepared.call_id, outcome, text, 0 if began is None else _ms_since(began)))
        return Outcome(outcome=outcome, stop_turn=stop_turn)


def _finished(call_id: str, outcome: CallOutcome, text: str, duration_ms: int = 0) -> ToolCallFinished:
    interrupted = outcome == "interrupted"
    return ToolCallFinished(
        call_id=call_id, outcome=outcome, content=text, is_error=True, interrupted=interrupted, duration_ms=duration_ms
    )


class _Progress:
    """Shows the output of a running call, at most four times a second."""

    def __init__(self, session: Session, call_id: str) -> None:
        self.tail = ""
        self._session = session
        self._call_id = call_id
        self._began = time.monotonic()
        self._shown = 0.0

    def show(self, tail: str, output_bytes: int) -> None:
        """The last characters of the output so far, and its size."""
        self.tail = tail[-_PROGRESS_CHARS:]
        now = time.monotonic()
        if now - self._shown < _PROGRESS_EVERY_S:
            return
        self._shown = now
        update = ToolProgress(
            session_id=self._session.session_id,
            call_id=self._call_id,
            tail=self.tail,
            output_bytes=output_bytes,
            elapsed_ms=_ms_since(self._began),
        )
        self._session.publish(update)


def _ms_since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
