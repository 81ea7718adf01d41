import asyncio
import json
import socket
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.providers.base import Failure, ProviderError
from desktop.providers.errors import (
    BadEvent,
    EndedEarly,
    ErrorEvent,
    NotAnApi,
    NothingCame,
    Refused,
    StreamFault,
    classify,
    redact,
)


def status_error(status: int, body: object = "no", headers: dict[str, str] | None = None) -> Exception:
    said = body if isinstance(body, str) else json.dumps(body, default=str)
    return Refused(status, httpx2.Headers(headers or {}), said)


def structured(type_: str, message: str = "no") -> dict[str, Any]:
    return {"type": "error", "error": {"type": type_, "message": message}}


BY_TYPE = [
    ("overloaded_error", "overloaded", True),
    ("rate_limit_error", "rate_limited", True),
    ("timeout_error", "timeout", True),
    ("api_error", "server", True),
    ("server_error", "server", True),
    ("internal_server_error", "server", True),
    ("internal_error", "server", True),
    ("authentication_error", "auth", False),
    ("permission_error", "permission", False),
    ("billing_error", "billing", False),
    ("not_found_error", "not_found", False),
    ("request_too_large", "too_large", False),
    ("invalid_request_error", "bad_request", False),
]


@pytest.mark.parametrize(("type_", "category", "retryable"), BY_TYPE)
def test_the_type_in_the_body_decides_before_the_status(type_: str, category: str, retryable: bool) -> None:
    for error in (
        status_error(418, structured(type_), {"x-should-retry": "true" if not retryable else "false"}),
        ErrorEvent(structured(type_)),
    ):
        failure = classify(error)
        assert (failure.category, failure.retryable, failure.error_type) == (category, retryable, type_)


@pytest.mark.parametrize(
    "said",
    [
        "prompt is too long: 9 > 8",
        "maximum context length",
        "context size of 4096",
        "the maximum context is 9",
        "n_ctx 1",
    ],
)
def test_too_long_a_prompt_is_a_context_overflow(said: str) -> None:
    failure = classify(status_error(400, structured("invalid_request_error", said)))
    assert (failure.category, failure.retryable) == ("context_overflow", False)


@pytest.mark.parametrize(
    ("status", "category", "retryable"),
    [
        (408, "timeout", True),
        (425, "timeout", True),
        (409, "server", True),
        (429, "rate_limited", True),
        (529, "overloaded", True),
        *((status, "server", True) for status in (500, 502, 503, 504, 520, 521, 522, 523, 524)),
        (400, "bad_request", False),
        (422, "bad_request", False),
        (401, "auth", False),
        (402, "billing", False),
        (403, "permission", False),
        (404, "not_found", False),
        (413, "too_large", False),
        (418, "bad_request", False),
        (501, "server", False),
        (302, "not_an_api", False),
    ],
)
@pytest.mark.parametrize("body", [None, "plain words", structured("a_new_error"), {"detail": "x"}, [1]])
def test_without_a_known_type_the_status_decides(status: int, category: str, retryable: bool, body: object) -> None:
    failure = classify(status_error(status, body))
    assert (failure.category, failure.retryable, failure.http_status) == (category, retryable, status)


@pytest.mark.parametrize("status", [500, 502, 503, 504, *range(520, 525), 408, 409, 425, 429, 529])
def test_every_status_of_a_passing_fault_is_tried_again(status: int) -> None:
    assert classify(status_error(status)).retryable


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 410, 413, 422, 451, 501, 505, 511, 525, 599])
def test_every_other_status_is_not(status: int) -> None:
    assert not classify(status_error(status)).retryable


def test_too_long_a_prompt_is_known_inside_a_stream_and_without_a_type() -> None:
    for error in (
        ErrorEvent(structured("invalid_request_error", "Prompt is too long")),
        status_error(400, {"error": {"message": "This model's maximum context length is 8192 tokens"}}),
        status_error(422, "the request exceeds the available context size"),
    ):
        assert classify(error).category == "context_overflow"
    assert classify(status_error(500, {"error": {"message": "context size"}})).category == "server"


