"""Answers, refusals and lists of models in the form in which OpenAI, OpenRouter, Ollama, vLLM, LM Studio and llama.cpp
document them. Names and numbers are made up."""

import json
from typing import Any

import pytest

from desktop.domain.core.usage import Usage
from desktop.domain.events import AssistantMessage
from tests.fakes.fake_model_api import FakeModelApi, http_failure, turn
from tests.providers.asking import deltas_of, failure_of, provider_for

pytestmark = pytest.mark.asyncio
DONE = "data: [DONE]"
CALL = {"type": "tool_use", "name": "grep", "input": {"pattern": "x"}}
Json = dict[str, Any]


def chunk(delta: Json, reason: str | None = None, **fields: Any) -> Json:
    """A chunk as all of them have it."""
    choice: Json = {"index": 0, "delta": delta, "finish_reason": reason}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_790_000_000, "model": "m-1"}
    return {**head, "choices": [choice | fields.pop("choice", {})], **fields}


def called(call_id: str, arguments: str, **fields: Any) -> Json:
    """A call, or the first piece of one."""
    function = {"name": "grep", "arguments": arguments}
    return {"tool_calls": [{"index": 0, "id": call_id, "type": "function", "function": function, **fields}]}


def more(arguments: str) -> Json:
    """A further piece of the first call."""
    return {"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]}


def counted(prompt: int, completion: int, **fields: Any) -> Json:
    """The last chunk, with counts."""
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion, **fields}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "m-1", "choices": [], "usage": counts}


OPENAI = [
    chunk({"role": "assistant", "content": "", "refusal": None}, service_tier="default", usage=None, obfuscation="q"),
    chunk({"content": "Looking."}, system_fingerprint="fp_1", usage=None, choice={"logprobs": None}),
    chunk(called("call_Ab12", "") | {"content": None}, usage=None),
    chunk(more('{"patt')),
    chunk(more('ern":"x"}')),
    chunk({}, "tool_calls", usage=None),
    counted(
        90, 12, prompt_tokens_details={"cached_tokens": 64, "audio_tokens": 0},
        completion_tokens_details={"reasoning_tokens": 4, "audio_tokens": 0},
    ),
    DONE,
]  # fmt: skip
OPENROUTER = [
    ": OPENROUTER PROCESSING",
    chunk(
        {"role": "assistant", "content": "", "reasoning": "Hm.", "reasoning_details": [
            {"type": "reasoning.text", "text": "Hm.", "format": "unknown", "index": 0}
        ]}, provider="Someone", choice={"native_finish_reason": None, "logprobs": None},
    ),
    ": OPENROUTER PROCESSING",
    chunk({"role": "assistant", "content": "Looking."}, provider="Someone"),
    chunk(called("tool_0_grep", '{"pattern":"x"}') | {"role": "assistant", "content": None}, provider="Someone"),
    chunk({"role": "assistant", "content": ""}, "tool_calls", choice={"native_finish_reason": "tool_use"}),
    chunk(
        {"role": "assistant", "content": ""},
        usage={"prompt_tokens": 90, "completion_tokens": 12, "total_tokens": 102, "cost": 0.0001, "is_byok": False,
               "prompt_tokens_details": {"cached_tokens": 0}, "cost_details": {"upstream_inference_cost": None}},
    ),
    DONE,
]  # fmt: skip
OLLAMA = [
    chunk({"role": "assistant", "content": "", "reasoning": "Hm."}, system_fingerprint="fp_ollama"),
    chunk({"role": "assistant", "content": "Looking."}, system_fingerprint="fp_ollama"),
    chunk(called("call_x1y2z3", '{"pattern":"x"}') | {"role": "assistant", "content": ""}),
    chunk({"role": "assistant", "content": ""}, "tool_calls", system_fingerprint="fp_ollama"),
    counted(90, 12),
    DONE,
]
VLLM = [
    chunk({"role": "assistant", "content": ""}, choice={"logprobs": None}),
    chunk({"reasoning_content": "Hm."}, choice={"logprobs": None}),
    chunk({"content": "Looking."}, choice={"logprobs": None, "stop_reason": None}),
    chunk(called("chatcmpl-tool-0a1b", "")),
    chunk(more('{"pattern": ')),
    chunk(more('"x"}')),
    chunk({"content": ""}, "tool_calls", choice={"stop_reason": None}),
    counted(90, 12, prompt_tokens_details=None),
    DONE,
]
LM_STUDIO = [
    chunk({"role": "assistant", "content": "Looking."}, system_fingerprint="m-1", choice={"logprobs": None}),
    chunk(called("365174485", "") | {"role": "assistant"}, system_fingerprint="m-1"),
    chunk(more('{"pattern":')),
    chunk(more('"x"}')),
    chunk({}, "tool_calls", system_fingerprint="m-1"),
    DONE,
]
LLAMA_CPP = [
    chunk({"role": "assistant", "content": None}, system_fingerprint="b1-abc"),
    chunk({"reasoning_content": "Hm."}),
    chunk({"content": "Looking."}),
    chunk(called("Zk3abcdefghijklmnopqrstuvwxyz0123", "{")),
    chunk(more('"pattern":"x"}')),
    chunk({}, "tool_calls"),
    counted(90, 12) | {"timings": {"prompt_n": 90, "predicted_n": 12, "predicted_per_second": 40.5}},
    DONE,
]
ANSWERS = {
    "openai": (OPENAI, "", Usage(input=26, output=12, cache_read=64)),
    "openrouter": (OPENROUTER, "Hm.", Usage(input=90, output=12, cache_read=0)),
    "ollama": (OLLAMA, "Hm.", Usage(input=90, output=12)),
    "vllm": (VLLM, "Hm.", Usage(input=90, output=12)),
    "lm studio": (LM_STUDIO, "", Usage()),
    "llama.cpp": (LLAMA_CPP, "Hm.", Usage(input=90, output=12)),
}


