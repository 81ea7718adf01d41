"""ModelGateway: the one model service that a client may ask without its key: the proxy adds it (guests-A36).

A client asks `URL` as if it were the service, with whatever key it was told. Only what asks a model is passed on, only
to the service that a person chose, one request a connection and nothing after its body.
"""

import re
from collections.abc import Callable
from functools import cached_property
from ssl import SSLContext
from typing import Protocol

from desktop.domain.core.service_kinds import Dialect
from desktop.domain.core.usage import Usage
from desktop.late import late
from desktop.policy.network.hosts import Host, Refused, check_host
from desktop.policy.network.urls import WebAddress, check_url
from desktop.services.egress.answer_use import AnswerUse
from desktop.services.egress.requests import NotAsked, Wanted

_MODEL = r"[A-Za-z0-9._:-]+"
_ASKED: dict[Dialect, tuple[str, ...]] = {
    "anthropic": (r"POST /v1/messages(/count_tokens)?", rf"GET /v1/models(/{_MODEL})?"),
    "openai": (r"POST /v1/chat/completions", rf"GET /v1/models(/{_MODEL})?"),
    "responses": (r"POST /v1/responses", rf"GET /v1/models(/{_MODEL})?"),
    "gemini": (
        rf"POST /v1(beta|alpha)?/models/{_MODEL}:(generateContent|streamGenerateContent|countTokens)",
        rf"GET /v1(beta|alpha)?/models(/{_MODEL})?",
    ),
}
_KEYS: dict[Dialect, str] = {
    "anthropic": "x-api-key: {}",
    "openai": "Authorization: Bearer {}",
    "responses": "Authorization: Bearer {}",
    "gemini": "x-goog-api-key: {}",
}
_OF_CLIENT = (b"authorization", b"x-api-key", b"x-goog-api-key", b"api-key", b"cookie", b"content-length", b"expect")
_UNREADABLE = (b"accept-encoding",)
_QUERY = re.compile(r"[A-Za-z0-9._~%=&,:-]*")
_KEY = re.compile(r"[!-~]{1,4096}")


class ModelCounts(Protocol):
    """Counts what a client has a model do, on the engine's loop. Neither of the two raises."""

    def may_ask(self) -> str:
        """Why the model may not be asked any more, "" if it may."""

    def counted(self, usage: Usage, model: str) -> None:
        """An answer is over. `usage`: as the service told it; empty: it told nothing."""


class ModelGateway:
    """One service. `base_url`: its address as a person set it. `key` is asked at each request, so that one that was
    changed or taken away counts at once; "": the service wants none. `counts`: None, nobody counts.

    Raises:
        OSError: the address is none.
    """

    def __init__(
        self, dialect: Dialect, base_url: str, key: Callable[[], str], counts: ModelCounts | None = None
    ) -> None:
        self._dialect, self._key, self._counts = dialect, key, counts
        found = _address(base_url)
        if isinstance(found, Refused):
            raise OSError(f"the address of the model service is none: {found.reason}")
        self._at = found
        self._base = found.target.rstrip("/")

    def wanted(self, method: str, target: str, fields: list[bytes]) -> Wanted | Refused:
        """What is sent to the service for this request, with the key in place of whatever the client sent for one."""
        path, _, query = target.partition("?")
        if not any(re.fullmatch(one, f"{method} {path}") for one in _ASKED[self._dialect]) or not _QUERY.fullmatch(
            query
        ):
            return NotAsked("Only what asks a model is passed on to the service.", f"{method} {path}")
        length = _length(method, fields)
        if length is None:
            return Refused("A request to the service says how long it is, once.")
        asks = method == "POST" and not path.endswith(("/count_tokens", ":countTokens"))
        if asks and self._counts is not None and (over := self._counts.may_ask()):
            return Refused(over)
        key = self._key()
        if key and not _KEY.fullmatch(key):
            return Refused("The key for the service is none.")
        if self._dialect in ("openai", "responses") and self._base.endswith("/v1"):
            path = path.removeprefix("/v1")
        asked = "&".join(part for part in query.split("&") if part and not part.startswith("key="))
        line = f"{method} {self._base}{path}{'?' if asked else ''}{asked} HTTP/1.1"
        place = self._at.host.in_url if self._at.port in (80, 443) else f"{self._at.host.in_url}:{self._at.port}"
        own = [
            line,
            f"Host: {place}",
            *([_KEYS[self._dialect].format(key)] if key else []),
            f"Content-Length: {length}",
        ]
        dropped = (*_OF_CLIENT, *_UNREADABLE) if self._counts is not None else _OF_CLIENT
        kept = [field for field in fields if field.partition(b":")[0].lower() not in dropped]
        first = b"\r\n".join([*(one.encode("ascii") for one in own), *kept, b"Connection: close", b"", b""])
        heard = AnswerUse(self._dialect, self._told) if asks and self._counts is not None else None
        return Wanted(self._at.host, self._at.port, first, chosen=True, tls=self._trust, body=length, heard=heard)

    def _told(self, use: AnswerUse) -> None:
        if self._counts is not None:
            self._counts.counted(use.usage, use.model)

    @cached_property
    def _trust(self) -> SSLContext | None:
        """The certificates that the system trusts, None for an address without TLS."""
        if self._at.scheme == "http":
            return None
        made: SSLContext = late("httpx2").create_ssl_context()
        return made


def _address(base_url: str) -> WebAddress | Refused:
    """The address of a service, which may stand in the person's own network or on this computer."""
    place = base_url.partition("://")[2].partition("/")[0]
    bare = re.sub(r":\d+$", "", place)
    host = check_host(bare)
    return check_url(base_url, private=frozenset({host.name}) if isinstance(host, Host) else frozenset())


def _length(method: str, fields: list[bytes]) -> int | None:
    """How many bytes follow the head; None where that is said twice, in pieces, or not at all."""
    named = [field.partition(b":") for field in fields]
    said = [value.strip() for name, _, value in named if name.lower() == b"content-length"]
    if any(name.lower() == b"transfer-encoding" for name, _, _ in named) or len(said) > 1:
        return None
    if not said:
        return 0 if method == "GET" else None
    return int(said[0]) if said[0].isdigit() and len(said[0]) <= 12 else None
