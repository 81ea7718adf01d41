"""Records to look back on: what a call did without asking, with what a person should know of it (gate-F1, gate-P10)."""

from desktop.agent.core.session import Session
from desktop.domain.core.ids import new_id
from desktop.domain.events import InputRequested
from desktop.domain.gate.events import InputRevised
from desktop.domain.gate.pending import ApprovalRequest


def review_record(request: ApprovalRequest, told: tuple[str, ...]) -> InputRequested:
    """The record of a call that ran; `told`: what a person should know of its effects."""
    changes = {"blocking": False, "grants": (), "warnings": (*request.warnings, *told)}
    record = request.model_copy(update=changes)
    return InputRequested(input_id=new_id("inp_"), call_id=request.call_id, request=record)


def review_with_more(session: Session, call_id: str, told: tuple[str, ...]) -> InputRevised | None:
    """The open record of a call, saying more; None: it has none."""
    input_id = next((one for one, call in session.state.reviews.items() if call == call_id), "")
    for envelope in reversed(session.log) if input_id else ():
        event = envelope.event if envelope.kind in ("input_requested", "input_revised") else None
        if isinstance(event, InputRequested | InputRevised) and event.input_id == input_id:
            if isinstance(event.request, ApprovalRequest):
                more = event.request.model_copy(update={"warnings": (*event.request.warnings, *told)})
                return InputRevised(input_id=input_id, request=more)
            break
    return None
