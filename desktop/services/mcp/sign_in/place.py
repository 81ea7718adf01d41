"""Where people sign in to a server: what the server and its authority say about it, checked (guests-M30)."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import field
from urllib.parse import parse_qsl, urlsplit

import httpx2
from mcp.client.auth.utils import (
    build_oauth_authorization_server_metadata_discovery_urls,
    build_protected_resource_metadata_discovery_urls,
    issuers_match,
)
from mcp.shared.auth import OAuthMetadata, ProtectedResourceMetadata
from mcp.shared.auth_utils import check_resource_allowed
from pydantic import JsonValue, ValidationError

from desktop.domain.core.errors import BanksmanError
from desktop.policy.mcp.addresses import ServerAddress, check_named, origin_of, same_origin
from desktop.policy.network.hosts import Refused
from desktop.records import dataclass

EXCHANGE_S = 20.0
_HEADERS = {"Accept": "application/json"}
_OWN_WORDS = frozenset(
    {
        "response_type", "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method", "resource",
        "scope", "response_mode", "request", "request_uri",
    }
)  # fmt: skip
"""What the address of a page to sign in may not say by itself."""


class SignInError(BanksmanError):
    """Nobody was signed in, or a sign-in ended; its text is a sentence for people. Nothing was kept."""


@dataclass(frozen=True)
class Authority:
    """Who signs people in for a server. `resource`: what a token is asked for. `register_at`: "" where programs cannot
    register themselves. `names_itself`: it says who it is when it sends a person back."""

    issuer: str
    authorise_at: str
    token_at: str
    register_at: str
    resource: str
    scopes: tuple[str, ...]
    names_itself: bool

    @property
    def sent_to(self) -> str:
        """The host that gets what a person was given, "" where it is that of the page on which they sign in: one that
        wants what another gives away shows the page of that other."""
        token, page = (urlsplit(url).hostname or "" for url in (self.token_at, self.authorise_at))
        return token if token != page else ""


@dataclass(frozen=True)
class Answered:
    """An answer to one request: redirects are answers too, and never followed."""

    status: int
    body: bytes


@dataclass(frozen=True)
class Sent:
    """What is posted: a form, or JSON. `headers`: beside the usual ones."""

    form: Mapping[str, str] | None = None
    json: JsonValue = None
    headers: Mapping[str, str] = field(default_factory=dict)


async def ask(client: httpx2.AsyncClient, server: ServerAddress, url: str, sent: Sent | None = None) -> Answered:
    """Ask an address that the server named, if it may be asked: get it, or post what is `sent`.

    Raises:
        SignInError: it may not be asked, or did not answer.
    """
    found = check_named(url, server)
    if isinstance(found, Refused):
        raise SignInError(f"{shown(url)} is not asked. {found.reason}")
    if sent is None:
        request = client.build_request("GET", found.text, headers=_HEADERS)
    elif sent.form is not None:
        request = client.build_request("POST", found.text, data=dict(sent.form), headers={**_HEADERS, **sent.headers})
    else:
        request = client.build_request("POST", found.text, json=sent.json, headers={**_HEADERS, **sent.headers})
    try:
        async with asyncio.timeout(EXCHANGE_S):
            answer = await client.send(request)
            return Answered(answer.status_code, answer.content)
    except (TimeoutError, httpx2.HTTPError, httpx2.StreamError) as error:
        raise SignInError(f"{found.host.shown} did not answer ({str(error) or type(error).__name__}).") from error


async def find_authority(client: httpx2.AsyncClient, server: ServerAddress, challenge: str) -> Authority:
    """Who signs people in, from what the server said when it wanted a sign-in.

    Raises:
        SignInError: nothing usable is said, or something that does not fit together.
    """
    resource = await _resource(client, server, challenge)
    issuer = str(resource.authorization_servers[0]) if resource else ""
    about = await _about(client, server, issuer)
    for url in filter(None, (about.authorization_endpoint, about.token_endpoint, about.registration_endpoint)):
        found = check_named(str(url), server)
        if isinstance(found, Refused):
            raise SignInError(f"{shown(issuer or server.origin)} names {shown(str(url))}. {found.reason}")
    if filled_in(str(about.authorization_endpoint)):
        raise SignInError(
            f"{shown(str(about.issuer))} names a page to sign in that is filled in already. It is not used."
        )
    if "S256" not in (about.code_challenge_methods_supported or ()):
        raise SignInError(f"{shown(str(about.issuer))} does not offer a sign-in with a proof (PKCE, S256).")
    said = field_of(challenge, "scope").split() or (resource.scopes_supported if resource else None) or ()
    return Authority(
        str(about.issuer),
        str(about.authorization_endpoint),
        str(about.token_endpoint),
        str(about.registration_endpoint or ""),
        str(resource.resource) if resource else server.text,
        tuple(said),
        bool(about.authorization_response_iss_parameter_supported),
    )


async def _resource(
    client: httpx2.AsyncClient, server: ServerAddress, challenge: str
) -> ProtectedResourceMetadata | None:
    named = field_of(challenge, "resource_metadata")
    if named and not same_origin(named, server.text):
        raise SignInError(f"{server.address.host.shown} describes its sign-in at {shown(named)}, which is not itself.")
    for url in build_protected_resource_metadata_discovery_urls(named or None, server.text):
        answer = await ask(client, server, url)
        if answer.status >= 500:
            raise SignInError(f"{server.address.host.shown} answered with status {answer.status}. Try again.")
        try:
            found = ProtectedResourceMetadata.model_validate_json(answer.body) if answer.status == 200 else None
        except ValidationError:
            continue
        if found is not None:
            if not check_resource_allowed(server.text, str(found.resource)):
                raise SignInError(f"The sign-in of {shown(server.text)} is for another place: {shown(found.resource)}.")
            return found
    return None


async def _about(client: httpx2.AsyncClient, server: ServerAddress, issuer: str) -> OAuthMetadata:
    expected = issuer or origin_of(server.address)
    for url in build_oauth_authorization_server_metadata_discovery_urls(issuer or None, server.text):
        answer = await ask(client, server, url)
        try:
            found = OAuthMetadata.model_validate_json(answer.body) if answer.status == 200 else None
        except ValidationError:
            continue
        if found is None:
            continue
        if not issuers_match(str(found.issuer), expected) and not (
            not issuer and same_origin(str(found.issuer), expected)
        ):
            raise SignInError(f"{shown(expected)} says that it is another one: {shown(found.issuer)}.")
        return found
    raise SignInError(f"{shown(expected)} does not say how to sign in.")


def filled_in(page: str) -> bool:
    """Whether an address says what only this program may say of a sign-in, or ends what it says before that."""
    parts = urlsplit(page)
    return "#" in page or not _OWN_WORDS.isdisjoint(name.lower() for name, _ in parse_qsl(parts.query, True))


def field_of(challenge: str, name: str) -> str:
    """The value of a field of a `WWW-Authenticate` header, ""."""
    found = re.search(rf'(?:^|[\s,]){name}=(?:"([^"]*)"|([^\s,]+))', challenge)
    return (found[1] or found[2] or "") if found else ""


def shown(url: object) -> str:
    """A foreign address in a sentence: at most its first 200 characters, without what cannot be seen."""
    return "".join(char if char.isprintable() else "\ufffd" for char in str(url)[:200])
