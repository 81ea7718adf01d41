"""Tokens of a server at an address: used for its own origin alone, renewed in place."""

import time
from collections.abc import AsyncGenerator, Callable

import httpx2

from desktop.policy.mcp.addresses import ServerAddress, same_origin
from desktop.services.egress.pinned import PinnedBackend
from desktop.services.mcp.sign_in.grants import Grant, GrantBook
from desktop.services.mcp.sign_in.oauth import Client, Connection, TokenRefused, method_of, renewed_grant

SOON_S = 30.0
"""A token that ends within that time is renewed before it is used."""


class Tokens:
    """The token of one server, renewed in place: once at a time for all its connections, and kept before it is used.
    What cannot be renewed is forgotten, and the person must sign in again."""

    def __init__(
        self,
        server_id: str,
        server: ServerAddress,
        book: GrantBook,
        *,
        now: Callable[[], float] = time.time,
        network: PinnedBackend | None = None,
    ) -> None:
        self._id = server_id
        self._server = server
        self._url = server.text
        self._book = book
        self._now = now
        self._network = network

    async def current(self) -> str:
        """The token to use now, "" for none. Raises SignInError: it is over, and the authority did not answer."""
        grant = await self._book.find(self._id, self._url)
        if grant is None:
            return ""
        token = grant.access.get_secret_value()
        ends = grant.terms.expires_at
        return token if ends is None or ends - SOON_S > self._now() else await self.renewed(token)

    async def renewed(self, used: str) -> str:
        """Another token in place of one that is not taken any more, "" if there is none. Raises SignInError: the
        authority did not answer."""
        async with self._book.renewing(self._id):
            grant = await self._book.find(self._id, self._url)
            if grant is None or grant.access.get_secret_value() != used:
                return grant.access.get_secret_value() if grant is not None else ""
            fresh = await self._renew(grant)
            now = await self._book.find(self._id, self._url)
            if now is None or now.access.get_secret_value() != used:  # the person signed out or in meanwhile
                return now.access.get_secret_value() if now is not None else ""
            if fresh is None:
                await self._book.forget(self._id)
                return ""
            await self._book.keep(self._id, self._url, fresh)
            return fresh.access.get_secret_value()

    async def _renew(self, grant: Grant) -> Grant | None:
        if not grant.refresh.get_secret_value():
            return None
        terms = grant.terms
        form = {
            "grant_type": "refresh_token",
            "refresh_token": grant.refresh.get_secret_value(),
            "resource": terms.resource,
        }
        client = Client(terms.client_id, grant.client_secret, method_of(terms.method))
        try:
            async with Connection(self._server, self._network) as connection:
                token = await connection.exchanged(terms.token_at, client, form)
            return renewed_grant(grant, token, self._now())
        except TokenRefused:
            return None


class Bearer(httpx2.Auth):
    """Adds the server's token to requests to its own origin, and to no other."""

    def __init__(self, tokens: Tokens, server: ServerAddress) -> None:
        self._tokens = tokens
        self._url = server.text

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Send it with the token; once more with another one if that is not taken any more."""
        if not same_origin(str(request.url), self._url):
            yield request
            return
        token = await self._tokens.current()
        if token:
            request.headers["Authorization"] = f"Bearer {token}"
        answer = yield request
        if answer.status_code == 401 and token and (other := await self._tokens.renewed(token)):
            request.headers["Authorization"] = f"Bearer {other}"
            yield request
