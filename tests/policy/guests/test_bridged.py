"""Which tool of ours a guest means, in the ways that guests have of telling it; and what is none."""

import pytest
from pydantic import JsonValue

from desktop.policy.guests.bridged import NamedCall, named_call

ARGUMENTS: dict[str, JsonValue] = {"message": "Add it"}
COMMIT = NamedCall(tool="commit_changes", given=ARGUMENTS)


@pytest.mark.promise("guests-A56")
@pytest.mark.parametrize(
    "told",
    [
        {"title": "mcp__banksman__commit_changes", "kind": "other", "rawInput": ARGUMENTS},
        {"title": "banksman_commit_changes", "rawInput": ARGUMENTS},
        {"title": "Tool: banksman/commit_changes", "rawInput": ARGUMENTS},
        {"title": "mcp.banksman.commit_changes", "rawInput": ARGUMENTS},
        {"title": "banksman: commit_changes", "rawInput": ARGUMENTS},
        {"title": "commit_changes (banksman MCP Server)", "rawInput": ARGUMENTS},
        {
            "title": "commit_changes (banksman MCP Server)",
            "content": [3, {"type": "content", "content": {"type": "text", "text": '{"message": "Add it"}'}}],
        },
        {
            "title": "Approve MCP tool call",
            "rawInput": {
                "server_name": "banksman",
                "request": {
                    "message": 'Allow the banksman MCP server to run tool "commit_changes"?',
                    "_meta": {"tool_params": ARGUMENTS},
                },
            },
        },
        {"title": "x", "_meta": {"agent": {"toolName": "mcp__banksman__commit_changes"}}, "rawInput": ARGUMENTS},
        {"title": "x", "rawInput": {"server": "banksman", "tool": "commit_changes", "arguments": ARGUMENTS}},
    ],
)
def test_a_guest_names_a_tool_of_ours_in_its_own_way(told: dict[str, JsonValue]) -> None:
    assert named_call(told) == COMMIT


def test_arguments_that_it_does_not_tell_are_not_known() -> None:
    assert named_call({"title": "mcp__banksman__ask_user"}) == NamedCall(tool="ask_user")
    for text in ("[1]", "no JSON", "[" * 100_000):
        told: dict[str, JsonValue] = {"content": [{"type": "content", "content": {"type": "text", "text": text}}]}
        assert named_call({"title": "ask_user (banksman MCP Server)", **told}) == NamedCall(tool="ask_user")
    wrapped = {"server": "banksman", "tool": "memory_search", "arguments": None}
    assert named_call({"rawInput": wrapped}) == NamedCall(tool="memory_search", given={})


@pytest.mark.promise("guests-A56")
@pytest.mark.parametrize(
    "told",
    [
        {},
        {"title": 17, "_meta": {"agent": 3, "other": {"toolName": 4}}, "rawInput": [1]},
        {"title": "run mcp__banksman__ask_user"},
        {"title": "mcp__other__ask_user"},
        {"title": "Bash", "rawInput": {"server": "other", "tool": "ask_user"}},
        {"title": "mcp__banksman__ask_user", "kind": "execute", "rawInput": {"command": "rm -rf ~"}},
        {"rawInput": {"server_name": "banksman", "request": {"message": "Allow anything?", "_meta": 3}}},
        {"rawInput": {"server_name": "banksman", "request": {"message": 3}}},
        {"rawInput": {"server_name": "other", "request": {"message": "Allow"}}},
        {"title": "mcp__banksman__ask_user", "locations": [{"path": "a.py"}]},
        {"title": "mcp__banksman__ask_user", "content": [3, {"type": "diff", "path": "a.py", "newText": ""}]},
    ],
)
def test_what_has_an_effect_of_its_own_is_none_whatever_its_name(told: dict[str, JsonValue]) -> None:
    assert named_call(told) is None
