"""Signing in to a server at an address: an authorization code with a proof (PKCE), exchanged for tokens.

The person's browser is opened by the window, when they click; what is asked of whom stands in `SignIn` before that.
"""

import asyncio
import base64
import hashlib
import json
import secrets
import time
from typing import Literal
from urllib.parse import quote, urlencode, urlsplit

from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from mcp.shared.auth_utils import check_resource_allowed
from pydantic import JsonValue, SecretStr, ValidationError

from desktop.policy.mcp.addresses import ServerAddress
from desktop.records import dataclass
from desktop.services.egress.pinned import PinnedBackend
from desktop.services.mcp.http_client import make_client
from desktop.services.mcp.sign_in.grants import Grant, GrantTerms
from desktop.services.mcp.sign_in.place import EXCHANGE_S, Answered, Authority, Sent, SignInError, ask, find_authority
from desktop.services.mcp.sign_in.redirects import Redirects, return_place

WAIT_S = 300.0
PROGRAM = "Banksman"
Method = Literal["none", "client_secret_post", "client_secret_basic"]


@dataclass(frozen=True)
class Client:
    """Who Banksman is to an authority. `method`: how it says so at the token endpoint."""

    id: str
    secret: SecretStr = SecretStr("")
    method: Method = "none"


class Connection:
    """Requests to those who sign people in for one server. A context manager; one exchange at a time is enough."""

    def __init__(self, server: ServerAddress, network: PinnedBackend | None = None) -> None:
        """`network`: what makes its connections; None: one of its own, which counts nothing."""
        self.server = server
        self._network = network or PinnedBackend(private=server.reachable)

    async def __aenter__(self) -> "Connection":
        self._client = await asyncio.to_thread(make_client, self._network, read_s=EXCHANGE_S)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def authority(self, challenge: str) -> Authority:
        """Who signs people in. Raises SignInError."""
        return await find_authority(self._client, self.server, challenge)

    async def registered(self, authority: Authority, redirect: str) -> Client:
        """Banksman, made known to the authority for one place to come back to. Raises SignInError."""
        asked: JsonValue = {
            "client_name": PROGRAM,
            "redirect_uris": [redirect],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "application_type": "native",
            **({"scope": " ".join(authority.scopes)} if authority.scopes else {}),
        }
        answer = await ask(self._client, self.server, authority.register_at, Sent(json=asked))
        try:
            told = OAuthClientInformationFull.model_validate_json(answer.body)
        except ValidationError as error:
            raise SignInError(f"{authority.issuer} did not register Banksman (status {answer.status}).") from error
        return _usable(told, authority)

    async def exchanged(self, token_at: str, client: Client, form: dict[str, str]) -> OAuthToken:
        """What the token endpoint gives for this form. Raises SignInError; TokenRefused if it said no."""
        sent = _signed(client, form)
        answer = await ask(self._client, self.server, token_at, sent)
        if answer.status not in (200, 201):
            refused = TokenRefused if answer.status in (400, 401, 403) else SignInError
            raise refused(f"{urlsplit(token_at).hostname} gave no token ({_reason(answer)}).")
        try:
            return OAuthToken.model_validate_json(answer.body)
        except ValidationError as error:
            raise SignInError(f"{urlsplit(token_at).hostname} answered something else than a token.") from error


class TokenRefused(SignInError):
    """The authority refused to give a token for what was shown to it."""


class SignIn:
    """One sign-in, which waits for a person. `address`: where the browser goes, whole. Closed when it is over."""

    def __init__(self, connection: Connection, authority: Authority, client: Client, redirects: Redirects) -> None:
        self.authority = authority
        self._connection = connection
        self._client = client
        self._redirects = redirects
        self._verifier = secrets.token_urlsafe(64)
        self.address = self._address()

    def _address(self) -> str:
        proof = base64.urlsafe_b64encode(hashlib.sha256(self._verifier.encode()).digest()).decode().rstrip("=")
        query = {
            "response_type": "code",
            "client_id": self._client.id,
            "redirect_uri": self._redirects.address,
            "state": self._redirects.state,
            "code_challenge": proof,
            "code_challenge_method": "S256",
            "resource": self.authority.resource,
            **({"scope": " ".join(self.authority.scopes)} if self.authority.scopes else {}),
        }
        at = self.authority.authorise_at
        return f"{at}{'&' if '?' in at else '?'}{urlencode(query)}"

    async def grant(self, wait_s: float = WAIT_S) -> Grant:
        """What the person was given, once the browser came back; waits five minutes for it.

        Raises:
            SignInError: nothing was given.
        """
        try:
            async with asyncio.timeout(wait_s):
                returned = await self._redirects.answer()
        except TimeoutError as error:
            raise SignInError(f"Nobody signed in within {wait_s / 60:g} minutes. Try again.") from error
        silent = returned.issuer is None and not self.authority.names_itself
        if returned.issuer != self.authority.issuer and not silent:
            raise SignInError("The browser came back from another authority than it was sent to. Nobody was signed in.")
        form = {
            "grant_type": "authorization_code",
            "code": returned.code,
            "redirect_uri": self._redirects.address,
            "code_verifier": self._verifier,
            "resource": self.authority.resource,
        }
        token = await self._connection.exchanged(self.authority.token_at, self._client, form)
        terms = GrantTerms(
            issuer=self.authority.issuer,
            token_at=self.authority.token_at,
            resource=self.authority.resource,
            client_id=self._client.id,
            method=self._client.method,
            scopes=self.authority.scopes,
        )
        empty = Grant(terms=terms, access=SecretStr(""), client_secret=self._client.secret)
        return renewed_grant(empty, token, time.time())

    def close(self) -> None:
        """Wait no longer."""
        self._redirects.close()


