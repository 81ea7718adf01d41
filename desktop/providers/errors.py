"""classify(): why a model request failed, whether another attempt makes sense, and what the service asks to wait."""

import contextlib
import json
import re
import ssl
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from desktop.providers.base import Failure, FailureCategory, ProviderError

MAX_MESSAGE_CHARS = 2_000
_MAX_DEPTH = 6
_MAX_BODY_CHARS = 64 * 1024

_BY_TYPE: dict[str, tuple[FailureCategory, bool]] = {
    "overloaded_error": ("overloaded", True),
    "rate_limit_error": ("rate_limited", True),
    "timeout_error": ("timeout", True),
    "api_error": ("server", True),
    "server_error": ("server", True),
    "internal_server_error": ("server", True),
    "internal_error": ("server", True),
    "authentication_error": ("auth", False),
    "permission_error": ("permission", False),
    "billing_error": ("billing", False),
    "not_found_error": ("not_found", False),
    "request_too_large": ("too_large", False),
    "invalid_request_error": ("bad_request", False),
    "rate_limit_exceeded": ("rate_limited", True),
    "insufficient_quota": ("billing", False),
    "invalid_api_key": ("auth", False),
    "model_not_found": ("not_found", False),
    "context_length_exceeded": ("context_overflow", False),
    "exceed_context_size_error": ("context_overflow", False),
}
_VAGUE = "invalid_request_error"
"""What services of the chat completions protocol call most refusals: a status that is not 400 says more."""
_VAGUE_BELOW_500 = "api_error"
"""What Ollama calls everything: a fault of the request is known by its status alone."""
_BY_STATUS: dict[int, tuple[FailureCategory, bool]] = {
    400: ("bad_request", False),
    401: ("auth", False),
    402: ("billing", False),
    403: ("permission", False),
    404: ("not_found", False),
    408: ("timeout", True),
    409: ("server", True),
    413: ("too_large", False),
    422: ("bad_request", False),
    425: ("timeout", True),
    429: ("rate_limited", True),
    500: ("server", True),
    502: ("server", True),
    503: ("server", True),
    504: ("server", True),
    **{status: ("server", True) for status in range(520, 525)},
    529: ("overloaded", True),
}
_CONTEXT = re.compile(r"prompt is too long|context[ _-]?length|context size|maximum context|context window|n_ctx", re.I)
_SECRETS = re.compile(
    r"""(?ix) (?P<head> (?:authorization|x-api-key|api[_-]?key) ["']? \s* [:=] \s* ["']? (?:bearer\s+)? | bearer\s+ )
    [^\s"',}]{6,} | \bsk-[a-z0-9_-]{8,}"""
)


class StreamFault(Exception):
    """An answer that began and is not usable. The subclasses say how; the text is for people."""


class ErrorEvent(StreamFault):
    """The service sent an error event in a started stream. `body`: its data."""

    def __init__(self, body: object, request_id: str = "") -> None:
        super().__init__("the service sent an error in the stream")
        self.body = body
        self.request_id = request_id


class Refused(StreamFault):
    """The service answered with a status that is none of success. `said`: the text of its answer, JSON or not."""

    def __init__(self, status: int, headers: Mapping[str, str], said: str) -> None:
        self.status = status
        self.headers = headers
        self.body: object = said.strip()
        with contextlib.suppress(ValueError, RecursionError):
            self.body = json.loads(said)
        code = f"Error code: {status}"
        super().__init__(self.body or code if isinstance(self.body, str) else f"{code} - {self.body}")


class EndedEarly(StreamFault):
    """The stream ended before the message was complete."""


class NothingCame(StreamFault):
    """No event within the time limit."""


class BadEvent(StreamFault):
    """A line that is no valid event, or events that make no message."""


class TooMuch(StreamFault):
    """More than any answer can be; nobody tries it again."""


class NotAnApi(StreamFault):
    """Success with something that is neither an event stream nor a message."""


_BY_CLASS: tuple[tuple[tuple[type[BaseException], ...], tuple[FailureCategory, bool]], ...] = (
    ((NotAnApi, httpx2.UnsupportedProtocol, httpx2.InvalidURL), ("not_an_api", False)),
    ((TooMuch,), ("server", False)),
    ((BadEvent, httpx2.DecodingError), ("server", True)),
    ((EndedEarly, httpx2.ConnectTimeout, httpx2.ConnectError), ("network", True)),
    ((NothingCame, httpx2.TimeoutException), ("timeout", True)),
    ((httpx2.TransportError, ConnectionError), ("network", True)),
)


def redact(text: str, key: str = "") -> str:
    """The text without `key` and without what looks like one."""
    if len(key) >= 4:
        text = text.replace(key, "[key]")
    return _SECRETS.sub(lambda match: (match["head"] or "") + "[key]", text)


def classify(error: BaseException) -> Failure:
    """The failure that an exception of a request stands for. Never raises, whatever the error holds.

    The type in the error's body decides; then `x-should-retry`; then the status; then the class.
    """
    if isinstance(error, ProviderError):
        return error.failure
    causes = list(_chain(error))
    status, headers, body, in_stream = _facts(causes)
    error_type, said = _type_and_message(body)
    told = _code(body) if in_stream else status
    category, retryable = _judge(error_type, said, told, headers, in_stream=in_stream, causes=causes)
    message = said or _own_text(causes)
    return Failure(
        category=category,
        retryable=retryable,
        wait_s=_asked_wait(headers),
        message=redact(message)[:MAX_MESSAGE_CHARS],
        http_status=status,
        error_type=error_type[:200],
        request_id=_request_id(causes, headers, body)[:200],
    )


