"""How servers stand, as people read it: their state in one word, why, and what differs from what was accepted."""

import difflib
import json

from pydantic import JsonValue

from desktop.agent.mcp.book import BookedServer
from desktop.agent.mcp.hub import ChatServer
from desktop.domain.mcp.updates import McpServerRow, McpToolRow
from desktop.domain.mcp.values import McpServerState
from desktop.policy.mcp.pins import KEPT_OFF, ToolStanding

WAITS = "Some of its tools wait for you."
CHANGED = "Some of its tools are other than what you accepted."
SIGN_IN = "It wants you to sign in."
RESTS = "It starts at its first use."


def row_of(found: ChatServer) -> McpServerRow:
    """A server as a row of Settings."""
    booked, live, pin = found.booked, found.live, found.pin
    state, why = state_of(found)
    return McpServerRow(
        server=found.server,
        state=state,
        why=why,
        place=booked.place,
        sha256=booked.sha256,
        basis=booked.basis,
        accepted=pin is not None and pin.sha256 == booked.sha256,
        difference=_basis_difference(booked),
        version=live.name,
        protocol=live.protocol,
        instructions=live.instructions,
        tools=tuple(map(_tool_row, found.tools)),
        person=pin.person if pin is not None else "",
        day=pin.day if pin is not None else "",
        ready_ms=live.ready_ms,
        signs_in=found.sign_in == "wanted",
        signed_in=found.sign_in == "done",
        prompts=live.prompts,
        by_events=live.way == "sse",
        no_resources=live.no_resources,
        kept_off=bool(booked.problem) and booked.kept_off,
    )


def state_of(found: ChatServer) -> tuple[McpServerState, str]:
    """The state of a server in one word, and why."""
    booked, live = found.booked, found.live
    if not booked.server.enabled:
        return "off", booked.problem
    if booked.problem and booked.kept_off:
        return "off", KEPT_OFF
    if booked.problem:
        return ("changed" if found.pin is not None else "waiting"), booked.problem
    if found.sign_in == "wanted" and live.state != "starting":
        return "waiting", SIGN_IN
    if live.state in ("failed", "starting"):
        return live.state, live.why
    states = {one.state for one in found.tools}
    if live.tools is not None and states & {"changed", "gone"}:
        return "changed", CHANGED
    if "new" in states or (found.pin is None and "kept_off" not in states):
        return "waiting", WAITS
    return ("ready", "") if live.state == "ready" else ("off", RESTS)


def _tool_row(standing: ToolStanding) -> McpToolRow:
    pinned = standing.pinned
    return McpToolRow(
        tool=standing.tool,
        sha256=standing.sha256,
        state=standing.state,
        why=standing.why,
        policy=pinned.policy if pinned is not None else "ask",
        treat_as_read=pinned is not None and pinned.treat_as_read,
        always=pinned is not None and pinned.always,
        difference=_tool_difference(standing),
        called=pinned.called if pinned is not None else "",
        nameless=standing.is_nameless,
    )


def _tool_difference(standing: ToolStanding) -> str:
    if standing.pinned is None or standing.state not in ("changed", "kept_off"):
        return ""
    return _difference(standing.pinned.tool.model_dump(mode="json"), standing.tool.model_dump(mode="json"))


def _basis_difference(booked: BookedServer) -> str:
    if booked.pin is None or booked.pin.sha256 == booked.sha256:
        return ""
    return _difference(booked.pin.basis, booked.basis)


def _difference(before: dict[str, JsonValue], now: dict[str, JsonValue]) -> str:
    old, new = (json.dumps(one, indent=2, ensure_ascii=False, sort_keys=True).splitlines() for one in (before, now))
    return "\n".join(difflib.unified_diff(old, new, "accepted", "now", lineterm=""))
