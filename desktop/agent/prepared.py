"""Prepared: one call between the gate and its handler."""

from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from desktop.domain.permissions import Category, Decision, Verdict
from desktop.policy.gate import CallFacts
from desktop.tools.tool import Tool, ToolArgs

NOT_JUDGED = Decision(verdict=Verdict.DENY, rule="gate_error", reason="The call was not judged.")


@dataclass(frozen=True)
class Prepared:
    """One call after the gate: what runs if it is allowed, or the text that refuses it."""

    call_id: str
    name: str
    raw: JsonValue
    decision: Decision = NOT_JUDGED
    tool: Tool[Any] | None = None
    args: ToolArgs | None = None
    facts: CallFacts | None = None
    action_digest: str = ""
    refusal: str = ""

    @property
    def runs_parallel(self) -> bool:
        """It may run beside its neighbours: an allowed read of a tool that says so."""
        return (
            self.tool is not None
            and self.tool.runs_parallel
            and self.decision.verdict is Verdict.ALLOW
            and self.facts is not None
            and self.facts.assessment.category is Category.READ
        )
