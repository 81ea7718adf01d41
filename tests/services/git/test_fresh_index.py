"""The ids that Git's index tells of a new worktree are those of the bytes that stand there, whatever happened since."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.lane_view import walk
from desktop.services.git.run import Git
from desktop.services.git.trees import fresh_index as module
from desktop.services.git.trees.fresh_index import FreshIndex, fresh_index, tracked_count
from desktop.services.git.trees.listing import TreeReader
from desktop.services.history.checkpoints import LaneCheckpoints
from tests.services.git.lane_changes import STEPS, Step, do, new_lane, run_git, settled

TICK_NS = 12_000_000
ATTRIBUTES = """*.crlf eol=crlf
*.id ident
*.utf16 working-tree-encoding=UTF-16LE
*.filtered filter=shout
*.lf text eol=lf
*.bin -text
"""
CONVERTED = {"a.crlf", "a.id", "a.utf16"}


@pytest.fixture(autouse=True)
def _every_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORTH_BYTES", 0)


def made(folder: Path) -> tuple[Path, FreshIndex]:
    """A worktree beside a repository, as lanes are made, and what Git's index tells of it."""
    repository, lane = folder / "shop", folder / "lane"
    if not repository.exists():
        new_lane(repository)
    run_git(repository, "worktree", "add", "-q", "--no-checkout", "-b", "lane", str(lane))
    git = Git(lane)
    git.run_on_files_now("reset", "--hard", "--quiet")
    settled(TICK_NS)
    (lane / ".touched").touch()
    (lane / ".touched").unlink()
    git.run_now("update-index", "-q", "--refresh", "--force-write-index", check=False)
    found = fresh_index(git)
    assert found is not None
    return lane, found


def told(lane: Path, fresh: FreshIndex) -> dict[str, str]:
    """The ids of the files that need not be read."""
    written = fresh.read()
    return {} if written is None else {path: known.entry.oid for path, known in standing(lane, fresh)}


def standing(lane: Path, fresh: FreshIndex) -> list[tuple[str, module.KnownFile]]:
    written = fresh.read()
    assert written is not None
    return list(written.standing(walk(str(lane), 10_000)[0]))


