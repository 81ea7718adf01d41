"""Agents that people use call tools of Banksman over the bridge, each in its own way, in chats of the real engine."""

import json
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web

from desktop.domain.events import InputRequested, ToolCallDecided, ToolCallFinished
from desktop.domain.gate.pending import Answer
from tests.agent.rig import Rig, folders_below, git, make_repository
from tests.agent.wholeness import whole
from tests.fakes.model_dialects import USAGE, ModelDialects
from tests.guests.ground import write_service

INSTALLED = os.environ.get("BANKSMAN_TEST_GUESTS", "")

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.guests,
    pytest.mark.timeout(400),
    pytest.mark.skipif(not INSTALLED, reason="BANKSMAN_TEST_GUESTS names no folder of agents"),
]
QUESTION = {"question": "Which colour?", "id": "colour", "options": [{"label": "red"}, {"label": "blue"}]}
Call = tuple[str, dict[str, Any]]


class CallingModel(ModelDialects):
    """Answers with these calls of tools on our server, one each time that it is told of tools; `Done.` after them."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json() if request.body_exists else {}
        dialects = {"/messages": _messages, "/responses": _responses, ":streamGenerateContent": _gemini}
        made = next((made for end, made in dialects.items() if request.path.endswith(end)), None)
        if made is None or not body.get("tools") or not self.calls:
            return await super()._answer(request)
        return await self._stream(request, made(self.calls.pop(0), len(self.calls)))


def _messages(call: Call, number: int) -> Iterator[tuple[str, dict[str, Any]]]:
    name, given = call
    start = {"id": f"msg_c{number}", "type": "message", "role": "assistant", "model": "m", "content": []}
    block = {"type": "tool_use", "id": f"toolu_c{number}", "name": f"mcp__banksman__{name}", "input": {}}
    delta = {"type": "input_json_delta", "partial_json": json.dumps(given)}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**start, "stop_reason": None, "stop_sequence": None, "usage": USAGE}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": USAGE},
        {"type": "message_stop"},
    ]
    return ((event["type"], event) for event in events)


def _responses(call: Call, number: int) -> Iterator[tuple[str, dict[str, Any]]]:
    name, given = call
    item = {
        "type": "function_call",
        "id": f"fc_c{number}",
        "call_id": f"call_c{number}",
        "arguments": json.dumps(given),
    }
    item |= {"namespace": "mcp__banksman", "name": name}
    usage = {**USAGE, "total_tokens": 120, "input_tokens_details": None, "output_tokens_details": None}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": f"resp_c{number}"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": f"resp_c{number}", "usage": usage, "output": [item]}},
    ]
    return ((event["type"], event) for event in events)


def _gemini(call: Call, number: int) -> Iterator[tuple[str, dict[str, Any]]]:
    part = {"functionCall": {"name": f"mcp_banksman_{call[0]}", "args": call[1]}}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    yield "", {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-test"}


@pytest_asyncio.fixture
async def model() -> AsyncIterator[CallingModel]:
    async with CallingModel() as made:
        yield made


@pytest_asyncio.fixture
async def rig(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: CallingModel
) -> AsyncIterator[Rig]:
    programs = Path(INSTALLED) / "node_modules" / ".bin"
    monkeypatch.setenv("PATH", os.pathsep.join((str(programs), os.environ["PATH"])))
    monkeypatch.setenv("SHELL", "")
    folders = folders_below(tmp_path / "home")
    write_service(folders, request.getfixturevalue("guest_id"), model.base)
    made = await Rig(folders).open(make_repository(tmp_path / "shop"))
    yield made
    await made.engine.stop()


@pytest.mark.promise("guests-A56")
@pytest.mark.parametrize(("guest_id", "ask"), [("claude", "ask_user"), ("codex", "ask_user"), ("gemini", "askUser")])
async def test_it_asks_the_person_and_commits_with_one_row_for_each(
    rig: Rig, model: CallingModel, guest_id: str, ask: str
) -> None:
    model.calls = [(ask, {"questions": [QUESTION]}), ("commit_changes", {"message": "Add it"})]
    session_id = await rig.new("Ask me, then commit.", driver=guest_id)
    asked = await rig.asked()
    assert asked.request.kind == "question"
    (rig.lane(session_id) / "made.txt").write_text("one")
    await rig.answer(session_id, asked, Answer(outcome="answered", choices={"colour": ("red",)}))
    ended = await rig.ended()
    assert (ended.status, ended.detail) == ("completed", "")
    of_person = "unreported_change"  # the file that no call of the agent explains
    assert [one.tool for one in rig.events(ToolCallDecided)] == ["ask_user", "commit_changes", of_person]
    assert [one.outcome for one in rig.events(ToolCallFinished)] == ["ok", "ok", "ok"]
    assert [one.request.blocking for one in rig.events(InputRequested)] == [True, False]
    assert git(rig.lane(session_id), "log", "-1", "--format=%s").strip() == "Add it"
    whole(rig, session_id)
