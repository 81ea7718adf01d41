"""What may be asked of a model service through the proxy, and what is sent there."""

import pytest

from desktop.domain.core.usage import Usage
from desktop.domain.guests.registry import Dialect
from desktop.policy.network.hosts import Refused
from desktop.services.egress.gateway import ModelGateway
from desktop.services.egress.requests import Wanted, read_request

KEY = "sk-real"
BASES: dict[Dialect, str] = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com/v1",
    "responses": "https://api.openai.com/v1",
    "gemini": "https://generativelanguage.googleapis.com/",
}


def asked(dialect: Dialect, line: str, *fields: str, base: str = "", key: str = KEY) -> Wanted | Refused:
    gateway = ModelGateway(dialect, base or BASES[dialect], lambda: key)
    return read_request("\r\n".join((f"{line} HTTP/1.1", *fields, "", "")).encode(), gateway)


@pytest.mark.promise("guests-A36")
@pytest.mark.parametrize(
    ("dialect", "path", "sent", "field"),
    [
        ("anthropic", "/v1/messages?beta=true", "/v1/messages?beta=true", "x-api-key: sk-real"),
        ("responses", "/v1/responses", "/v1/responses", "Authorization: Bearer sk-real"),
        (
            "gemini",
            "/v1beta/models/gemini-3:streamGenerateContent?key=x&alt=sse",
            "/v1beta/models/gemini-3:streamGenerateContent?alt=sse",
            "x-goog-api-key: sk-real",
        ),
    ],
)
def test_the_key_is_added_in_place_of_the_clients(dialect: Dialect, path: str, sent: str, field: str) -> None:
    theirs = ("Authorization: Bearer no", "X-Api-Key: no", "x-goog-api-key: no", "Cookie: no", "Host: 127.0.0.1:3128")
    wanted = asked(dialect, f"POST {path}", *theirs, "Content-Length: 5", "anthropic-version: 1", "Connection: close")
    assert isinstance(wanted, Wanted)
    lines = wanted.first.decode().split("\r\n")
    assert lines[0] == f"POST {sent} HTTP/1.1"
    own = (f"Host: {wanted.host.name}", field, "Content-Length: 5", "anthropic-version: 1", "Connection: close")
    assert lines[1:] == [*own, "", ""]
    assert (wanted.chosen, wanted.body, wanted.tls is not None, wanted.port) == (True, 5, True, 443)


class Counts:
    """Counts nothing, and lets everything be asked."""

    def may_ask(self) -> str:
        return ""

    def counted(self, usage: Usage, model: str) -> None:
        """Nothing is kept."""


@pytest.mark.promise("guests-A49")
@pytest.mark.parametrize("accepts", ["gzip, deflate, br", "zstd", "*"])
def test_no_answer_is_asked_for_that_could_not_be_counted(accepts: str) -> None:
    """An answer in gzip is not read on its way through, so its tokens would not be known."""
    fields = (f"Accept-Encoding: {accepts}", "accept-encoding: br", "Accept: text/event-stream", "Content-Length: 5")
    lines = "\r\n".join(("POST /v1/messages HTTP/1.1", *fields, "", "")).encode()
    heads = []
    for counts in (Counts(), None):
        gateway = ModelGateway("anthropic", BASES["anthropic"], lambda: KEY, counts)
        wanted = read_request(lines, gateway)
        assert isinstance(wanted, Wanted)
        heads.append(wanted.first.decode().lower())
    counted, uncounted = heads
    assert "accept-encoding" not in counted
    assert "accept: text/event-stream" in counted
    assert f"accept-encoding: {accepts}" in uncounted


def test_a_service_may_stand_on_this_computer() -> None:
    wanted = asked("openai", "POST /v1/chat/completions", "Content-Length: 0", base="http://127.0.0.1:11434/api")
    assert isinstance(wanted, Wanted)
    assert (wanted.place, wanted.tls) == ("127.0.0.1:11434", None)
    assert wanted.first.startswith(b"POST /api/v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:11434\r\n")


@pytest.mark.promise("guests-A36")
@pytest.mark.parametrize(
    "line",
    [
        "POST /v1/files",
        "GET /v1/messages",
        "DELETE /v1/models/x",
        "POST /v1/messages/../files",
        "POST /v1/messages/batches",
        "POST //v1/messages",
        "POST /v1/messages%2f..",
        "GET /v1/models/x/y",
        "POST /v1/messages?a=b c",
        "POST /v1/messages?a=%0d%0a#",
    ],
)
def test_nothing_else_of_the_service_is_asked(line: str) -> None:
    assert isinstance(asked("anthropic", line, "Content-Length: 0"), Refused)


@pytest.mark.parametrize(
    "fields",
    [
        (),
        ("Content-Length: 1", "content-length: 2"),
        ("Content-Length: 1", "Transfer-Encoding: chunked"),
        ("Content-Length: -1",),
        ("Content-Length: 9999999999999",),
    ],
)
def test_a_request_says_how_long_it_is(fields: tuple[str, ...]) -> None:
    assert isinstance(asked("anthropic", "POST /v1/messages", *fields), Refused)


@pytest.mark.parametrize("key", ["a\r\nb: c", "a b", "ü"])
def test_a_key_that_is_none_is_not_sent(key: str) -> None:
    assert isinstance(asked("anthropic", "POST /v1/messages", "Content-Length: 0", key=key), Refused)


def test_a_service_that_wants_no_key_is_sent_none() -> None:
    wanted = asked("responses", "POST /v1/responses", "Authorization: Bearer no", "Content-Length: 0", key="")
    assert isinstance(wanted, Wanted)
    assert b"uthorization" not in wanted.first


@pytest.mark.parametrize("base", ["", "ftp://x", "https://user@x.org", "https://x.org:99999"])
def test_an_address_that_is_none_makes_no_gateway(base: str) -> None:
    with pytest.raises(OSError, match="address of the model service"):
        ModelGateway("anthropic", base, lambda: KEY)


def test_without_a_service_a_path_alone_is_refused() -> None:
    assert isinstance(read_request(b"GET /v1/models HTTP/1.1\r\n\r\n"), Refused)