def read(lane: Path) -> dict[str, str]:
    """The ids of all files, by their bytes."""
    paths = [path.relative_to(lane).as_posix() for path in lane.rglob("*") if path.is_symlink() or path.is_file()]
    tree = TreeReader(LaneFiles(lane), "sha1").read(path for path in paths if path != ".git")
    return {path: entry.oid for path, entry in tree.entries.items()}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One with odd names and kinds of files, and with files that stand there otherwise than Git keeps them."""
    shop = new_lane(tmp_path / "shop")
    for name in ("line\nfeed", '"quoted"', " ", "ä", os.fsdecode(b"raw\xff"), "x" * 200):
        (shop / name).write_text(name, errors="surrogateescape")
    (shop / "run").write_text("#!/bin/sh\n")
    (shop / "run").chmod(0o755)
    (shop / "link").symlink_to("dir/a")
    (shop / ".gitattributes").write_text(ATTRIBUTES)
    for kind in ("crlf", "id", "filtered", "lf", "bin"):
        (shop / f"a.{kind}").write_text(f"$Id$ {kind}\n")
    (shop / "a.utf16").write_text("text\n", encoding="utf-16-le")
    run_git(shop, "config", "filter.shout.smudge", "tr a-z A-Z")
    run_git(shop, "add", "-A")
    run_git(shop, "commit", "-qm", "odd")
    return shop


def test_ids_are_those_of_the_bytes_on_the_disk(repository: Path, tmp_path: Path) -> None:
    lane, fresh = made(tmp_path)
    assert (lane / "a.crlf").read_bytes().endswith(b"\r\n")
    expected = read(lane)
    found = told(lane, fresh)
    assert found == {path: oid for path, oid in expected.items() if path not in CONVERTED}
    written = fresh.read()
    assert written is not None
    tree = subprocess.run(["git", "rev-parse", "HEAD^{tree}"], cwd=lane, capture_output=True, text=True, check=True)
    assert written.tree == tree.stdout.strip()
    assert written.files.entries.keys() == expected.keys()
    assert tracked_count(lane) == len(expected)


def test_what_was_done_to_a_file_since_shows(repository: Path, tmp_path: Path) -> None:
    lane, fresh = made(tmp_path)
    times = (lane / "a").stat()
    (lane / "a").write_text("z")
    os.utime(lane / "a", ns=(times.st_atime_ns, times.st_mtime_ns))
    (lane / "dir/a").chmod(0o755)
    (lane / "run").chmod(0o644)
    shutil.copy2(lane / "b", lane / "copy")
    (lane / "copy").replace(lane / "b")
    (lane / "in/deep/er/a").unlink()
    (lane / "in/deep/er/a").symlink_to("../../../a")
    (lane / "link").unlink()
    (lane / "link").write_text("dir/a")
    (lane / "dir/in/b").unlink()
    found = told(lane, fresh)
    assert not found.keys() & {"a", "dir/a", "run", "b", "in/deep/er/a", "link", "dir/in/b"}
    assert found.items() <= read(lane).items()


@settings(max_examples=5, deadline=None)
@given(steps=STEPS)
def test_the_first_checkpoint_holds_what_stands_there(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "WORTH_BYTES", 0)
        lane, fresh = made(Path(folder))
        for step in steps:
            do(lane, step)
        quick = LaneCheckpoints(LaneFiles(lane), "ln_1", fresh=fresh).take("call")
        whole = LaneCheckpoints(LaneFiles(lane), "ln_2").take("call")
        assert (quick.ref.tree, quick.changed) == (whole.ref.tree, whole.changed)


def test_a_file_that_is_as_young_as_the_index_is_read(tmp_path: Path) -> None:
    lane, fresh = made(tmp_path)
    young = (lane / "b").stat().st_ctime_ns
    assert "b" not in told(lane, replace(fresh, moment=young))
    assert "b" in told(lane, replace(fresh, moment=young + 1))


def test_a_time_of_whole_milliseconds_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lane, fresh = made(tmp_path)
    monkeypatch.setattr(module, "MS", 1)
    assert not told(lane, fresh)


@pytest.mark.parametrize(
    "words",
    [
        ("update-index", "--assume-unchanged", "a"),
        ("update-index", "--skip-worktree", "a"),
        ("update-index", "--index-version", "4"),
        ("update-index", "--split-index"),
        ("update-index", "--cacheinfo", "100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,a"),
        ("rm", "-q", "--cached", "a"),
        ("add", "-N", "new"),
    ],
)
def test_an_index_that_is_not_as_git_writes_a_new_one_tells_nothing(tmp_path: Path, words: tuple[str, ...]) -> None:
    lane, _ = made(tmp_path)
    (lane / "new").touch()
    run_git(lane, *words)
    found = fresh_index(Git(lane))
    assert found is None or found.read() is None


@pytest.mark.parametrize("setting", [("core.autocrlf", "true"), ("core.autocrlf", "Yes"), ("core.eol", "crlf")])
def test_line_ends_that_git_converts_everywhere_tell_nothing(tmp_path: Path, setting: tuple[str, str]) -> None:
    lane, _ = made(tmp_path)
    run_git(lane, "config", *setting)
    assert fresh_index(Git(lane)) is None
    run_git(lane, "config", "--unset", setting[0])
    run_git(lane, "config", "core.autocrlf", "input")
    assert fresh_index(Git(lane)) is not None
    with (tmp_path / "shop/.git/config").open("a") as config:
        config.write("[core]\n\tautocrlf\n")
    assert fresh_index(Git(lane)) is None


def test_bytes_that_are_cut_or_changed_raise_nothing(tmp_path: Path) -> None:
    _, fresh = made(tmp_path)
    raw = fresh.raw
    for at in range(0, len(raw), 7):
        for broken in (raw[:at], raw[:at] + b"\xff\xff\xff\xff" + raw[at + 4 :]):
            replace(fresh, raw=broken).read()


def test_where_others_may_be_mounted_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lane, _ = made(tmp_path)
    monkeypatch.setattr(module, "are_precise", lambda places, lane: False)
    assert fresh_index(Git(lane)) is None


@pytest.mark.parametrize("spoil", [lambda index: index.unlink(), lambda index: index.write_bytes(b"DIRC")])
def test_an_index_that_is_not_there_tells_nothing(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    lane, _ = made(tmp_path)
    spoil(tmp_path / "shop/.git/worktrees/lane/index")
    found = fresh_index(Git(lane))
    assert found is None or found.read() is None
    assert tracked_count(lane) == 0
