"""StreamedProvider: one endpoint over HTTP whose answers come as events, whichever protocol they speak."""

import asyncio
import contextlib
import functools
import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, Protocol

import httpx2
from pydantic import SecretStr

from desktop import __version__
from desktop.config.settings import Endpoint
from desktop.domain.updates import ModelInfo
from desktop.providers.aside import aside
from desktop.providers.base import Delta, Failure, ProviderError, Request
from desktop.providers.bounded_answer import ACCEPTED, bound
from desktop.providers.collector import MessageCollector
from desktop.providers.errors import (
    BadEvent,
    EndedEarly,
    ErrorEvent,
    NotAnApi,
    NothingCame,
    Refused,
    StreamFault,
    TooMuch,
    classify,
    redact,
)
from desktop.providers.event_stream import ServerEvent, server_events
from desktop.providers.wire import WireMessage

CONNECT_TIMEOUT_S = 15.0
LIST_TIMEOUT_S = 20.0
KEPT_S = 30.0
"""A connection is kept so long for the next request: a step's call is mostly over by then, and no router on the way has
forgotten it."""
REST_S = 0.25
"""The bytes that end an answer come with its last event. They are waited for no longer, as a server may keep the
connection open and send nothing."""
MOST_REST = 4
SHOWN_CHARS = 200
MOST_QUIET_EVENTS = 50_000
"""So many events (pings, empty deltas, unknown ones) may come one after the other with nothing of the answer in them.
10,000 calls without input are 30,000; a ping every ten seconds for five days is fewer."""
_NO_LIST = (404, 405, 501)
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_PROBLEMS = (
    StreamFault,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    httpx2.StreamError,
    OSError,
    ValueError,
    AssertionError,
    LookupError,
    TypeError,
    RuntimeError,
)
"""What a request may raise. The last five: numbers that are not JSON's, an answer that cannot be digested, a closed
client."""


class AnswerReader(Protocol):
    """Reads one answer into its collector."""

    collector: MessageCollector

    def feed(self, event: ServerEvent, request_id: str) -> list[Delta]:
        """What the event adds to the answer; nothing once the answer has ended.

        Raises:
            StreamFault: it is none of the protocol, or says that the request failed.
        """

    def take_whole(self, value: dict[str, Any]) -> list[Delta]:
        """An answer that came as one JSON object. Raises as `feed`."""


class WireProtocol(Protocol):
    """How one kind of service is spoken to. `path`: below the endpoint's address. `request_ids`: the header with the
    service's id of a request."""

    path: str
    request_ids: str

    def body(self, request: Request) -> bytes:
        """The body of a streamed request. Raises ValueError when a number in it is none of JSON's."""

    def headers(self, endpoint: Endpoint, key: str) -> dict[str, str]:
        """What goes with each request, the key ("": none) in the way that the endpoint wants."""

    def reader(self) -> AnswerReader:
        """One for the next answer."""

    def caches(self, endpoint: Endpoint) -> bool:
        """Whether requests may mark what is to be cached."""

    async def models(self, client: httpx2.AsyncClient, endpoint: Endpoint, key: str) -> tuple[ModelInfo, ...]:
        """What the endpoint lists.

        Raises:
            Refused: the service answered with an error.
            StreamFault: there was no answer, or none of this protocol.
        """


