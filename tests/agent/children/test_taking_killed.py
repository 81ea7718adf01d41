"""Taking over the work of a child, cut off in the middle by the end of the process."""

import os
import signal
import time
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.commands import SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import ToolCallFinished, ToolCallStarted
from desktop.services.files.pointers import git_folders
from desktop.services.history.branch_move import MOVING_REF
from desktop.store.core.lock import LOCK_NAME, is_held
from tests.agent.children.child_script import Cast
from tests.agent.children.test_foreground import child_of, over
from tests.agent.children.test_own_lanes import BEGINS, TAKES, WRITES
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn
from tests.fakes.model_turns import turn
from tests.forking import fork

pytestmark = pytest.mark.asyncio

ROOT = Path(__file__).resolve().parents[3]
MANY = 400


async def begun(rig: Rig, model_api: FakeModelApi) -> tuple[str, Path]:
    """A chat whose child has committed many files in a lane of its own; its id and its folder."""
    model_api.answer_with(Cast(Parent=[turn(calls=[BEGINS]), text_turn("begun")], Child=WRITES))
    session_id = await rig.new("Parent: go", mode=PermissionMode.EDIT)
    await over(rig, session_id)
    theirs = rig.lane(child_of(rig))
    for number in range(MANY):
        (theirs / f"file{number}.txt").write_text(f"{number}\n" * 50)
    git(theirs, "add", "-A")
    git(theirs, "commit", "-q", "-m", "Many")
    return session_id, rig.lane(session_id)


def kill_while_moving(folders: Folders, repository: Path, session_id: str, mine: Path) -> None:
    """Have another process take it, and kill that (SIGKILL) once it moves the lane's files."""
    own, _ = git_folders(mine)
    words = [str(folders.config.parent), str(repository), session_id]
    process = fork("tests.agent.children.take_victim", words, ROOT, dict(os.environ), session=True)
    with process:
        end = time.monotonic() + 60
        while not (own / MOVING_REF).exists():
            assert time.monotonic() < end
        os.kill(process.pid, signal.SIGKILL)
    while is_held(folders.store / LOCK_NAME):  # by a program that was just begun, for a moment
        assert time.monotonic() < end


@pytest.mark.promise("memory-SU7")
async def test_the_branch_has_moved_with_its_files_or_not_at_all(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    rig = await Rig(folders).open(repository)
    try:
        session_id, mine = await begun(rig, model_api)
        child_id = child_of(rig)
    finally:
        await rig.engine.stop()
    before = git(mine, "rev-parse", "HEAD").strip()
    model_api.answer_with(Cast(Parent=[TAKES, text_turn("taken")]))
    kill_while_moving(folders, repository, session_id, mine)
    own, _ = git_folders(mine)
    rig = await Rig(folders).open(repository)
    try:
        await rig.until(lambda _: not (own / "index.lock").exists() and not (own / MOVING_REF).exists())
        head = git(mine, "rev-parse", "HEAD").strip()
        assert head == before, "its branch moves last"
        assert git(mine, "status", "--porcelain") == ""
        store = rig.engine._store.events
        model_api.answer_with(Cast(Parent=[TAKES, text_turn("taken")]))
        await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
        session = rig.engine.sessions.get(session_id)
        await rig.until(lambda _: session.state.turns == 3 and not session.running)
        log = [e.event for e in store.read(session_id)]
        assert [e.tool for e in log if isinstance(e, ToolCallStarted)] == ["task", *["take_task_changes"] * 2]
        taken = [e for e in log if isinstance(e, ToolCallFinished)][-1]
        assert str(taken.content).startswith(f"Took 2 commits of t1: {MANY + 2} files."), taken.content
        assert git(mine, "status", "--porcelain") == ""
        assert (mine / f"file{MANY - 1}.txt").exists()
        assert not store.verify(session_id)
        assert not store.verify(child_id)
    finally:
        await rig.engine.stop()
