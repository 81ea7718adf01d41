"""Prepared: one call between the gate and its handler."""

from dataclasses import replace
from functools import cached_property
from typing import Any

from pydantic import JsonValue

from desktop.domain.core.permissions import Category, Decision, RuleHit, Verdict
from desktop.domain.gate.action import Action, digest
from desktop.policy.gate import SESSION_GRANT, CallFacts, SessionGateFacts
from desktop.policy.mcp.facts import consent
from desktop.records import dataclass
from desktop.tools.tool import Tool, ToolArgs

NOT_JUDGED = Decision(verdict=Verdict.DENY, rule="gate_error", reason="The call was not judged.")


@dataclass(frozen=True)
class Prepared:
    """One call after the gate: what runs if it is allowed, or the text that refuses it. `asked_anew`: a person is asked
    a second time, because what they had allowed was no longer the same. `checkpoint_id`: holds the lane's files as they
    were before it, "" if none does. `session`: what the decision knew of the chat. `said`: who answered its card and
    for how long, ("", "") for a call without one. `hooked`: what hooks said of it; `changed_by`: the hook that proposed
    the arguments that it has, "" for the agent's own."""

    call_id: str
    name: str
    raw: JsonValue
    decision: Decision = NOT_JUDGED
    tool: Tool[Any] | None = None
    args: ToolArgs | None = None
    facts: CallFacts | None = None
    session: SessionGateFacts | None = None
    action: Action | None = None
    refusal: str = ""
    asked_anew: bool = False
    checkpoint_id: str = ""
    said: tuple[str, str] = ("", "")
    hooked: tuple[RuleHit, ...] = ()
    changed_by: str = ""

    @cached_property
    def action_digest(self) -> str:
        """What consent is bound to, "" for a call that was refused."""
        return digest(self.action) if self.action is not None else ""

    @property
    def consent_data(self) -> dict[str, JsonValue]:
        """Who let a call to a server run or not, for its record; {} for every other call."""
        if self.facts is None or self.facts.mcp is None:
            return {}
        by, scope = self.said
        lifted = self.decision.lifted_by
        if not by and lifted is not None:
            by, scope = ("grant", "session") if lifted == SESSION_GRANT else ("rule", "project")
        return {"consent": consent(self.facts.mcp, self.decision, by or "gate", scope)}

    @property
    def runs_parallel(self) -> bool:
        """It may run beside its neighbours: an allowed read of a tool that says so, or one more sub-agent, whose calls
        wait for the lane one by one."""
        return (
            self.tool is not None
            and self.tool.runs_parallel
            and self.decision.verdict is Verdict.ALLOW
            and self.facts is not None
            and (self.facts.assessment.category is Category.READ or self.facts.children is not None)
        )


def changes_things(prepared: Prepared) -> bool:
    """Whether a call is one that changes the lane or runs in it, so that it waits for others that do."""
    tool = prepared.tool
    return tool is not None and tool.touches_lane and tool.category in (Category.WRITE, Category.BASH)


def may_change_files(prepared: Prepared, *, edited: bool) -> bool:
    """Whether the lane's files are kept before it: it writes, or is a command that was not shown to only read.
    `edited`: a person changed the arguments, so what was shown of them does not count."""
    if prepared.tool is None or prepared.tool.asks_person or not changes_things(prepared):
        return False
    return edited or prepared.facts is None or not prepared.facts.assessment.proven_read


def edited_arguments(prepared: Prepared, edited: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """All arguments of a call of which a person changed some."""
    return {**(prepared.args.model_dump(mode="json") if prepared.args is not None else {}), **edited}


def asks_for_more(before: Prepared, now: Prepared) -> bool:
    """Whether a reason to ask that no rule lifts came up after a person was asked; the card did not say it."""
    told = {hit.rule for hit in before.decision.hits if hit.verdict is Verdict.ASK}
    return any(h.verdict is Verdict.ASK and not h.liftable and h.rule not in told for h in now.decision.hits)


def refused(prepared: Prepared, rule: str, text: str) -> Prepared:
    """The call as one that the gate refuses by this rule, with the text for the agent."""
    return replace(prepared, decision=Decision(verdict=Verdict.DENY, rule=rule, reason=text), refusal=text)
