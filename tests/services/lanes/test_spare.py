"""Files written ahead of a lane: it has what Git would have written, changes of them show, and nothing is left."""

import asyncio
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from desktop.agent.core.lane_register import Lanes
from desktop.domain.core.clock import utc_now
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.leftovers import sweep
from desktop.services.git.run import Git
from desktop.services.git.trees import fresh_index as index_module
from desktop.services.git.trees.fresh_index import fresh_index
from desktop.services.history.checkpoints import LaneCheckpoints
from desktop.services.lanes.making import spare as module
from desktop.services.lanes.making.spare import SpareFiles
from desktop.services.projects import open_project
from desktop.store.database import open_store
from tests.agent.rig import git, make_repository

pytestmark = pytest.mark.asyncio

FILES = {"app.py": "one\n", "docs/a b.md": "text\n", "run.sh": "echo\n", "deep/er/x": "x\n"}
WAITS_FOR_ITS_END = """
    import asyncio, sys
    from pathlib import Path
    from desktop.services.lanes.making import spare
    spare.WORTH_BYTES = 0

    async def main():
        files = spare.SpareFiles(Path(sys.argv[1]), Path(sys.argv[2]))
        while not any(Path(sys.argv[2]).glob("*/files/app.py")):
            await asyncio.sleep(0.01)
        print("written", flush=True)
        await asyncio.sleep(60)

    asyncio.run(main())
"""


@pytest.fixture(autouse=True)
def _every_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORTH_BYTES", 0)
    monkeypatch.setattr(index_module, "WORTH_BYTES", 0)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    shop = make_repository(tmp_path / "shop", FILES)
    (shop / "run.sh").chmod(0o755)
    (shop / "link").symlink_to("app.py")
    git(shop, "add", "-A")
    git(shop, "commit", "-qm", "kinds")
    return shop


@pytest.fixture
def passing(tmp_path: Path) -> Path:
    folder = tmp_path / "passing"
    folder.mkdir()
    return folder


@pytest.fixture
def lane(repository: Path, tmp_path: Path) -> Path:
    """A worktree without files."""
    git(repository, "worktree", "add", "-q", "--no-checkout", "-b", "lane", str(tmp_path / "lane"))
    return tmp_path / "lane"


async def written(repository: Path, passing: Path) -> tuple[SpareFiles, Path]:
    """Spare files that are there, and the folder of them."""
    spare = SpareFiles(repository, passing)
    while not any(passing.glob("*/index")):
        await asyncio.sleep(0.01)
    return spare, next(passing.glob("*/files"))


def head(folder: Path) -> str:
    return git(folder, "rev-parse", "HEAD").strip()


async def test_a_lane_has_the_files_that_were_written_ahead(repository: Path, passing: Path, lane: Path) -> None:
    spare, files = await written(repository, passing)
    assert str(passing) not in git(repository, "worktree", "list")
    inode = files.stat().st_ino
    assert await spare.give(head(repository), lane)
    assert (lane.stat().st_ino, git(lane, "status", "--porcelain")) == (inode, "")
    assert (lane / "run.sh").stat().st_mode & 0o100
    assert (lane / "link").readlink() == Path("app.py")
    assert git(lane, "branch", "--show-current").strip() == "lane"
    fresh = fresh_index(Git(lane))
    assert fresh is not None
    kept = LaneCheckpoints(LaneFiles(lane), "ln_1", fresh=fresh).take("call")
    assert kept.ref.tree == git(lane, "rev-parse", "HEAD^{tree}").strip()
    assert not await spare.give(head(repository), lane)
    await spare.drop()
    assert not list(passing.iterdir())


