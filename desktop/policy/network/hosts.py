"""Hosts as people, pages and agents spell them: one spelling of each, or a refusal with its reason (gate-W5)."""

import re

from desktop.late import late
from desktop.policy.network.addresses import address_of
from desktop.records import dataclass

MAX_NAME = 253
MAX_SPELLING = 1_000
HTTPS_PORT = 443
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_DIGITS = re.compile(r"[0-9]{1,5}")


@dataclass(frozen=True)
class Host:
    """A host in its one spelling. `name`: a name in lower case and IDNA (`xn--…`), without the dot at its end, or an
    address as it is usually written. `shown`: the name with its own letters, for people. `is_address`: it is an
    address and no name."""

    name: str
    shown: str
    is_address: bool = False

    @property
    def is_local(self) -> bool:
        """Whether the name means this computer wherever it is resolved."""
        return _is_local(self.name)

    @property
    def in_url(self) -> str:
        """The host as it stands in an address of the web."""
        return f"[{self.name}]" if ":" in self.name else self.name


@dataclass(frozen=True)
class Refused:
    """A spelling that is not accepted, and why, in one sentence for people and agents."""

    reason: str


@dataclass(frozen=True)
class AllowedHost:
    """Hosts that may be reached. `pattern`: a host in its one spelling, or `.example.org` for the names below it."""

    pattern: str
    ports: tuple[int, ...] = (HTTPS_PORT,)

    @property
    def is_local(self) -> bool:
        """Whether it means whoever asks, wherever it is resolved: a sandbox itself, and no proxy is asked."""
        return _is_local(self.pattern)

    @property
    def text(self) -> str:
        """The pattern and those ports that are not the usual one, as people type it: `example.org:8080,8443`."""
        ports = "" if self.ports == (HTTPS_PORT,) else ":" + ",".join(map(str, self.ports))
        return f"[{self.pattern}]{ports}" if ":" in self.pattern else self.pattern + ports


def check_host(text: str) -> Host | Refused:
    """The host that a text names. Addresses count in their usual spelling alone; whether one may be reached is
    another question (`is_global`)."""
    if not text or len(text) > MAX_SPELLING:
        return Refused("The host is missing." if not text else "The host is too long.")
    if text.startswith("[") and text.endswith("]"):
        return _address(text[1:-1], text)
    name = _ascii(text)
    if isinstance(name, Refused):
        return name
    name = name.removesuffix(".")
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        return _address(name, text, version=4)
    if len(name) > MAX_NAME or not all(_LABEL.fullmatch(label) for label in labels):
        return Refused(f"{text!r} is not the name of a host.")
    return _named(name, text)


def check_allowed(text: str) -> AllowedHost | Refused:
    """Hosts as a person types them for a list: `example.org`, `.example.org`, `example.org:8080,8443`. An address is
    refused: what may be reached is named."""
    name, _, port_text = text.strip().partition(":")
    below = name.startswith(".")
    host = check_host(name.removeprefix("."))
    if isinstance(host, Refused):
        return host
    if host.is_address:
        return Refused("Hosts are allowed by name, not by address.")
    if below and "." not in host.name:
        return Refused(f"{text!r} would allow a whole top-level domain.")
    ports = [_port(part.strip()) for part in port_text.split(",")] if port_text else [HTTPS_PORT]
    if not all(ports) or text.strip().endswith(":"):
        return Refused(f"{text!r} has a port that is not a number from 1 to 65535.")
    return AllowedHost(("." if below else "") + host.name, tuple(sorted({port for port in ports if port})))


def matches(host: str, pattern: str) -> bool:
    """Whether a pattern names a host, both in their one spelling: the same, or for `.example.org` a name below it.
    Labels count whole: `.example.org` names `a.example.org`, neither `example.org` nor `badexample.org`."""
    if pattern.startswith("."):
        return len(pattern) > 1 and host.endswith(pattern) and len(host) > len(pattern)
    return bool(pattern) and host == pattern


def includes(wider: str, pattern: str) -> bool:
    """Whether a pattern names every host that another does."""
    return matches(pattern, wider) or (bool(wider) and wider == pattern)


def overlap(one: str, other: str) -> bool:
    """Whether there is a host that both patterns name."""
    return includes(one, other) or includes(other, one)


def is_allowed(host: str, port: int, allowed: tuple[AllowedHost, ...]) -> bool:
    """Whether a list of hosts names this one with this port."""
    return any(port in one.ports and matches(host, one.pattern) for one in allowed)


_LOCAL_NAMES = frozenset(
    {
        "localhost",
        "localhost.localdomain",
        "localhost4",
        "localhost4.localdomain4",
        "localhost6",
        "localhost6.localdomain6",
        "ip6-localhost",
        "ip6-loopback",
    }
)
"""What systems call this computer in their list of hosts."""


def _is_local(name: str) -> bool:
    return name in _LOCAL_NAMES or name.endswith(".localhost")


def _ascii(text: str) -> str | Refused:
    """The name in the letters that are sent, in lower case."""
    if text.isascii():
        return text.lower()
    idna = late("idna")
    try:
        name: str = idna.encode(text, uts46=True, std3_rules=False).decode("ascii")
    except idna.IDNAError:
        return Refused(f"{text!r} is not the name of a host.")
    return name.lower()


def _named(name: str, text: str) -> Host | Refused:
    """The host of a name whose letters are right; one that only imitates IDNA is refused."""
    if "xn--" not in name:
        return Host(name, name)
    idna = late("idna")
    try:
        return Host(name, idna.decode(name))
    except idna.IDNAError:
        return Refused(f"{text!r} is not the name of a host.")


def _address(inner: str, text: str, version: int = 6) -> Host | Refused:
    found = address_of(inner) if "%" not in inner else None
    if found is None or found.version != version:
        return Refused(f"{text!r} is an address in an unusual spelling.")
    return Host(str(found), str(found), is_address=True)


def _port(text: str) -> int:
    """The number of a port; 0 for anything else."""
    number = int(text) if _DIGITS.fullmatch(text) else 0
    return number if number <= 65_535 else 0
