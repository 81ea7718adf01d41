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
    for input_id, open_ in session.state.reviews.items():
        if open_.call_id == call_id and isinstance(open_.request, ApprovalRequest):
            more = open_.request.model_copy(update={"warnings": (*open_.request.warnings, *told)})
            return InputRevised(input_id=input_id, request=more)
    return None
