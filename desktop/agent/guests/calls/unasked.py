"""The record of a call that a guest made without asking: judged after the fact, by the same gate (guests-A26)."""

from collections.abc import Mapping

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.gate.calls.caller import ToolCaller
from desktop.agent.gate.calls.clean import clean_result
from desktop.agent.gate.calls.looking_back import review_record
from desktop.agent.gate.calls.prepared import Prepared
from desktop.agent.gate.judge import Judge
from desktop.agent.gate.taint import taints
from desktop.agent.guests.calls.results import result_of
from desktop.domain.core.permissions import Verdict
from desktop.domain.events import Event, ToolCallFinished
from desktop.domain.guests.events import GuestNoticed
from desktop.records import dataclass

RAN_UNASKED = "It ran without asking."


@dataclass(frozen=True)
class Unasked:
    """What a guest told of the call, and how people know the guest."""

    told: Mapping[str, JsonValue]
    label: str


def record_unasked(session: Session, caller: ToolCaller, judge: Judge, prepared: Prepared, unasked: Unasked) -> Verdict:
    """Record what came of it, to look back on where the gate would have asked or refused. The verdict of the gate."""
    result, secrets = clean_result(result_of(unasked.told), judge.redactor(), judge.blobs)
    verdict = prepared.decision.verdict
    against, going_on = verdict is not Verdict.ALLOW, unasked.told.get("status") == "in_progress"
    finished = ToolCallFinished(
        call_id=prepared.call_id,
        outcome="interrupted" if going_on else "error" if result.is_error else "ok",
        content=result.text,
        is_error=result.is_error,
        blocks=result.blocks,
        full=result.full,
        summary="ran without asking" if against else result.summary,
        data={"held_by": "sandbox", "unasked": against},
    )
    events: list[Event] = [*taints(session, prepared, secrets, result.untrusted, result.text), finished]
    if against:
        reason = prepared.refusal or prepared.decision.reason
        failed = result.is_error and not going_on
        what = "tried this without asking, and it failed." if failed else "ran this without asking."
        text = f"{unasked.label} {what} {reason}"
        events.append(GuestNoticed(kind="unasked", text=text, data={"call_id": prepared.call_id}))
    if against and prepared.args is not None and prepared.facts is not None and caller.can_ask:
        events.append(review_record(caller.request(session, prepared), (RAN_UNASKED,)))
    session.record(*events, lazy=True)
    return verdict
