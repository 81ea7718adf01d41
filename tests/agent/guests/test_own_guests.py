"""Guests of this computer: found, started in the real sandbox, and followed by the real engine."""

import json
import os
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.events import AssistantMessage
from desktop.domain.guests.events import GuestSessionBegan
from desktop.domain.history.state_of import message_text
from tests.agent.guest_rig import PROGRAM
from tests.agent.rig import Rig, git
from tests.agent.wholeness import whole
from tests.guest_ground import written_program

pytestmark = pytest.mark.asyncio


def described(folders: Folders, *steps: dict) -> None:
    """The person's own table of a guest that plays these steps."""
    script = json.dumps({"prompts": [list(steps)]})
    folders.config.mkdir(parents=True, exist_ok=True)
    table = f"[[guest]]\nid = 'mine'\nlabel = 'Mine'\nprograms = ['mine-acp']\nargs = [{json.dumps(script)}]\n"
    (folders.config / "guests.toml").write_text(table, encoding="utf-8")


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the person's PATH."""
    folder = tmp_path / "tools" / "bin"
    folder.mkdir(parents=True)
    monkeypatch.setenv("PATH", os.pathsep.join((str(folder), os.environ["PATH"])))
    monkeypatch.setenv("SHELL", "")
    return folder


@pytest.mark.promise("guests-A34")
async def test_a_guest_that_is_installed_works_in_the_sandbox(tools: Path, folders: Folders, repository: Path) -> None:
    written_program(tools, "mine-acp", PROGRAM)
    outside = tools.parent / "outside"
    steps = ({"write": "made.txt", "content": "by us"}, {"touch": "own.txt"}, {"touch_or_say": str(outside)})
    described(folders, *steps)
    rig = await Rig(folders).open(repository)
    try:
        session_id = await rig.new("Do it", driver="mine")
        ended = await rig.ended()
        assert (ended.status, ended.detail) == ("completed", "")
        assert (rig.lane(session_id) / "made.txt").read_text() == "by us"
        assert (rig.lane(session_id) / "own.txt").exists()
        assert "".join(message_text(one) for one in rig.events(AssistantMessage)) in ("done", "donekept out")
        assert not outside.exists()
        (began,) = rig.events(GuestSessionBegan)
        assert (began.label, len(began.program_sha256)) == ("Mine", 64)
        whole(rig, session_id)
    finally:
        await rig.engine.stop()


@pytest.mark.promise("guests-A2")
async def test_a_guest_that_is_not_installed_is_told_so(tools: Path, folders: Folders, repository: Path) -> None:
    described(folders)
    rig = await Rig(folders).open(repository)
    try:
        await rig.new("Do it", driver="mine")
        ended = await rig.ended()
        assert (ended.status, ended.detail) == ("failed", "Mine is not installed on this computer.")
        await rig.new("Do it", driver="none-such")
        (failure,) = rig.failures()
        assert failure.text == "There is no agent 'none-such' here. Choose another one."
    finally:
        await rig.engine.stop()


async def test_a_guest_that_ends_at_once_is_told_in_its_words(tools: Path, folders: Folders, repository: Path) -> None:
    program = tools / "mine-acp"
    program.write_text("#!/bin/sh\necho no licence >&2\nexit 4\n")
    program.chmod(0o755)
    described(folders)
    rig = await Rig(folders).open(repository)
    try:
        session_id = await rig.new("Do it", driver="mine")
        ended = await rig.ended()
        assert ended.status == "failed"
        assert "no licence" in ended.detail
        whole(rig, session_id)
    finally:
        await rig.engine.stop()


@pytest.mark.promise("guests-A54")
async def test_a_guest_in_the_sandbox_reaches_the_tools_of_its_chat(
    tools: Path, folders: Folders, repository: Path
) -> None:
    written_program(tools, "mine-acp", PROGRAM)
    commit = {"mcp": "tools/call", "params": {"name": "commit_changes", "arguments": {"message": "Add own.txt"}}}
    described(folders, {"touch": "own.txt"}, commit)
    rig = await Rig(folders).open(repository)
    try:
        session_id = await rig.new("Do it", driver="mine")
        ended = await rig.ended()
        assert (ended.status, ended.detail) == ("completed", "")
        assert git(rig.lane(session_id), "log", "-1", "--format=%s").strip() == "Add own.txt"
        whole(rig, session_id)
    finally:
        await rig.engine.stop()
