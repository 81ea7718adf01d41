"""The transport of a server at an address: streamable HTTP, and for old servers server-sent events (guests-M5)."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from types import TracebackType

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCRequest, RequestId

from desktop.domain.core.errors import BanksmanError
from desktop.policy.mcp.addresses import ServerAddress
from desktop.services.egress.pinned import PinnedBackend
from desktop.services.mcp.http_client import MAX_ANSWER, make_client
from desktop.services.mcp.link import Way

QUIT_GRACE_S = 2.0
SIGN_IN = "It wants you to sign in: Settings, MCP."

logger = logging.getLogger(__name__)

Item = SessionMessage | Exception
Streams = tuple[MemoryObjectReceiveStream[Item], MemoryObjectSendStream[SessionMessage]]
_OLD = (400, 404, 405)
"""How servers that speak the older kind, over server-sent events, answer a posted `initialize`."""


def _unheard(challenge: str | None) -> None:
    """For connections whose sign-in nobody looks after."""


class HttpTransport:
    """One connection with a server at an address, from `__aenter__` to `__aexit__`, which the same task awaits.

    Connections lead to public addresses, and to what `server` says is reachable beside. `headers` go with each request,
    to the server's own origin alone: a redirect to another one is not followed. `auth` adds the token of a sign-in.

    `way`: how the server is spoken to, `sse` for an old one. `wanted` is told what it said when it wanted a sign-in
    (its `WWW-Authenticate`), which ends the connection, and None when it took a request. `gone` is set when it ended by
    itself, and then `why` says why, `own_why` without words of the server. `network` makes its connections.
    """

    def __init__(
        self,
        server: ServerAddress,
        *,
        headers: Mapping[str, str] | None = None,
        auth: httpx2.Auth | None = None,
        wanted: Callable[[str | None], None] = _unheard,
        network: PinnedBackend | None = None,
    ) -> None:
        self.way: Way = "streamable"
        self._wanted = wanted
        self._challenged = False
        self.gone = asyncio.Event()
        self.why = self.own_why = ""
        self._url = server.text
        self._network = network or PinnedBackend(private=server.reachable)
        self._headers = dict(headers or {})
        self._auth = auth
        self._status = 0
        self._first: JSONRPCRequest | None = None
        self._refusal: SessionMessage | None = None
        self._open = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Streams:
        """What comes from the server, and what goes to it. Nothing is asked yet."""
        client = await asyncio.to_thread(self._make_client)
        send_in, receive_in = anyio.create_memory_object_stream[Item](0)
        send_out, receive_out = anyio.create_memory_object_stream[SessionMessage](0)
        for part in (client, receive_in):
            await self._open.enter_async_context(part)
        carrying = asyncio.create_task(self._carry(client, receive_out, send_in), name="mcp over http")
        self._open.push_async_callback(_ended, carrying)
        await self._open.enter_async_context(send_out)
        return receive_in, send_out

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it; an open session is told off at the server."""
        await self._open.aclose()
        self.gone.set()

    def _saw(self, request: httpx2.Request, answer: httpx2.Response) -> None:
        self._status = answer.status_code
        said = answer.headers.get("www-authenticate", "")
        self._challenged = answer.status_code == 401 or (answer.status_code == 403 and "insufficient_scope" in said)
        if self._challenged or answer.is_success:
            self._wanted(said if self._challenged else None)

    async def _carry(
        self,
        client: httpx2.AsyncClient,
        outgoing: MemoryObjectReceiveStream[SessionMessage],
        incoming: MemoryObjectSendStream[Item],
    ) -> None:
        try:
            async with outgoing, incoming:
                await self._as_streamable(client, outgoing, incoming)
                if self._first is not None and self._refusal is not None:
                    await self._as_old(self._first, self._refusal, outgoing, incoming)
        except* (httpx2.HTTPError, httpx2.StreamError, BanksmanError, ValueError) as errors:
            self.why, self.own_why = _words(errors)
            logger.info("The connection to %s ended: %s", httpx2.URL(self._url).host, self.why)
        except* (anyio.BrokenResourceError, anyio.ClosedResourceError):
            logger.debug("The connection to %s was left", self._url)
        finally:
            self.gone.set()

    async def _as_streamable(
        self,
        client: httpx2.AsyncClient,
        outgoing: MemoryObjectReceiveStream[SessionMessage],
        incoming: MemoryObjectSendStream[Item],
    ) -> None:
        async with streamable_http_client(self._url, http_client=client, max_sse_event_size=MAX_ANSWER) as streams:
            read, write = streams
            async with anyio.create_task_group() as group:

                async def send() -> None:
                    async for message in outgoing:
                        if isinstance(message.message, JSONRPCRequest) and message.message.method == "initialize":
                            self._first = message.message
                        await write.send(message)
                    group.cancel_scope.cancel()

                group.start_soon(send)
                async for item in read:
                    if self._challenged:
                        self.why = self.own_why = SIGN_IN
                        self.gone.set()
                        break
                    if self._wants_the_old_way(item):
                        break
                    await incoming.send(item)
                group.cancel_scope.cancel()

    def _wants_the_old_way(self, item: Item) -> bool:
        refusal = isinstance(item, SessionMessage) and self._first is not None and _refuses(item, self._first.id)
        if not refusal or self._status not in _OLD or not isinstance(item, SessionMessage):
            return False
        self._refusal = item
        return True

    async def _as_old(
        self,
        first: JSONRPCRequest,
        refusal: SessionMessage,
        outgoing: MemoryObjectReceiveStream[SessionMessage],
        incoming: MemoryObjectSendStream[Item],
    ) -> None:
        """Ask for server-sent events; a server that has none either gets its refusal told."""
        client = await asyncio.to_thread(self._make_client)

        def made(
            headers: dict[str, str] | None = None,
            timeout: httpx2.Timeout | None = None,
            auth: httpx2.Auth | None = None,
        ) -> httpx2.AsyncClient:
            return client

        try:
            async with sse_client(self._url, httpx_client_factory=made) as (read, write):
                self.way = "sse"
                async with anyio.create_task_group() as group:

                    async def send() -> None:
                        await write.send(SessionMessage(first))
                        async for message in outgoing:
                            await write.send(message)
                        group.cancel_scope.cancel()

                    group.start_soon(send)
                    async for item in read:
                        await incoming.send(item)
                    group.cancel_scope.cancel()
        except* httpx2.HTTPStatusError:
            if self.way == "sse":
                raise
            await incoming.send(refusal)

    def _make_client(self) -> httpx2.AsyncClient:
        return make_client(self._network, headers=self._headers, auth=self._auth, seen=self._saw)


async def _ended(task: asyncio.Task[None]) -> None:
    """Let it tell the server off, and break it off where that takes longer than 2 s (guests-M2)."""
    await asyncio.wait({task}, timeout=QUIT_GRACE_S)
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=QUIT_GRACE_S)
    with contextlib.suppress(asyncio.CancelledError):
        await task


def _refuses(item: SessionMessage, request_id: RequestId) -> bool:
    return isinstance(item.message, JSONRPCError) and item.message.id == request_id


def _words(errors: BaseExceptionGroup[Exception]) -> tuple[str, str]:
    """Why a connection ended, and what of that is surely no word of the server."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = (str(error).strip() or type(error).__name__)[:300]
    return text, text if isinstance(error, BanksmanError) else "The connection to it ended."
