"""Signing in by a code that a person types on the host's own page (lanes-G15)."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar
from urllib.parse import urlencode, urlsplit

from pydantic import BaseModel, SecretStr, ValidationError

from desktop.domain.github.values import GitHubError
from desktop.records import dataclass
from desktop.services.github.exchange import USER_AGENT, Ask, exchange, make_client
from desktop.services.github.hosts import LOOPBACK, Address
from desktop.services.github.pace import Sleep
from desktop.services.github.problems import CodeDenied, CodeExpired, answer_failure, failure

SCOPE = "repo"
SLOWER_S = 5.0
LEAST_S = 1.0
_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_UNUSABLE = "{host} does not offer a code to this build ({error}). Paste a token instead."


M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class DeviceCode:
    """The code that a person types for signing in, and where. `secret` is never shown."""

    user_code: str
    address: str
    expires_at: datetime
    interval_s: float
    secret: SecretStr


class _Code(BaseModel):
    device_code: str = ""
    user_code: str = ""
    verification_uri: str = ""
    expires_in: int = 900
    interval: float = 5.0
    error: str = ""


class _Token(BaseModel):
    access_token: str = ""
    error: str = ""
    interval: float | None = None


class DeviceFlow:
    """One sign-in by a code that a person types on another page. `clock` tells when a code has expired, `sleep` waits
    between two questions. Made on a worker thread, as its connection takes 50 ms; `close` ends that."""

    def __init__(self, address: Address, client_id: str, clock: Callable[[], datetime], sleep: Sleep) -> None:
        self._client = make_client()
        self._address = address
        self._client_id = client_id
        self._clock = clock
        self._sleep = sleep

    async def close(self) -> None:
        """End the connection."""
        await self._client.aclose()

    async def code(self) -> DeviceCode:
        """Ask GitHub for a new code.

        Raises:
            GitHubError: there is none.
        """
        told = await self._post("/login/device/code", _Code, client_id=self._client_id, scope=SCOPE)
        if told.error or not told.device_code or not told.user_code:
            error = told.error or "no code came"
            raise failure("invalid", _UNUSABLE.format(host=self._address.host, error=error))
        if not _may_be_shown(told.verification_uri):
            raise failure("bad_answer", f"{self._address.host} names no page to type the code on. Paste a token.")
        return DeviceCode(
            told.user_code,
            told.verification_uri,
            self._clock() + timedelta(seconds=told.expires_in),
            max(told.interval, LEAST_S),
            SecretStr(told.device_code),
        )

    async def token(self, code: DeviceCode) -> SecretStr:
        """The token, once the person typed the code; asks at the interval that was given until then. While the host
        cannot be reached it goes on.

        Raises:
            CodeExpired, CodeDenied: it comes to nothing.
            GitHubError: the host refuses.
        """
        interval_s = code.interval_s
        while True:
            await self._sleep(interval_s)
            if self._clock() >= code.expires_at:
                raise _expired()
            try:
                told = await self._post(
                    "/login/oauth/access_token",
                    _Token,
                    client_id=self._client_id,
                    device_code=code.secret.get_secret_value(),
                    grant_type=_GRANT,
                )
            except GitHubError as error:
                if error.kind not in ("offline", "server"):
                    raise
                continue
            if told.access_token:
                return SecretStr(told.access_token)
            interval_s = self._next(told, interval_s)

    def _next(self, told: _Token, interval_s: float) -> float:
        if told.error == "authorization_pending":
            return interval_s
        if told.error == "slow_down":
            return max(interval_s + SLOWER_S, told.interval or 0.0)
        if told.error in ("expired_token", "token_expired"):
            raise _expired()
        if told.error == "access_denied":
            text = "The sign-in was refused on the page. Nothing was changed."
            raise CodeDenied(failure("unauthorised", text).problem)
        raise failure("invalid", _UNUSABLE.format(host=self._address.host, error=told.error or "no answer"))

    async def _post(self, path: str, model: type[M], **form: str) -> M:
        headers = {
            "Accept": "application/json",
            "User-Agent": USER_AGENT,
            "Content-Type": "application/x-www-form-urlencoded",
        }
        ask = Ask("POST", f"{self._address.web}{path}", headers, urlencode(form).encode())
        answer = await exchange(self._client, ask)
        if answer.status >= 500:
            raise answer_failure(answer.status, answer.headers, answer.body)
        if answer.status != 200:
            raise failure("invalid", _UNUSABLE.format(host=self._address.host, error=f"status {answer.status}"))
        try:
            return model.model_validate_json(answer.body)
        except ValidationError as error:
            raise failure("bad_answer", f"{self._address.host} answered something else than a code.") from error


def _expired() -> CodeExpired:
    return CodeExpired(failure("unauthorised", "The code has expired. Ask for a new one.").problem)


def _may_be_shown(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
