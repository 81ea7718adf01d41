"""Addresses of the web before anything is asked of them: the static rules of gate-W1."""

import re
import unicodedata

from desktop.policy.network.addresses import is_global
from desktop.policy.network.hosts import Host, Refused, check_host
from desktop.records import dataclass

MAX_URL = 4_096
PORTS = {"http": 80, "https": 443}
_URL = re.compile(r"(https?)://([^/?#]*)([^#]*)(#.*)?", re.IGNORECASE | re.DOTALL)
_PORT = re.compile(r"(.*):([0-9]{0,5})", re.DOTALL)
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})


@dataclass(frozen=True)
class WebAddress:
    """An address of the web that passed. `target`: path and query as they are sent, at least "/". A fragment is left
    out, as it never leaves."""

    scheme: str
    host: Host
    port: int
    target: str

    @property
    def text(self) -> str:
        """The address in one spelling, without a port that its scheme implies."""
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host.in_url}{port}{self.target}"


def check_url(text: str, *, private: frozenset[str] = frozenset()) -> WebAddress | Refused:
    """The address that may be asked for, or why it may not. `private`: hosts in their one spelling that a person named
    as reachable though they are not public. What a name resolves to is checked when it is connected to."""
    if fault := _unsafe(text):
        return Refused(fault)
    found = _URL.fullmatch(text)
    if found is None:
        return Refused("Only addresses that begin with http:// or https:// can be fetched.")
    scheme, place, target = found[1].lower(), found[2], found[3] or "/"
    if "@" in place:
        return Refused("The address holds a user name or a password.")
    place, port = _with_port(place, scheme)
    host = check_host(place)
    if isinstance(host, Refused):
        return host
    if not 0 < port <= 65_535:
        return Refused("The port is not a number from 1 to 65535.")
    if host.name not in private and (host.is_local or (host.is_address and not is_global(host.name))):
        return Refused(f"{host.shown} is not an address of the public network.")
    return WebAddress(scheme, host, port, target if target.startswith("/") else f"/{target}")


def _unsafe(text: str) -> str:
    if len(text) > MAX_URL:
        return f"The address is longer than {MAX_URL:,} characters."
    if "\\" in text or any(unicodedata.category(char) in _UNSEEN for char in text):
        return "The address holds a blank, a backslash or a character that cannot be seen."
    return ""


def _with_port(place: str, scheme: str) -> tuple[str, int]:
    found = _PORT.fullmatch(place) if not place.endswith("]") else None
    if found is None:
        return place, PORTS[scheme]
    return found[1], int(found[2]) if found[2] else PORTS[scheme]