class StreamedProvider:
    """An endpoint reached over one HTTP client, which neither retries nor reads the environment but for proxies.

    Use it on one event loop. Redirects are not followed: a key goes to the endpoint's own address only.
    """

    def __init__(self, protocol: WireProtocol, endpoint: Endpoint, key: SecretStr | None) -> None:
        self.protocol, self._endpoint = protocol, endpoint
        self._key = key.get_secret_value() if key is not None else ""
        self._client: httpx2.AsyncClient | None = None
        self._address = httpx2.URL()

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """As `Provider.stream`."""
        reader = self.protocol.reader()
        collector = reader.collector
        request_id = ""
        try:
            async with aclosing(self._answer(request, reader)) as answer:
                async for deltas, request_id in answer:  # noqa: B007  # the last one is kept
                    for delta in deltas:
                        yield delta
        except _PROBLEMS as error:
            if not (collector.complete and _is_transport(error)):
                raise self._failed(error, collector, request_id) from error
        message = collector.message()
        yield message.model_copy(update={"request_id": request_id, "model": message.model or request.model})

    async def models(self) -> tuple[ModelInfo, ...]:
        """As `Provider.models`."""
        try:
            client = await self._made_client()
            async with asyncio.timeout(LIST_TIMEOUT_S):
                return await self.protocol.models(client, self._endpoint, self._key)
        except _PROBLEMS as error:
            failure = classify(error)
            if failure.http_status in _NO_LIST:
                return ()
            raise self._failed(error, MessageCollector(), "") from error

    async def close(self) -> None:
        """As `Provider.close`."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _answer(self, request: Request, reader: AnswerReader) -> AsyncGenerator[tuple[list[Delta], str], None]:
        client = await self._made_client()
        protocol, endpoint = self.protocol, self._endpoint
        asked = request.model_copy(update={"cache": request.cache and protocol.caches(endpoint)})
        unwritten = [message for message in asked.messages if not isinstance(message, WireMessage)]
        body = await aside(len(unwritten), lambda: protocol.body(asked))
        first_by = asyncio.get_running_loop().time() + endpoint.first_event_timeout_s
        async with _limit(first_by, endpoint.first_event_timeout_s):
            headers = protocol.headers(endpoint, self._key)
            sent = client.build_request("POST", self._address, content=body, headers=headers)
            response = await client.send(sent, stream=True)
        try:
            request_id = response.headers.get(protocol.request_ids, "")
            yield [], request_id
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if response.is_success and kind == "text/event-stream":
                batches = server_events(response.aiter_raw())
                async for deltas in self._events(batches, reader, first_by, request_id):
                    yield deltas, request_id
                await _read_rest(batches)
            else:
                async with _limit(first_by, endpoint.first_event_timeout_s):
                    raw = await response.aread()
                if not response.is_success:
                    raise Refused(response.status_code, response.headers, response.text)
                yield reader.take_whole(_whole(raw, kind, endpoint.base_url)), request_id
        finally:
            await response.aclose()

    async def _events(
        self, batches: AsyncIterator[list[ServerEvent]], reader: AnswerReader, first_by: float, request_id: str
    ) -> AsyncIterator[list[Delta]]:
        """Deltas per event that has some. Ends at the end of the message, even if the server leaves the connection
        open. Time is looked at once for all events that came together, so that a flood of them costs little."""
        loop = asyncio.get_running_loop()
        deadline: float | None = first_by
        allowed = self._endpoint.first_event_timeout_s
        collector = reader.collector
        quiet = 0
        while not collector.stopped:
            async with _limit(deadline or loop.time() + allowed, allowed):
                batch = await anext(batches, None)
            if batch is None:
                if not collector.complete:
                    raise EndedEarly("the stream ended before the answer was complete")
                return
            deadline, allowed = None, self._endpoint.idle_timeout_s
            for event in batch:
                quiet += 1
                if deltas := reader.feed(event, request_id):
                    quiet = 0
                    yield deltas
            if quiet > MOST_QUIET_EVENTS:
                raise TooMuch(f"the service sent more than {MOST_QUIET_EVENTS:,} events in a row without content")

    async def _made_client(self) -> httpx2.AsyncClient:
        if self._client is None and self._endpoint.base_url.startswith("https:"):
            await asyncio.to_thread(_system_trust)
        if self._client is None:
            self._client = _http_client(self._endpoint)
            self._address = self._client.build_request("POST", self.protocol.path).url
        return self._client

    def _failed(self, error: Exception, collector: MessageCollector, request_id: str) -> ProviderError:
        failure: Failure = classify(error)
        changes = {
            "message": redact(failure.message, self._key),
            "request_id": failure.request_id or request_id,
        }
        return ProviderError(failure.model_copy(update=changes), partial=collector.partial(), usage=collector.usage)


@functools.cache
def _system_trust() -> ssl.SSLContext:
    """The certificates that the system trusts; reading them takes 0.1 s."""
    return httpx2.create_ssl_context()


def _http_client(endpoint: Endpoint) -> httpx2.AsyncClient:
    """Certificates are always checked. An address without TLS gets a context that trusts nobody, as that costs
    nothing."""
    address = httpx2.URL(endpoint.base_url)
    trust = _system_trust() if address.scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx2.AsyncClient(
        base_url=address,
        verify=trust,
        timeout=httpx2.Timeout(None, connect=min(CONNECT_TIMEOUT_S, endpoint.first_event_timeout_s)),
        limits=httpx2.Limits(keepalive_expiry=KEPT_S),
        follow_redirects=False,
        trust_env=address.host not in _LOOPBACK,
        headers={"accept-encoding": ACCEPTED, "user-agent": f"Banksman/{__version__}"},
        event_hooks={"response": [bound]},
    )


def key_headers(endpoint: Endpoint, key: str) -> dict[str, str]:
    """What goes with a request of any protocol: JSON, and the key as the endpoint wants it."""
    headers = {"accept": "application/json", "content-type": "application/json"}
    if key and endpoint.auth == "api_key":
        headers["authorization"] = f"Bearer {key}"
    if key and endpoint.auth == "x-api-key":
        headers["x-api-key"] = key
    return headers


class _limit:  # noqa: N801  # reads as a statement: async with _limit(…)
    """Until `deadline` on the loop's clock, else NothingCame."""

    def __init__(self, deadline: float, allowed_s: float) -> None:
        self._timeout = asyncio.timeout_at(deadline)
        self._allowed_s = allowed_s

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        try:
            await self._timeout.__aexit__(kind, error, trace)
        except TimeoutError as late:
            raise NothingCame(f"nothing came for {self._allowed_s:g} s") from late


async def _read_rest(batches: AsyncIterator[list[ServerEvent]]) -> None:
    """Read what little may follow the end of a message: a connection that was read to the end of the answer serves the
    next request too."""
    with contextlib.suppress(*_PROBLEMS):
        async with asyncio.timeout(REST_S):
            for _ in range(MOST_REST):
                if await anext(batches, None) is None:
                    return


def _is_transport(error: BaseException) -> bool:
    return isinstance(error, httpx2.HTTPError | httpx2.StreamError | EndedEarly | NothingCame | OSError)


def event_object(name: str | None, text: str) -> dict[str, Any] | None:
    """The object in one event; None for a ping, an empty event or `[DONE]`.

    Raises:
        BadEvent: it is none.
    """
    if name == "ping" or not text.strip() or text.strip() == "[DONE]":
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        if name == "error":
            return {"type": "error", "error": {"message": text}}
        raise BadEvent("the service sent an event that is not JSON") from error
    if not isinstance(value, dict):
        raise BadEvent("the service sent an event that is no object")
    return value


def _whole(raw: bytes, kind: str, address: str) -> dict[str, Any]:
    """The message in an answer that is no event stream."""
    text = raw.decode("utf-8", "replace").strip()
    if kind == "application/json" or (kind != "text/html" and text.startswith("{")):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadEvent("the service sent JSON that is broken") from error
        if isinstance(value, dict) and value.get("type") == "error":
            raise ErrorEvent(value)
        if isinstance(value, dict):
            return value
    raise NotAnApi(f"{address} does not answer like a model service: {text[:SHOWN_CHARS]}")
