"""CallRecords: the end of each call in the log of its chat, with what a person should look back on."""

import time
from collections.abc import Callable

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.gate.calls.looking_back import review_record, review_with_more
from desktop.agent.gate.calls.loop_guard import LoopGuard
from desktop.agent.gate.calls.prepared import Prepared
from desktop.agent.gate.lane_look import what_to_tell
from desktop.agent.gate.taint import taints
from desktop.domain.core.base import Frozen
from desktop.domain.core.errors import RefusedEvent
from desktop.domain.events import CallOutcome, Event, InputRequested, ToolCallFinished
from desktop.domain.gate.pending import ApprovalRequest
from desktop.policy import refusals
from desktop.records import dataclass
from desktop.tools.tool import ToolResult


class Outcome(Frozen):
    """How a call ended, for the loop. `stop_turn`: the person declined and stopped."""

    outcome: CallOutcome
    ends_turn: bool = False
    stop_turn: bool = False


@dataclass(frozen=True)
class CallRecords:
    """Each call gets one end. `request`: what a card shows of a judged call now. `can_ask`: a person can answer cards
    in this process."""

    guard: LoopGuard
    request: Callable[[Session, Prepared], ApprovalRequest]
    can_ask: bool

    def skipped(self, session: Session, call_id: str) -> None:
        """The end of a call that was never judged, unless it has one."""
        if not session.is_finished(call_id):
            session.record(_finished(call_id, "cancelled", refusals.STOPPED_BEFORE))

    def taken_back(self, session: Session, call_id: str) -> None:
        """The end of a call that its agent took back before anything came of it, unless it has one."""
        if not session.is_finished(call_id):
            session.record(_finished(call_id, "cancelled", refusals.TAKEN_BACK))

    def finish(
        self,
        session: Session,
        prepared: Prepared,
        outcome: CallOutcome,
        text: str,
        *,
        stop_turn: bool = False,
        began: float | None = None,
    ) -> Outcome:
        """The end of a call that gave no result, unless it has one. `began`: by the monotonic clock, if it did."""
        if not session.is_finished(prepared.call_id):
            text = self.guard.noted(session.session_id, prepared.call_id, text)
            finished = _finished(prepared.call_id, outcome, text, 0 if began is None else _ms_since(began))
            session.record(finished.model_copy(update={"data": prepared.consent_data}), lazy=True)
        return Outcome(outcome=outcome, stop_turn=stop_turn)

    def finish_with(
        self, session: Session, prepared: Prepared, result: ToolResult, began: float, secrets: tuple[str, ...]
    ) -> Outcome:
        """The end of a call that ran, with what else its result says. `secrets`: the kinds of those taken out of it."""
        text = self.guard.noted(session.session_id, prepared.call_id, result.text)
        content: str | tuple[JsonValue, ...] = text
        if result.images:
            content = ({"type": "text", "text": text}, *result.images)
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
            data={**result.data, **prepared.consent_data},
        )
        events: list[Event] = [
            *result.follow,
            *taints(session, prepared, secrets, result.untrusted, result.text),
            finished,
            *self._review(session, prepared, what_to_tell(result)),
        ]
        try:
            session.record(*events, lazy=True)
        except RefusedEvent as error:
            return self.finish(session, prepared, "error", f"The result cannot be kept: {error}", began=began)
        ends = prepared.tool is not None and prepared.tool.ends_turn and not result.is_error
        return Outcome(outcome=outcome, ends_turn=ends, stop_turn=result.stops_turn)

    def add_to_review(self, session: Session, prepared: Prepared, told: tuple[str, ...]) -> None:
        """Put what the look after a command found before a person, in the record of the call."""
        if told:
            more = review_with_more(session, prepared.call_id, told)
            session.append_many([more] if more is not None else [*self._review(session, prepared, told)])

    def _review(self, session: Session, prepared: Prepared, told: tuple[str, ...]) -> tuple[InputRequested, ...]:
        """The record to look back on, for a call that ran without asking where a person usually decides (gate-F1), or
        that changed what a person should know of (`told`)."""
        wanted = prepared.decision.review_after or told
        if not wanted or not self.can_ask or session.root.state.kind != "interactive":
            return ()
        return (review_record(self.request(session, prepared), told),)


def _finished(call_id: str, outcome: CallOutcome, text: str, duration_ms: int = 0) -> ToolCallFinished:
    interrupted = outcome == "interrupted"
    return ToolCallFinished(
        call_id=call_id, outcome=outcome, content=text, is_error=True, interrupted=interrupted, duration_ms=duration_ms
    )


def _ms_since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
