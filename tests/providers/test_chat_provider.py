"""What is particular about chat completions: how a list is said there, and servers that are nearly right."""

import json
from typing import Any

import pytest

from desktop.config.settings import Endpoint
from desktop.config.settings_file import load_settings
from desktop.domain.core.usage import Usage
from desktop.domain.events import AssistantMessage
from desktop.providers.base import Request, TextDelta, ThinkingDelta, ToolSchema
from desktop.providers.chat_request import PICTURES, chat_body, chat_messages
from desktop.providers.kinds import kind_named, own_addresses, request_cost
from desktop.providers.wire import wire_message
from tests.fakes.fake_model_api import CHAT, Call, FakeModelApi, http_failure, text_turn, turn
from tests.providers.asking import deltas_of, failure_of, made, message_of, provider_for, request

PNG = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}


@pytest.fixture(autouse=True)
def speaks_chat(model_api: FakeModelApi) -> None:
    model_api.kind = "openai_compatible"


def stream(*chunks: Any) -> Any:
    """An answer of these chunks, as they are."""
    lines = [chunk if isinstance(chunk, str) else f"data: {json.dumps(chunk)}" for chunk in chunks]
    return turn("\n\n".join([*lines, ""]), fault="raw:text/event-stream")


def chunk(reason: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"model": "m-1", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def call(arguments: Any, **fields: Any) -> dict[str, Any]:
    name = {"name": fields.pop("name")} if "name" in fields else {}
    return {**fields, "function": {**name, "arguments": arguments}}


@pytest.mark.asyncio
async def test_the_body_names_model_system_tools_and_messages(model_api: FakeModelApi) -> None:
    model_api.script(text_turn("ok"))
    tool = ToolSchema(name="grep", description="Search.", input_schema={"type": "object", "properties": {}})
    await deltas_of(model_api, ask=request(tools=(tool,), max_tokens=1000, thinking="medium"))
    (sent,) = model_api.requests
    assert sent.path == CHAT
    assert (sent.body["model"], sent.body["max_tokens"], sent.body["stream"]) == ("m-1", 1000, True)
    assert sent.body["stream_options"] == {"include_usage": True}
    assert sent.body["reasoning_effort"] == "medium"
    function = {"name": "grep", "description": "Search.", "parameters": {"type": "object", "properties": {}}}
    assert sent.body["tools"] == [{"type": "function", "function": function}]
    assert sent.body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "hi"},
    ]
    assert not {"cache_control", "anthropic-version"} & {*sent.headers, *sent.body}


def test_the_vendors_newer_name_of_a_limit_is_used_there_alone() -> None:
    ask = Request(model="m", system="", messages=[], max_tokens=9)
    assert json.loads(chat_body(ask, "max_completion_tokens")) == {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens": 9,
        "messages": [],
    }


def test_calls_and_results_stand_in_messages_of_their_own() -> None:
    long_id = "call_" + "x" * 59
    asked = {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "text", "text": "Looking."},
            {"type": "tool_use", "id": long_id, "name": "read", "input": {"path": "ü"}},
            {"type": "tool_use", "id": "b", "name": "shot", "input": {}},
        ],
    }
    answered = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": long_id, "content": "no such file", "is_error": True},
            {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": "Taken."}, PNG]},
            {"type": "text", "text": "Go on."},
        ],
    }
    (said,) = chat_messages(asked)
    short = said["tool_calls"][0]["id"]
    assert (said["role"], said["content"], len(short)) == ("assistant", "Looking.", 26)
    assert said["tool_calls"][0]["function"] == {"name": "read", "arguments": '{"path":"ü"}'}
    assert chat_messages(answered) == [
        {"role": "tool", "tool_call_id": short, "content": "Error: no such file"},
        {"role": "tool", "tool_call_id": "b", "content": "Taken."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": PICTURES},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
                {"type": "text", "text": "Go on."},
            ],
        },
    ]


