"""A whole turn at a service of the chat completions protocol: thought, asked, approved, run, answered, recorded."""

from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.config.settings import Endpoint, Settings
from desktop.config.settings_file import save_settings
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import AssistantMessage, ToolCallFinished
from desktop.domain.gate.pending import Answer
from tests.agent.rig import Rig, folders_below
from tests.fakes.fake_model_api import CHAT, FakeModelApi, http_failure, text_turn, turn

pytestmark = pytest.mark.asyncio


@pytest.fixture
def folders(tmp_path: Path, model_api: FakeModelApi) -> Folders:
    found = folders_below(tmp_path / "home")
    service = Endpoint(
        id="local",
        label="Local",
        kind="openai_compatible",
        base_url=model_api.url,
        auth="none",
        default_model="qwen",
    )
    save_settings(found.settings_file, Settings(endpoints=(service,), default_endpoint="local"))
    return found


async def test_a_turn_with_an_approved_command_runs_and_is_recorded(rig: Rig, model_api: FakeModelApi) -> None:
    calls = [("bash", {"command": "touch made.txt"}), ("read_file", {"file_path": "notes.md"})]
    model_api.script(http_failure(503), turn("Making it.", calls, thinking="Two calls."), text_turn("Made, and read."))
    session_id = await rig.new("make a file", PermissionMode.EDIT)
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_once"))
    assert (await rig.ended()).status == "completed"
    assert (rig.lane(session_id) / "made.txt").exists()
    assert [one.is_error for one in rig.events(ToolCallFinished)] == [False, False]
    first, last = rig.events(AssistantMessage)
    kinds = [part["type"] for part in first.parts if isinstance(part, dict)]
    assert kinds == ["thinking", "text", "tool_use", "tool_use"]
    assert (last.usage.input, last.usage.output, last.model) == (100, 20, "qwen")
    assert {request.path for request in model_api.requests} == {CHAT}
    said = model_api.requests[-1].body["messages"]
    assert [one["role"] for one in said] == ["system", "user", "assistant", "tool", "tool"]
    assert [one["function"]["name"] for one in said[2]["tool_calls"]] == ["bash", "read_file"]
    assert "# Notes" in said[4]["content"]
