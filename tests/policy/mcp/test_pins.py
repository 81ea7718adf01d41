"""How tools that are listed stand to those that were accepted."""

from typing import Any

import pytest

from desktop.domain.mcp.values import McpPin, McpPinnedTool, McpTool, ToolPolicy
from desktop.policy.mcp import names, pins
from desktop.policy.mcp.pins import standings


def tool(name: str, **more: Any) -> McpTool:
    return McpTool(name=name, **{"input_schema": {"type": "object"}, **more})


def pin(*tools: McpTool, policy: ToolPolicy = "ask") -> McpPin:
    pinned = tuple(McpPinnedTool(tool=one, sha256=one.sha256, policy=policy) for one in tools)
    return McpPin(server="db", sha256="0" * 64, tools=pinned)


def states(now: list[McpTool], accepted: McpPin | None) -> list[tuple[str, str]]:
    return [(one.tool.name, one.state) for one in standings("db", now, accepted, ("bash",))]


def test_the_order_of_keys_in_a_schema_is_no_change() -> None:
    before = tool("a", input_schema={"type": "object", "properties": {"x": {}, "y": {}}})
    after = tool("a", input_schema={"properties": {"y": {}, "x": {}}, "type": "object"})
    assert states([after], pin(before)) == [("a", "on")]


@pytest.mark.parametrize(
    "change",
    [
        {"title": "A"},
        {"description": "one word"},
        {"input_schema": {"type": "object", "required": ["x"]}},
        {"output_schema": {"type": "object"}},
        {"annotations": {"readOnlyHint": True}},
    ],
)
def test_whatever_a_server_says_otherwise_turns_a_tool_off(change: dict[str, Any]) -> None:
    assert states([tool("a", **change)], pin(tool("a"))) == [("a", "changed")]


def test_new_and_switched_off_tools_are_not_on() -> None:
    assert states([tool("a"), tool("b")], pin(tool("a"))) == [("a", "on"), ("b", "new")]
    assert states([tool("a")], None) == [("a", "new")]
    assert states([tool("a")], pin(tool("a"), policy="never")) == [("a", "never")]


def test_what_a_person_said_no_to_stays_off_until_it_is_another() -> None:
    now, accepted = [tool("a", title="A"), tool("b"), tool("c")], pin(tool("a"), tool("c"))
    refused = {one.sha256 for one in now}
    found = standings("db", now, accepted, (), refused)
    assert [(one.state, one.why) for one in found] == [
        ("kept_off", pins.KEPT_OFF), ("kept_off", pins.KEPT_OFF), ("on", ""),
    ]  # fmt: skip
    [changed] = standings("db", [tool("b", title="B")], None, (), refused)
    assert changed.state == "new"


def test_a_tool_whose_name_keeps_it_off_is_on_under_the_name_that_a_person_gave_it() -> None:
    odd, other = tool("re\u200bad"), tool("find")
    [off] = standings("db", [odd], None, ())
    assert (off.state, off.is_nameless, off.name) == ("invalid", True, "re\u200bad")
    given = McpPin(server="db", sha256="0" * 64, tools=(McpPinnedTool(tool=odd, sha256=odd.sha256, called="read"),))
    on, new = standings("db", [odd, other], given, ())
    assert (on.state, on.name, on.is_nameless, new.name) == ("on", "read", False, "find")
    assert {one.why for one in standings("db", [odd, tool("read")], given, ())} == {names.SAME_NAME}
    [changed] = standings("db", [tool("re\u200bad", title="R")], given, ())
    assert (changed.state, changed.name) == ("changed", "read")


def test_a_tool_that_goes_and_comes_back_as_another_is_seen() -> None:
    accepted = pin(tool("a"), tool("b"))
    [there, gone] = standings("db", [tool("b")], accepted, ())
    assert (there.state, gone.state, gone.tool.name, gone.why) == ("on", "gone", "a", pins.GONE)
    assert states([tool("b"), tool("a", description="other")], accepted) == [("b", "on"), ("a", "changed")]


def test_names_that_clash_are_off_and_accepted_ones_had_theirs_first() -> None:
    found = standings(
        "db", [tool("Read"), tool("read"), tool("bash"), tool("re\u200bad")], pin(tool("read")), ("bash",)
    )
    assert [(one.state, one.why) for one in found] == [
        ("clash", names.LIKE_ANOTHER),
        ("on", ""),
        ("clash", names.TAKEN),
        ("invalid", names.HIDDEN),
    ]
    assert states([tool("a"), tool("a")], pin(tool("a"))) == [("a", "clash"), ("a", "clash")]


def test_a_definition_that_cannot_be_used_is_off_and_says_why() -> None:
    deep: dict[str, Any] = {}
    for _ in range(10_000):
        deep = {"a": deep}
    broken = tool("a").model_copy(update={"input_schema": {"minimum": float("nan")}})
    endless = tool("b").model_copy(update={"input_schema": deep})
    outside = tool("c", input_schema={"type": "object", "$ref": "https://example.org/x"})
    found = standings("db", [broken, endless, outside], None, ())
    assert [(one.state, one.sha256 == "") for one in found] == [
        ("invalid", True),
        ("invalid", True),
        ("invalid", False),
    ]
    assert "points outside itself" in found[2].why
