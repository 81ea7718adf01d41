"""Hooks around one call: asked after it was judged and before a person is, told when it has ended (gate-G19)."""

import time
from dataclasses import replace

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.gate.calls.prepared import Prepared, changes_things
from desktop.agent.gate.judge import Judge
from desktop.agent.hooks.calls import BEFORE_ALL_S, Ended, HookedCall
from desktop.domain.core.permissions import Decision, RuleHit, Verdict
from desktop.domain.gate.action import canonical_json
from desktop.domain.gate.pending import InputRequest
from desktop.policy.hooks.answers import HOOK, tightened
from desktop.policy.refusals import hook_refusal
from desktop.records import dataclass
from desktop.tools.tool import ToolResult

MOST_CHANGES = 3
"""How often hooks may change one call before it is refused."""


@dataclass(frozen=True)
class Hooked:
    """Asks the hooks of all calls, and has what they propose judged."""

    judge: Judge

    async def before(self, session: Session, prepared: Prepared) -> Prepared:
        """The call as hooks leave it: as it was, stricter, or changed and judged anew from the start. One that is
        refused already is not shown to them."""
        if not self.judge.hooks.concern(session):
            return prepared
        deadline = time.monotonic() + BEFORE_ALL_S
        for _ in range(MOST_CHANGES):
            call = _hooked(prepared)
            if call is None or prepared.decision.verdict is Verdict.DENY:
                return prepared
            said = await self.judge.hooks.before(session, call, deadline)
            if said.proposed is None:
                return with_hits(prepared, said.hits)
            again = self.judge.judge(session, prepared.call_id, prepared.name, said.proposed)
            prepared = replace(again, changed_by=said.by)
        reason = f'The hooks did not agree on the arguments; "{prepared.changed_by}" was the last to change them.'
        return with_hits(prepared, (RuleHit(rule=HOOK, verdict=Verdict.DENY, reason=reason),))

    async def once_more(self, session: Session, prepared: Prepared, raw: JsonValue, *, waited: bool) -> Prepared:
        """The call as it is judged in the moment before it runs. `waited`: for a person, who may have taken their time,
        or changed it; then the hooks are asked once more, and what is judged last is the world after them."""
        await self.judge.ready()
        again = self.judge.judge(session, prepared.call_id, prepared.name, raw)
        if waited and self.judge.hooks.concern(session):
            said = await self.before(session, again)
            again = with_hits(self.judge.judge(session, prepared.call_id, prepared.name, said.raw), said.hooked)
        return replace(again, changed_by=prepared.changed_by)

    async def after(self, session: Session, prepared: Prepared, result: ToolResult) -> ToolResult:
        """The result, saying whether a hook changed the call, with what hooks note after it."""
        text = result.text
        if prepared.changed_by:
            changed = canonical_json(prepared.raw)
            text = f'[The hook "{prepared.changed_by}" changed this call before it ran: {changed}]\n{text}'
        call = _hooked(prepared) if self.judge.hooks.runs_at(session, "after_call") else None
        if call is not None:
            status = result.data.get("exit_code")
            ended = Ended(
                outcome="error" if result.is_error else "ok",
                text=result.text,
                exit_code=status if isinstance(status, int) else None,
                touched=tuple(file.path for file in result.touched),
            )
            asks = prepared.tool is None or prepared.tool.asks_person
            notes = await self.judge.hooks.after(session, call, ended, reads=asks or not changes_things(prepared))
            text = "\n".join((text, *notes))
        return result if text == result.text else result.model_copy(update={"text": text})

    def waiting(self, session: Session, request: InputRequest, prepared: Prepared | None) -> None:
        """A person is waited for."""
        if not self.judge.hooks.runs_at(session, "on_card"):
            return
        self.judge.hooks.waiting(session, request, _hooked(prepared) if prepared is not None else None)


def with_hits(prepared: Prepared, hits: tuple[RuleHit, ...]) -> Prepared:
    """The call with what hooks said of it; they only tighten (guests-H4)."""
    if not hits or prepared.decision.verdict is Verdict.DENY:
        return prepared
    decision: Decision = tightened(prepared.decision, hits)
    refusal = hook_refusal(decision.reason) if decision.verdict is Verdict.DENY else ""
    return replace(prepared, decision=decision, hooked=hits, refusal=refusal)


def _hooked(prepared: Prepared) -> HookedCall | None:
    """The call as hooks are told of it, None for one that was not judged whole."""
    if prepared.facts is None or prepared.args is None:
        return None
    arguments = prepared.args.model_dump(mode="json")
    return HookedCall(prepared.call_id, arguments, prepared.facts, prepared.decision, prepared.action_digest)
