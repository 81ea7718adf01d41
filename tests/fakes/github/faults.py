"""What can go wrong on the way, to be scripted with `FakeGitHub.fail`."""

import fnmatch
from collections.abc import Iterable
from dataclasses import dataclass

from tests.fakes.github.wire import Answer, Fault, Refusal


def offline() -> Fault:
    """The connection is closed, nothing happens."""
    return Fault("offline", cut="before")


def answer_lost() -> Fault:
    """It happens, then the connection is closed without an answer."""
    return Fault("answer_lost", cut="after")


def truncated() -> Fault:
    """It happens, and half of the answer arrives."""
    return Fault("truncated", cut="within")


def slow(seconds: float) -> Fault:
    """It happens at once, the right answer comes later."""
    return Fault("slow", delay_s=seconds)


def refused(status: int, message: str, errors: list[dict[str, str]] | None = None) -> Fault:
    """That status with GitHub's error body, and nothing happens: 401 "Bad credentials", 404 "Not Found", 409, 422…"""
    return Fault(f"refused {status}", Refusal(status, message, errors=errors).answer())


def bad_credentials() -> Fault:
    """The token is not accepted."""
    return refused(401, "Bad credentials")


def missing_right() -> Fault:
    """The token may not do that."""
    return refused(403, "Resource not accessible by personal access token")


def server_error(status: int = 502) -> Fault:
    """A page of the machine in front, not JSON."""
    page = b"<html><head><title>Unicorn!</title></head><body>This page is taking too long to load.</body></html>"
    return Fault(f"server_error {status}", Answer(status, raw=page, content_type="text/html"))


def rate_limited(reset_at: int, *, status: int = 403, limit: int = 5000) -> Fault:
    """The quota is used up until that time (seconds since 1970)."""
    answer = Refusal(status, "API rate limit exceeded for user ID 1000001.").answer()
    answer.headers |= {"x-ratelimit-limit": str(limit), "x-ratelimit-remaining": "0", "x-ratelimit-used": str(limit),
                       "x-ratelimit-reset": str(reset_at), "x-ratelimit-resource": "core"}  # fmt: skip
    return Fault("rate_limited", answer)


def secondary_limit(retry_after_s: int | None = 60, *, status: int = 403) -> Fault:
    """Too much at once. `retry_after_s` None: GitHub does not say how long."""
    message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    answer = Refusal(status, message).answer()
    answer.headers |= {"retry-after": str(retry_after_s)} if retry_after_s is not None else {}
    return Fault("secondary_limit", answer)


def graphql_error(kind: str, message: str, path: Iterable[str] = ()) -> Fault:
    """Status 200 with an `errors` list, as GraphQL says NOT_FOUND, FORBIDDEN, RATE_LIMITED…"""
    error = {"type": kind, "path": list(path), "message": message}
    return Fault(f"graphql_error {kind}", Answer(200, {"data": None, "errors": [error]}))


@dataclass
class Rule:
    """A fault for the requests that match; `times` None: always; the first `skip` pass."""

    on: str
    fault: Fault
    times: int | None
    skip: int

    def takes(self, names: Iterable[str]) -> bool:
        """Whether this request is one of them; counts it."""
        if self.times == 0 or not any(fnmatch.fnmatchcase(name, self.on) or name == self.on for name in names):
            return False
        if self.skip:
            self.skip -= 1
            return False
        if self.times is not None:
            self.times -= 1
        return True
