"""The tools of servers that a chat is told of because it found or called them."""

from desktop.domain.events import ToolCallFinished, ToolCallStarted
from desktop.domain.history import gate_fold
from desktop.domain.history.state import SessionState

STATE = SessionState.begin("s")


def started(tool: str) -> ToolCallStarted:
    return ToolCallStarted(call_id="c", tool=tool, input={}, digest="")


def test_a_tool_that_was_called_is_known_once() -> None:
    changes = gate_fold.server_tool_called(STATE, started("mcp__db__read"))
    assert changes == {"mcp_tools": ("mcp__db__read",)}
    assert gate_fold.server_tool_called(STATE.model_copy(update=changes), started("mcp__db__read")) == {}
    assert gate_fold.server_tool_called(STATE, started("bash")) == {}


def test_tools_that_a_search_named_are_known() -> None:
    ended = ToolCallFinished(call_id="c", outcome="ok", data={"mcp_tools": ["mcp__a__b", 3, "mcp__a__c"]})
    assert gate_fold.server_tools_found(STATE, ended) == {"mcp_tools": ("mcp__a__b", "mcp__a__c")}
    assert gate_fold.server_tools_found(STATE, ToolCallFinished(call_id="c", outcome="ok")) == {}
    assert (
        gate_fold.server_tools_found(STATE, ToolCallFinished(call_id="c", outcome="ok", data={"mcp_tools": "all"}))
        == {}
    )
