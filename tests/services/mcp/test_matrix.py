"""Servers that people run, each in the sandbox and over our own streams: what was seen of each, and what holds it."""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from mcp.types import CallToolResult, ImageContent, TextContent

from desktop.domain.core.errors import BanksmanError
from desktop.services.mcp.link import McpError, McpLink
from tests.services.mcp.matrix_ground import PLANTED, MatrixGround
from tests.services.mcp.real_servers import FOLDER, program_of

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(90)]
LIMIT_S = 30.0


@pytest_asyncio.fixture
async def ground(tmp_path: Path) -> AsyncIterator[MatrixGround]:
    made = MatrixGround(tmp_path)
    yield made
    await made.sandbox.close()


def text(answer: CallToolResult) -> str:
    """All that an answer says."""
    return "\n".join(part.text for part in answer.content if isinstance(part, TextContent))


async def call(link: McpLink, tool: str, **arguments: object) -> CallToolResult:
    return await link.call(tool, arguments, LIMIT_S)


async def test_filesystem_reads_the_lane_and_nothing_outside_its_root(ground: MatrixGround) -> None:
    (ground.lane / "shoes.txt").write_text("size 42\n")
    async with ground.running("filesystem") as link:
        tools = await link.tools()
        assert len(tools) == 14
        assert all(tool.output_schema is not None for tool in tools)
        read = await call(link, "read_text_file", path=str(ground.lane / "shoes.txt"))
        assert text(read) == "size 42\n"
        assert read.structured_content == {"content": "size 42\n"}
        outside = await call(link, "read_text_file", path="/etc/hostname")
        assert outside.is_error
        assert "outside allowed directories" in text(outside)


@pytest.mark.promise("guests-M3")
async def test_a_result_of_thirty_megabytes_ends_the_server_and_not_us(ground: MatrixGround) -> None:
    big = ground.lane / "big.txt"
    big.write_text("x" * 30_000_000)
    async with ground.running("filesystem") as link:
        with pytest.raises(McpError):
            await call(link, "read_text_file", path=str(big))
        assert link.gone.is_set(), "it is started anew for the next call"
        assert "8 MiB" in link.why


async def test_a_server_that_may_only_read_cannot_write_the_folder(ground: MatrixGround) -> None:
    async with ground.running("filesystem") as link:
        written = await call(link, "write_file", path=str(ground.lane / "new.txt"), content="x")
    assert written.is_error
    assert not (ground.lane / "new.txt").exists()


async def test_a_server_that_may_write_does(ground: MatrixGround) -> None:
    async with ground.running("filesystem", folder="write") as link:
        written = await call(link, "write_file", path=str(ground.lane / "new.txt"), content="x")
    assert not written.is_error
    assert (ground.lane / "new.txt").read_text() == "x"


@pytest.mark.promise("guests-M4")
async def test_everything_gets_the_variables_that_were_named_and_no_others(ground: MatrixGround) -> None:
    async with ground.running("everything", env={"GIVEN": "by the person"}) as link:
        seen = json.loads(text(await call(link, "get-env")))
    assert seen["GIVEN"] == "by the person"
    assert PLANTED not in seen.values()
    assert "ANTHROPIC_API_KEY" not in seen


async def test_everything_tells_of_its_progress(ground: MatrixGround) -> None:
    told: list[tuple[float, float | None]] = []
    async with ground.running("everything") as link:
        done = await link.call(
            "trigger-long-running-operation", {"duration": 1, "steps": 4}, LIMIT_S,
            lambda progress, total, _words: told.append((progress, total)),
        )  # fmt: skip
    assert not done.is_error
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.promise("guests-M19")
async def test_everything_can_be_asked_on_at_once_after_a_call_was_broken_off(ground: MatrixGround) -> None:
    async with ground.running("everything") as link:
        long = asyncio.create_task(link.call("trigger-long-running-operation", {"duration": 60, "steps": 2}, LIMIT_S))
        await link.ping()
        long.cancel()
        with pytest.raises(asyncio.CancelledError):
            await long
        assert text(await call(link, "echo", message="still here")) == "Echo: still here"


async def test_everything_gives_a_picture_and_links(ground: MatrixGround) -> None:
    async with ground.running("everything") as link:
        picture = await call(link, "get-tiny-image")
        links = await call(link, "get-resource-links", count=2)
    assert [part.mime_type for part in picture.content if isinstance(part, ImageContent)] == ["image/png"]
    assert [part.type for part in links.content].count("resource_link") == 2


async def test_memory_keeps_its_file_where_it_is_told(ground: MatrixGround) -> None:
    kept = ground.lane / "memory.jsonl"
    entities = [{"name": "shop", "entityType": "project", "observations": ["sells shoes"]}]
    async with ground.running("memory", folder="write", env={"MEMORY_FILE_PATH": str(kept)}) as link:
        made = await call(link, "create_entities", entities=entities)
        assert not made.is_error
        read = await call(link, "read_graph", unknown="argument")
        assert not read.is_error, "it takes what its schema does not know"
    assert "sells shoes" in kept.read_text()


async def test_git_cannot_commit_and_says_that_it_cannot_write(ground: MatrixGround) -> None:
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ground.lane, capture_output=True, check=True).stdout
    async with ground.running("git", folder="write") as link:
        assert len(await link.tools()) == 12
        status = await call(link, "git_status", repo_path=str(ground.lane))
        assert "On branch" in text(status)
        (ground.lane / "new.txt").write_text("x")
        added = await call(link, "git_add", repo_path=str(ground.lane), files=["new.txt"])
        assert added.is_error
        assert "Read-only file system" in text(added)
    assert subprocess.run(["git", "rev-parse", "HEAD"], cwd=ground.lane, capture_output=True, check=True).stdout == head


async def test_fetch_without_a_network_fails_and_does_not_hang(ground: MatrixGround) -> None:
    async with ground.running("fetch") as link:
        assert [tool.name for tool in await link.tools()] == ["fetch"]
        async with asyncio.timeout(20):
            answer = await call(link, "fetch", url="https://example.com/")
    assert answer.is_error


async def test_time_answers_with_structure_and_an_unknown_tool_is_an_error(ground: MatrixGround) -> None:
    async with ground.running("time") as link:
        now = await call(link, "get_current_time", timezone="UTC")
        assert now.structured_content is not None
        assert now.structured_content["timezone"] == "UTC"
        with pytest.raises(McpError, match="no_such_tool"):
            await call(link, "no_such_tool")


async def test_sqlite_runs_with_the_older_sdk_beside_it(ground: MatrixGround) -> None:
    async with ground.running("sqlite", folder="write") as link:
        assert [tool.name for tool in await link.tools()][:2] == ["read_query", "write_query"]
        await call(link, "create_table", query="CREATE TABLE shoes (size INTEGER)")
        await call(link, "write_query", query="INSERT INTO shoes VALUES (42)")
        assert "42" in text(await call(link, "read_query", query="SELECT * FROM shoes"))


async def test_sqlite_with_the_newer_sdk_dies_at_its_start_and_the_reason_is_told(ground: MatrixGround) -> None:
    program_of("sqlite")
    home = next((FOLDER / "sqlite" / "lib").glob("python*")) / "site-packages"
    begin = f"import sys; sys.path.append({str(home)!r}); from mcp_server_sqlite import main; main()"
    python = str(FOLDER / "servers" / "bin" / "python")
    with pytest.raises(BanksmanError, match="AttributeError: 'Server' object has no attribute 'list_resources'"):
        async with ground.running("sqlite", command=(python, "-c", begin, *ground.words["sqlite"]), folder="write"):
            pass
