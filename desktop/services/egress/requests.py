"""What a client asks of the proxy: the beginning of an HTTP request, read strictly."""

import re
from ssl import SSLContext
from typing import Protocol

from desktop.policy.network.hosts import Host, Refused, check_host
from desktop.policy.network.urls import check_url
from desktop.records import dataclass

MAX_HEAD = 64 * 1024
_LINE = re.compile(rb"([A-Z]{1,20}) ([!-~]{1,8000}) HTTP/1\.[01]")
_FIELD = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n\x00]*")
_PLACE = re.compile(r"(.+):([0-9]{1,5})")
_NOT_PASSED_ON = (b"connection", b"proxy-connection", b"proxy-authorization", b"keep-alive", b"host", b"upgrade")


class Heard(Protocol):
    """Hears the bytes that come back, before they are passed on. Neither of the two raises."""

    def feed(self, piece: bytes) -> None:
        """These came."""

    def end(self) -> None:
        """No more will come."""


@dataclass(frozen=True)
class Wanted:
    """Where a client wants to go. `first`: what is sent there before all else; b"" for a tunnel. `chosen`: it is the
    one service that a person chose for the client, wherever that stands. `tls`: what it is trusted by, None without.
    `body`: how many bytes may follow, None for any. `heard`: hears what comes back, None: nobody does."""

    host: Host
    port: int
    first: bytes = b""
    chosen: bool = False
    tls: SSLContext | None = None
    body: int | None = None
    heard: Heard | None = None

    @property
    def place(self) -> str:
        """Host and port, as they stand in a request."""
        return f"{self.host.in_url}:{self.port}"


@dataclass(frozen=True)
class NotAsked(Refused):
    """Something that a client may not ask of its own service. `what`: the method and the path."""

    what: str = ""


class OwnService(Protocol):
    """A service that a client asks by paths alone, as if the proxy were it."""

    def wanted(self, method: str, target: str, fields: list[bytes]) -> Wanted | Refused:
        """What is sent to the service for a request. `fields`: those that are passed on."""


def read_request(head: bytes, own: OwnService | None = None) -> Wanted | Refused:
    """The place of a request, from its first line to its empty one. `CONNECT host:port` asks for a tunnel; a whole
    address with http:// is asked for there, on a connection that serves this one request; a path alone is for `own`."""
    line, *fields = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    found = _LINE.fullmatch(line)
    if found is None or not all(_FIELD.fullmatch(field) for field in fields):
        return Refused("This is no request that the proxy understands.")
    method, target = found[1], found[2].decode("ascii")
    if method == b"CONNECT":
        return _tunnel(target)
    kept = [field for field in fields if field.partition(b":")[0].lower() not in _NOT_PASSED_ON]
    if own is not None and target.startswith("/"):
        return own.wanted(method.decode("ascii"), target, kept)
    if not target.lower().startswith("http://"):
        return Refused("The proxy passes on CONNECT, and requests for addresses that begin with http://.")
    address = check_url(target, private=frozenset({"localhost"}))
    if isinstance(address, Refused):
        return address
    place = address.host.in_url if address.port == 80 else f"{address.host.in_url}:{address.port}"
    lines = [method + b" " + address.target.encode() + b" HTTP/1.1", b"Host: " + place.encode()]
    return Wanted(address.host, address.port, b"\r\n".join([*lines, *kept, b"Connection: close", b"", b""]))


def answer(status: str, sentence: str) -> bytes:
    """An answer of the proxy itself, which ends the connection."""
    body = f"Banksman: {sentence}\n".encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"Connection: close\r\n\r\n" + body


def _tunnel(target: str) -> Wanted | Refused:
    found = _PLACE.fullmatch(target)
    if found is None or not 0 < int(found[2]) <= 65_535:
        return Refused(f"{target!r} is not a host with a port.")
    host = check_host(found[1])
    return host if isinstance(host, Refused) else Wanted(host, int(found[2]))
