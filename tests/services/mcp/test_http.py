"""HttpTransport against servers on 127.0.0.1: what is spoken, and what is never followed, sent or taken."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack

import pytest
import uvicorn
from mcp import ClientSession
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

from desktop.policy.mcp.addresses import ServerAddress, check_server
from desktop.services.egress.pinned import PinnedBackend
from desktop.services.mcp.http import SIGN_IN, HttpTransport
from tests.fakes.mcp_http import FakeMcpHttp

pytestmark = pytest.mark.asyncio


def place(url: str, *, private: bool = False) -> ServerAddress:
    found = check_server(url, private=private)
    assert isinstance(found, ServerAddress)
    return found


async def session_on(link: HttpTransport, stack: AsyncExitStack) -> ClientSession:
    read, write = await stack.enter_async_context(link)
    return await stack.enter_async_context(ClientSession(read, write, read_timeout_seconds=20))


def text_of(result: object) -> str:
    assert isinstance(result, CallToolResult)
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


@pytest.mark.parametrize("events", [False, True])
async def test_a_call_goes_there_and_back(events: bool) -> None:
    with FakeMcpHttp(events=events) as server:
        link = HttpTransport(place(server.url), headers={"X-Team": "blue"})
        async with AsyncExitStack() as stack:
            session = await session_on(link, stack)
            await session.initialize()
            assert [tool.name for tool in (await session.list_tools()).tools] == ["echo"]
            assert text_of(await session.call_tool("echo", {"a": 1})) == '{"a": 1}'
        assert (link.way, link.why) == ("streamable", "")
        assert {one.headers["x-team"] for one in server.seen} == {"blue"}
        assert {one.headers["accept-encoding"] for one in server.seen} == {"identity"}


async def test_a_server_of_the_library_is_spoken_to() -> None:
    own = MCPServer("own")

    @own.tool()
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    config = uvicorn.Config(own.streamable_http_app(), host="127.0.0.1", port=0, log_level="error", lifespan="on")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    async with AsyncExitStack() as stack:
        session = await session_on(HttpTransport(place(f"http://127.0.0.1:{port}/mcp")), stack)
        await session.initialize()
        assert text_of(await session.call_tool("add", {"a": 2, "b": 3})) == "5"
    server.should_exit = True
    await serving


async def test_an_old_server_is_spoken_to_by_events_and_marked() -> None:
    with FakeMcpHttp(old=True) as server:
        link = HttpTransport(place(server.url))
        async with AsyncExitStack() as stack:
            session = await session_on(link, stack)
            await session.initialize()
            assert text_of(await session.call_tool("echo", {"b": 2})) == '{"b": 2}'
        assert (link.way, link.why) == ("sse", "")
        assert server.methods.count("initialize") == 2


async def test_a_server_that_is_none_says_so() -> None:
    with FakeMcpHttp() as server:
        link = HttpTransport(place(f"{server.origin}/nothing"))
        async with AsyncExitStack() as stack:
            session = await session_on(link, stack)
            with pytest.raises(MCPError, match="Not Found"):
                await session.initialize()
        assert link.way == "streamable"


async def test_a_redirect_within_the_origin_is_followed() -> None:
    with FakeMcpHttp(redirect="/moved") as server:
        async with AsyncExitStack() as stack:
            session = await session_on(HttpTransport(place(server.url)), stack)
            await session.initialize()
        assert server.asked("/moved")


@pytest.mark.promise("guests-M5")
async def test_a_redirect_to_another_host_gets_nothing() -> None:
    with FakeMcpHttp() as other, FakeMcpHttp(redirect=other.url) as server:
        async with AsyncExitStack() as stack:
            session = await session_on(HttpTransport(place(server.url), headers={"Authorization": "Bearer abc"}), stack)
            with pytest.raises(MCPError, match="not followed"):
                await session.initialize()
        assert other.seen == []


async def test_a_refusal_for_want_of_a_sign_in_is_told() -> None:
    challenge = 'Bearer resource_metadata="http://127.0.0.1/meta", scope="read"'
    with FakeMcpHttp(token="t", challenge=challenge) as server:
        heard: list[str | None] = []
        link = HttpTransport(place(server.url), wanted=heard.append)
        async with AsyncExitStack() as stack:
            session = await session_on(link, stack)
            with pytest.raises(MCPError):
                await session.initialize()
            assert link.gone.is_set()
        assert heard == [challenge]
        assert link.why == SIGN_IN


@pytest.mark.parametrize("events", [False, True])
async def test_an_answer_of_thirty_megabytes_is_not_taken_whole(events: bool) -> None:
    with FakeMcpHttp(big=30_000_000, events=events) as server:
        async with AsyncExitStack() as stack:
            session = await session_on(HttpTransport(place(server.url)), stack)
            await session.initialize()
            with pytest.raises(MCPError, match=r"longer than 8 MiB|8388608 byte limit"):
                await session.call_tool("echo", {})
            server.habits.big = 0
            assert text_of(await session.call_tool("echo", {})) == "{}"


async def test_a_packed_answer_ends_the_connection() -> None:
    with FakeMcpHttp(packed=True) as server:
        link = HttpTransport(place(server.url))
        async with AsyncExitStack() as stack:
            session = await session_on(link, stack)
            with pytest.raises(MCPError, match="losed"):
                await session.initialize()
        assert "packed its answer" in link.why


async def test_a_server_that_is_not_there_is_named() -> None:
    with FakeMcpHttp() as server:
        url = server.url
    link = HttpTransport(place(url))
    async with AsyncExitStack() as stack:
        session = await session_on(link, stack)
        with pytest.raises(MCPError, match="losed"):
            await session.initialize()
    assert link.why


@pytest.mark.promise("guests-M5")
async def test_a_name_that_leads_into_the_own_network_is_not_connected_to() -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return ("93.184.216.34", "127.0.0.1")

    link = HttpTransport(place("https://tools.example.org/mcp"), network=PinnedBackend(resolve=resolve))
    async with AsyncExitStack() as stack:
        session = await session_on(link, stack)
        with pytest.raises(MCPError, match="losed"):
            await session.initialize()
    assert "127.0.0.1, which is not an address of the public network" in link.why
