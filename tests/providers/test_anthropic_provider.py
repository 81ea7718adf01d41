"""What is particular about /v1/messages."""

import pytest

from desktop.domain.core.usage import Usage
from desktop.providers.base import ToolSchema
from tests.fakes.fake_model_api import FakeModelApi, text_turn, turn
from tests.providers.asking import deltas_of, failure_of, message_of, provider_for, request

pytestmark = pytest.mark.asyncio
ERROR_BODY = '{"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}'


async def test_the_body_names_model_system_tools_and_messages(model_api: FakeModelApi) -> None:
    model_api.script(text_turn("ok"))
    tool = ToolSchema(name="grep", description="Search.", input_schema={"type": "object", "properties": {}})
    await deltas_of(model_api, ask=request(tools=(tool,), max_tokens=1000))
    body = model_api.requests[0].body
    assert body["model"] == "m-1"
    assert body["max_tokens"] == 1000
    assert body["stream"] is True
    assert body["tools"] == [
        {"name": "grep", "description": "Search.", "input_schema": {"type": "object", "properties": {}}}
    ]
    assert body["system"] == [{"type": "text", "text": "Be brief."}]
    assert body["messages"][-1]["content"][0]["text"] == "hi"
    assert "thinking" not in body


@pytest.mark.parametrize("auth", ["none", "api_key", "x-api-key"])
async def test_variables_of_the_sdk_reach_no_endpoint(
    model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch, auth: str
) -> None:
    for name, value in {
        "ANTHROPIC_API_KEY": "leaked-key",
        "ANTHROPIC_AUTH_TOKEN": "leaked-token",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
        "ANTHROPIC_CUSTOM_HEADERS": "x-leaked: leaked-header",
        "ANTHROPIC_PROFILE": "leaked-profile",
        "ANTHROPIC_WEBHOOK_SIGNING_KEY": "leaked-signing",
    }.items():
        monkeypatch.setenv(name, value)
    model_api.script(text_turn("ok"))
    await deltas_of(model_api, auth=auth, key="" if auth == "none" else "own-key")
    seen = model_api.requests[0]
    assert "leaked" not in repr(seen.headers) + seen.raw.decode()
    assert seen.key == ("" if auth == "none" else "own-key")


async def test_cache_writes_are_counted_by_lifetime(model_api: FakeModelApi) -> None:
    split = {"ephemeral_5m_input_tokens": 7, "ephemeral_1h_input_tokens": 3}
    usage = {"input_tokens": 1, "output_tokens": 2, "cache_creation_input_tokens": 10, "cache_creation": split}
    model_api.script(turn("ok", usage=usage))
    message = await message_of(model_api)
    assert message.usage == Usage(input=1, output=2, cache_write_5m=7, cache_write_1h=3)


@pytest.mark.parametrize(("caching", "marked"), [("on", True), ("auto", False), ("off", False)])
async def test_cache_markers_follow_the_setting(model_api: FakeModelApi, caching: str, marked: bool) -> None:
    model_api.script(text_turn("ok"))
    await deltas_of(model_api, ask=request(cache=True), caching=caching)
    assert (b"cache_control" in model_api.requests[0].raw) is marked


async def test_the_model_list_is_read(model_api: FakeModelApi) -> None:
    async with provider_for(model_api) as provider:
        models = await provider.models()
    assert [(model.id, model.name, model.window) for model in models] == [
        ("claude-sonnet-4-6", "Claude Sonnet 4.6", 200_000)
    ]


@pytest.mark.parametrize(
    ("kind", "body", "category"),
    [
        ("application/json", "{oops", "server"),
        ("application/json", "[1]", "not_an_api"),
        ("application/json", ERROR_BODY, "overloaded"),
        ("text/plain", "no such service", "not_an_api"),
        ("text/event-stream", "", "network"),
        ("text/event-stream", "event: error\ndata: busy\n\n", "server"),
        ("text/event-stream", f"data: {ERROR_BODY}\n\n", "overloaded"),
        ("text/event-stream", "data: [1]\n\n", "server"),
        ("text/event-stream", 'event: message_start\ndata: {"message": 3}\n\n', "server"),
    ],
)
async def test_a_body_that_is_no_answer_is_told_apart(
    model_api: FakeModelApi, kind: str, body: str, category: str
) -> None:
    model_api.script(turn(body, fault=f"raw:{kind}"))
    assert (await failure_of(model_api)).failure.category == category


async def test_a_message_sent_as_plain_text_and_a_done_line_are_accepted(model_api: FakeModelApi) -> None:
    whole = '{"type": "message", "content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn"}'
    delta = 'data: {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "hi"}}\n\n'
    ending = 'event: ping\ndata: {}\n\ndata: [DONE]\n\ndata: {"type": "message_stop"}\n\n'
    model_api.script(turn(whole, fault="raw:text/plain"), turn(delta + ending, fault="raw:text/event-stream"))
    for _ in range(2):
        assert (await message_of(model_api)).parts == ({"type": "text", "text": "hi"},)
