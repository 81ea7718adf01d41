"""Agents that are driven where they are installed: `BANKSMAN_TEST_MORE_GUESTS` names the folder of their programs.

opencode and Qwen Code are packages of npm (opencode-ai@1.18.33, @qwen-code/qwen-code@0.24.4), Vibe and fast-agent of
PyPI (mistral-vibe==3.0.3, fast-agent-mcp==0.10.48, with Python 3.13). `packaging/guests.py` does not install them.
"""

import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from pydantic import SecretStr

from desktop.domain.commands import SaveKey
from desktop.domain.events import AssistantMessage, InputRequested
from desktop.domain.gate.pending import Answer
from desktop.domain.guests.events import GuestSessionBegan
from desktop.domain.history.state_of import message_text
from tests.agent.credential_rig import file_keyring
from tests.agent.rig import folders_below, git, make_repository
from tests.agent.wholeness import whole
from tests.fakes.model_dialects import TEXT, ModelDialects
from tests.guests.ground import KEY, MORE_GUESTS, Ground

FOLDER = os.environ.get("BANKSMAN_TEST_MORE_GUESTS", "")
PROGRAMS = {"vibe": "vibe-acp"}
ASKS = ("opencode", "qwen", "fast-agent")
"""Those whose tools the scripted model service knows."""
pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(200)]


@pytest_asyncio.fixture(params=MORE_GUESTS)
async def ground(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Ground]:
    program = PROGRAMS.get(request.param, request.param)
    if not FOLDER or shutil.which(program, path=FOLDER) is None:
        pytest.skip(f"BANKSMAN_TEST_MORE_GUESTS names no folder with {program}")
    person = tmp_path / "person"
    person.mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join((FOLDER, os.environ["PATH"])))
    monkeypatch.setenv("SHELL", "")
    monkeypatch.setenv("HOME", str(person))
    async with ModelDialects() as model:
        with file_keyring(tmp_path / "keyring.json"):
            made = Ground(request.param, folders_below(tmp_path / "home"), model, person)
            repository = make_repository(tmp_path / "shop")
            (repository / "opencode.json").write_text('{"agent": {"build": {"permission": {"bash": "allow"}}}}')
            git(repository, "add", "opencode.json")
            git(repository, "commit", "-qm", "a file by which it would not ask")
            await made.rig.open(repository)
            try:
                await made.rig.engine.handle(SaveKey(endpoint_id="fake", key=SecretStr(KEY)))
                yield made
                whole(made.rig, made.session_id)
            finally:
                await made.rig.engine.stop()
            made.nothing_left()


async def test_it_is_told_of_a_model_and_asks_before_a_command(ground: Ground) -> None:
    await ground.say("Say that you are done.")
    ended = await ground.ended()
    assert (ended.status, ended.detail) == ("completed", "")
    assert TEXT in [message_text(one) for one in ground.of(AssistantMessage)]
    assert ground.of(GuestSessionBegan)[0].guest_id == ground.guest_id
    await ground.say("run-this: touch made; echo told")
    if ground.guest_id not in ASKS:
        await ground.ended()
        return
    card = await ground.card()
    assert isinstance(card, InputRequested)
    assert not (ground.lane / "made").exists()
    ground.no_key_in_environments()
    await ground.rig.answer(ground.session_id, card, Answer(outcome="allow_once"))
    ended = await ground.ended()
    assert (ended.status, ended.detail) == ("completed", "")
    assert (ground.lane / "made").exists()