def test_the_services_wish_goes_before_the_status() -> None:
    assert classify(status_error(500, None, {"x-should-retry": "false"})).retryable is False
    assert classify(status_error(418, None, {"x-should-retry": "true"})).retryable is True
    assert classify(status_error(500, None, {"x-should-retry": "perhaps"})).retryable is True


def test_an_unknown_type_inside_a_stream_is_the_servers() -> None:
    failure = classify(ErrorEvent({"error": {"type": "what_is_this"}}))
    assert (failure.category, failure.retryable) == ("server", True)


@pytest.mark.parametrize(
    ("code", "category", "retryable"),
    [
        (401, "auth", False),
        (402, "billing", False),
        (403, "permission", False),
        (408, "timeout", True),
        (429, "rate_limited", True),
        (502, "server", True),
        (503, "server", True),
        (400, "bad_request", False),
        (7, "server", True),
        (None, "server", True),
        ("x", "server", True),
    ],
)
def test_a_status_inside_a_stream_is_as_good_as_one_before_it(code: object, category: str, retryable: bool) -> None:
    failure = classify(ErrorEvent({"error": {"message": "no", "code": code}}))
    assert (failure.category, failure.retryable, failure.http_status) == (category, retryable, 200)


def test_a_stream_that_ends_for_want_of_room_is_not_tried_again() -> None:
    failure = classify(ErrorEvent({"error": {"message": "Context size has been exceeded"}}))
    assert (failure.category, failure.retryable) == ("context_overflow", False)


@pytest.mark.parametrize(
    ("status", "category", "retryable"),
    [(404, "not_found", False), (401, "auth", False), (500, "server", True), (503, "server", True)],
)
def test_a_type_that_says_nothing_leaves_it_to_the_status(status: int, category: str, retryable: bool) -> None:
    failure = classify(status_error(status, {"error": {"message": "no", "type": "api_error"}}))
    assert (failure.category, failure.retryable) == (category, retryable)


def caused(outer: Exception, cause: Exception) -> Exception:
    outer.__cause__ = cause
    return outer


def connection_error(cause: Exception) -> Exception:
    return caused(StreamFault("Connection error."), cause)


UNTRUSTED = ssl.SSLCertVerificationError(1, "certificate verify failed: self-signed certificate")
TRANSPORT: list[tuple[Callable[[], BaseException], str, bool]] = [
    (lambda: connection_error(httpx2.ConnectError("refused")), "network", True),
    (lambda: connection_error(httpx2.RemoteProtocolError("peer closed connection")), "network", True),
    (
        lambda: connection_error(caused(httpx2.ConnectError("x"), socket.gaierror(-2, "Name not known"))),
        "network",
        True,
    ),
    (lambda: connection_error(caused(httpx2.ConnectError("x"), UNTRUSTED)), "tls", False),
    (lambda: connection_error(httpx2.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] host name")), "tls", False),
    (lambda: connection_error(httpx2.ConnectTimeout("slow")), "network", True),
    (lambda: connection_error(httpx2.ReadTimeout("slow")), "timeout", True),
    (lambda: httpx2.RemoteProtocolError("incomplete chunked read"), "network", True),
    (lambda: httpx2.ReadError("terminated"), "network", True),
    (lambda: ConnectionResetError(104, "Connection reset by peer"), "network", True),
    (lambda: ConnectionAbortedError(103, "aborted"), "network", True),
    (lambda: BrokenPipeError(32, "Broken pipe"), "network", True),
    (lambda: OSError(101, "Network is unreachable"), "network", True),
    (lambda: EndedEarly("ended"), "network", True),
    (lambda: NothingCame("nothing"), "timeout", True),
    (lambda: TimeoutError("late"), "timeout", True),
    (lambda: BadEvent("odd"), "server", True),
    (lambda: ValueError("broken JSON"), "server", True),
    (lambda: AssertionError("odd"), "server", True),
    (lambda: NotAnApi("a page"), "not_an_api", False),
    (lambda: httpx2.UnsupportedProtocol("no scheme"), "not_an_api", False),
    (lambda: RuntimeError("something else"), "server", False),
    (lambda: ExceptionGroup("several", [httpx2.ReadError("x")]), "network", True),
]


@pytest.mark.parametrize(("make", "category", "retryable"), TRANSPORT)
def test_without_an_answer_the_class_decides(make: Callable[[], BaseException], category: str, retryable: bool) -> None:
    failure = classify(make())
    assert (failure.category, failure.retryable, failure.http_status) == (category, retryable, None)
    assert failure.message


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "3600"}, 3600.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "soon"}, 0.0),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({}, 0.0),
    ],
)
def test_the_asked_wait_is_read(headers: dict[str, str], wait_s: float) -> None:
    assert classify(status_error(429, None, headers)).wait_s == wait_s


