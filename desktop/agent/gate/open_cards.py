"""OpenCards: approvals that wait are judged again when the world around them changes (gate-I17)."""

from dataclasses import replace
from typing import Literal

from desktop.agent.core.session import Session
from desktop.agent.gate.calls.caller import ToolCaller
from desktop.agent.gate.calls.hooked import with_hits
from desktop.agent.gate.calls.prepared import Prepared
from desktop.agent.gate.calls.wider import keep_offer
from desktop.agent.gate.inputs import PendingInputs, Waiting
from desktop.agent.gate.judge import Judge
from desktop.domain.core.permissions import Verdict, mode_label
from desktop.domain.events import Event
from desktop.domain.gate.action import changed_fields
from desktop.domain.gate.events import InputRevised
from desktop.domain.gate.pending import Answer, ApprovalRequest

Cause = Literal["rule", "mode", "taint", "sandbox"]
_ON_THE_CARD = frozenset({"the sandbox", "the network", "the environment"})


class OpenCards:
    """All on the engine thread."""

    def __init__(self, inputs: PendingInputs, judge: Judge, caller: ToolCaller) -> None:
        self._inputs = inputs
        self._judge = judge
        self._caller = caller

    def judge_again(self, cause: Cause, session: Session | None = None) -> None:
        """Judge every open approval (of one session and of those below it) as things are now.

        What is denied now is closed; what a rule allows now runs; a looser mode never answers a card by itself. What
        still waits shows what is true now: another deciding rule, other grants, another sandbox.
        """
        for waiting in self._inputs.approvals():
            request, prepared = waiting.request, waiting.prepared
            ours = session is None or session in (waiting.session, *waiting.session.above)
            if ours and prepared is not None and isinstance(request, ApprovalRequest):
                self._judge_one(waiting, request, prepared, cause)

    def _judge_one(self, waiting: Waiting, request: ApprovalRequest, prepared: Prepared, cause: Cause) -> None:
        again = self._judge.judge(waiting.session, prepared.call_id, prepared.name, prepared.raw)
        again = with_hits(replace(again, changed_by=prepared.changed_by), prepared.hooked)
        if again.decision.verdict is Verdict.DENY:
            self._inputs.close(waiting.input_id, "mode" if cause == "mode" else "superseded")
        elif again.decision.lifted_by is not None and cause == "rule":
            self._inputs.close(waiting.input_id, "rule", Answer(outcome="allow_once"))
        else:
            self._redraw(waiting, request, prepared, again)

    def _redraw(self, waiting: Waiting, before: ApprovalRequest, prepared: Prepared, again: Prepared) -> None:
        session = waiting.session
        asks = again.decision.verdict is Verdict.ASK
        decision = again.decision if asks else prepared.decision
        now = replace(again, decision=decision, asked_anew=prepared.asked_anew)
        shown = self._caller.request(session, now)
        shown = shown.model_copy(update={"reason": _reason(before, shown, prepared, now)})
        if before.undo_until is not None and shown.undo_until is not None:  # a later look alone is no other card
            shown = shown.model_copy(update={"undo_until": before.undo_until})
        if not asks:
            now_so = f"{mode_label(session.mode)}, which this chat is in now: the next such call will not."
            shown = shown.model_copy(update={"would_not_ask": now_so})
        if shown == before.model_copy(update={"report_id": shown.report_id}):
            return
        probed = self._judge.unrecorded_probe(session, now)
        events: list[Event] = [probed] if probed is not None else []
        if now.decision != prepared.decision or shown.digest != before.digest:
            events.append(self._judge.decided(session, now))
        session.append_many([*events, InputRevised(input_id=waiting.input_id, request=shown)])
        waiting.request, waiting.prepared = shown, now
        waiting.edits.clear()
        keep_offer(self._judge, waiting)


def _reason(before: ApprovalRequest, shown: ApprovalRequest, prepared: Prepared, now: Prepared) -> str:
    """Why it asks now, after what was said of earlier changes, and what changed while it waited that no other line of
    the card tells."""
    told = before.reason.removesuffix(prepared.decision.reason) if prepared.decision.reason else ""
    if prepared.action is not None and now.action is not None:
        other = [field for field in changed_fields(prepared.action, now.action) if field not in _ON_THE_CARD]
        if other:
            told += f"Since you were asked, {', '.join(other)} changed. "
    return f"{told}{shown.reason}"
