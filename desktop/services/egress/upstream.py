"""The person's own proxy: where it is, and a tunnel that it makes (guests-E6)."""

from collections.abc import Awaitable, Callable

from desktop.policy.network.hosts import Host, Refused, check_host
from desktop.policy.network.urls import WebAddress, check_url
from desktop.records import dataclass

MAX_ANSWER = 8 * 1024


@dataclass(frozen=True)
class Upstream:
    """A proxy that the person set. `names`: it is given names, as it takes no addresses; what it resolves them to is
    then not checked."""

    host: str
    port: int
    names: bool = False


AskUpstream = Callable[[], Upstream | None]
"""The proxy as it is set now, None for none; asked at each connection. OSError: what is set is none."""


def no_upstream() -> Upstream | None:
    """For connections that go straight."""
    return None


def upstream_of(address: str, *, names: bool) -> Upstream | None:
    """The proxy at an address that a person set, `http://proxy.example:3128`; None for "".

    Raises:
        OSError: it is no such address, so nothing goes out.
    """
    if not address.strip():
        return None
    found = check_upstream(address)
    if isinstance(found, Refused):
        raise OSError(f"the proxy of the settings is none: {found.reason}")
    return Upstream(found.host.name, found.port, names)


def check_upstream(address: str) -> WebAddress | Refused:
    """The address of a proxy, or why it is none. It may stand in the person's own network."""
    place = address.strip().rstrip("/").partition("://")[2].rpartition(":")[0]
    host = check_host(place)
    found = check_url(address.strip(), private=frozenset({host.name}) if isinstance(host, Host) else frozenset())
    if isinstance(found, WebAddress) and (found.scheme != "http" or found.target != "/"):
        return Refused("The address of a proxy is http://, its host and its port.")
    return found


def place_of(address: str, port: int) -> str:
    """An address with its port, as a proxy is asked for it."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


async def tunnel(
    place: str, send: Callable[[bytes], Awaitable[None]], receive: Callable[[int], Awaitable[bytes]]
) -> bytes:
    """Have the proxy at the other end of a connection make a tunnel; what came through it already.

    Raises:
        OSError: it made none.
    """
    await send(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode())
    read = b""
    while b"\r\n\r\n" not in read:
        more = await receive(MAX_ANSWER)
        if not more or len(read) > MAX_ANSWER:
            raise OSError("the proxy of the settings did not answer as one")
        read += more
    head, _, rest = read.partition(b"\r\n\r\n")
    words = head.split(b" ", 2)
    if len(words) < 2 or words[1] != b"200":
        said = words[1].decode("ascii", "replace") if len(words) > 1 else "nothing that is HTTP"
        raise OSError(f"the proxy of the settings answered {said}")
    return rest