def test_what_only_thought_is_left_out_and_documents_are_files() -> None:
    thought = {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm.", "signature": "s"}]}
    assert chat_messages(thought) == []
    source = {"type": "base64", "media_type": "application/pdf", "data": "aGk="}
    (said,) = chat_messages({"role": "user", "content": [{"type": "document", "source": source, "title": "a.pdf"}]})
    file = {"filename": "a.pdf", "file_data": "data:application/pdf;base64,aGk="}
    assert said["content"] == [{"type": "file", "file": file}]
    by_address = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
    assert chat_messages({"role": "user", "content": [by_address]}) == []
    assert chat_messages({"role": "user", "content": "plain"}) == [{"role": "user", "content": "plain"}]


def test_a_message_is_written_once() -> None:
    message = wire_message({"role": "user", "content": [{"type": "text", "text": "hi"}]})
    ask = Request(model="m", system="s", messages=[message])
    first = chat_body(ask, "max_tokens")
    kept = message.chat
    assert kept
    assert chat_body(ask, "max_tokens") == first
    assert message.chat is kept


@pytest.mark.asyncio
async def test_calls_that_all_have_index_0_are_told_apart_by_their_ids(model_api: FakeModelApi) -> None:
    first, second = (call("{}", index=0, id=one, name=one) for one in ("a", "b"))
    model_api.script(stream(chunk(tool_calls=[first]), chunk("stop", tool_calls=[second]), "data: [DONE]"))
    message = await message_of(model_api)
    assert [(part["id"], part["name"]) for part in message.parts if isinstance(part, dict)] == [("a", "a"), ("b", "b")]
    assert message.stop_reason == "tool_use", "a local server says stop"


@pytest.mark.asyncio
@pytest.mark.parametrize("again", [{}, {"id": "a"}, {"id": "a", "name": "grep"}, {"index": 0}, {"index": 0, "id": ""}])
async def test_pieces_of_a_call_find_it(model_api: FakeModelApi, again: dict[str, Any]) -> None:
    begun = call('{"pattern": ', index=0, id="a", name="grep")
    rest = call('"x"}', **again)
    model_api.script(stream(chunk(tool_calls=[begun]), chunk(tool_calls=[rest]), chunk("tool_calls"), "data: [DONE]"))
    (part,) = (await message_of(model_api)).parts
    assert part == {"type": "tool_use", "id": "a", "name": "grep", "input": {"pattern": "x"}}


@pytest.mark.asyncio
async def test_arguments_as_an_object_and_a_call_without_id_are_taken(model_api: FakeModelApi) -> None:
    one = call({"pattern": "x"}, name="grep")
    model_api.script(stream(chunk("tool_calls", tool_calls=[one]), "data: [DONE]"))
    (part,) = (await message_of(model_api)).parts
    assert isinstance(part, dict)
    assert (part["input"], bool(part["id"])) == ({"pattern": "x"}, True)


@pytest.mark.asyncio
async def test_thinking_has_three_spellings(model_api: FakeModelApi) -> None:
    listed = [{"type": "thinking", "thinking": [{"type": "text", "text": "c"}]}, {"type": "text", "text": "Yes."}]
    pieces = (chunk(reasoning_content="a"), chunk(reasoning="b"), chunk(content=listed), chunk("stop"))
    model_api.script(stream(*pieces, "data: [DONE]"))
    deltas = await deltas_of(model_api)
    assert "".join(delta.text for delta in deltas if isinstance(delta, ThinkingDelta)) == "abc"
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == "Yes."
    message = deltas[-1]
    assert isinstance(message, AssistantMessage)
    assert message.parts == ({"type": "thinking", "thinking": "abc"}, {"type": "text", "text": "Yes."})


@pytest.mark.asyncio
async def test_what_came_from_the_cache_is_counted_apart(model_api: FakeModelApi) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 60}}
    model_api.script(stream(chunk("stop", content="ok"), {"choices": [], "usage": usage}, "data: [DONE]"))
    assert (await message_of(model_api)).usage == Usage(input=40, output=7, cache_read=60)


@pytest.mark.asyncio
async def test_an_answer_may_end_after_its_reason_or_with_done_alone(model_api: FakeModelApi) -> None:
    model_api.script(
        stream(chunk("length", content="one")), stream(chunk(content="two"), "data: [DONE]"), stream(chunk(content="x"))
    )
    assert (await message_of(model_api)).stop_reason == "max_tokens"
    assert (await message_of(model_api)).stop_reason == "end_turn"
    assert (await failure_of(model_api)).failure.category == "network", "neither was there"


@pytest.mark.asyncio
async def test_a_refusal_is_one(model_api: FakeModelApi) -> None:
    model_api.script(stream(chunk("stop", refusal="I can't."), "data: [DONE]"), stream(chunk("content_filter")))
    message = await message_of(model_api)
    assert (message.parts, message.stop_reason) == (({"type": "text", "text": "I can't."},), "refusal")
    assert (await message_of(model_api)).stop_reason == "refusal"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("bad", "category"),
    [
        (chunk(tool_calls=["x"]), "server"),
        (chunk(tool_calls=[{"function": "x"}]), "server"),
        (chunk(tool_calls=[{"id": 5, "function": {"name": "a"}}]), "server"),
        ("data: [1]", "server"),
        ("event: error\ndata: busy", "server"),
        ({"error": {"message": "busy", "code": "rate_limit_exceeded"}}, "rate_limited"),
        ({"error": {"message": "upstream", "code": 502}, "choices": [{"finish_reason": "error"}]}, "server"),
    ],
)
async def test_a_chunk_that_is_none_ends_the_answer(model_api: FakeModelApi, bad: Any, category: str) -> None:
    model_api.script(stream(chunk(content="Some text."), bad, "data: [DONE]"))
    error = await failure_of(model_api)
    assert error.failure.category == category
    assert error.partial is not None


