import pytest

from desktop.domain.mcp.updates import McpServerRow
from desktop.domain.mcp.values import McpPin, McpPinnedTool, McpServer, McpTool, basis_sha256

TOOL = McpTool(
    name="read", description="Read a file.", input_schema={"type": "object", "properties": {"a": {}, "b": {}}}
)


def test_a_pin_is_the_same_whatever_the_order_of_the_schema():
    other = TOOL.model_copy(update={"input_schema": {"properties": {"b": {}, "a": {}}, "type": "object"}})
    assert other.sha256 == TOOL.sha256


@pytest.mark.parametrize(
    "change",
    [
        {"description": "Read any file."},
        {"title": "Read"},
        {"input_schema": {"type": "object"}},
        {"output_schema": {}},
        {"annotations": {"readOnlyHint": True}},
        {"name": "write"},
    ],
)
def test_a_pin_changes_with_every_part_of_the_definition(change):
    before = TOOL.sha256
    assert TOOL.model_copy(update=change).sha256 != before
    assert McpTool.model_validate({**TOOL.model_dump(), **change}).sha256 == TOOL.model_copy(update=change).sha256
    assert TOOL.sha256 == before


def test_a_server_that_names_the_lane_is_one_for_each_lane():
    plain = McpServer(id="files", command=("server", "."))
    assert not plain.per_lane
    assert plain.model_copy(update={"command": ("server", "${lane}/src")}).per_lane
    assert plain.model_copy(update={"cwd": "${lane}"}).per_lane
    assert plain.model_copy(update={"share": "lane"}).per_lane
    assert plain.is_local
    assert not McpServer(id="far", url="https://example.org/mcp").is_local


def test_a_pin_finds_its_tools_by_name():
    pinned = McpPinnedTool(tool=TOOL, sha256=TOOL.sha256)
    pin = McpPin(server="files", sha256=basis_sha256({"command": ["server"]}), tools=(pinned,))
    assert pin.tool("read") == pinned
    assert pin.tool("write") is None


def test_a_row_is_known_by_its_server():
    row = McpServerRow(McpServer(id="files", command=("server",), scope="repository"), "off")
    assert (row.id, row.scope) == ("files", "repository")
