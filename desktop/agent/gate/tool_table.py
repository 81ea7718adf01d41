"""The table of tools and modes: the gate asked about an ordinary call of every tool (tools-T128)."""

from typing import Any, Literal

from desktop.domain.core.permissions import Assessment, PermissionMode, Verdict
from desktop.domain.gate.sandbox import SandboxLevel
from desktop.domain.gate.tool_table import Outcome, ToolRow
from desktop.policy.call_facts import CallFacts, SessionGateFacts
from desktop.policy.gate import decide
from desktop.policy.web import WebFacts
from desktop.tools.calls.skills import RemoveSkill
from desktop.tools.calls.web import ChatSearch, ChatWeb
from desktop.tools.registry import Registry
from desktop.tools.tool import Tool

_A_PAGE = WebFacts(url="https://example.org/", host="example.org", shown="example.org", usual=True)
_OUTCOMES: dict[Verdict, Outcome] = {Verdict.ALLOW: "free", Verdict.ASK: "ask", Verdict.DENY: "refused"}


def tool_table(registry: Registry, sandbox: SandboxLevel) -> tuple[ToolRow, ...]:
    """One row for each tool, by name, with the sandbox that there is. Rules and grants of a person are left out."""
    plan, edit, auto = PermissionMode.PLAN, PermissionMode.EDIT, PermissionMode.FULL_AUTO
    return tuple(
        ToolRow(
            tool=tool.name,
            category=tool.category,
            plan=_outcome(tool, plan, sandbox),
            edit=_outcome(tool, edit, sandbox),
            hosted=_outcome(tool, edit, sandbox, "hosted"),
            full_auto=_outcome(tool, auto, sandbox),
            varies=tool.varies,
            varies_in_plan=bool(tool.varies) and plan in tool.offered_modes,
        )
        for tool in registry.tools
    )


def _outcome(
    tool: Tool[Any], mode: PermissionMode, sandbox: SandboxLevel, kind: Literal["interactive", "hosted"] = "interactive"
) -> Outcome:
    if mode not in tool.offered_modes:
        return "refused"
    if tool.asks_person:
        return "person"
    web = _A_PAGE if {ChatWeb, ChatSearch} & set(tool.needs) else None
    assessment = Assessment(category=tool.category, needs_consent=RemoveSkill in tool.needs)
    call = CallFacts(tool=tool.name, category=tool.category, assessment=assessment, web=web)
    decision = decide(call, SessionGateFacts(mode=mode, kind=kind, sandbox=sandbox))
    return "review" if decision.review_after else _OUTCOMES[decision.verdict]
