"""Signing in with a code on another device: https://docs.github.com/apps/oauth-apps/building-oauth-apps."""

from collections import deque
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

from tests.fakes.github.wire import Answer, Request

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
WORDS = {
    "authorization_pending": "The authorization request is still pending.",
    "slow_down": "Too many requests have been made in the same timeframe.",
    "expired_token": "The device code has expired.",
    "access_denied": "The user has denied your application access.",
    "incorrect_device_code": "The device_code provided is not valid.",
    "incorrect_client_credentials": "The client_id and/or client_secret passed are incorrect.",
    "unsupported_grant_type": f"The grant type must be {GRANT}.",
    "device_flow_disabled": "Device Flow must be explicitly enabled for this App.",
}


@dataclass
class DeviceFlow:
    """`steps` are the answers to the polls in order: a word of WORDS, or a token; after the last the code is still
    pending. Empty at first, so a person who has not yet entered the code."""

    client_id: str = "Ov23banksmanstandin"
    interval_s: int = 5
    expires_in_s: int = 900
    steps: deque[str] = field(default_factory=deque)
    codes: list[str] = field(default_factory=list)
    scopes: str = ""

    def code(self, request: Request, web: str) -> Answer:
        """POST /login/device/code."""
        given = _fields(request)
        if given.get("client_id") != self.client_id:
            return Answer(404, {"error": "Not Found"})
        self.scopes = given.get("scope", "")
        self.codes.append(f"{len(self.codes):040x}")
        body: dict[str, str | int] = {
            "device_code": self.codes[-1], "user_code": f"BANK-{len(self.codes):04d}",
            "verification_uri": f"{web}/login/device", "expires_in": self.expires_in_s, "interval": self.interval_s,
        }  # fmt: skip
        return _in_form(request, body)

    def poll(self, request: Request) -> Answer:
        """POST /login/oauth/access_token. Errors come with status 200, as GitHub's do."""
        given = _fields(request)
        if given.get("client_id") != self.client_id:
            return _error(request, "incorrect_client_credentials")
        if given.get("grant_type") != GRANT:
            return _error(request, "unsupported_grant_type")
        if given.get("device_code") not in self.codes:
            return _error(request, "incorrect_device_code")
        step = self.steps.popleft() if self.steps else "authorization_pending"
        if step in WORDS:
            self.interval_s += 5 if step == "slow_down" else 0
            return _error(request, step, {"interval": self.interval_s} if step == "slow_down" else {})
        return _in_form(request, {"access_token": step, "token_type": "bearer", "scope": self.scopes})


def _fields(request: Request) -> dict[str, str]:
    if isinstance(request.body, dict):
        return {name: str(value) for name, value in request.body.items()}
    return {**request.query, **dict(parse_qsl(request.raw.decode(errors="replace")))}


def _error(request: Request, word: str, more: dict[str, int] | None = None) -> Answer:
    page = "https://docs.github.com/developers/apps/authorizing-oauth-apps"
    error = {"error": word, "error_description": WORDS[word], "error_uri": f"{page}#error-codes-for-the-device-flow"}
    return _in_form(request, {**error, **(more or {})})


def _in_form(request: Request, body: dict[str, str | int]) -> Answer:
    """JSON if that was asked for, else as a form."""
    if "json" in request.headers.get("accept", ""):
        return Answer(200, body)
    return Answer(200, raw=urlencode(body).encode(), content_type="application/x-www-form-urlencoded; charset=utf-8")
