"""What servers that people run say to the SDK itself: the ground the rest of MCP stands on."""

import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.agent.rig import make_repository
from tests.services.mcp.real_servers import program_of

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(60)]


@contextlib.asynccontextmanager
async def talking_to(name: str, *arguments: str) -> AsyncIterator[ClientSession]:
    """A session with a server that runs; it has ended afterwards."""
    program, *words = [*program_of(name), *arguments]
    with Path(os.devnull).open("w") as nothing:
        started = stdio_client(StdioServerParameters(command=program, args=words), errlog=nothing)
        async with started as (received, sent), ClientSession(received, sent) as session:
            await session.initialize()
            yield session


def arguments_of(name: str, folder: Path) -> list[str]:
    """What a server needs to begin."""
    repository = folder / "shop"
    return {
        "filesystem": lambda: [str(folder)],
        "git": lambda: ["--repository", str(make_repository(repository))],
        "sqlite": lambda: ["--db-path", str(folder / "app.db")],
        "time": lambda: ["--local-timezone", "UTC"],
    }.get(name, list)()


@pytest.mark.parametrize(
    ("name", "tools", "with_output_schema", "claims_to_read"),
    [
        ("filesystem", 14, 14, 10),
        ("everything", 13, 1, 9),
        ("memory", 9, 9, 3),
        ("git", 12, 0, 7),
        ("fetch", 1, 0, 1),
        ("time", 2, 2, 2),
        ("sqlite", 6, 0, 0),
    ],
)
async def test_a_server_lists_the_tools_that_are_known_of_it(
    tmp_path: Path, name: str, tools: int, with_output_schema: int, claims_to_read: int
) -> None:
    async with talking_to(name, *arguments_of(name, tmp_path)) as session:
        listed = (await session.list_tools()).tools
    assert len(listed) == tools
    assert len([tool for tool in listed if tool.output_schema is not None]) == with_output_schema
    assert len([tool for tool in listed if tool.annotations and tool.annotations.read_only_hint]) == claims_to_read


async def test_memory_takes_arguments_that_its_schema_does_not_know() -> None:
    async with talking_to("memory") as session:
        answer = await session.call_tool("read_graph", {"unknown": True})
    assert not answer.is_error


async def test_filesystem_answers_a_path_outside_its_root_with_an_error(tmp_path: Path) -> None:
    async with talking_to("filesystem", str(tmp_path)) as session:
        answer = await session.call_tool("read_text_file", {"path": "/etc/hostname"})
    assert answer.is_error
