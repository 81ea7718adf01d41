"""ToolCaller: the only place that waits for a person and runs a handler. One result for each call, whatever happens."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import replace

from pydantic import JsonValue

from desktop.agent.core.lane_lock import lane_in_use
from desktop.agent.core.session import Session
from desktop.agent.gate.calls.carrying import carried, had_no_effect, told_of_edit
from desktop.agent.gate.calls.clean import clean_result
from desktop.agent.gate.calls.hooked import Hooked
from desktop.agent.gate.calls.loop_guard import LoopGuard
from desktop.agent.gate.calls.prepared import (
    Prepared,
    asks_for_more,
    changes_things,
    edited_arguments,
    may_change_files,
)
from desktop.agent.gate.calls.progress import Progress
from desktop.agent.gate.calls.recording import CallRecords, Outcome
from desktop.agent.gate.calls.wider import request_of
from desktop.agent.gate.inputs import Answered, PendingInputs
from desktop.agent.gate.judge import Judge
from desktop.agent.gate.lane_look import LaneLooks, can_plant, take_in
from desktop.agent.gate.taint import taints
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.domain.core.errors import StoreError
from desktop.domain.core.permissions import Category, PermissionMode, Verdict
from desktop.domain.core.work import Activity
from desktop.domain.events import Notice, ToolCallStarted
from desktop.domain.gate.action import changed_fields
from desktop.domain.gate.events import HostedGrantGiven
from desktop.domain.gate.pending import Answer, ApprovalRequest, InputRequest
from desktop.policy import refusals
from desktop.tools.tool import ToolError, ToolResult

logger = logging.getLogger(__name__)


class ToolCaller:
    """Carries out the calls of all sessions. `can_ask`: a person can answer cards in this process. `keeper`: keeps the
    files before they change, None: nothing does. `must_keep`: whether a call is refused when they cannot be kept."""

    def __init__(
        self,
        judge: Judge,
        inputs: PendingInputs,
        *,
        can_ask: bool,
        guard: LoopGuard | None = None,
        keeper: LaneKeeper | None = None,
        must_keep: Callable[[], bool] = lambda: False,
    ) -> None:
        self._keeper = keeper
        self.looks = LaneLooks(keeper)
        self._must_keep = must_keep
        self._judge = judge
        self._hooked = Hooked(judge)
        self._inputs = inputs
        self._can_ask = can_ask
        self._records = CallRecords(guard or LoopGuard(), self.request, can_ask)

    async def prepare(
        self, session: Session, call_id: str, name: str, raw: JsonValue, changed_by: str = "", *, is_done: bool = False
    ) -> Prepared:
        """Judge one call, with what hooks say of it unless it `is_done`, and record the decision. Nothing runs."""
        await self._judge.foresee(session, call_id, name, raw)
        judged = replace(self._judge.judge(session, call_id, name, raw), changed_by=changed_by)
        prepared = judged if is_done else await self._hooked.before(session, judged)
        probed = self._judge.unrecorded_probe(session, prepared)
        if probed is not None:
            session.append(probed, lazy=True)
        session.append(self._judge.decided(session, prepared), lazy=True)
        return prepared

    def turn_began(self, session: Session) -> None:
        """Keep the lane's files as they are, beside the first request, if this turn can change them (sessions-SL24)."""
        writes = any(tool.category is not Category.READ for tool in self._judge.offered(session))
        if self._keeper is not None and writes and session.mode is not PermissionMode.PLAN:
            self._keeper.turn_began(session)

    async def turn_ends(self, session: Session, *, stopped: bool) -> int | None:
        """Keep the files as the turn leaves them; how many differ, as its end tells it. Never raises but for a stop of
        the waiting task."""
        return await self._keeper.turn_ends(session, stopped=stopped) if self._keeper is not None else None

    def skip(self, session: Session, call_id: str) -> None:
        """Record that a call of a stored message was never judged, because the turn ended before it."""
        self._records.skipped(session, call_id)

    def take_back(self, session: Session, call_id: str) -> bool:
        """Its agent asks no more for a call that has not begun, or that only asks a person: its card closes, and it
        ends on record without having run. Whoever carries it out must be cancelled then. False: it runs, also where it
        asks in the middle, or is over."""
        begun = [e.tool for e in session.turn_events() if isinstance(e, ToolCallStarted) and e.call_id == call_id]
        tools = map(self._judge.known(session).resolve, begun)
        if session.is_finished(call_id) or not all(tool is not None and tool.asks_person for tool in tools):
            return False
        if not self._inputs.withdraw(session, call_id) and begun:
            return False
        self._records.taken_back(session, call_id)
        return True

    @property
    def can_ask(self) -> bool:
        """Whether a person can answer cards in this process."""
        return self._can_ask

    async def carry_out(self, session: Session, prepared: Prepared, *, clicked: bool = False) -> Outcome:
        """Ask if it must be asked, run it if it may run, and record exactly one result.

        `clicked`: a person asks for this very call right now. Where its card could be answered by one click, theirs is
        recorded as that answer; a card that says more than the command, or wants a word, is shown as ever.

        Raises:
            StoreError: the log cannot be written, so nothing may begin.
        """
        try:
            if clicked and self._one_click_allows(session, prepared):
                request = self.request(session, prepared)
                return await self._run(session, prepared, self._inputs.clicked(session, request, prepared))
            return await self._carried_out(session, prepared)
        except (Exception, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError | StoreError):
                self.skip(session, prepared.call_id)
                raise
            logger.exception("call %s failed before it could run", prepared.call_id)
            return self._records.finish(session, prepared, "refused", refusals.gate_error(type(error).__name__))

    async def _carried_out(self, session: Session, prepared: Prepared) -> Outcome:
        if prepared.decision.verdict is Verdict.DENY:
            return self._records.finish(session, prepared, "refused", prepared.refusal)
        if prepared.decision.verdict is Verdict.ASK:
            return await self._ask_then_run(session, prepared)
        return await self._run(session, prepared, None)

    # Asking

    def _one_click_allows(self, session: Session, prepared: Prepared) -> bool:
        """Whether nothing but the mode asks, so that a click on the command is as good as one on its card."""
        asks = [hit for hit in prepared.decision.hits if hit.verdict is Verdict.ASK]
        if prepared.decision.verdict is not Verdict.ASK or not all(hit.liftable for hit in asks) or not self._can_ask:
            return False
        return not self.request(session, prepared).irreversible

    async def _ask_then_run(self, session: Session, prepared: Prepared, changed: tuple[str, ...] = ()) -> Outcome:
        if not self._can_ask:
            return self._records.finish(session, prepared, "declined", refusals.NO_PERSON)
        answered = await self._wait(session, self.request(session, prepared, changed=changed), prepared)
        answer = answered.answer
        prepared = replace(answered.prepared or prepared, said=(answered.reason, answer.scope))
        if answered.reason in ("rule", "superseded"):  # by rules, not by a person: they must say so still, on record
            return await self._ask_anew(session, prepared, ())
        if answer.outcome in ("allow_once", "allow_always"):
            if answer.outcome == "allow_always" and prepared.decision.rule == "hosted_write":
                session.append(HostedGrantGiven())
            return await self._run(session, prepared, answered)
        if answer.outcome == "cancelled":
            return self._records.finish(session, prepared, "cancelled", refusals.withdrawn(session.mode))
        if answered.reason == "no_person":
            return self._records.finish(session, prepared, "declined", refusals.NO_PERSON)
        text = refusals.declined(answer.note, stopped=answer.stop_turn)
        return self._records.finish(session, prepared, "declined", text, stop_turn=answer.stop_turn)

    def request(
        self, session: Session, prepared: Prepared, *, edited_from: str = "", changed: tuple[str, ...] = ()
    ) -> ApprovalRequest:
        """What a card shows of a judged call now. `edited_from`: the digest of the agent's own version."""
        request = request_of(self._judge, session, prepared, edited_from=edited_from, changed=changed)
        return self._inputs.counted(session, request)

    async def ask_to_go_on(self, session: Session, request: InputRequest) -> Answer | None:
        """A person's answer to a question that no tool asks, None where nobody can answer."""
        return (await self._wait(session, request)).answer if self._can_ask else None

    async def _wait(self, session: Session, request: InputRequest, prepared: Prepared | None = None) -> Answered:
        session.set_activity(Activity.WAITING_INPUT)
        self._hooked.waiting(session, request, prepared)
        try:
            return await self._inputs.ask(session, request, prepared)
        finally:
            session.set_activity(Activity.RUNNING)

    # Running

    async def _run(self, session: Session, prepared: Prepared, answered: Answered | None) -> Outcome:
        if prepared.tool is None or prepared.tool.asks_person or not changes_things(prepared):
            outcome = await self._run_checked(session, prepared, answered)
        else:
            waits = session.write_lock.locked()
            if waits:
                session.set_activity(Activity.RUNNING, lane_in_use(session.write_lock.holder))
            async with session.write_lock.held_by(session.state.title):
                if waits:
                    session.set_activity(Activity.RUNNING)
                prepared, refused = await self._with_files_kept(session, prepared, answered)
                outcome = refused or await self._run_checked(session, prepared, answered)
        return outcome if isinstance(outcome, Outcome) else await self._ask_anew(session, prepared, outcome)

    async def _with_files_kept(
        self, session: Session, prepared: Prepared, answered: Answered | None
    ) -> tuple[Prepared, Outcome | None]:
        """The call with the checkpoint that holds the files as they were before it, or how it ended without one."""
        edited = answered is not None and answered.answer.edited_input is not None
        if self._keeper is None or not may_change_files(prepared, edited=edited):
            return prepared, None
        named = prepared.tool is not None and prepared.tool.category is Category.WRITE
        held = await self._keeper.before_call(session, prepared.call_id, files_named=named)
        if held.problem and self._must_keep():
            return prepared, self._records.finish(session, prepared, "refused", refusals.not_kept(held.problem))
        return replace(prepared, checkpoint_id=held.checkpoint_id), None

    async def _run_checked(
        self, session: Session, prepared: Prepared, answered: Answered | None
    ) -> Outcome | tuple[str, ...]:
        """Every call is judged once more in the moment it runs; what a person approved must be it exactly (gate-G24).

        A tuple instead of an outcome: a person must be asked, because of what it names or because rules changed.
        """
        edited = answered.answer.edited_input if answered is not None else None
        raw = prepared.raw if edited is None else edited_arguments(prepared, edited)
        again = await self._hooked.once_more(session, prepared, raw, waited=answered is not None)
        if again.decision.verdict is Verdict.DENY:
            return self._records.finish(session, prepared, "refused", again.refusal)
        if answered is None:
            if again.decision.verdict is Verdict.ASK:
                return ()
        elif again.action_digest != answered.digest or (edited is None and asks_for_more(prepared, again)):
            return self._differs(session, prepared, again, edited=edited is not None)
        decision = prepared.decision if edited is None else again.decision
        now = replace(again, decision=decision, raw=prepared.raw, asked_anew=prepared.asked_anew)
        now = replace(now, checkpoint_id=prepared.checkpoint_id, said=prepared.said)
        return await self._run_now(session, now, answered, edited)

    def _differs(
        self, session: Session, prepared: Prepared, again: Prepared, *, edited: bool
    ) -> Outcome | tuple[str, ...]:
        """The world is not as it was when the person looked: nothing runs, and they are told what is different."""
        known = not edited and prepared.action is not None and again.action is not None
        fields = changed_fields(prepared.action, again.action) if prepared.action and again.action and known else ()
        if known and not fields:
            fields = ("what is known of it",)
        what = ", ".join(fields) or "the call"
        session.append(Notice(kind="digest", level="warning", text=f"Not run: {what} changed after you allowed it."))
        if prepared.asked_anew or edited:
            return self._records.finish(session, prepared, "refused", refusals.DIGEST)
        return fields or ("the call",)

    async def _ask_anew(self, session: Session, prepared: Prepared, changed: tuple[str, ...]) -> Outcome:
        """Judged again on record, once; if it asks, the card says what changed."""
        again = await self.prepare(session, prepared.call_id, prepared.name, prepared.raw, prepared.changed_by)
        again = replace(again, asked_anew=bool(changed))
        if again.decision.verdict is Verdict.ASK:
            return await self._ask_then_run(session, again, changed)
        return await self._carried_out(session, again)

    async def _run_now(
        self, session: Session, prepared: Prepared, answered: Answered | None, edited: dict[str, JsonValue] | None
    ) -> Outcome | tuple[str, ...]:
        tool, args = prepared.tool, prepared.args
        if tool is None or args is None or prepared.facts is None:
            return self._records.finish(session, prepared, "refused", prepared.refusal)

        async def ask(request: InputRequest) -> Answer:
            return (await self._wait(session, request)).answer

        progress = Progress(session, prepared.call_id, self._judge.redactor)
        seen = answered is not None and edited is None  # the effect that was shown is that of the agent's own version
        effect = session.state.previews.get(answered.input_id) if answered is not None and seen else None
        context = self._judge.context(
            session, prepared.call_id, ask, progress.show, judged=prepared.facts, effect=effect
        )
        context = replace(context, approved=answered is not None)
        started = ToolCallStarted(
            call_id=prepared.call_id,
            tool=tool.name,
            input=prepared.raw,
            executed_input=edited_arguments(prepared, edited) if edited is not None else None,
            digest=prepared.action_digest,
            input_id=answered.input_id if answered is not None else "",
            report_id=self._judge.report_id,
            checkpoint_id=prepared.checkpoint_id,
        )
        detail = "" if tool.asks_person else tool.card(args).title
        session.append(started, lazy=True)
        began = time.monotonic()
        try:
            looks = (self.looks.before(session, prepared.call_id),) if can_plant(prepared) else ()
            await asyncio.gather(session.barrier(), *looks)  # sessions-SZ3
            if detail:
                session.set_activity(Activity.RUNNING, detail)
            result = await carried(tool, args, context, answered)
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            tail = f"{progress.tail}\n" if progress.tail.strip() else ""
            session.record(*taints(session, prepared))
            words = refusals.STOPPED_UNANSWERED if tool.asks_person else tail + refusals.STOPPED_WHILE
            self._records.finish(session, prepared, "interrupted", words, began=began)
            raise
        except ToolError as error:
            if had_no_effect(prepared, error):
                session.append(Notice(kind="effect", level="warning", text=str(error)))
                return (str(error),)  # nothing happened, so a person looks at what would happen now (gate-Q22)
            result = ToolResult(
                text=str(error),
                blocks=error.blocks,
                is_error=True,
                summary=error.summary,
                data=error.data,
                untrusted=error.untrusted,
            )
        except Exception as error:
            logger.exception("tool %s failed", tool.name)
            first_line = next(iter(str(error).splitlines()), "")[:300]
            text = f"The tool failed: {type(error).__name__}: {first_line}. Details are in the log."
            result = ToolResult(text=text, is_error=True)
        result, secrets = clean_result(told_of_edit(result, edited), self._judge.redactor(), self._judge.blobs)
        try:
            result = await self._hooked.after(session, prepared, result)
        except asyncio.CancelledError:
            self._records.finish_with(session, prepared, result, began, secrets)
            raise
        outcome = self._records.finish_with(session, prepared, result, began, secrets)
        if can_plant(prepared):
            self._records.add_to_review(session, prepared, await self.looks.after(session, prepared.call_id))
        else:
            take_in(session, prepared.call_id, result)
        return outcome