def test_a_wait_until_a_date_is_read() -> None:
    at = datetime.now(UTC) + timedelta(seconds=90)
    assert 80 < classify(status_error(429, None, {"retry-after": format_datetime(at, usegmt=True)})).wait_s <= 90


def test_circular_deep_and_huge_errors_are_judged() -> None:
    circle: dict[str, Any] = {"type": "error"}
    circle["error"] = circle
    deep: dict[str, Any] = structured("overloaded_error")
    for _ in range(10_000):
        deep = {"error": deep}
    first, second = ValueError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    for error in (
        ErrorEvent(circle),
        ErrorEvent(deep),
        status_error(500, '{"error":' * 10_000 + "1" + "}" * 10_000),
        ErrorEvent(structured("api_error", "x" * 10_000_000)),
        status_error(500, "{" * 5_000_000),
        first,
    ):
        failure = classify(error)
        assert failure.category == "server"
        assert len(failure.message) <= 2_000


def test_a_provider_error_keeps_its_failure() -> None:
    failure = Failure(category="billing", retryable=False)
    assert classify(ProviderError(failure)) is failure


def test_the_type_is_found_in_text_and_below_a_wrapper() -> None:
    assert classify(status_error(500, '{"error": {"type": "overloaded_error"}}')).category == "overloaded"
    assert classify(status_error(500, {"error": structured("overloaded_error")})).category == "overloaded"
    assert classify(status_error(400, {"error": "model not loaded"})).message == "model not loaded"


def test_a_refusal_without_words_is_told_by_its_code() -> None:
    assert classify(status_error(503, "")).message == "Error code: 503"
    assert classify(status_error(503, " <p>busy</p>\n")).message == "<p>busy</p>"
    assert classify(status_error(503, {"x": 1})).message == "Error code: 503 - {'x': 1}"


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["type", "error", "message", "x"]), inner),
    max_leaves=20,
)


@given(body=json_values, status=st.integers(100, 599), wait=st.text(max_size=20))
def test_no_body_status_or_header_makes_it_raise(body: object, status: int, wait: str) -> None:
    headers = {"retry-after": wait} if wait.isascii() and wait.isprintable() else {}
    for error in (status_error(status, body, headers), ErrorEvent(body), RuntimeError(body)):
        assert len(classify(error).message) <= 2_000


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("key sk-ant-api03-abcdefgh is bad", "key [key] is bad"),
        ("Authorization: Bearer abc.def-123456", "Authorization: Bearer [key]"),
        ('{"x-api-key": "0123456789"}', '{"x-api-key": "[key]"}'),
        ("api_key=0123456789&x=1", "api_key=[key]"),
        ("nothing to hide", "nothing to hide"),
    ],
)
def test_what_looks_like_a_key_is_hidden(text: str, clean: str) -> None:
    assert redact(text) == clean
    assert classify(RuntimeError(text)).message == clean


def test_a_known_key_is_hidden_wherever_it_stands() -> None:
    assert redact("odd:key:9 and odd:key:9", "odd:key:9") == "[key] and [key]"
    assert redact("abc", "b") == "abc"


def test_cancellation_is_not_the_providers_business() -> None:
    assert classify(asyncio.CancelledError()).retryable is False
