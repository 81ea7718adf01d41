"""Servers that flood or hang: they wait themselves, and nobody else waits for them."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest
import pytest_asyncio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter
from pydantic import ValidationError

from desktop.policy.mcp.addresses import ServerAddress, check_server
from desktop.services.mcp.http import HttpTransport
from desktop.services.mcp.link import McpHearing, McpLink
from desktop.services.mcp.pacing import MOST_UNANSWERED, paced
from desktop.services.peers.answers import NEITHER
from desktop.services.peers.ring import MOST_AT_ONCE, LogRing
from tests.fakes.mcp_http import FakeMcpHttp
from tests.mcp_ground import Ground, said

pytestmark = [pytest.mark.asyncio, pytest.mark.promise("guests-M2")]


@pytest_asyncio.fixture
async def ground(tmp_path: Path) -> AsyncIterator[Ground]:
    made = Ground(tmp_path)
    yield made
    await made.close()


def request(number: int) -> SessionMessage:
    return SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=number, method="ping"))


async def test_a_server_that_asks_without_end_is_read_no_further_until_it_was_answered() -> None:
    in_send, in_receive = anyio.create_memory_object_stream[SessionMessage | Exception](1_000)
    out_send, out_receive = anyio.create_memory_object_stream[SessionMessage](1_000)
    reading, writing = paced((in_receive, out_send))
    taken: list[SessionMessage | Exception] = []

    async def take() -> None:
        async for item in reading:
            taken.append(item)

    async def settled() -> int:
        before = -1
        while before != len(taken):
            before = len(taken)
            for _ in range(20):
                await asyncio.sleep(0)
        return before

    for number in range(300):
        in_send.send_nowait(request(number))
    taking = asyncio.create_task(take())
    assert await settled() == MOST_UNANSWERED
    for number in range(5):
        await writing.send(SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=number, result={})))
    assert await settled() == MOST_UNANSWERED + 5
    assert out_receive.statistics().current_buffer_used == 5
    await reading.aclose()
    taking.cancel()
    await asyncio.wait({taking})
    for one in (in_send, in_receive, out_send, out_receive):
        await one.aclose()


async def test_a_request_that_it_takes_back_or_sends_twice_counts_once() -> None:
    in_send, in_receive = anyio.create_memory_object_stream[SessionMessage | Exception](1_000)
    out_send, out_receive = anyio.create_memory_object_stream[SessionMessage](1)
    reading, _ = paced((in_receive, out_send))
    for number in range(3 * MOST_UNANSWERED):
        in_send.send_nowait(request(number))
        in_send.send_nowait(request(number))
        params = {"requestId": number}
        cancelled = JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params=params)
        in_send.send_nowait(SessionMessage(cancelled))
    in_send.close()
    taken = [item async for item in reading]
    assert len(taken) == 6 * MOST_UNANSWERED, "each request once, and each word that takes one back"
    for one in (in_receive, out_send, out_receive):
        await one.aclose()


async def test_lines_without_end_leave_all_others_their_turn(ground: Ground) -> None:
    lines, turns, over = 20_000, 0, asyncio.Event()
    link = await ground.link()

    async def others() -> None:
        nonlocal turns
        while not over.is_set():
            turns += 1
            await asyncio.sleep(0)

    working = asyncio.create_task(others())
    assert await said(link, "flood", lines) == "after the flood"
    over.set()
    await working
    assert turns >= lines


async def test_an_error_stream_without_end_is_taken_in_parts() -> None:
    seen: list[str] = []

    def redact(line: str) -> str:
        seen.append(line)
        return line

    log = LogRing(redact)
    log.feed(b"".join(b"line %d\n" % number for number in range(50_000)))
    assert len(seen) == MOST_AT_ONCE + 1
    assert log.lines()[0] == "[banksman] 49,000 lines were left out"
    assert log.lines()[-1] == "line 49999"


async def test_a_server_that_does_not_answer_a_goodbye_holds_up_no_stop() -> None:
    with FakeMcpHttp(session="s-1", deaf_to_goodbye=True) as server:
        address = check_server(server.url, private=False)
        assert isinstance(address, ServerAddress)
        link = McpLink(HttpTransport(address), McpHearing())
        await link.open()
        async with asyncio.timeout(25):
            await link.close()
        assert "DELETE" in [one.method for one in server.seen], server.seen


@pytest.mark.promise("tools-T38")
async def test_an_answer_that_the_library_could_not_read_ends_what_waits_for_it() -> None:
    in_send, in_receive = anyio.create_memory_object_stream[SessionMessage | Exception](10)
    out_send, out_receive = anyio.create_memory_object_stream[SessionMessage](1)
    reading, _ = paced((in_receive, out_send))
    for text in ('{"jsonrpc": "2.0", "id": 3}', '{"jsonrpc": "2.0", "a": 1}'):
        with pytest.raises(ValidationError) as caught:
            jsonrpc_message_adapter.validate_json(text)
        in_send.send_nowait(caught.value)
    in_send.send_nowait(OSError("it went"))
    answer, unread, went = [await reading.receive() for _ in range(3)]
    assert isinstance(answer, SessionMessage)
    assert isinstance(answer.message, JSONRPCError)
    assert (answer.message.id, answer.message.error.message) == (3, NEITHER)
    assert isinstance(unread, ValidationError)
    assert isinstance(went, OSError)
    for stream in (in_send, in_receive, out_send, out_receive):
        stream.close()
