"""What the gate knows and says of a call to a server, and how a consent to one is told."""

import hashlib
from collections.abc import Iterable
from typing import Literal

from pydantic import JsonValue

from desktop.domain.core.base import Frozen
from desktop.domain.core.permissions import Decision, RuleHit, Verdict
from desktop.domain.gate.rules import Rule
from desktop.domain.mcp.values import ToolPolicy
from desktop.policy.mcp.names import shown_name

CHANGED = "This MCP tool changed and waits for review."
RESOURCES = "resources"
"""As which tool the resources of a server count; nobody accepts them by themselves."""
PinState = Literal["accepted", "changed"]


class McpFacts(Frozen):
    """A call to a tool of a server. `pin_sha256`: of the tool as a person accepted it, `server_sha256`: of what they
    accepted to be started or reached, "" where nobody asks; `pin`: whether the tool is still that.
    `destructive`, `open_world`: what the server claims of the tool. `read`: a person said that it only reads.
    `policy`: what they said of its calls. `writes_lane`: its server can change files of the lane."""

    server: str
    tool: str
    pin_sha256: str
    pin: PinState = "accepted"
    destructive: bool = False
    open_world: bool = False
    read: bool = False
    policy: ToolPolicy = "ask"
    writes_lane: bool = False
    server_sha256: str = ""

    @property
    def bound(self) -> str:
        """What a consent to more than one call is about: this tool of this server, both as they were accepted."""
        both = f"{self.server_sha256} {self.pin_sha256}"
        return hashlib.sha256(both.encode()).hexdigest() if self.server_sha256 else self.pin_sha256


def pin_hits(mcp: McpFacts) -> Iterable[RuleHit]:
    """Refuses a tool that is not what a person accepted, and one of which they said never."""
    if mcp.pin != "accepted":
        yield RuleHit(rule="mcp_pin", verdict=Verdict.DENY, reason=CHANGED)
    elif mcp.policy == "never":
        reason = f"Your user switched off {shown_name(mcp.server, mcp.tool)}."
        yield RuleHit(rule="mcp_pin", verdict=Verdict.DENY, reason=reason)


def destructive_hits(mcp: McpFacts) -> Iterable[RuleHit]:
    """Asks about each call of a tool whose server says that it destroys, in every mode."""
    if mcp.destructive:
        reason = f"The server says that {shown_name(mcp.server, mcp.tool)} can destroy something."
        yield RuleHit(rule="mcp_destructive", verdict=Verdict.ASK, reason=reason)


def session_key(mcp: McpFacts) -> str:
    """Under what a chat remembers that a person allowed this tool: as it is now, no other definition of it."""
    return f"mcp:{mcp.server}:{mcp.tool}:{mcp.bound}"


def may_grant(mcp: McpFacts, *, sql: bool) -> bool:
    """Whether more than one call can be allowed at once."""
    return bool(mcp.pin_sha256) and not mcp.destructive and not sql


def rule_names(rule: Rule, mcp: McpFacts) -> bool:
    """Whether a rule that asks or refuses is about this tool."""
    return rule.server in ("*", mcp.server) and rule.tool in ("*", mcp.tool)


def rule_allows(rule: Rule, mcp: McpFacts) -> bool:
    """Whether a rule that allows is about exactly this tool as a person accepted it."""
    return (rule.server, rule.tool, rule.pin_sha256) == (mcp.server, mcp.tool, mcp.bound)


def rule_of(mcp: McpFacts, input_id: str = "") -> Rule:
    """The rule that lets a person's project call this tool without asking, as it is now. `input_id`: of the card on
    which they said so, "" for Settings."""
    return Rule(
        id="",
        decision="allow",
        kind="mcp",
        server=mcp.server,
        tool=mcp.tool,
        pin_sha256=mcp.bound,
        created_by="card" if input_id else "settings",
        request_id=input_id,
        match=(f"{mcp.server}/{mcp.tool}",),
        not_match=(f"{mcp.server}/{mcp.tool}_other",),
    )


def consent(mcp: McpFacts, decision: Decision, by: str, scope: str) -> dict[str, JsonValue]:
    """Who let a call run or not, for its record. `by`: person, rule, grant or gate."""
    return {
        "server": mcp.server,
        "tool": mcp.tool,
        "verdict": decision.verdict.name.lower(),
        "rule": decision.rule,
        "by": by,
        "scope": scope,
        "pin": mcp.pin_sha256[:12],
    }
