"""No tool reads secrets, or what lies elsewhere, without a person; and commands get no secrets of ours."""

import json
import os
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.commands import LoadBlob, SendMessage
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import InputRequested, ToolCallDecided, ToolCallFinished
from desktop.domain.gate.pending import Answer
from desktop.services.git.run import Git, head_commit
from tests.agent.rig import Rig, git, make_repository
from tests.fakes.fake_model_api import Call, FakeModelApi, text_turn, tool_turn, turn

pytestmark = pytest.mark.asyncio
SECRET = "TOPSECRETVALUE"
FILES = {".env": f"KEY={SECRET}\n", "app.py": "print('hello')\n", "deploy/id_rsa": SECRET, "notes.md": "# Notes\n"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    made = make_repository(tmp_path / "shop", FILES)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "diary.txt").write_text(SECRET)
    return made


def calls_for(tmp_path: Path, folders: Folders, lane: Path, repository: Path) -> dict[str, tuple[Call, str]]:
    """Calls that name something closed, and what must come of each: ask, deny, or nothing of it shown."""
    read, grep, listing, run = "read_file", "grep", "list_dir", "bash"
    return {
        "by name": (Call(read, {"file_path": ".env"}), "ask"),
        "below a folder": (Call(read, {"file_path": "deploy/../deploy/./id_rsa"}), "ask"),
        "by a link": (Call(read, {"file_path": "link"}), "ask"),
        "by an absolute path": (Call(read, {"file_path": str(lane / ".env")}), "ask"),
        "in the person's checkout": (Call(read, {"file_path": str(repository / ".env")}), "ask"),
        "grep of the file": (Call(grep, {"pattern": "KEY", "path": ".env"}), "ask"),
        "grep of the link": (Call(grep, {"pattern": "KEY", "path": "link"}), "ask"),
        "grep of all": (Call(grep, {"pattern": "TOPSEC.*"}), "hidden"),
        "grep of all, ignored ones too": (Call(grep, {"pattern": "TOPSEC.*", "include_ignored": True}), "hidden"),
        "grep by glob": (Call(grep, {"pattern": "TOPSEC.*", "glob": ".env"}), "hidden"),
        "grep counts": (Call(grep, {"pattern": "TOPSEC.*", "output_mode": "files_with_matches"}), "hidden"),
        "grep of the checkout": (Call(grep, {"pattern": "TOPSEC.*", "path": str(repository)}), "hidden"),
        "cat": (Call(run, {"command": "cat .env"}), "ask"),
        "head by a link": (Call(run, {"command": "head -n 1 link"}), "ask"),
        "cat after --": (Call(run, {"command": "cat -- .env"}), "ask"),
        "cat from a folder": (Call(run, {"command": "cat ../.env", "cwd": "deploy"}), "ask"),
        "cat elsewhere": (Call(run, {"command": f"cat {tmp_path}/elsewhere/diary.txt"}), "ask"),
        "cat of the checkout's": (Call(run, {"command": f"cat {repository}/.env"}), "ask"),
        "elsewhere": (Call(read, {"file_path": str(tmp_path / "elsewhere" / "diary.txt")}), "ask"),
        "elsewhere by dots": (
            Call(read, {"file_path": "../" * 40 + f"{str(tmp_path)[1:]}/elsewhere/diary.txt"}),
            "ask",
        ),
        "grep elsewhere": (Call(grep, {"pattern": "x", "path": str(tmp_path / "elsewhere")}), "ask"),
        "list elsewhere": (Call(listing, {"path": str(tmp_path / "elsewhere")}), "ask"),
        "glob elsewhere": (Call("glob", {"pattern": str(tmp_path / "elsewhere") + "/*"}), "ask"),
        "glob by path": (Call("glob", {"pattern": "*", "path": str(tmp_path / "elsewhere")}), "ask"),
        "the process": (Call(read, {"file_path": "/proc/self/environ"}), "deny"),
        "the process by a link": (Call(read, {"file_path": "process/environ"}), "deny"),
        "the store": (Call(read, {"file_path": str(folders.store / "banksman.db")}), "deny"),
        "the settings": (Call(read, {"file_path": str(folders.settings_file)}), "deny"),
        "the store by grep": (Call(grep, {"pattern": "x", "path": str(folders.store)}), "deny"),
        "the store by list": (Call(listing, {"path": str(folders.store)}), "deny"),
        "a blob of nobody": (Call(read, {"file_path": "blob:" + "0" * 12}), "hidden"),
    }


