"""Files written ahead of a lane: it has what Git would have written, changes of them show, and nothing is left."""

import asyncio
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
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
    (shop / ".gitignore").write_text("*.log\n")
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
    while spare.serves(""):
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


def _write_back_in_time(files: Path) -> None:
    times = (files / "app.py").stat()
    (files / "app.py").write_text("two\n")
    os.utime(files / "app.py", ns=(times.st_atime_ns, times.st_mtime_ns))


def _replace(files: Path) -> None:
    (files / "other").write_text("one\n")
    (files / "other").replace(files / "app.py")


def _relink(files: Path) -> None:
    (files / "link").unlink()
    (files / "link").symlink_to("run.sh")


TOUCHES: dict[str, Callable[[Path], object]] = {
    "other bytes with the same times": _write_back_in_time,
    "the same bytes in another file": _replace,
    "another target of a link": _relink,
    "a file that may be run": lambda files: (files / "app.py").chmod(0o755),
    "a file less": lambda files: (files / "docs" / "a b.md").unlink(),
    "a file more": lambda files: (files / "deep" / "planted").touch(),
    "a file that Git ignores": lambda files: (files / "kept.log").touch(),
    "an empty folder": lambda files: (files / "docs" / "empty").mkdir(),
    "a repository inside": lambda files: git(files / "docs", "init", "-q"),
    "a pointer of Git": lambda files: (files / ".git").write_text("gitdir: /elsewhere\n"),
}


@pytest.mark.parametrize("touch", TOUCHES.values(), ids=TOUCHES)
async def test_files_that_somebody_touched_are_not_given(
    repository: Path, passing: Path, lane: Path, touch: Callable[[Path], object]
) -> None:
    spare, files = await written(repository, passing)
    touch(files)
    assert not await spare.give(head(repository), lane)
    assert [path.name for path in lane.iterdir()] == [".git"]
    assert not list(passing.iterdir())


async def test_they_are_looked_at_closely_where_git_is_told_to_look_away(
    repository: Path, passing: Path, lane: Path
) -> None:
    for setting in ("core.trustctime", "core.fileMode"):
        git(repository, "config", setting, "false")
    git(repository, "config", "core.checkStat", "minimal")
    spare, files = await written(repository, passing)
    _write_back_in_time(files)
    assert not await spare.give(head(repository), lane)


def _convert_ends(repository: Path) -> None:
    git(repository, "config", "core.autocrlf", "true")


def _give_attributes(repository: Path) -> None:
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "attributes").write_text("*.py eol=crlf\n")


def _change_named_attributes(repository: Path) -> None:
    (repository.parent / "attributes").write_text("*.py eol=crlf\n")


@pytest.mark.parametrize("change", [_convert_ends, _give_attributes, _change_named_attributes])
async def test_they_are_not_given_where_git_would_write_other_bytes_now(
    repository: Path, passing: Path, lane: Path, change: Callable[[Path], None]
) -> None:
    git(repository, "config", "core.attributesFile", str(repository.parent / "attributes"))
    spare, _ = await written(repository, passing)
    change(repository)
    assert not await spare.give(head(repository), lane)


def everything_in(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Modes and contents of all that stands in a lane, apart from the pointer of Git."""
    found: dict[str, tuple[int, bytes]] = {}
    for path in folder.rglob("*"):
        content = os.fsencode(path.readlink()) if path.is_symlink() else b"" if path.is_dir() else path.read_bytes()
        found[str(path.relative_to(folder))] = (path.lstat().st_mode, content)
    del found[".git"]
    return found


async def test_a_lane_that_comes_of_them_equals_one_that_git_filled(repository: Path, tmp_path: Path) -> None:
    (repository / ".gitattributes").write_text("*.md eol=crlf\n*.txt working-tree-encoding=UTF-16LE\nx ident\n")
    (repository / "note.txt").write_bytes("für\n".encode("utf-16-le"))
    (repository / "deep" / "er" / "x").write_text("$Id$\n")
    git(repository, "add", "-A")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{head(repository)},module")
    git(repository, "commit", "-qm", "kinds of kinds")
    root, store, project = tmp_path / "lanes", open_store(tmp_path / "store"), await open_project(repository)
    root.mkdir()
    spare, files = await written(repository, root)
    inode = files.stat().st_ino
    lanes = Lanes(store.lanes, root, utc_now, spare=spare)
    first, second = await lanes.create(project, "one"), await lanes.create(project, "two")
    store.close()
    assert (first.inode == inode, second.inode == inode) == (True, False)
    one, two = Path(first.worktree_path), Path(second.worktree_path)
    assert everything_in(one) == everything_in(two)
    for asked in (("status", "--porcelain=v2", "--ignored"), ("ls-files", "--stage", "--debug")):
        told = [git(place, *asked) for place in (one, two)]
        if asked[0] == "ls-files":  # but for the times and the inodes
            told = ["\n".join(line for line in text.splitlines() if not line.startswith("  ")) for text in told]
        assert told[0] == told[1]
    assert git(one, "rev-parse", "HEAD") == git(two, "rev-parse", "HEAD")


async def test_calm_files_are_waited_for_as_long_as_they_took(repository: Path, passing: Path, lane: Path) -> None:
    hasty = SpareFiles(repository, passing, await open_project(repository), calm=True)
    assert not await hasty.give(head(repository), lane)
    assert not list(passing.iterdir())
    spare = SpareFiles(repository, passing, await open_project(repository), calm=True)
    while spare.serves(""):
        await asyncio.sleep(0.01)
    assert spare.serves(head(repository))
    assert await spare.give(head(repository), lane)
    assert git(lane, "status", "--porcelain") == ""


async def test_what_is_dropped_while_it_is_written_is_gone(repository: Path, passing: Path) -> None:
    spare = SpareFiles(repository, passing)
    while not list(passing.iterdir()):
        await asyncio.sleep(0)
    await spare.drop()
    assert not list(passing.iterdir())
    assert not spare.serves(head(repository))


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
