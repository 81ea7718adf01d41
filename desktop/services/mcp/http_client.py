"""HTTP for servers at an address: connections through a checked network alone, and answers of limited size."""

import ssl
from collections.abc import AsyncIterator, Callable

import httpcore2
import httpx2

from desktop import __version__

USER_AGENT = f"Banksman/{__version__}"
MAX_ANSWER = 8 * 1024 * 1024
CONNECT_S, WRITE_S, READ_S = 10.0, 30.0, 660.0
"""An answer may take as long as the longest time limit of a call, and a minute."""
_EVENTS = "text/event-stream"

Seen = Callable[[httpx2.Request, httpx2.Response], None]


def make_client(
    network: httpcore2.AsyncNetworkBackend,
    *,
    headers: dict[str, str] | None = None,
    auth: httpx2.Auth | None = None,
    seen: Seen | None = None,
    read_s: float = READ_S,
) -> httpx2.AsyncClient:
    """A client without cookies, proxies or redirects of its own, whose connections are made by `network`. `seen` is
    shown each answer before its body is read. Takes 50 ms: make it on a worker thread."""
    return httpx2.AsyncClient(
        transport=_LimitedTransport(network, seen),
        headers={"Accept-Encoding": "identity", "User-Agent": USER_AGENT, **(headers or {})},
        auth=auth,
        timeout=httpx2.Timeout(read_s, connect=CONNECT_S, write=WRITE_S),
        follow_redirects=False,
        trust_env=False,
    )


class _LimitedTransport(httpx2.AsyncHTTPTransport):
    """Answers come as they are sent (nothing is unpacked), and none but a stream of events is longer than 8 MiB."""

    def __init__(self, network: httpcore2.AsyncNetworkBackend, seen: Seen | None) -> None:
        checks: ssl.SSLContext = httpx2.create_ssl_context(trust_env=False)
        super().__init__(verify=checks, trust_env=False)
        self._pool = httpcore2.AsyncConnectionPool(ssl_context=checks, max_connections=32, network_backend=network)
        self._seen = seen

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        answer = await super().handle_async_request(request)
        packed = answer.headers.get("content-encoding", "identity").strip().lower()
        if packed not in ("identity", ""):
            await answer.aclose()
            raise httpx2.RemoteProtocolError(f"{request.url.host} packed its answer ({packed[:20]}), unasked.")
        answer.headers.pop("set-cookie", None)
        if self._seen is not None:
            self._seen(request, answer)
        if _EVENTS in answer.headers.get("content-type", "").lower() or not isinstance(
            answer.stream, httpx2.AsyncByteStream
        ):
            return answer
        limited = _LimitedStream(answer.stream)
        return httpx2.Response(answer.status_code, headers=answer.headers, stream=limited, extensions=answer.extensions)


class _LimitedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        taken = 0
        async for part in self._stream:
            taken += len(part)
            if taken > MAX_ANSWER:
                raise httpx2.StreamError(f"The answer is longer than {MAX_ANSWER // (1024 * 1024)} MiB.")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()