async def begin(connection: Connection, challenge: str, client: Client | None = None) -> SignIn:
    """Find out who signs people in, become known there (or be the `client` that the person has there), and listen.

    Raises:
        SignInError: it cannot be begun.
    """
    authority = await connection.authority(challenge)
    if client is None and not authority.register_at:
        raise NeedsClient(authority.issuer)
    redirects = await Redirects.open(authority.issuer)
    try:
        return SignIn(
            connection, authority, client or await connection.registered(authority, redirects.address), redirects
        )
    except BaseException:
        redirects.close()
        raise


class NeedsClient(SignInError):
    """The authority does not register programs: the person must give the id of one. `returns_to`: what they tell it as
    the address to come back to, whose port may be any."""

    def __init__(self, issuer: str) -> None:
        super().__init__(f"{issuer} knows programs by an id that you get there.")
        self.returns_to = return_place(issuer)


def renewed_grant(grant: Grant, token: OAuthToken, now: float) -> Grant:
    """The grant with what the authority gave now; what it does not say again stays.

    Raises:
        SignInError: the token is for another place than the server.
    """
    if fault := audience_fault(token.access_token, grant.terms.resource):
        raise SignInError(fault)
    ends = now + token.expires_in if token.expires_in is not None else None
    scopes = tuple(token.scope.split()) if token.scope is not None else grant.terms.scopes
    return grant.model_copy(
        update={
            "terms": grant.terms.model_copy(update={"expires_at": ends, "scopes": scopes}),
            "access": SecretStr(token.access_token),
            "refresh": SecretStr(token.refresh_token) if token.refresh_token else grant.refresh,
        }
    )


def audience_fault(token: str, resource: str) -> str:
    """Why a token is not for this place, "". Only a token that says for which addresses it is can be judged; one that
    is opaque, or names its audience otherwise, passes."""
    parts = token.split(".")
    if len(parts) != 3:
        return ""
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return ""
    said = claims.get("aud") if isinstance(claims, dict) else None
    audience = [one for one in (said if isinstance(said, list) else [said]) if isinstance(one, str)]
    addresses = [one for one in audience if "://" in one]
    if not addresses or len(addresses) < len(audience):
        return ""
    if any(check_resource_allowed(resource, one) for one in addresses):
        return ""
    return "The token that was given is for another place than this server. It is not used."


def _signed(client: Client, form: dict[str, str]) -> Sent:
    secret = client.secret.get_secret_value()
    if client.method == "client_secret_basic":
        pair = base64.b64encode(f"{quote(client.id, safe='')}:{quote(secret, safe='')}".encode()).decode()
        return Sent(form={**form, "client_id": client.id}, headers={"Authorization": f"Basic {pair}"})
    given = {"client_secret": secret} if client.method == "client_secret_post" else {}
    return Sent(form={**form, "client_id": client.id, **given})


def _usable(told: OAuthClientInformationFull, authority: Authority) -> Client:
    method = told.token_endpoint_auth_method or ("client_secret_basic" if told.client_secret else "none")
    if method not in ("none", "client_secret_post", "client_secret_basic") or (
        method != "none" and not told.client_secret
    ):
        raise SignInError(f"{authority.issuer} registered Banksman in a way that it cannot use ({method[:60]}).")
    return Client(told.client_id, SecretStr(told.client_secret or ""), method_of(method))


def method_of(text: str) -> Method:
    """The way of a program to say who it is, as it was recorded."""
    match text:
        case "client_secret_post" | "client_secret_basic":
            return text
    return "none"


def _reason(answer: Answered) -> str:
    try:
        said = json.loads(answer.body)
        reason = said.get("error_description") or said.get("error") if isinstance(said, dict) else ""
    except ValueError:
        reason = ""
    return "".join(char for char in str(reason or f"status {answer.status}")[:200] if char.isprintable())