def error(message: str, **fields: Any) -> Json:
    """What OpenAI answers, and most that follow it."""
    return {"error": {"message": message, **fields}}


REFUSALS = [
    ("openai", 401, error("Incorrect key", type="invalid_request_error", param=None, code="invalid_api_key"), "auth"),
    ("openai", 429, error("Quota", type="insufficient_quota", param=None, code="insufficient_quota"), "billing"),
    ("openai", 429, error("Slow down", type="requests", param=None, code="rate_limit_exceeded"), "rate_limited"),
    ("openai", 404, error("No model", type="invalid_request_error", param=None, code="model_not_found"), "not_found"),
    (
        "openai",
        400,
        error("Too many", type="invalid_request_error", param="messages", code="context_length_exceeded"),
        "context_overflow",
    ),
    ("openai", 503, error("Overloaded", type="server_error", param=None, code=None), "server"),
    ("openrouter", 401, error("No auth credentials found", code=401), "auth"),
    ("openrouter", 402, error("Insufficient credits", code=402), "billing"),
    ("openrouter", 403, error("Flagged", code=403, metadata={"reasons": ["x"], "flagged_input": "y"}), "permission"),
    ("openrouter", 408, error("Timed out", code=408), "timeout"),
    ("openrouter", 429, error("Rate limited", code=429, metadata={"provider_name": "Someone"}), "rate_limited"),
    ("openrouter", 502, error("Provider returned error", code=502, metadata={"raw": "{}"}), "server"),
    ("openrouter", 400, error("This endpoint's maximum context length is 9 tokens.", code=400), "context_overflow"),
    ("ollama", 404, error('model "m-1" not found', type="api_error", param=None, code=None), "not_found"),
    ("ollama", 404, error("model 'm-1' not found", type="not_found_error", param=None, code=None), "not_found"),
    ("ollama", 404, {"error": "model 'm-1' not found"}, "not_found"),
    ("ollama", 400, error("m-1 does not support tools", type="invalid_request_error", code=None), "bad_request"),
    ("ollama", 500, error("runner has ended", type="api_error", param=None, code=None), "server"),
    (
        "vllm",
        400,
        {"object": "error", "message": "This model's maximum context length is 9 tokens.", "type": "BadRequestError",
         "param": None, "code": 400},
        "context_overflow",
    ),
    ("vllm", 404, error("The model does not exist.", type="NotFoundError", param="model", code=404), "not_found"),
    ("vllm", 401, {"error": "Unauthorized"}, "auth"),
    ("vllm", 500, error("EngineCore died", type="InternalServerError", param=None, code=500), "server"),
    ("lm studio", 404, error("Failed to load", type="invalid_request_error", code="model_not_found"), "not_found"),
    ("lm studio", 400, {"error": "The model was loaded with context length of only 9 tokens."}, "context_overflow"),
    ("llama.cpp", 401, error("Invalid API Key", type="authentication_error", code=401), "auth"),
    ("llama.cpp", 503, error("Loading model", type="unavailable_error", code=503), "server"),
    (
        "llama.cpp",
        400,
        error("too large", type="exceed_context_size_error", code=400, n_prompt_tokens=9, n_ctx=8),
        "context_overflow",
    ),
    ("llama.cpp", 501, error("not supported", type="not_supported_error", code=501), "server"),
]  # fmt: skip
CUT_SHORT = [
    ("openai", error("Server had an error", type="server_error", code=None), "server", True),
    (
        "openrouter",
        {**chunk({"content": ""}, "error"), "error": {"code": 502, "message": "Provider disconnected"}},
        "server",
        True,
    ),
    ("openrouter", {**chunk({}, "error"), "error": {"code": 429, "message": "Rate limited"}}, "rate_limited", True),
    ("openrouter", {**chunk({}, "error"), "error": {"code": 402, "message": "No credits"}}, "billing", False),
    ("openrouter", {**chunk({}, "error"), "error": {"code": "server_error", "message": "x"}}, "server", True),
    ("ollama", {"error": {"message": "an error", "type": "api_error", "param": None, "code": None}}, "server", True),
    ("ollama", {"error": "unexpected EOF"}, "server", True),
    ("vllm", error("died", type="InternalServerError", param=None, code=500), "server", True),
    ("vllm", {"object": "error", "message": "died", "type": "InternalServerError", "code": 500}, "server", True),
    ("lm studio", 'event: error\ndata: {"error":{"message":"The model has crashed"}}', "server", True),
    ("lm studio", error("Context size has been exceeded."), "context_overflow", False),
    ("llama.cpp", error("x", type="exceed_context_size_error", code=400, n_ctx=8), "context_overflow", False),
]
LISTS = {
    "openai": ([{"id": "m-1", "object": "model", "created": 1, "owned_by": "system"}, {"id": "whisper-1"}], (0, 0)),
    "openrouter": (
        [
            {
                "id": "m-1", "canonical_slug": "m-1", "name": "M: One", "context_length": 9_000,
                "architecture": {"input_modalities": ["text"]}, "per_request_limits": None,
                "pricing": {"prompt": "0.0000025", "completion": "0.00001", "request": "0", "image": "0"},
                "top_provider": {"context_length": 9_000, "max_completion_tokens": 700, "is_moderated": False},
            }
        ],
        (9_000, 2_500_000),
    ),
    "ollama": ([{"id": "m-1", "object": "model", "created": 1, "owned_by": "library"}], (0, 0)),
    "vllm": (
        [{"id": "m-1", "object": "model", "owned_by": "vllm", "root": "m", "parent": None, "max_model_len": 8_192}],
        (8_192, 0),
    ),
    "lm studio": ([{"id": "m-1", "object": "model", "owned_by": "organization_owner"}], (0, 0)),
    "llama.cpp": (
        [{"id": "m-1", "owned_by": "llamacpp", "meta": {"n_vocab": 9, "n_ctx": 4_096, "n_ctx_train": 131_072}}],
        (4_096, 0),
    ),
    "llama.cpp, older": ([{"id": "m-1", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131_072}}], (0, 0)),
    "llama.cpp, asleep": ([{"id": "m-1", "owned_by": "llamacpp", "meta": None}], (0, 0)),
}  # fmt: skip


