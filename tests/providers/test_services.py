"""What a request can come to, the same for both protocols."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from desktop.domain.core.usage import Usage
from desktop.domain.events import AssistantMessage
from desktop.providers.base import Delta, ProviderError, TextDelta, ThinkingDelta, ToolInputDelta
from desktop.providers.streamed import StreamedProvider
from tests.fakes.fake_model_api import Call, FakeModelApi, http_failure, text_turn, tool_turn, turn
from tests.providers.asking import deltas_of, endpoint, failure_of, made, message_of, provider_for, request

pytestmark = pytest.mark.asyncio


@pytest.fixture(params=["compatible", "openai_compatible"])
def model_api(request: pytest.FixtureRequest) -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        api.kind = request.param
        yield api


async def test_deltas_come_in_order_and_one_message_comes_last(model_api: FakeModelApi) -> None:
    model_api.script(turn("Reading the file now, one moment.", [("read_file", {"file_path": "a.py"})], thinking="Hm."))
    deltas = await deltas_of(model_api)
    message = deltas[-1]
    assert isinstance(message, AssistantMessage)
    assert sum(isinstance(delta, AssistantMessage) for delta in deltas) == 1
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == "Reading the file now, one moment."
    assert "".join(d.text for d in deltas if isinstance(d, ThinkingDelta)) == "Hm."
    inputs = [d for d in deltas if isinstance(d, ToolInputDelta)]
    assert {(d.tool, d.part_index) for d in inputs} == {("read_file", 2)}
    signed = {"signature": "sig-of-thinking"} if model_api.kind == "compatible" else {}
    assert message.parts[0] == {"type": "thinking", "thinking": "Hm.", **signed}
    call = message.parts[2]
    assert isinstance(call, dict)
    assert (call["name"], call["input"]) == ("read_file", {"file_path": "a.py"})
    assert (message.stop_reason, message.model, message.request_id) == ("tool_use", "m-1", "req_00000001")
    assert (message.usage.input, message.usage.output, message.usage.cache_read) == (100, 20, 0)


@pytest.mark.parametrize(
    ("auth", "header", "value"),
    [("api_key", "authorization", "Bearer test-key-123456"), ("x-api-key", "x-api-key", "test-key-123456")],
)
async def test_the_key_goes_out_in_the_header_the_endpoint_wants(
    model_api: FakeModelApi, auth: str, header: str, value: str
) -> None:
    model_api.script(text_turn("ok"))
    await deltas_of(model_api, auth=auth)
    sent = model_api.requests[0].headers
    assert sent[header] == value
    assert len({"authorization", "x-api-key"} & set(sent)) == 1


@pytest.mark.parametrize("auth", ["none", "api_key", "x-api-key"])
async def test_without_a_key_no_header_carries_one(model_api: FakeModelApi, auth: str) -> None:
    model_api.script(text_turn("ok"))
    await deltas_of(model_api, auth=auth, key="")
    assert not {"authorization", "x-api-key"} & set(model_api.requests[0].headers)


@pytest.mark.parametrize(
    ("answer", "category", "retryable", "status"),
    [
        (http_failure(529, "overloaded_error"), "overloaded", True, 529),
        (http_failure(529), "overloaded", True, 529),
        (http_failure(429, "rate_limit_error"), "rate_limited", True, 429),
        (http_failure(500, "api_error"), "server", True, 500),
        (http_failure(503), "server", True, 503),
        (http_failure(504, "timeout_error"), "timeout", True, 504),
        (http_failure(502, body="<html>Bad gateway</html>"), "server", True, 502),
        (http_failure(400, "invalid_request_error", "max_tokens: too big"), "bad_request", False, 400),
        (http_failure(400, "invalid_request_error", "prompt is too long: 9 > 8"), "context_overflow", False, 400),
        (http_failure(401, "authentication_error"), "auth", False, 401),
        (http_failure(402, "billing_error"), "billing", False, 402),
        (http_failure(403, "permission_error"), "permission", False, 403),
        (http_failure(404, "not_found_error"), "not_found", False, 404),
        (http_failure(413, "request_too_large"), "too_large", False, 413),
        (http_failure(400, body="the context size of 4096 was exceeded"), "context_overflow", False, 400),
        (http_failure(408), "timeout", True, 408),
        (http_failure(425), "timeout", True, 425),
        (http_failure(409), "server", True, 409),
        *((http_failure(status), "server", True, status) for status in (500, 502, *range(520, 525))),
        (http_failure(422), "bad_request", False, 422),
        (http_failure(410), "bad_request", False, 410),
        (http_failure(505), "server", False, 505),
        (http_failure(500, headers={"x-should-retry": "false"}), "server", False, 500),
        (http_failure(418, headers={"x-should-retry": "true"}), "bad_request", True, 418),
        (http_failure(302, headers={"location": "http://127.0.0.1:9/"}), "not_an_api", False, 302),
    ],
)
async def test_a_refused_request_is_sent_once_and_named(
    model_api: FakeModelApi, answer: Any, category: str, retryable: bool, status: int
) -> None:
    model_api.script(answer)
    error = await failure_of(model_api)
    failure = error.failure
    assert (failure.category, failure.retryable, failure.http_status) == (category, retryable, status)
    assert len(model_api.all_requests) == 1
    assert error.partial is None
    assert error.usage == Usage()


async def test_the_services_words_and_request_id_are_kept(model_api: FakeModelApi) -> None:
    model_api.script(http_failure(404, "not_found_error", "model: m-1"))
    failure = (await failure_of(model_api)).failure
    assert (failure.message, failure.error_type, failure.request_id) == ("model: m-1", "not_found_error", "req_failed")


async def test_the_key_is_never_in_a_failure(model_api: FakeModelApi) -> None:
    model_api.script(http_failure(401, "authentication_error", "key odd.key.42 is unknown; header Bearer abcdefgh123"))
    failure = (await failure_of(model_api, key="odd.key.42")).failure
    assert failure.message == "key [key] is unknown; header Bearer [key]"


@pytest.mark.parametrize(("name", "value"), [("retry-after", "3600"), ("retry-after-ms", "3600000")])
async def test_retry_after_is_reported_and_not_waited_for(model_api: FakeModelApi, name: str, value: str) -> None:
    model_api.script(http_failure(429, "rate_limit_error", headers={name: value}))
    async with asyncio.timeout(20):
        failure = (await failure_of(model_api)).failure
    assert failure.wait_s == 3600


async def test_a_reset_before_any_byte_is_a_network_failure(model_api: FakeModelApi) -> None:
    model_api.script(turn("x", fault="drop_before"))
    error = await failure_of(model_api)
    assert (error.failure.category, error.failure.retryable, error.failure.http_status) == ("network", True, None)
    assert error.partial is None


async def test_a_refused_connection_is_a_network_failure(model_api: FakeModelApi) -> None:
    provider = made(endpoint(model_api, base_url="http://127.0.0.1:9"))
    with pytest.raises(ProviderError) as caught:
        [delta async for delta in provider.stream(request())]
    await provider.close()
    assert (caught.value.failure.category, caught.value.failure.retryable) == ("network", True)


@pytest.mark.parametrize("fault", ["drop_in_text", "eof_in_text"])
async def test_a_cut_in_the_text_keeps_the_text(model_api: FakeModelApi, fault: str) -> None:
    model_api.script(turn("This text will be cut somewhere in its middle.", fault=fault))
    error = await failure_of(model_api)
    assert (error.failure.category, error.failure.retryable) == ("network", True)
    assert error.partial is not None
    assert error.partial.interrupted
    part = error.partial.parts[0]
    assert isinstance(part, dict)
    assert "This text will be cut somewhere".startswith(str(part["text"])[:20])
    assert error.usage.input == (100 if model_api.kind == "compatible" else None), "counts come last in chunks"


async def test_a_cut_in_a_calls_input_keeps_nothing(model_api: FakeModelApi) -> None:
    model_api.script(turn(calls=[("bash", {"command": "echo a long command line"})], fault="drop_in_input"))
    error = await failure_of(model_api)
    assert (error.failure.category, error.partial) == ("network", None)


async def test_a_cut_in_input_after_text_keeps_the_text_without_the_call(model_api: FakeModelApi) -> None:
    model_api.script(turn("First words.", [("bash", {"command": "echo a long command"})], fault="drop_in_input"))
    partial = (await failure_of(model_api)).partial
    assert partial is not None
    assert partial.parts == ({"type": "text", "text": "First words."},)


@pytest.mark.parametrize("fault", ["drop_before_stop", "eof_before_stop"])
async def test_an_answer_without_its_end_has_failed(model_api: FakeModelApi, fault: str) -> None:
    model_api.script(turn("All of the text.", fault=fault))
    error = await failure_of(model_api)
    assert error.failure.category == "network"
    assert error.partial is not None


async def test_a_cut_after_the_stop_reason_is_a_complete_answer(model_api: FakeModelApi) -> None:
    model_api.script(turn("All of it.", fault="drop_after_stop_reason"))
    message = await message_of(model_api)
    assert (message.parts, message.stop_reason) == (({"type": "text", "text": "All of it."},), "end_turn")


@pytest.mark.parametrize(
    ("type_", "category", "retryable"),
    [
        ("overloaded_error", "overloaded", True),
        ("rate_limit_error", "rate_limited", True),
        ("api_error", "server", True),
        ("surprise_error", "server", True),
        ("invalid_request_error", "bad_request", False),
        ("authentication_error", "auth", False),
    ],
)
async def test_an_error_inside_the_stream_is_judged_by_its_type(
    model_api: FakeModelApi, type_: str, category: str, retryable: bool
) -> None:
    model_api.script(turn("Some text that has begun.", fault=f"error:{type_}"))
    error = await failure_of(model_api)
    assert (error.failure.category, error.failure.retryable) == (category, retryable)
    assert (error.failure.error_type, error.failure.http_status) == (type_, 200)
    assert error.failure.request_id == "req_00000001"
    assert error.partial is not None


async def test_a_context_overflow_inside_the_stream_is_named(model_api: FakeModelApi) -> None:
    model_api.script(turn("x", fault="error:invalid_request_error", error_message="maximum context length is 9"))
    assert (await failure_of(model_api)).failure.category == "context_overflow"


@pytest.mark.parametrize("fault", ["stall_before", "stall_before_event"])
async def test_no_first_event_in_time_is_a_timeout(model_api: FakeModelApi, fault: str) -> None:
    model_api.script(turn("x", fault=fault))
    failure = (await failure_of(model_api, first_event_timeout_s=0.3)).failure
    assert (failure.category, failure.retryable, failure.message) == ("timeout", True, "nothing came for 0.3 s")


async def test_a_stall_in_the_stream_is_a_timeout(model_api: FakeModelApi) -> None:
    model_api.script(turn("Some words.", fault="stall"))
    error = await failure_of(model_api, idle_timeout_s=1.0)
    assert (error.failure.category, error.failure.retryable) == ("timeout", True)
    assert error.partial is not None


async def test_a_reader_that_takes_its_time_is_no_stall_of_the_service(model_api: FakeModelApi) -> None:
    model_api.script(turn("Several pieces of text, each of them a delta."))
    async with provider_for(model_api, idle_timeout_s=0.5) as provider:
        last: Delta | None = None
        async for delta in provider.stream(request()):
            last = delta
            await asyncio.sleep(0.6)
    assert isinstance(last, AssistantMessage)


async def test_pings_count_as_signs_of_life(model_api: FakeModelApi) -> None:
    model_api.script(turn("Some words.", fault="stall_pings"))
    async with provider_for(model_api, idle_timeout_s=0.6) as provider:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(_drain(provider), 1.5)


async def test_a_line_that_is_no_event_is_the_services_failure(model_api: FakeModelApi) -> None:
    model_api.script(turn("Some words.", fault="malformed"))
    error = await failure_of(model_api)
    assert (error.failure.category, error.failure.retryable) == ("server", True)


async def test_a_page_instead_of_an_answer_is_no_model_service(model_api: FakeModelApi) -> None:
    model_api.script(turn("x", fault="html"))
    failure = (await failure_of(model_api)).failure
    assert (failure.category, failure.retryable) == ("not_an_api", False)
    assert "hotel network" in failure.message


async def test_json_that_is_no_message_is_the_services_failure(model_api: FakeModelApi) -> None:
    model_api.script(turn("x", fault="json_garbage"))
    assert (await failure_of(model_api)).failure.category == "server"


@pytest.mark.parametrize("fault", ["json", "one_chunk", "no_event_lines"])
async def test_a_server_that_is_nearly_right_completes(model_api: FakeModelApi, fault: str) -> None:
    model_api.script(turn("The answer.", [("grep", {"pattern": "x"})], thinking="t", signature="", fault=fault))
    deltas = await deltas_of(model_api)
    message = deltas[-1]
    assert isinstance(message, AssistantMessage)
    assert [part["type"] for part in message.parts if isinstance(part, dict)] == ["thinking", "text", "tool_use"]
    assert message.parts[0] == {"type": "thinking", "thinking": "t"}
    assert message.stop_reason == "tool_use"
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == "The answer."


async def test_missing_usage_is_unknown_and_not_zero(model_api: FakeModelApi) -> None:
    model_api.script(turn("ok", usage=None, stop_reason=None))
    message = await message_of(model_api)
    assert message.usage == Usage()
    assert message.stop_reason == "end_turn"


async def test_odd_ids_are_kept_and_missing_or_doubled_ones_are_made(model_api: FakeModelApi) -> None:
    calls = [Call("a", {}, id="call.1/ü"), Call("b", {}, id="call.1/ü")]
    model_api.script(turn(calls=calls))
    message = await message_of(model_api)
    ids = [str(part["id"]) for part in message.parts if isinstance(part, dict)]
    assert ids[0] == "call.1/ü"
    assert len(set(ids)) == 2


@pytest.mark.parametrize(
    "raw", ['{"command": "ls', "[1, 2]", "not json", '{"n": NaN}', '{"a":' * 400 + "1" + "}" * 400, '"text"']
)
async def test_input_that_is_no_object_stays_the_text_it_was(model_api: FakeModelApi, raw: str) -> None:
    model_api.script(turn(calls=[Call("bash", raw=raw, id="bad"), Call("grep", {"pattern": "x"}, id="good")]))
    message = await message_of(model_api)
    inputs = {str(part["id"]): part["input"] for part in message.parts if isinstance(part, dict)}
    assert inputs == {"bad": raw, "good": {"pattern": "x"}}


async def test_a_call_without_input_has_an_empty_object(model_api: FakeModelApi) -> None:
    model_api.script(turn(calls=[Call("todo_read", raw="")]))
    part = (await message_of(model_api)).parts[0]
    assert isinstance(part, dict)
    assert part["input"] == {}


async def test_lone_surrogates_in_input_survive(model_api: FakeModelApi) -> None:
    model_api.script(turn(calls=[Call("grep", raw='{"pattern": "\\ud83d"}')]))
    part = (await message_of(model_api)).parts[0]
    assert isinstance(part, dict)
    assert part["input"] == {"pattern": "\ud83d"}


async def test_closing_the_iterator_closes_the_connection(model_api: FakeModelApi) -> None:
    model_api.script(turn("word " * 2000, delay_s=0.01), text_turn("next"))
    async with provider_for(model_api) as provider:
        stream = provider.stream(request())
        assert isinstance(await anext(stream), TextDelta)
        await stream.aclose()
        async with asyncio.timeout(20):
            while not model_api.closed_by_client:
                await asyncio.sleep(0.01)
        assert isinstance([d async for d in provider.stream(request())][-1], AssistantMessage)


async def test_a_cancelled_task_ends_clean(model_api: FakeModelApi) -> None:
    model_api.script(turn("Some words.", fault="stall"))
    async with provider_for(model_api) as provider:
        task = asyncio.ensure_future(_drain(provider))
        await asyncio.to_thread(model_api.wait_for_requests, 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def _drain(provider: StreamedProvider) -> None:
    async for _ in provider.stream(request()):
        pass


async def test_a_server_without_a_model_list_lists_none(model_api: FakeModelApi) -> None:
    model_api.models = None
    async with provider_for(model_api) as provider:
        assert await provider.models() == ()


async def test_a_wrong_key_is_told_when_models_are_listed(model_api: FakeModelApi) -> None:
    model_api.keys = frozenset({"right"})
    async with provider_for(model_api, key="wrong") as provider:
        with pytest.raises(ProviderError) as caught:
            await provider.models()
    assert caught.value.failure.category == "auth"


async def test_two_requests_from_the_same_list_are_equal_byte_for_byte(model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("grep", pattern="x"), text_turn("ok"))
    await deltas_of(model_api)
    await deltas_of(model_api)
    first, second = model_api.requests
    assert first.raw == second.raw


async def test_a_page_instead_of_the_model_list_is_no_model_service(model_api: FakeModelApi) -> None:
    model_api.models_page = "<html>Sign in</html>"
    async with provider_for(model_api) as provider:
        with pytest.raises(ProviderError) as caught:
            await provider.models()
    assert caught.value.failure.category == "not_an_api"


async def test_model_entries_of_odd_form_are_passed_over(model_api: FakeModelApi) -> None:
    model_api.models = ({"id": 5}, {"name": "x"}, {"id": "llama"}, {"id": "big", "max_input_tokens": "many"})
    async with provider_for(model_api) as provider:
        models = await provider.models()
    assert [(model.id, model.name, model.window) for model in models] == [("llama", "llama", 0), ("big", "big", 0)]


async def test_a_provider_can_be_closed_and_used_again(model_api: FakeModelApi) -> None:
    model_api.script(text_turn("a"), text_turn("b"))
    provider = made(endpoint(model_api))
    assert model_api.all_requests == []
    for _ in range(2):
        assert isinstance([delta async for delta in provider.stream(request())][-1], AssistantMessage)
        await provider.close()
    await provider.close()
