"""Answers of servers that are not as the protocol has them: each ends the call at once, and says what can be said."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from mcp_types import JSONRPCError, JSONRPCResponse
from pydantic import JsonValue

from desktop.services.mcp.answers import RESULT_DROPPED, answer_in
from desktop.services.mcp.link import McpError, McpLink
from desktop.services.mcp.stdio import LONG_LINE, message_in
from desktop.services.peers.answers import NEITHER
from tests.mcp_ground import Ground, said


def line(**fields: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 7, **fields}).encode()


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ("one\ntwo", "one\ntwo"),
        ([1, {"b": 1, "a": "ü"}], '[\n  1,\n  {\n    "b": 1,\n    "a": "ü"\n  }\n]'),
        (None, "(no output)"),
        (42, "42"),
        (False, "false"),
        ("", ""),
    ],
)
def test_a_result_that_is_no_object_is_its_text(result: JsonValue, text: str) -> None:
    answer = message_in(line(result=result))
    assert isinstance(answer, JSONRPCResponse)
    assert (answer.id, answer.result) == (7, {"content": [{"type": "text", "text": text}]})


@pytest.mark.parametrize(
    ("fields", "text", "code", "dropped"),
    [
        ({}, NEITHER, -32603, False),
        ({"error": None}, NEITHER, -32603, False),
        ({"results": 1}, NEITHER, -32603, False),
        ({"error": "it broke"}, "it broke", -32603, False),
        ({"error": " "}, "unknown error", -32603, False),
        ({"error": {}}, "{}", -32603, False),
        ({"error": {"code": 5, "message": "\n"}, "result": {}}, "unknown error", 5, True),
        ({"error": {"code": None, "message": "no"}}, "no", -32603, False),
        ({"error": {"code": 5, "message": "no"}, "result": {"content": []}}, "no", 5, True),
        ({"error": {"code": 5, "message": "no", "data": {"note": "result dropped"}}}, "no", 5, False),
        ({"error": ["no"], "result": "x" * LONG_LINE}, '[\n  "no"\n]', -32603, True),
    ],
)
def test_an_error_goes_before_a_result_and_neither_is_an_error(
    fields: dict[str, Any], text: str, code: int, dropped: bool
) -> None:
    answer = message_in(line(**fields))
    assert isinstance(answer, JSONRPCError)
    assert (answer.id, answer.error.message, answer.error.code) == (7, text, code)
    assert (answer.error.data is RESULT_DROPPED) == dropped


def test_an_error_that_is_none_takes_no_result_away() -> None:
    answer = message_in(line(error=None, result={"content": []}))
    assert isinstance(answer, JSONRPCResponse)
    assert answer_in({"jsonrpc": "2.0", "id": "a", "error": None, "result": {"b": 1}}) == JSONRPCResponse(
        jsonrpc="2.0", id="a", result={"b": 1}
    )


@pytest.mark.parametrize(
    "text",
    [
        "42",
        "[]",
        '{"id": 7}',
        '{"jsonrpc": "2.0"}',
        '{"jsonrpc": "2.0", "id": true}',
        '{"jsonrpc": "2.0", "id": null, "result": 1}',
        '{"jsonrpc": "2.0", "id": 7, "method": 5}',
        '{"jsonrpc": "2.0", "id": 7, "result": "\\ud800"}',
        '{"jsonrpc": "2.0", "id": 7, "result": NaN}',
        '{"jsonrpc": "2.0", "id": 7, "result": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"jsonrpc": "2.0", "id": 7',
    ],
)
def test_what_answers_nothing_is_no_message(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever kind of it
        message_in(text.encode())


@pytest_asyncio.fixture
async def link(tmp_path: Path) -> AsyncIterator[McpLink]:
    ground = Ground(tmp_path)
    yield await ground.link()
    await ground.close()


@pytest.mark.promise("tools-T38")
@pytest.mark.asyncio
async def test_a_call_that_is_answered_badly_ends_at_once(link: McpLink) -> None:
    assert await said(link, "raw", '{"result": "plain"}') == "plain"
    with pytest.raises(McpError) as neither:
        await said(link, "raw", "{}")
    assert (str(neither.value), neither.value.own) == (NEITHER, NEITHER)
    with pytest.raises(McpError) as both:
        await said(link, "raw", '{"result": {"content": []}, "error": {"code": 1, "message": "mine"}}')
    assert (str(both.value), both.value.own, both.value.note) == ("mine", "", "result dropped")
    with pytest.raises(McpError) as blank:
        await said(link, "raw", '{"error": {"code": 1, "message": " ", "data": {"note": "result dropped"}}}')
    assert (str(blank.value), blank.value.own, blank.value.note) == ("unknown error", "unknown error", "")
    assert await said(link, "echo", "still") == "still"
