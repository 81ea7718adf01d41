"""WebClient: one request at a time to a server that nobody vouches for, within limits, at a judged address (gate-W2 to
gate-W4)."""

import asyncio
import re
import ssl
import time
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import field
from urllib.parse import quote, urljoin

import httpcore2
import httpx2

from desktop.domain.egress.values import ClientKind, Traffic
from desktop.policy.network.hosts import Refused
from desktop.policy.network.urls import PORTS, WebAddress, check_url
from desktop.records import dataclass
from desktop.services.egress.connecting import AddressRefused, Resolver, system_addresses
from desktop.services.egress.pinned import PinnedBackend
from desktop.services.egress.upstream import AskUpstream, no_upstream
from desktop.services.web.errors import WebError

USER_AGENT = "Banksman"
MOST_REDIRECTS = 5
RATIO_FROM = 256 * 1024
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MEDIA_TYPE = re.compile(r"[a-z0-9.+-]{1,40}/[a-z0-9.+-]{1,80}")
_NO_TYPE = "application/octet-stream"
_IN_TARGET = "/:?#[]@!$&'()*+,;=%~-._"


@dataclass(frozen=True)
class WebLimits:
    """Seconds and bytes of one request, its redirects among them. `ratio`: bytes that one byte may unpack to."""

    connect_s: float = 10.0
    total_s: float = 30.0
    wire_bytes: int = 2 * 1024 * 1024
    decoded_bytes: int = 8 * 1024 * 1024
    ratio: int = 50


@dataclass(frozen=True)
class WebAsk:
    """What is asked for. `private`: hosts that a person named, which need not be public. `accepts`: whether an answer
    of a media type is wanted; one that is not is not read. `cut`: what is too long is cut, not refused. `follows`:
    redirects within the host are."""

    address: WebAddress
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""
    private: frozenset[str] = frozenset()
    accepts: Callable[[str], bool] = lambda media_type: True
    cut: bool = False
    follows: bool = True
    limits: WebLimits = WebLimits()


@dataclass(frozen=True)
class WebAnswer:
    """What was answered in the end. `body`: decoded; empty for a type that was not wanted, which `size` belongs to
    (None: not told). `moved_to`: where a redirect led that was not followed, as it leads to another host. `etag`: what
    the server calls this answer."""

    address: WebAddress
    status: int
    media_type: str = ""
    charset: str = ""
    body: bytes = b""
    size: int | None = None
    moved_to: str = ""
    etag: str = ""


@dataclass(frozen=True)
class Sent:
    """One request as it left this computer, for the record. `ip` "": none was connected to; `status` 0: no answer;
    `problem`: why nothing came of it."""

    host: str
    port: int
    ip: str = ""
    sent_bytes: int = 0
    received_bytes: int = 0
    status: int = 0
    duration_ms: int = 0
    refused: bool = False

    def as_traffic(self, kind: ClientKind) -> Traffic:
        """It, as what leaves this computer is counted."""
        return Traffic(
            kind=kind,
            host=self.host,
            port=self.port,
            connections=1 if self.ip else 0,
            bytes_up=self.sent_bytes,
            bytes_down=self.received_bytes,
            refused=1 if self.refused else 0,
        )


@dataclass
class _Count:
    """What one request moved so far."""

    sent: int = 0
    received: int = 0
    status: int = 0