def _judge(
    error_type: str,
    said: str,
    status: int | None,
    headers: Mapping[str, str],
    *,
    in_stream: bool,
    causes: list[BaseException],
) -> tuple[FailureCategory, bool]:
    """`status`: that of the answer, or the one that an error in a started stream tells."""
    if error_type == _VAGUE and _CONTEXT.search(said):
        return "context_overflow", False
    if error_type in _BY_TYPE and (in_stream or not _is_vague(error_type, status)):
        return _BY_TYPE[error_type]
    if in_stream and status not in _BY_STATUS:
        return ("context_overflow", False) if _CONTEXT.search(said) else ("server", True)
    if status is None:
        return _by_class(causes)
    category, retryable = _by_status(status)
    if category == "bad_request" and _CONTEXT.search(said):
        return "context_overflow", False
    asked = headers.get("x-should-retry", "").lower()
    return category, asked == "true" if asked in ("true", "false") else retryable


def _is_vague(error_type: str, status: int | None) -> bool:
    """Whether the status says more than the type."""
    if status is None or status not in _BY_STATUS:
        return False
    return error_type == _VAGUE or (error_type == _VAGUE_BELOW_500 and status < 500)


def _by_status(status: int) -> tuple[FailureCategory, bool]:
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if 400 <= status < 500:
        return "bad_request", False
    return ("server", False) if status >= 500 else ("not_an_api", False)


def _by_class(causes: list[BaseException]) -> tuple[FailureCategory, bool]:
    if any(isinstance(cause, ssl.SSLCertVerificationError) or _names_certificate(cause) for cause in causes):
        return "tls", False
    for cause in causes:
        for classes, judgement in _BY_CLASS:
            if isinstance(cause, classes):
                return judgement
    if any(isinstance(cause, TimeoutError) for cause in causes):
        return "timeout", True
    if any(isinstance(cause, OSError) for cause in causes):
        return "network", True
    return "server", any(isinstance(cause, ValueError | AssertionError) for cause in causes)


def _names_certificate(cause: BaseException) -> bool:
    return isinstance(cause, ssl.SSLError | httpx2.ConnectError) and "CERTIFICATE_VERIFY_FAILED" in _text(cause)


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    following: BaseException | None = error
    for _ in range(_MAX_DEPTH):
        if following is None or id(following) in seen:
            return
        seen.add(id(following))
        yield following
        if isinstance(following, BaseExceptionGroup):
            following = following.exceptions[0]
        else:
            following = following.__cause__ or following.__context__


def _facts(causes: list[BaseException]) -> tuple[int | None, Mapping[str, str], object, bool]:
    """Status, headers and body of the first error that has them, and whether it came inside a started stream."""
    for cause in causes:
        if isinstance(cause, ErrorEvent):
            return 200, {}, cause.body, True
        if isinstance(cause, Refused):
            return cause.status, cause.headers, cause.body, False
    return None, {}, None, False


def _type_and_message(body: object) -> tuple[str, str]:
    """The innermost `type`, or a `code` that says more, and `message` below `error`, as far as depth and size allow."""
    if isinstance(body, str):
        return "", body[:_MAX_BODY_CHARS].strip()
    kind, said = "", ""
    for _ in range(_MAX_DEPTH):
        if not isinstance(body, dict):
            break
        kind = _string(body, "type") if _string(body, "type") not in ("", "error") else kind
        kind = _string(body, "code") if _string(body, "code") in _BY_TYPE else kind
        said = _string(body, "message") or _string(body, "detail") or said
        if isinstance(body.get("error"), str):
            return kind, said or body["error"][:_MAX_BODY_CHARS]
        body = body.get("error")
    return kind, said


def _code(body: object) -> int | None:
    """The status that an error in a started stream tells, as OpenRouter, vLLM and llama.cpp do."""
    error = body.get("error") if isinstance(body, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) else None


def _string(body: dict[Any, Any], name: str) -> str:
    value = body.get(name)
    return value[:_MAX_BODY_CHARS] if isinstance(value, str) else ""


def _own_text(causes: list[BaseException]) -> str:
    texts = [_text(cause) for cause in causes]
    distinct = [text for at, text in enumerate(texts) if text and text not in texts[:at]]
    return ": ".join(distinct[:3]) or type(causes[0]).__name__


def _text(cause: BaseException) -> str:
    if isinstance(cause, OSError) and cause.strerror:
        return str(cause.strerror)
    first = next((arg for arg in cause.args if isinstance(arg, str)), "")
    return first[:_MAX_BODY_CHARS].strip()


def _request_id(causes: list[BaseException], headers: Mapping[str, str], body: object) -> str:
    named = next((cause.request_id for cause in causes if isinstance(cause, ErrorEvent)), "")
    inside = _string(body, "request_id") if isinstance(body, dict) else ""
    return headers.get("request-id", "") or headers.get("x-request-id", "") or named or inside


def _asked_wait(headers: Mapping[str, str]) -> float:
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if not value:
            continue
        if re.fullmatch(r"\d{1,12}(\.\d{1,9})?", value):
            return float(value) * unit
        try:
            at = parsedate_to_datetime(value)
        except (ValueError, OverflowError):
            continue
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return max(0.0, (at - datetime.now(UTC)).total_seconds())
    return 0.0
