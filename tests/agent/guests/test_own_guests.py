"""Guests of this computer: found, started in the real sandbox, and followed by the real engine."""

import json
import os
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.config.guests import GuestSettings
from desktop.config.settings_file import load_settings
from desktop.domain.events import AssistantMessage, Notice
from desktop.domain.guests.events import GuestNoticed, GuestSessionBegan
from desktop.domain.guests.updates import GuestChanged
from desktop.domain.history.state_of import message_text
from desktop.services.guests.home import guest_home
from tests.agent.guest_rig import PROGRAM
from tests.agent.rig import Rig, git, write_settings
from tests.agent.wholeness import whole
from tests.guest_ground import written_program

pytestmark = pytest.mark.asyncio
ELSEWHERE = "which count where you use it elsewhere too"


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


@pytest.mark.promise("guests-A36")
async def test_a_service_that_does_not_speak_as_the_guest_asks_is_named(
    tools: Path, folders: Folders, repository: Path
) -> None:
    written_program(tools, "mine-acp", PROGRAM)
    described(folders)
    with (folders.config / "guests.toml").open("a", encoding="utf-8") as file:
        file.write("[guest.gateway]\ndialect = 'gemini'\n")
    write_settings(folders, "http://127.0.0.1:1", guest_models={"mine": "fake"})
    rig = await Rig(folders).open(repository)
    try:
        await rig.new("Do it", driver="mine")
        assert (await rig.ended()).detail.startswith("Mine asks in Gemini's own protocol, which Fake does not speak.")
    finally:
        await rig.engine.stop()


@pytest.mark.promise("guests-A36")
@pytest.mark.parametrize(
    ("dialect", "models", "began_before", "chosen"),
    [
        ("anthropic", {}, False, {"mine": "fake"}),
        ("anthropic", {"mine": ""}, False, {"mine": ""}),
        ("anthropic", {}, True, {}),
        ("gemini", {}, False, {}),
    ],
    ids=["the service of new chats", "own sign-in was chosen", "may be signed in", "speaks otherwise"],
)
async def test_before_its_first_start_a_guest_has_the_service_of_new_chats(
    tools: Path,
    folders: Folders,
    repository: Path,
    dialect: str,
    models: dict[str, str],
    began_before: bool,
    chosen: dict[str, str],
) -> None:
    written_program(tools, "mine-acp", PROGRAM)
    described(folders, {"say": "Done."})
    with (folders.config / "guests.toml").open("a", encoding="utf-8") as file:
        file.write(f"[guest.gateway]\ndialect = '{dialect}'\nenv = {{ MINE_BASE_URL = '{{url}}' }}\n")
    if began_before:
        guest_home(folders.data, "mine")
    write_settings(folders, "http://127.0.0.1:1", guest_models=models)
    rig = await Rig(folders).open(repository)
    try:
        await rig.new("Do it", driver="mine")
        await rig.ended()
        assert load_settings(folders.settings_file).guest_models == chosen
        told = [one.text for one in rig.events(Notice) if "the service of new chats" in one.text]
        assert len(told) == (chosen != models)
        assert all(one.startswith("Mine asks its model through Fake, ") for one in told)
        began = rig.events(GuestSessionBegan)
        assert [one.keys for one in began] == (["gateway"] if chosen.get("mine") else ["login"]) * len(began)
        await rig.new("Again", driver="mine")
        await rig.ended()
        assert len([one for one in rig.events(Notice) if "the service of new chats" in one.text]) == len(told)
    finally:
        await rig.engine.stop()


@pytest.mark.promise("guests-A35")
@pytest.mark.parametrize("given", [True, False])
async def test_a_change_of_the_persons_own_folders_is_told_with_names(
    tools: Path, folders: Folders, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: bool
) -> None:
    person = tmp_path / "person"
    for name in (".mine/sessions/1.json", ".mine/settings.json", ".ssh/key"):
        (person / name).parent.mkdir(parents=True, exist_ok=True)
        (person / name).write_text("{}")
    monkeypatch.setenv("HOME", str(person))
    written_program(tools, "mine-acp", PROGRAM)
    touched = (".mine/hooks.json", ".mine/sessions/2.json", ".ssh/key")
    described(folders, *({"touch_or_say": str(person / name)} for name in touched))
    with (folders.config / "guests.toml").open("a", encoding="utf-8") as file:
        file.write("home = ['.mine', '.not-there']\npassing = ['.mine/sessions/*']\n")
    write_settings(folders, "http://127.0.0.1:1", guests={"mine": GuestSettings(own_folders=given)})
    rig = await Rig(folders).open(repository)
    try:
        session_id = await rig.new("Do it", driver="mine")
        assert (await rig.ended()).status == "completed"
        assert [(person / name).read_text() for name in (".ssh/key", ".mine/settings.json")] == ["{}", "{}"]
        assert (person / ".mine/hooks.json").exists() is given
        told = [one.text for one in rig.events(GuestNoticed) if one.kind == "home_changed"]
        assert told == ([f"Mine changed files of yours, {ELSEWHERE}: ~/.mine/hooks.json."] if given else [])
        assert [one.home for one in rig.events(GuestSessionBegan)] == ["own" if given else "private"]
        lines = [line for one in rig.updates if isinstance(one, GuestChanged) for line in one.lines]
        assert ("Your folders: ~/.mine, which it can change" in lines) is given
        whole(rig, session_id)
    finally:
        await rig.engine.stop()
