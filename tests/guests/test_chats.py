"""Chats of the real engine that agents of others carry out, with a scripted model service on this computer."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.domain.events import AssistantMessage, ToolCallFinished
from desktop.domain.guests.events import GuestSessionBegan
from desktop.domain.history.state_of import message_text
from tests.agent.gate_rig import ONCE, REJECT
from tests.agent.rig import Rig, folders_below, make_repository, write_settings
from tests.agent.wholeness import whole
from tests.fakes.model_dialects import TEXT, ModelDialects

INSTALLED = os.environ.get("BANKSMAN_TEST_GUESTS", "")
GUESTS = ("claude", "codex", "gemini")
pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.guests,
    pytest.mark.timeout(400),
    pytest.mark.skipif(not INSTALLED, reason="BANKSMAN_TEST_GUESTS names no folder of agents"),
]


@pytest_asyncio.fixture
async def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rig]:
    programs = Path(INSTALLED) / "node_modules" / ".bin"
    monkeypatch.setenv("PATH", os.pathsep.join((str(programs), os.environ["PATH"])))
    monkeypatch.setenv("SHELL", "")
    folders = folders_below(tmp_path / "home")
    async with ModelDialects() as model:
        write_settings(folders, model.base, guest_models=dict.fromkeys(GUESTS, "fake"))
        made = await Rig(folders).open(make_repository(tmp_path / "shop"))
        yield made
        await made.engine.stop()


@pytest.mark.parametrize("guest_id", GUESTS)
async def test_a_chat_with_it_asks_for_its_command_and_has_its_answer(rig: Rig, guest_id: str) -> None:
    session_id = await rig.new("run-this: touch made", driver=guest_id)
    await rig.answer(session_id, await rig.asked(), ONCE)
    ended = await rig.ended()
    assert (ended.status, ended.detail) == ("completed", "")
    assert (rig.lane(session_id) / "made").exists()
    assert TEXT in "".join(message_text(one) for one in rig.events(AssistantMessage))
    assert len(rig.events(ToolCallFinished)) == 1
    (began,) = rig.events(GuestSessionBegan)
    assert began.guest_id == guest_id
    whole(rig, session_id)


@pytest.mark.parametrize("guest_id", GUESTS)
async def test_a_no_keeps_it_from_its_command(rig: Rig, guest_id: str) -> None:
    session_id = await rig.new("run-this: touch made", driver=guest_id)
    await rig.answer(session_id, await rig.asked(), REJECT)
    await rig.ended()
    assert not (rig.lane(session_id) / "made").exists()
    whole(rig, session_id)
