"""One connection serves all requests of a turn; one that cannot be used again costs an answer nothing."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from pydantic import SecretStr

from desktop.config.settings import Endpoint
from desktop.domain.events import AssistantMessage
from desktop.providers.anthropic import AnthropicProvider
from desktop.providers.base import ProviderError, Request
from tests.fakes.fake_model_api import FakeModelApi, http_failure, text_turn

pytestmark = pytest.mark.asyncio

Serve = Callable[[asyncio.StreamWriter], Awaitable[None]]
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
DELTA = b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hello"}}\n\n'
STOP = b'data: {"type":"message_stop"}\n\n'
LAST_CHUNK = b"0\r\n\r\n"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


class Service:
    """Counts its connections; `serve` writes one answer."""

    def __init__(self, serve: Serve) -> None:
        self.connections = self.requests = 0
        self._serve = serve

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while not writer.is_closing():
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = next(int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"content-length:"))
                await reader.readexactly(length)
                self.requests += 1
                await self._serve(writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def served(serve: Serve) -> AsyncIterator[tuple[Service, AnthropicProvider]]:
    service = Service(serve)
    server = await asyncio.start_server(service, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    provider = AnthropicProvider(Endpoint(id="e", label="E", kind="compatible", base_url=address, auth="none"), None)
    try:
        yield service, provider
    finally:
        await provider.close()
        server.close()
        await server.wait_closed()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of an answer is waited for however busy the machine is."""
    monkeypatch.setattr("desktop.providers.streamed.REST_S", 20.0)


async def answer(provider: AnthropicProvider) -> str:
    messages = [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]
    last = [delta async for delta in provider.stream(Request(model="m", system="s", messages=messages))][-1]
    assert isinstance(last, AssistantMessage)
    (part,) = last.parts
    assert isinstance(part, dict)
    return str(part["text"])


@pytest.mark.usefixtures("patient")
async def test_requests_one_after_the_other_go_over_one_connection(model_api: FakeModelApi) -> None:
    endpoint = Endpoint(id="e", label="E", kind="compatible", base_url=model_api.url)
    provider = AnthropicProvider(endpoint, SecretStr("test-key-123456"))
    model_api.script(*[text_turn("hello")] * 4)
    for _ in range(4):
        assert await answer(provider) == "hello"
    await provider.close()
    assert len({request.connection for request in model_api.requests}) == 1


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("together", [True, False])
async def test_an_end_that_comes_with_the_last_event_or_right_after_it_keeps_the_connection(together: bool) -> None:
    async def serve(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + chunk(DELTA) + chunk(STOP) + (LAST_CHUNK if together else b""))
        await writer.drain()
        if not together:
            await asyncio.sleep(0)
            writer.write(LAST_CHUNK)

    async with served(serve) as (service, provider):
        for _ in range(5):
            assert await answer(provider) == "hello"
        assert (service.requests, service.connections) == (5, 1)


async def test_a_service_that_never_ends_its_answer_is_not_waited_for() -> None:
    async def serve(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + chunk(DELTA) + chunk(STOP))
        await writer.drain()

    async with served(serve) as (service, provider):
        began = time.monotonic()
        for _ in range(3):
            assert await answer(provider) == "hello"
        assert time.monotonic() - began < 10
        assert service.connections == 3


async def test_what_a_service_sends_after_the_end_is_left_unread() -> None:
    async def serve(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + chunk(DELTA) + chunk(STOP))
        while True:
            writer.write(chunk(DELTA * 1_000))
            await writer.drain()

    async with served(serve) as (service, provider):
        assert [await answer(provider) for _ in range(2)] == ["hello", "hello"]
        assert service.connections == 2


@pytest.mark.parametrize("after", [b"x" * 10, chunk(b"data: {oops\n\n"), b"zz\r\n"])
async def test_nonsense_after_the_end_spoils_no_answer(after: bytes) -> None:
    async def serve(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + chunk(DELTA) + chunk(STOP) + after)
        await writer.drain()
        writer.close()

    async with served(serve) as (_, provider):
        assert [await answer(provider) for _ in range(2)] == ["hello", "hello"]


async def test_a_connection_that_the_service_closed_meanwhile_is_not_used_again() -> None:
    async def serve(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + chunk(DELTA) + chunk(STOP) + LAST_CHUNK)
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        closed.set()

    closed = asyncio.Event()
    async with served(serve) as (service, provider):
        for _ in range(3):
            closed.clear()
            assert await answer(provider) == "hello"
            await closed.wait()
        assert service.connections == 3


@pytest.mark.usefixtures("patient")
async def test_after_a_refusal_and_a_list_of_models_the_connection_is_the_same(model_api: FakeModelApi) -> None:
    endpoint = Endpoint(id="e", label="E", kind="compatible", base_url=model_api.url, auth="none")
    provider = AnthropicProvider(endpoint, None)
    model_api.script(http_failure(529, "overloaded_error"), text_turn("hello"))
    with pytest.raises(ProviderError):
        await answer(provider)
    assert await answer(provider) == "hello"
    assert await provider.models()
    await provider.close()
    assert len({request.connection for request in model_api.all_requests}) == 1
