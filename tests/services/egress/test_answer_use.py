"""What an answer of a model service tells of its tokens, in whatever pieces it comes."""

import json
from typing import Any

import pytest

from desktop.domain.core.service_kinds import Dialect
from desktop.domain.core.usage import Usage
from desktop.services.egress import answer_use
from desktop.services.egress.answer_use import AnswerUse

MESSAGES = (
    {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 9, "output_tokens": 1}}},
    {"type": "content_block_delta", "delta": {"type": "text_delta", "text": 'a "usage" of words'}},
    {"type": "message_delta", "usage": {"output_tokens": 30, "cache_read_input_tokens": 4}},
    {"type": "message_stop"},
)
CHAT = ({"model": "m", "usage": None, "choices": []}, {
    "model": "m", "usage": {"prompt_tokens": 13, "completion_tokens": 30, "prompt_tokens_details": {"cached_tokens": 4}}
}, "[DONE]")  # fmt: skip
RESPONSES = ({"type": "response.created"}, {"type": "response.completed", "response": {"model": "m", "usage": {
    "input_tokens": 13, "output_tokens": 30, "input_tokens_details": {"cached_tokens": 4}}}})  # fmt: skip
GENERATED = ({"modelVersion": "m", "usageMetadata": {"promptTokenCount": 13}}, {"modelVersion": "m", "usageMetadata": {
    "promptTokenCount": 13, "cachedContentTokenCount": 4, "candidatesTokenCount": 20, "thoughtsTokenCount": 10}},
)  # fmt: skip
USED = Usage(input=9, output=30, cache_read=4)


def events(*told: Any) -> bytes:
    lines = (one if isinstance(one, str) else json.dumps(one) for one in told)
    return "".join(f"event: x\r\ndata: {line}\r\n\r\n" for line in lines).encode()


def answer(body: bytes, *fields: str, status: int = 200, kind: str = "text/event-stream; charset=utf-8") -> bytes:
    head = "\r\n".join((f"HTTP/1.1 {status} OK", f"Content-Type: {kind}", *fields, "", ""))
    return head.encode() + body


def chunked(body: bytes, size: int = 50) -> bytes:
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x;a=b\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def read(dialect: Dialect, said: bytes, size: int = 7) -> AnswerUse:
    use = AnswerUse(dialect)
    for at in range(0, len(said), size):
        use.feed(said[at : at + size])
    return use


@pytest.mark.promise("guests-A49")
@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize(
    ("dialect", "told"),
    [("anthropic", MESSAGES), ("openai", CHAT), ("responses", RESPONSES), ("gemini", GENERATED)],
)
def test_the_tokens_of_a_stream_are_counted_by_its_end(dialect: Dialect, told: tuple[Any, ...], size: int) -> None:
    use = read(dialect, answer(chunked(events(*told)), "Transfer-Encoding: chunked"), size)
    assert (use.usage, use.model, use.wanted, use.over) == (USED, "m", True, True)


@pytest.mark.parametrize(
    ("dialect", "body"),
    [
        ("anthropic", {"model": "m", "usage": {"input_tokens": 9, "output_tokens": 30, "cache_read_input_tokens": 4}}),
        ("openai", CHAT[1]),
        ("responses", RESPONSES[1]["response"]),
        ("gemini", list(GENERATED)),
    ],
)
def test_the_tokens_of_a_whole_answer_are_counted(dialect: Dialect, body: Any) -> None:
    raw = json.dumps(body).encode()
    early = b"HTTP/1.1 103 Early Hints\r\n\r\n"
    use = read(dialect, early + answer(raw, f"Content-Length: {len(raw)}", kind="application/json"))
    assert (use.usage, use.model, use.over) == (USED, "m", True)


def test_what_was_told_before_a_stream_was_cut_off_counts() -> None:
    use = read("anthropic", answer(events(*MESSAGES[:2])))
    assert not use.over
    use.end()
    assert (use.usage.input, use.usage.output, use.over) == (9, 1, True)


def test_tokens_written_to_the_cache_are_told_by_how_long_it_keeps_them() -> None:
    used = {"cache_creation": {"ephemeral_1h_input_tokens": 3}, "server_tool_use": {"web_search_requests": 2}}
    use = read("anthropic", answer(events({"usage": used})))
    assert (use.usage.cache_write_1h, use.usage.cache_write_5m, use.usage.web_searches) == (3, None, 2)


@pytest.mark.parametrize(
    "said",
    [
        b"x" * 100_000,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 2_000,
        b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        answer(events(*MESSAGES), status=529),
        answer(events(*MESSAGES), "Content-Encoding: gzip"),
        answer(b"[" * 100_000 + b'"usage"', kind="application/json"),
        answer(events('{"usage":', '["usage"]', '{"usage": {"input_tokens": -1, "output_tokens": true}}', '"usage"')),
    ],
)
def test_what_is_no_such_answer_counts_nothing_and_breaks_nothing(said: bytes) -> None:
    use = read("anthropic", said, 4_096)
    use.end()
    use.feed(b"more")
    assert (use.usage, use.over) == (Usage(), True)


def test_a_line_that_is_too_long_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_use, "MOST_HELD", 300)
    use = read("anthropic", answer(events({"usage": {"output_tokens": 1}, "text": "x" * 500}, *MESSAGES)))
    assert use.usage == USED
    whole = read("openai", answer(json.dumps(CHAT[1]).encode() + b" " * 500, kind="application/json"))
    whole.end()
    assert whole.usage == Usage()
