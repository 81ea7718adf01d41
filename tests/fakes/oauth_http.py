"""An authority that signs people in over OAuth, on 127.0.0.1, and a server that asks for its tokens."""

import asyncio
import base64
import hashlib
import json
import threading
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from aiohttp import web

from tests.fakes.mcp_http import FakeMcpHttp, ServedApp


def jwt(**claims: Any) -> str:
    """A token that says these things of itself; nobody signed it."""
    parts = [base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in ({}, claims)]
    return ".".join([*parts, "c2ln"])


class FakeAuthority(ServedApp):
    """Registers programs, gives codes to whoever asks, and tokens for codes, each once. `metadata`: changes to what it
    says of itself; None leaves a field out. `token`: changes to what it gives. `said_issuer`: what it says it is when
    it sends a browser back. `known_at`: by id of a program that it knows, the only path that it sends back to.
    `honest`: an authority to which it sends people on, as a program `poses_as` there. `refuses_renewal`: a refresh
    token is not taken. While `held` is set, a request for a token, counted in `waiting`, waits."""

    def __init__(self) -> None:
        super().__init__()
        self.metadata: dict[str, Any] = {}
        self.token: dict[str, Any] = {}
        self.registered: dict[str, Any] = {}
        self.said_issuer = ""
        self.known_at: dict[str, str] = {}
        self.honest = ""
        self.poses_as = ""
        self.refuses_renewal = False
        self.down = False
        self.held = threading.Event()
        self.waiting = 0
        self.given = 0
        self._made = 0
        self._codes: dict[str, dict[str, str]] = {}

    def routes(self) -> list[web.RouteDef]:
        """What it answers."""
        return [
            web.get("/.well-known/oauth-authorization-server", self._metadata),
            web.post("/register", self._register),
            web.get("/authorize", self._authorize),
            web.post("/token", self._token),
        ]

    @property
    def exchanges(self) -> list[dict[str, str]]:
        """The forms that came to the token endpoint, in order."""
        forms = [parse_qs(one.body.decode()) for one in self.asked("/token")]
        return [{name: values[0] for name, values in form.items()} for form in forms]

    async def _metadata(self, request: web.Request) -> web.Response:
        said = {
            "issuer": self.origin,
            "authorization_endpoint": f"{self.origin}/authorize",
            "token_endpoint": f"{self.origin}/token",
            "registration_endpoint": f"{self.origin}/register",
            "code_challenge_methods_supported": ["S256"],
            **self.metadata,
        }
        return web.json_response({name: value for name, value in said.items() if value is not None})

    async def _register(self, request: web.Request) -> web.Response:
        return web.json_response({**await request.json(), "client_id": "made-here", **self.registered}, status=201)

    async def _authorize(self, request: web.Request) -> web.Response:
        query = dict(request.query)
        if self.honest:
            raise web.HTTPFound(f"{self.honest}/authorize?{urlencode({**query, 'client_id': self.poses_as})}")
        known = self.known_at.get(query["client_id"])
        if known is not None and urlsplit(query["redirect_uri"]).path != known:
            return web.Response(status=400, text="This program does not come back there.")
        self._made += 1
        code = f"code-{self._made}"
        self._codes[code] = query
        back = {"code": code, "state": query["state"], **({"iss": self.said_issuer} if self.said_issuer else {})}
        raise web.HTTPFound(f"{query['redirect_uri']}?{urlencode(back)}")

    async def _token(self, request: web.Request) -> web.Response:
        form = await request.post()
        self.waiting += 1
        while self.held.is_set():
            await asyncio.sleep(0.01)
        if self.down:
            return web.Response(status=503)
        if form["grant_type"] == "refresh_token":
            fits = not self.refuses_renewal and str(form["refresh_token"]).startswith("refresh-")
        else:
            asked = self._codes.pop(str(form["code"]), None)
            proof = hashlib.sha256(str(form["code_verifier"]).encode()).digest()
            fits = (
                asked is not None
                and asked["code_challenge"] == base64.urlsafe_b64encode(proof).decode().rstrip("=")
                and asked["redirect_uri"] == form["redirect_uri"]
                and asked["client_id"] == form["client_id"]
            )
        if not fits:
            return web.json_response({"error": "invalid_grant"}, status=400)
        self.given += 1
        given = {"access_token": f"access-{self.given}", "token_type": "bearer", "expires_in": 3600}
        return web.json_response({**given, "refresh_token": f"refresh-{self.given}", **self.token})


class SignedInMcpHttp(FakeMcpHttp):
    """A server that takes the tokens of an authority, and says so. `resource`: changes to what it says of itself;
    `scopes`: what it wants a token to allow."""

    def __init__(self, authority: FakeAuthority, **habits: Any) -> None:
        super().__init__(token="access-1", **habits)
        self.authority = authority
        self.resource: dict[str, Any] = {}
        self.scopes = "read write"

    @property
    def challenge(self) -> str:
        """What it says to whoever brings no token."""
        return (
            f'Bearer resource_metadata="{self.origin}/.well-known/oauth-protected-resource/mcp", scope="{self.scopes}"'
        )

    def routes(self) -> list[web.RouteDef]:
        """The server, and what it says of its sign-in."""
        self.habits.challenge = ""
        return [*super().routes(), web.get("/.well-known/oauth-protected-resource/mcp", self._resource)]

    async def _post(self, request: web.Request) -> web.StreamResponse:
        self.habits.challenge = self.challenge
        return await super()._post(request)

    async def _resource(self, request: web.Request) -> web.Response:
        return web.json_response(
            {"resource": self.url, "authorization_servers": [self.authority.origin], **self.resource}
        )