async def test_every_way_to_a_secret_asks_or_is_refused(
    rig: Rig, model_api: FakeModelApi, tmp_path: Path, folders: Folders, repository: Path
) -> None:
    model_api.script(text_turn("hi"))
    session_id = await rig.new("Hi")
    await rig.ended()
    lane = rig.lane(session_id)
    (lane / "link").symlink_to(".env")
    (lane / "process").symlink_to("/proc/self")
    cases = calls_for(tmp_path, folders, lane, repository)
    wrong: dict[str, str] = {}
    for number, (name, (call, expected)) in enumerate(cases.items(), start=2):
        model_api.script(turn("", [call]), text_turn("done"))
        before = len(rig.events(InputRequested))
        await rig.engine.handle(SendMessage(session_id=session_id, text=name))
        await rig.until(lambda updates, n=number, b=before: _settled(rig, n - 1, b))
        decided = rig.events(ToolCallDecided)[-1]
        if len(rig.events(InputRequested)) > before:
            await rig.answer(session_id, rig.events(InputRequested)[-1], Answer(outcome="reject"))
            await rig.ended(number)
        verdict = {Verdict.ASK: "ask", Verdict.DENY: "deny", Verdict.ALLOW: "hidden"}[decided.verdict]
        if verdict != expected or SECRET in str(rig.events(ToolCallFinished)[-1].content):
            wrong[name] = f"{verdict}, {rig.events(ToolCallFinished)[-1].content!r}"
    assert not wrong
    assert SECRET not in json.dumps([request.messages for request in model_api.requests[1:]])


def _settled(rig: Rig, calls: int, asked: int) -> bool:
    """The call of this turn waits for a person, or the turn is over."""
    over = not rig.engine.sessions.running() and len(rig.events(ToolCallFinished)) >= calls
    return over or len(rig.events(InputRequested)) > asked


async def test_a_blob_of_another_chat_is_not_read(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="seq 1 20000"), text_turn("done"))
    await rig.new("Count", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    full = rig.events(ToolCallFinished)[0].full
    assert full is not None
    model_api.script(tool_turn("read_file", file_path=f"blob:{full.sha256[:12]}"), text_turn("done"))
    other = await rig.new("Peek")
    await rig.ended(2)
    assert rig.events(ToolCallFinished)[-1].outcome == "error"
    await rig.engine.handle(LoadBlob(session_id=other, sha256=full.sha256))
    assert rig.failures()[-1].code == "no_blob"


async def test_a_command_gets_no_key_and_no_variable_that_leads_programs_astray(
    folders: Folders, repository: Path, model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = ["ANTHROPIC_API_KEY", "GIT_DIR", "GIT_SSH_COMMAND", "PYTHONPATH", "PYTHONSTARTUP", "LD_PRELOAD"]
    planted += ["BASH_ENV", "ENV", "NODE_OPTIONS", "SSH_AUTH_SOCK", "PAGER", "PROMPT_COMMAND", "BASH_FUNC_ls%%"]
    for name in planted:
        monkeypatch.setenv(name, "/planted" if name != "LD_PRELOAD" else "")
    monkeypatch.delenv("GIT_DIR")
    model_api.script(tool_turn("bash", command="env"), text_turn("done"))
    rig = await Rig(folders).open(repository)
    try:
        await rig.new("Env", PermissionMode.FULL_AUTO, without_sandbox=True)
        await rig.ended()
        shown = str(rig.events(ToolCallFinished)[0].content)
        assert "PATH=" in shown
        assert "planted" not in shown
        assert not [name for name in planted if f"{name}=" in shown]
    finally:
        await rig.engine.stop()


@pytest.mark.promise("lanes-G2")
async def test_our_own_git_calls_inherit_no_git_variable(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_repository(tmp_path / "other")
    git(other, "branch", "elsewhere")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_TRACE", "1")
    done = await Git(repository).run("for-each-ref", "--format=%(refname:short)", "refs/heads")
    assert done.stdout == "main\n"
    assert done.stderr == ""


async def test_a_head_that_is_a_pipe_or_leads_away_holds_nothing_up(repository: Path, tmp_path: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD").strip()
    assert head_commit(repository) == commit
    git(repository, "pack-refs", "--all")
    assert head_commit(repository) == commit
    (repository / ".git" / "HEAD").unlink()
    os.mkfifo(repository / ".git" / "HEAD")
    assert head_commit(repository) == ""
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / ".git").write_text("gitdir: \0/nowhere\n")
    assert head_commit(tmp_path / "bare") == ""