class WebClient:
    """On one event loop. Each request has connections of its own, to addresses that were judged; proxies of variables,
    cookies and credentials are not used. `resolve` gives addresses of hosts, `upstream` the person's own proxy."""

    def __init__(self, *, resolve: Resolver = system_addresses, upstream: AskUpstream = no_upstream) -> None:
        self._resolve = resolve
        self._upstream = upstream
        self._making: asyncio.Task[ssl.SSLContext] | None = None

    async def ask(self, wanted: WebAsk, told: Callable[[Sent], None]) -> WebAnswer:
        """The answer of a server, whatever its status; redirects within its host are followed. `told` gets each request
        that was made, also one that failed.

        Raises:
            WebError: it did not answer within the limits, or leads where nothing is asked.
        """
        place = wanted.address.text
        try:
            async with asyncio.timeout(wanted.limits.total_s):
                return await self._follow(wanted, told)
        except (TimeoutError, httpcore2.TimeoutException) as error:
            raise WebError(f"{place} did not answer within {wanted.limits.total_s:g} s.") from error
        except AddressRefused as error:
            raise WebError(f"{place} was not asked: {error}") from error
        except (httpcore2.ProtocolError, httpcore2.UnsupportedProtocol) as error:  # its words may be the server's
            raise WebError(f"{place} could not be read: it does not speak HTTP.") from error
        except (httpcore2.NetworkError, OSError) as error:
            why = " ".join(str(error).split())[:200] or type(error).__name__
            raise WebError(f"{place} could not be read: {why}") from error

    async def _follow(self, wanted: WebAsk, told: Callable[[Sent], None]) -> WebAnswer:
        address = wanted.address
        for _ in range(MOST_REDIRECTS + 1):
            answer = await self._once(wanted, address, told)
            if not answer.moved_to:
                return answer
            target = check_url(urljoin(address.text, answer.moved_to), private=wanted.private)
            if isinstance(target, Refused):
                told_why = f"{wanted.address.text} leads where nothing is asked: {target.reason}"
                raise WebError(told_why, status=answer.status, foreign=True)
            if wanted.method != "GET" or not wanted.follows or not _is_same_place(address, target):
                return WebAnswer(address, answer.status, moved_to=target.text)
            address = target
        raise WebError(f"{wanted.address.text} redirects more than {MOST_REDIRECTS} times.")

    async def _once(self, wanted: WebAsk, address: WebAddress, told: Callable[[Sent], None]) -> WebAnswer:
        """One request, on record however it ends."""
        backend = PinnedBackend(resolve=self._resolve, private=wanted.private, upstream=self._upstream)
        began, count, refused = time.monotonic(), _Count(), False
        try:
            return await self._exchange(wanted, address, backend, count)
        except AddressRefused:
            refused = True
            raise
        finally:
            took = round((time.monotonic() - began) * 1000)
            ip = backend.reached.get(address.host.name, "")
            name, port = address.host.name, address.port
            told(Sent(name, port, ip, count.sent if ip else 0, count.received, count.status, took, refused))

    async def _exchange(self, wanted: WebAsk, address: WebAddress, backend: PinnedBackend, count: _Count) -> WebAnswer:
        limits = wanted.limits
        timeout = {"connect": limits.connect_s, "read": limits.total_s, "write": limits.total_s, "pool": limits.total_s}
        target = quote(address.target, safe=_IN_TARGET)
        url = f"{address.scheme}://{address.host.in_url}:{address.port}{target}"
        headers = {"Host": _host_line(address), "User-Agent": USER_AGENT, "Accept-Encoding": "gzip"}
        headers |= wanted.headers
        count.sent = len(target) + len(wanted.content) + sum(len(k) + len(v) + 4 for k, v in headers.items())
        context = await self._certificates()
        async with (
            httpcore2.AsyncConnectionPool(context, network_backend=backend, keepalive_expiry=0.0) as pool,
            pool.stream(
                wanted.method,
                url,
                headers=list(headers.items()),
                content=wanted.content or None,
                extensions={"timeout": timeout},
            ) as response,
        ):
            count.status = response.status
            known = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in response.headers}
            if response.status in _REDIRECTS and known.get("location"):
                return WebAnswer(address, response.status, moved_to=known["location"].strip())
            media_type, charset = _content_type(known.get("content-type", ""))
            length = known.get("content-length", "")
            size = int(length) if length.isascii() and length.isdigit() else None
            etag = known.get("etag", "")
            answer = WebAnswer(address, response.status, media_type, charset, size=size, etag=etag)
            if response.status >= 400 or not wanted.accepts(media_type):
                return answer
            if size is not None and size > limits.wire_bytes and not wanted.cut:
                raise WebError(
                    f"{wanted.address.text} is {_megabytes(size)}. At most {_megabytes(limits.wire_bytes)} are read."
                )
            body = await self._body(response.aiter_stream(), known.get("content-encoding", ""), wanted, count)
            return WebAnswer(address, response.status, media_type, charset, body, size, etag=etag)

    async def _body(self, stream: AsyncIterator[bytes], encoding: str, wanted: WebAsk, count: _Count) -> bytes:
        """The whole of it, decoded.

        Raises:
            WebError: it is too large, or unpacks to too much.
        """
        limits, place = wanted.limits, wanted.address.text
        unpack = _decoder(encoding, place)
        parts: list[bytes] = []
        decoded = 0
        async for chunk in stream:
            count.received += len(chunk)
            for part in unpack(chunk, limits.decoded_bytes + 1 - decoded):
                decoded += len(part)
                parts.append(part)
            if wanted.cut and (decoded >= limits.decoded_bytes or count.received >= limits.wire_bytes):
                return b"".join(parts)[: limits.decoded_bytes]
            if count.received > limits.wire_bytes:
                raise WebError(f"{place} is larger than {_megabytes(limits.wire_bytes)}, which is not read.")
            if decoded > limits.decoded_bytes or (decoded > RATIO_FROM and decoded > limits.ratio * count.received):
                raise WebError(f"{place} unpacks to more than is read.")
        return b"".join(parts)

    async def _certificates(self) -> ssl.SSLContext:
        """What checks certificates; made on a worker thread at the first request."""
        if self._making is None:
            make = asyncio.to_thread(httpx2.create_ssl_context, trust_env=False)
            self._making = asyncio.create_task(make)
        return await asyncio.shield(self._making)


def _decoder(encoding: str, place: str) -> Callable[[bytes, int], list[bytes]]:
    """Unpacks pieces to at most so many bytes and one more.

    Raises:
        WebError: the server packs as nobody asked it to.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return lambda chunk, most: [chunk]
    if name not in ("gzip", "x-gzip"):
        raise WebError(f"{place} is packed in a way that was not asked for, which is not read.")
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)

    def unpack(chunk: bytes, most: int) -> list[bytes]:
        try:
            return [unpacker.decompress(unpacker.unconsumed_tail + chunk, max(most, 1))]
        except zlib.error as error:
            raise WebError(f"{place} is packed wrongly: {error}.") from error

    return unpack


def _is_same_place(before: WebAddress, after: WebAddress) -> bool:
    """Whether a redirect stays where a person allowed to ask: the same host, and its port or the better scheme."""
    if before.host.name != after.host.name:
        return False
    upgraded = (before.scheme, after.scheme) == ("http", "https") and after.port == PORTS["https"]
    return upgraded or (before.scheme, before.port) == (after.scheme, after.port)


def _host_line(address: WebAddress) -> str:
    port = "" if address.port == PORTS[address.scheme] else f":{address.port}"
    return f"{address.host.in_url}{port}"


def _content_type(text: str) -> tuple[str, str]:
    media_type, _, parameters = text.partition(";")
    charset = ""
    for one in parameters.split(";"):
        name, _, value = one.partition("=")
        if name.strip().lower() == "charset":
            charset = value.strip().strip("\"'")[:40]
    kind = media_type.strip().lower()
    return kind if not kind or _MEDIA_TYPE.fullmatch(kind) else _NO_TYPE, charset


def _megabytes(size: int) -> str:
    return f"{size / 1024**2:.1f}".removesuffix(".0") + " MB"