@pytest.mark.asyncio
@pytest.mark.parametrize("odd", [{"hello": "world"}, {"choices": []}, {"choices": [5]}, {"choices": [{"delta": 5}]}])
async def test_chunks_that_say_nothing_are_passed_over(model_api: FakeModelApi, odd: Any) -> None:
    model_api.script(stream(odd, ": PROCESSING", chunk("stop", content="ok"), "data: [DONE]", chunk(content="late")))
    assert (await message_of(model_api)).parts == ({"type": "text", "text": "ok"},)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("status", "type_", "code", "category"),
    [
        (401, "invalid_request_error", "invalid_api_key", "auth"),
        (403, "invalid_request_error", None, "permission"),
        (404, "invalid_request_error", "model_not_found", "not_found"),
        (429, "insufficient_quota", "insufficient_quota", "billing"),
        (429, "tokens", "rate_limit_exceeded", "rate_limited"),
        (400, "invalid_request_error", "context_length_exceeded", "context_overflow"),
        (400, "exceed_context_size_error", 400, "context_overflow"),
        (400, "BadRequestError", 400, "bad_request"),
        (503, "unavailable_error", 503, "server"),
    ],
)
async def test_a_refusal_of_the_request_is_told_by_code_and_status(
    model_api: FakeModelApi, status: int, type_: str, code: Any, category: str
) -> None:
    body = json.dumps({"error": {"message": "no", "type": type_, "param": None, "code": code}})
    model_api.script(http_failure(status, body=body))
    assert (await failure_of(model_api)).failure.category == category


@pytest.mark.asyncio
async def test_a_200_that_holds_an_error_has_failed(model_api: FakeModelApi) -> None:
    body = json.dumps({"error": {"message": "busy", "type": "server_error"}})
    model_api.script(turn(body, fault="raw:application/json"))
    assert (await failure_of(model_api)).failure.category == "server"


@pytest.mark.asyncio
async def test_the_model_list_names_windows_as_servers_do(model_api: FakeModelApi) -> None:
    model_api.models = (
        {"id": "a", "name": "A", "context_length": 9, "top_provider": {"max_completion_tokens": 3}},
        {"id": "b", "max_model_len": 8},
        {"id": "text-embedding-3-small"},
    )
    async with provider_for(model_api) as provider:
        models = await provider.models()
    assert [(one.id, one.name, one.window, one.max_output) for one in models] == [("a", "A", 9, 3), ("b", "b", 8, 0)]
    assert model_api.all_requests[-1].path == "/v1/models"


@pytest.mark.asyncio
async def test_a_model_list_of_another_form_is_no_model_service(model_api: FakeModelApi) -> None:
    model_api.models_page = '{"models": []}'
    async with provider_for(model_api) as provider:
        with pytest.raises(Exception, match="does not answer like a model service"):
            await provider.models()


@pytest.mark.asyncio
async def test_an_input_that_is_no_object_stays_the_text_it_was(model_api: FakeModelApi) -> None:
    model_api.script(turn(calls=[Call("bash", raw='{"command": "ls', id="bad")]))
    (part,) = (await message_of(model_api)).parts
    assert isinstance(part, dict)
    assert part["input"] == '{"command": "ls'


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
        ("http://127.0.0.1:8000/v1/chat/completions", "http://127.0.0.1:8000/v1"),
        ("https://models.example.com/openai/", "https://models.example.com/openai"),
    ],
)
def test_an_address_is_kept_as_a_key_belongs_to_it(given: str, kept: str) -> None:
    assert Endpoint(id="e", label="E", kind="openai_compatible", base_url=given).base_url == kept


def test_the_vendors_models_have_prices_and_no_other_servers(tmp_path: Any) -> None:
    usage = Usage(input=1000, output=1000)
    file = tmp_path / "settings.toml"
    file.write_text('[[endpoints]]\nid = "o"\nlabel = "O"\nkind = "openai"\n')
    own = load_settings(file, own_addresses()).endpoint("o")
    assert own is not None
    assert own.base_url == "https://api.openai.com/v1"
    assert request_cost(own, "gpt-4o", usage)
    assert kind_named("openrouter").cost("openai/gpt-4o", usage)
    local = Endpoint(id="e", label="E", kind="openai_compatible", base_url="http://127.0.0.1:1")
    assert request_cost(local, "gpt-4o", usage) is None


@pytest.mark.asyncio
async def test_the_vendors_own_address_gets_the_newer_name_of_a_limit() -> None:
    own = Endpoint(id="o", label="O", kind="openai", base_url="https://api.openai.com/v1", auth="none")
    provider = made(own)
    assert b"max_completion_tokens" in provider.protocol.body(request())
    await provider.close()


@pytest.mark.asyncio
async def test_the_model_list_names_prices_as_openrouter_does(model_api: FakeModelApi) -> None:
    model_api.models = (
        {"id": "a", "pricing": {"prompt": "0.000003", "completion": "0.000015"}},
        {"id": "b", "pricing": {"prompt": "-1", "completion": "0.000015"}},
        {"id": "c", "pricing": {"prompt": "0"}},
        {"id": "d", "pricing": "free"},
    )
    async with provider_for(model_api) as provider:
        models = await provider.models()
    assert [(one.input_microusd, one.output_microusd) for one in models] == [
        (3_000_000, 15_000_000),
        *[(None, None)] * 3,
    ]
