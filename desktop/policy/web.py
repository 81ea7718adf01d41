"""Addresses of the web that a call would ask for: what is refused unasked, and what a card says of the others (gate-W1,
gate-W5)."""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Iterable
from urllib.parse import parse_qsl, unquote

from desktop.domain.core.base import Frozen
from desktop.domain.core.permissions import RuleHit, Verdict
from desktop.policy.network.hosts import HTTPS_PORT, Refused
from desktop.policy.network.urls import check_url

LONG_URL = 300
LONG_QUERY = 100
MOST_LABELS, LONGEST_LABEL, MOST_DIGITS = 4, 24, 4
_RUN = re.compile(r"[A-Za-z0-9+=_-]{48,}")


class WebFacts(Frozen):
    """An address that a call would ask for. `url`: in its one spelling, as it came when it is refused; `host` in the
    letters that are sent, `shown` in its own. `usual`: an address that grants for hosts may speak of: https at its
    usual port, or one that a person set up. `fault`: why nobody is asked about it, "" for none. `flags`: sentences for
    the card."""

    url: str
    host: str = ""
    shown: str = ""
    port: int = HTTPS_PORT
    usual: bool = False
    fault: str = ""
    flags: tuple[str, ...] = ()

    @property
    def remember_key(self) -> str:
        """The grant of a chat for this host."""
        return f"web-host:{self.host}"


def web_facts(
    text: str, *, private: frozenset[str], secrets: Callable[[str], Iterable[str]], read: frozenset[str]
) -> WebFacts:
    """The facts of an address that an agent wrote. `private`: hosts that a person named, which need not be public;
    `secrets`: the names of known secrets in a text; `read`: SHA-256 of the files that the chat has read."""
    found = check_url(text, private=private)
    if isinstance(found, Refused):
        return WebFacts(url=text, fault=found.reason)
    if held := tuple(secrets(text)) or tuple(secrets(unquote(text))):
        return WebFacts(url=found.text, host=found.host.name, fault=f"The address holds the secret {held[0]}.")
    usual = found.scheme == "https" and found.port == HTTPS_PORT
    flags = list(_flags(found.text, found.target, read))
    if found.host.name in private:
        flags.insert(0, f"{found.host.shown} may lead to your own network: you named it in Settings.")
    if found.scheme == "http":
        flags.append("Anyone on the way can read and change what http carries.")
    return WebFacts(
        url=found.text,
        host=found.host.name,
        shown=found.host.shown,
        port=found.port,
        usual=usual,
        flags=tuple(flags),
    )


def address_hits(web: WebFacts | None) -> Iterable[RuleHit]:
    """Nobody is asked about an address that hides where it leads or gives a secret away."""
    if web is not None and web.fault:
        yield RuleHit(rule="net_address", verdict=Verdict.DENY, reason=web.fault)


def host_hits(web: WebFacts | None) -> Iterable[RuleHit]:
    """A host that nobody allowed asks in every mode; http and other ports do whatever was allowed."""
    if web is None or web.fault:
        return
    reason = f"Nobody has allowed {web.shown} for this chat."
    if not web.usual:
        reason = f"{web.url.partition(':')[0]} at port {web.port} is allowed once only."
    yield RuleHit(rule="net_host", verdict=Verdict.ASK, reason=reason, liftable=web.usual)


def may_look_up(web: WebFacts) -> bool:
    """Whether the name of a host may be looked up before a person answered: whoever answers for its domain hears it, so
    it must be too short and plain to carry much, in an address of which nothing is odd."""
    labels = web.host.split(".")
    plain = len(labels) <= MOST_LABELS and all(len(one) <= LONGEST_LABEL for one in labels)
    return plain and not web.fault and not web.flags and sum(map(str.isdigit, web.host)) <= MOST_DIGITS


def _flags(url: str, target: str, read: frozenset[str]) -> Iterable[str]:
    _path, _, query = target.partition("?")
    if len(url) > LONG_URL:
        yield f"The address has {len(url):,} characters, which the agent wrote and the host gets."
    if len(query) > LONG_QUERY:
        yield f"Its query has {len(query):,} characters, which the agent wrote and the host gets."
    if any(hashlib.sha256(value).hexdigest() in read for value in _carried(target, query)):
        yield "It holds the content of a file that this chat has read."
    elif _RUN.search(target) is not None:
        yield "It holds a long run of characters that could carry anything."


def _carried(target: str, query: str) -> Iterable[bytes]:
    """What the parts of an address could carry, as they are and unpacked; each also as a file that ends with a line."""
    parts = [*target.partition("?")[0].split("/"), *(value for _, value in parse_qsl(query, keep_blank_values=False))]
    for part in parts:
        raw = unquote(part).encode("utf-8", "surrogatepass")
        for value in (raw, *_unpacked(raw)):
            if value:
                yield from (value, value + b"\n")


def _unpacked(raw: bytes) -> Iterable[bytes]:
    padded = raw + b"=" * (-len(raw) % 4)
    for unpack in (base64.urlsafe_b64decode, base64.b64decode, binascii.unhexlify):
        try:
            yield unpack(padded if unpack is not binascii.unhexlify else raw)
        except ValueError:  # binascii.Error is one
            continue
