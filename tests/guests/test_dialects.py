"""The scripted model service says the same in four dialects: a call that was asked for, then its text."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from tests.fakes.model_dialects import TEXT, ModelDialects

pytestmark = pytest.mark.asyncio
SAID, COMMAND = "run-this: touch made", "touch made"
TOOL = {"name": "Bash", "input_schema": {}}
FUNCTION = {"type": "function", "function": {"name": "bash"}}
FIRST: dict[str, tuple[str, dict[str, Any]]] = {
    "messages": ("/v1/messages", {"model": "m", "tools": [TOOL], "messages": [{"role": "user", "content": SAID}]}),
    "responses": (
        "/v1/responses",
        {"tools": [{"name": "exec_command"}], "input": [{"role": "user", "content": [{"text": SAID}]}]},
    ),
    "chat": (
        "/v1/chat/completions",
        {"model": "m", "tools": [FUNCTION], "messages": [{"role": "user", "content": SAID}]},
    ),
    "gemini": (
        "/v1beta/models/m:streamGenerateContent",
        {
            "tools": [{"functionDeclarations": [{"name": "run_shell_command"}]}],
            "contents": [{"role": "user", "parts": [{"text": SAID}]}],
        },
    ),
}
RESULT: dict[str, tuple[str, dict[str, Any]]] = {
    "messages": (
        "messages",
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "ok"}]},
    ),
    "responses": ("input", {"type": "function_call_output", "call_id": "1", "output": "ok"}),
    "chat": ("messages", {"role": "tool", "tool_call_id": "1", "content": "ok"}),
    "gemini": ("contents", {"role": "user", "parts": [{"functionResponse": {"name": "run_shell_command"}}]}),
}


@pytest_asyncio.fixture
async def model() -> AsyncIterator[ModelDialects]:
    async with ModelDialects() as made:
        yield made


async def asked(model: ModelDialects, path: str, body: dict[str, Any]) -> str:
    """Its answer, as it came."""
    async with aiohttp.ClientSession() as client, client.post(f"{model.base}{path}", json=body) as answer:
        assert answer.status == 200
        return await answer.text()


@pytest.mark.parametrize(
    ("dialect", "stream"),
    [("messages", True), ("responses", True), ("chat", True), ("chat", False), ("gemini", True), ("gemini", False)],
)
async def test_it_calls_what_a_person_asked_for_and_then_says_that_it_is_done(
    model: ModelDialects, dialect: str, stream: bool
) -> None:
    path, body = FIRST[dialect]
    body, path = {**body, "stream": stream}, path if stream else path.replace(":streamGenerate", ":generate")
    called = await asked(model, path, body)
    assert (COMMAND in called, TEXT in called) == (True, False)
    name, result = RESULT[dialect]
    after = await asked(model, path, {**body, name: [*body[name], result]})
    assert (COMMAND in after, TEXT in after) == (False, True)
    assert model.strange == []
