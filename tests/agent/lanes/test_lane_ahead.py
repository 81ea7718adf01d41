"""The files of a chat's own lane are written while its first message is: it gets them, and nothing of them is left."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.agent.lanes import ahead as ahead_module
from desktop.domain.commands import OpenProject
from desktop.domain.lanes.commands import PrepareLane
from desktop.domain.lanes.updates import LanesChanged
from desktop.domain.updates import CommandFailed
from desktop.services.lanes.making import spare as spare_module
from desktop.services.lanes.making.plan import LaneWish
from tests.agent.rig import Rig, folders_below, git, make_repository, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn

pytestmark = pytest.mark.asyncio

KILLED = """
    import asyncio, sys
    from pathlib import Path
    from desktop.domain.lanes.commands import PrepareLane
    from desktop.services.lanes.making import spare
    from tests.agent.rig import Rig, folders_below
    spare.WORTH_BYTES = 0

    async def main():
        rig = await Rig(folders_below(Path(sys.argv[1]))).open(Path(sys.argv[2]))
        await rig.engine.handle(PrepareLane())
        while not any(rig.folders.lanes.glob("*/files/app.py")):
            await asyncio.sleep(0.01)
        print("written", flush=True)
        await asyncio.sleep(60)

    asyncio.run(main())
"""


@pytest.fixture(autouse=True)
def _every_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spare_module, "WORTH_BYTES", 0)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", {"app.py": "one\n", "docs/a.md": "text\n"})


@pytest.fixture
def model_api():
    with FakeModelApi() as api:
        api.script(*[text_turn("done")] * 3)
        yield api


@pytest_asyncio.fixture
async def rig(tmp_path: Path, repository: Path, model_api: FakeModelApi):
    folders = folders_below(tmp_path / "home")
    write_settings(folders, model_api.url)
    rig = await Rig(folders).open(repository)
    yield rig
    await rig.engine.stop()
    assert not spares(rig)


def spares(rig: Rig) -> list[Path]:
    """The folders of spare files that are there."""
    return list(rig.folders.lanes.glob("banksman-passing-*"))


async def ready(rig: Rig, commit: str) -> Path:
    """Where the spare files of this commit stand, once they are whole."""
    lanes = rig.engine.parts.base.ground.lanes
    await rig.engine.handle(PrepareLane())
    while lanes.spare is not None and lanes.spare.serves(""):
        await asyncio.sleep(0.01)
    assert lanes.spare is not None
    assert lanes.spare.serves(commit)
    (one,) = spares(rig)
    return one / "files"


async def gone(rig: Rig) -> None:
    """Wait until no spare files are there."""
    while spares(rig):
        await asyncio.sleep(0.01)


def head(repository: Path) -> str:
    return git(repository, "rev-parse", "HEAD").strip()


def lane_of(rig: Rig, session_id: str) -> Path:
    lane = rig.engine.sessions.get(session_id).lane
    assert lane is not None
    return Path(lane.worktree_path)


async def test_the_next_chat_gets_the_files_and_nobody_sees_them_before(rig: Rig, repository: Path) -> None:
    inode = (await ready(rig, head(repository))).stat().st_ino
    lanes = rig.engine.parts.base.ground.lanes
    assert [lane.type for lane in lanes.all_of_project(rig.engine.project.id)] in ([], ["primary"])
    assert not [lane for one in rig.updates if isinstance(one, LanesChanged) for lane in one.lanes]
    assert len(git(repository, "worktree", "list").splitlines()) == 1
    assert git(repository, "branch", "--list", "lane/*") == ""
    lane = lane_of(rig, await rig.new("Look around"))
    await rig.ended()
    assert lane.stat().st_ino == inode
    assert git(lane, "status", "--porcelain", "--ignored") == ""
    assert (lane / "docs" / "a.md").read_text() == "text\n"
    assert not spares(rig)
    assert lane_of(rig, await rig.new("Again")).stat().st_ino != inode


async def test_they_are_written_once_for_as_many_windows_as_ask(rig: Rig, repository: Path) -> None:
    await asyncio.gather(*(rig.engine.handle(PrepareLane()) for _ in range(3)))
    first = await ready(rig, head(repository))
    assert await ready(rig, head(repository)) == first


async def test_when_the_base_moved_the_lane_begins_at_the_new_one(rig: Rig, repository: Path) -> None:
    first = await ready(rig, head(repository))
    (repository / "app.py").write_text("two\n")
    git(repository, "commit", "-qam", "second")
    lane = lane_of(rig, await rig.new("Look around"))
    assert (lane / "app.py").read_text() == "two\n"
    assert git(lane, "status", "--porcelain") == ""
    assert not first.exists()


async def test_when_the_base_moved_they_are_written_anew(rig: Rig, repository: Path) -> None:
    first = await ready(rig, head(repository))
    (repository / "app.py").write_text("two\n")
    git(repository, "commit", "-qam", "second")
    await rig.engine.handle(PrepareLane())
    while first.exists():
        await asyncio.sleep(0.01)
    second = await ready(rig, head(repository))
    assert (second / "app.py").read_text() == "two\n"


async def test_what_was_done_by_hand_in_them_reaches_no_lane(rig: Rig, repository: Path) -> None:
    files = await ready(rig, head(repository))
    (files / "app.py").write_text("planted\n")
    lane = lane_of(rig, await rig.new("Look around"))
    assert (lane / "app.py").read_text() == "one\n"
    assert git(lane, "status", "--porcelain", "--ignored") == ""


async def test_a_lane_that_is_no_chats_own_leaves_them_where_they_are(rig: Rig, repository: Path) -> None:
    files = await ready(rig, head(repository))
    project = rig.engine.project
    assert project is not None
    made = await rig.engine.parts.lanes.making.maker.make(project, LaneWish(name="mine"))
    assert made.lane.inode != files.stat().st_ino
    assert files.exists()


async def test_when_nothing_is_written_any_more_they_go(rig: Rig, repository: Path) -> None:
    await ready(rig, head(repository))
    await rig.engine.handle(PrepareLane(wanted=False))
    await gone(rig)


async def test_with_another_repository_they_go(rig: Rig, repository: Path, tmp_path: Path) -> None:
    await ready(rig, head(repository))
    await rig.engine.handle(OpenProject(path=str(repository)))
    assert spares(rig)
    await rig.engine.handle(OpenProject(path=str(make_repository(tmp_path / "other"))))
    await gone(rig)


async def test_after_a_while_they_go(rig: Rig, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead_module, "KEPT_S", 0.0)
    await rig.engine.handle(PrepareLane())
    lanes = rig.engine.parts.base.ground.lanes
    while lanes.spare is not None:
        await asyncio.sleep(0.01)
    await gone(rig)


async def test_without_a_commit_nothing_is_written(rig: Rig, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    git(tmp_path / "empty", "init", "-q")
    await rig.engine.handle(OpenProject(path=str(tmp_path / "empty")))
    await rig.engine.handle(PrepareLane())
    assert rig.engine.parts.base.ground.lanes.spare is None
    assert not [one for one in rig.updates if isinstance(one, CommandFailed)]


async def test_without_a_repository_nothing_is_written(tmp_path: Path) -> None:
    folders = folders_below(tmp_path / "home")
    rig = Rig(folders)
    await rig.engine.start()
    await rig.engine.handle(PrepareLane())
    await rig.engine.stop()
    assert not [one for one in rig.updates if isinstance(one, CommandFailed)]


async def test_what_a_killed_program_left_is_swept_at_the_next_start(
    repository: Path, tmp_path: Path, model_api: FakeModelApi
) -> None:
    folders = folders_below(tmp_path / "home")
    write_settings(folders, model_api.url)
    words = [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path / "home"), str(repository)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"written\n"
        os.kill(child.pid, signal.SIGKILL)
    mine = folders.lanes / "banksman-passing-mine"
    mine.mkdir()
    rig = Rig(folders)
    assert len(spares(rig)) == 2
    await rig.open(repository)
    while spares(rig) != [mine]:
        await asyncio.sleep(0.01)
    await rig.engine.stop()