async def test_what_was_done_to_them_meanwhile_shows(repository: Path, passing: Path, lane: Path) -> None:
    spare, files = await written(repository, passing)
    times = (files / "app.py").stat()
    (files / "app.py").write_text("two\n")
    os.utime(files / "app.py", ns=(times.st_atime_ns, times.st_mtime_ns))
    (files / "planted").touch()
    assert await spare.give(head(repository), lane)
    kept = LaneCheckpoints(LaneFiles(lane), "ln_1", fresh=fresh_index(Git(lane))).take("call")
    assert git(lane, "show", f"{kept.ref.commit}:app.py") == "two\n"
    assert git(lane, "status", "--porcelain") == " M app.py\n?? planted\n"


async def test_files_of_another_commit_are_not_given(repository: Path, passing: Path, lane: Path) -> None:
    spare, _ = await written(repository, passing)
    assert not await spare.give("0" * 40, lane)
    assert [path.name for path in lane.iterdir()] == [".git"]
    assert not list(passing.iterdir())


@pytest.mark.parametrize("obstacle", ["index", "file"])
async def test_a_lane_that_is_not_empty_stays_as_it_is(
    repository: Path, passing: Path, lane: Path, obstacle: str
) -> None:
    spare, _ = await written(repository, passing)
    if obstacle == "index":
        git(lane, "reset", "-q", "--mixed")
    else:
        (lane / "in the way").touch()
    before = sorted(path.name for path in lane.iterdir())
    assert not await spare.give(head(repository), lane)
    assert sorted(path.name for path in lane.iterdir()) == before
    assert head(lane) == head(repository)
    assert not list(passing.iterdir())


@pytest.mark.parametrize("setting", ["core.sparseCheckout", "extensions.worktreeConfig"])
async def test_where_worktrees_have_settings_of_their_own_nothing_is_written(
    repository: Path, passing: Path, lane: Path, setting: str
) -> None:
    git(repository, "config", setting, "true")
    assert not await SpareFiles(repository, passing).give(head(repository), lane)
    assert not list(passing.iterdir())


async def test_what_is_no_repository_or_a_small_one_gives_nothing(
    repository: Path, passing: Path, lane: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (tmp_path, tmp_path / "not there"):
        assert not await SpareFiles(place, passing).give(head(repository), lane)
    assert not await SpareFiles(repository, tmp_path / "not there").give(head(repository), lane)
    monkeypatch.setattr(module, "WORTH_BYTES", 64 * 1024)
    await SpareFiles(repository / "docs", passing).drop()
    assert not await SpareFiles(repository, passing).give(head(repository), lane)
    assert not list(passing.iterdir())


async def test_the_filters_of_a_repository_do_not_run(repository: Path, passing: Path, tmp_path: Path) -> None:
    (repository / ".gitattributes").write_text("*.py filter=planted\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "attributes")
    git(repository, "config", "filter.planted.smudge", f"touch {tmp_path}/ran; cat")
    git(repository, "config", "filter.planted.required", "true")
    spare, files = await written(repository, passing)
    assert (files / "app.py").read_text() == "one\n"
    assert not (tmp_path / "ran").exists()
    await spare.drop()


async def test_what_a_killed_process_left_is_swept(repository: Path, passing: Path) -> None:
    words = [sys.executable, "-c", textwrap.dedent(WAITS_FOR_ITS_END), str(repository), str(passing)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"written\n"
        assert not sweep([passing])
        child.kill()
    assert len(sweep([passing])) == 1
    assert not list(passing.iterdir())


async def test_the_first_lane_alone_gets_them(repository: Path, passing: Path, tmp_path: Path) -> None:
    spare, files = await written(repository, passing)
    inode, store = files.stat().st_ino, open_store(tmp_path / "store")
    lanes = Lanes(store.lanes, tmp_path / "lanes", utc_now, spare=spare)
    project = await open_project(repository)
    first, second = await lanes.create(project, "one"), await lanes.create(project, "two")
    assert first.inode == Path(first.worktree_path).stat().st_ino == inode
    for lane in (first, second):
        assert git(Path(lane.worktree_path), "status", "--porcelain") == ""
        assert lanes.take_fresh(lane.id) is not None
    store.close()
    assert not list(passing.iterdir())