@pytest.fixture(autouse=True)
def speaks_chat(model_api: FakeModelApi) -> None:
    model_api.kind = "openai_compatible"


def stream(*chunks: Any) -> Any:
    """An answer of these chunks, as they are."""
    lines = [chunk if isinstance(chunk, str) else f"data: {json.dumps(chunk)}" for chunk in chunks]
    return turn("\n\n".join([*lines, ""]), fault="raw:text/event-stream")


@pytest.mark.promise("sessions-SV5")
@pytest.mark.parametrize("server", ANSWERS)
async def test_an_answer_is_read_whole(model_api: FakeModelApi, server: str) -> None:
    chunks, thinking, usage = ANSWERS[server]
    model_api.script(stream(*chunks))
    message = (await deltas_of(model_api))[-1]
    assert isinstance(message, AssistantMessage)
    parts = [{name: value for name, value in part.items() if name != "id"} for part in _parts(message)]
    thought = [{"type": "thinking", "thinking": thinking}] if thinking else []
    assert parts == [*thought, {"type": "text", "text": "Looking."}, CALL]
    assert all(part["id"] for part in _parts(message) if part["type"] == "tool_use")
    assert (message.stop_reason, message.model, message.usage) == ("tool_use", "m-1", usage)


@pytest.mark.parametrize(("server", "status", "body", "category"), REFUSALS)
async def test_a_refusal_is_named(model_api: FakeModelApi, server: str, status: int, body: Json, category: str) -> None:
    model_api.script(http_failure(status, body=json.dumps(body)))
    failure = (await failure_of(model_api)).failure
    again = category in ("rate_limited", "overloaded", "timeout") or (category == "server" and status != 501)
    assert (failure.category, failure.retryable, failure.http_status) == (category, again, status)
    said = body["error"] if isinstance(body.get("error"), str) else (body.get("error") or body)["message"]
    assert failure.message == said


@pytest.mark.parametrize(("server", "bad", "category", "retryable"), CUT_SHORT)
async def test_an_answer_that_ends_in_an_error_is_judged_and_what_came_is_kept(
    model_api: FakeModelApi, server: str, bad: Any, category: str, retryable: bool
) -> None:
    model_api.script(stream(chunk({"role": "assistant", "content": "Some text."}), bad, DONE))
    failed = await failure_of(model_api)
    assert (failed.failure.category, failed.failure.retryable) == (category, retryable)
    assert failed.partial is not None
    assert failed.partial.parts == ({"type": "text", "text": "Some text."},)


@pytest.mark.parametrize("server", LISTS)
async def test_a_list_of_models_tells_window_and_price_where_the_server_does(
    model_api: FakeModelApi, server: str
) -> None:
    entries, (window, price) = LISTS[server]
    model_api.models = tuple(entries)
    async with provider_for(model_api) as provider:
        (model,) = await provider.models()
    assert (model.id, model.window, model.input_microusd or 0) == ("m-1", window, price)
    assert model.max_output == (700 if server == "openrouter" else 0)


def _parts(message: AssistantMessage) -> list[Json]:
    return [part for part in message.parts if isinstance(part, dict)]
