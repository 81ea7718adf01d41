"""Checkpoints after the first are made without git, the same that git would make; what is unusual is left to git."""

import hashlib
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.domain.core.errors import GitError
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import NO_FETCH, Git
from desktop.services.git.trees.listing import FILE, LaneTree, TreeEntry, TreeReader
from desktop.services.git.trees.writer import LeftToGit
from desktop.services.history.checkpoints import LaneCheckpoints
from desktop.services.history.commits import Draft, ImportedCommits
from desktop.services.history.quick_commits import MAX_BLOBS, QuickCommits
from tests.agent.rig import git, make_repository

LANE = "ln_0123456789ab"
FILES = {"app.py": "one\n", "src/a.py": "a\n", "src/deep/b.py": "b\n", ".gitignore": "*.log\n"}
AT = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    repository = make_repository(tmp_path / "shop", FILES)
    git(repository, "worktree", "add", "-q", "-b", "lane/x", str(tmp_path / "lane"))
    return tmp_path / "lane"


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with the first word of every call of git from now on."""
    said, real = tmp_path / "asked", shutil.which("git")
    script = tmp_path / "bin/git"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\necho "$1" >> {said}\nexec {real} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}:{os.environ['PATH']}")
    return said


def kept_of(lane: Path, lane_id: str = LANE) -> LaneCheckpoints:
    return LaneCheckpoints(LaneFiles(lane), lane_id)


def begun(lane: Path, lane_id: str = LANE) -> LaneCheckpoints:
    """Checkpoints of which the last was made here: its tree is in a file of its own."""
    kept = kept_of(lane, lane_id)
    for number in range(3):
        (lane / "count").write_text(f"{lane_id} {number}\n")
        kept.take("call")
    return kept


def words(asked: Path) -> list[str]:
    return asked.read_text().split() if asked.exists() else []


def change_a_lot(lane: Path) -> None:
    (lane / "app.py").write_text("two\n")
    (lane / "src/a.py").unlink()
    (lane / "src/deep/b.py").chmod(0o755)
    (lane / "new/er").mkdir(parents=True)
    (lane / "new/er/c.py").write_text("c\n")
    (lane / "link").symlink_to("src/b.py")
    (lane / os.fsdecode(b"\xff\n")).write_text("odd\n")
    inner = lane / "inner"
    inner.mkdir()
    git(inner, "init", "-q", f"--object-format={git(lane, 'rev-parse', '--show-object-format').strip()}")
    git(inner, "commit", "-q", "--allow-empty", "-m", "inside")


def test_a_step_starts_no_git_to_keep_what_it_found(lane, asked):
    kept = begun(lane)
    asked.unlink()
    change_a_lot(lane)
    taken = kept.take("call")
    assert not {"cat-file", "fast-import", "update-ref", "for-each-ref"} & set(words(asked))
    assert git(lane, "fsck", "--strict", "--full", "--no-dangling") == ""
    assert git(lane, "rev-parse", f"{taken.ref.ref}^{{tree}}").strip() == taken.ref.tree
    assert kept_of(lane).all()[0] == taken.ref


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_git_would_make_the_same_commit(tmp_path, kind):
    lane = tmp_path / "lane"
    lane.mkdir()
    git(lane, "init", "-q", f"--object-format={kind}")
    for name, text in FILES.items():
        (lane / name).parent.mkdir(parents=True, exist_ok=True)
        (lane / name).write_text(text)
    first = begun(lane).take("call").ref
    change_a_lot(lane)
    files = LaneFiles(lane)
    reader = TreeReader(files, kind)
    kept = kept_of(lane)
    then = reader.read(git(lane, "ls-tree", "-r", "-z", "--name-only", first.tree).split("\0")[:-1])
    before = LaneTree({path: TreeEntry(*_listed(lane, first.tree, path)) for path in [*then.entries, "src/a.py"]})
    now = LaneTree(kept.look_now()[0].entries, {"film.bin": first.tree})
    drafts = [Draft(f"refs/banksman/checkpoints/{LANE}/{at}", first.tree, "call", 'a "ü"\n', AT) for at in (8, 9)]
    here = QuickCommits(lane, 1_000_000).write(drafts[0], before, now, reader.content)
    by_git = ImportedCommits(Git(lane), NO_FETCH, 1_000_000).write(drafts[1], before, now, reader.content)
    assert here == by_git
    assert git(lane, "rev-parse", drafts[0].ref, drafts[1].ref).split() == [here.commit, here.commit]


def _listed(lane: Path, tree: str, path: str) -> tuple[str, str]:
    mode, _, oid = git(lane, "ls-tree", tree, "--", path).partition("\t")[0].split()
    return mode, oid


def test_files_come_back_from_a_checkpoint_that_was_made_here(lane, asked):
    kept = begun(lane)
    (lane / "app.py").write_text("kept\n")
    first = kept.take("call")
    change_a_lot(lane)
    second = kept.take("call")
    assert not kept.restore(first.ref).failed
    assert (lane / "app.py").read_text() == "kept\n"
    assert not (lane / "new").exists()
    assert not kept_of(lane).restore(second.ref).failed
    assert stat.S_IMODE((lane / "src/deep/b.py").stat().st_mode) & 0o100
    assert (lane / os.fsdecode(b"\xff\n")).read_text() == "odd\n"


def test_objects_of_other_repositories_that_this_one_borrows_from_count(tmp_path, asked):
    make_repository(tmp_path / "shop", FILES)
    git(tmp_path, "clone", "-q", "--shared", str(tmp_path / "shop"), str(tmp_path / "lane"))
    lane = tmp_path / "lane"
    kept = begun(lane)
    asked.unlink()
    (lane / "app.py").write_text("b\n")  # the content of another file, which is borrowed
    taken = kept.take("call")
    assert "fast-import" not in words(asked)
    assert git(lane, "show", f"{taken.ref.commit}:src/a.py") == "a\n"
    assert git(lane, "fsck", "--strict", "--no-dangling") == ""


def test_after_git_packed_everything_it_is_asked_once(lane, asked):
    kept = begun(lane)
    git(lane, "gc", "-q", "--prune=now")
    asked.unlink()
    found = []
    for text in ("1", "2"):
        (lane / "app.py").write_text(text)
        kept.take("call")
        found.append("fast-import" in words(asked))
        asked.unlink(missing_ok=True)
    assert found == [True, False]
    assert git(lane, "fsck", "--strict", "--no-dangling") == ""


def test_what_git_lost_meanwhile_is_no_base(lane):
    kept = begun(lane)
    for ref in git(lane, "for-each-ref", "--format=%(refname)", "refs/banksman").split():
        git(lane, "update-ref", "-d", ref)
    git(lane, "prune", "--expire=now")
    (lane / "app.py").write_text("two\n")
    with pytest.raises(GitError, match="could not be written"):
        kept.take("call")


def test_a_ref_that_somebody_holds_is_a_clear_error_and_nothing_is_taken(lane):
    kept = begun(lane)
    place = Path(git(lane, "rev-parse", "--git-common-dir").strip()) / f"refs/banksman/checkpoints/{LANE}"
    (place / "4.lock").touch()
    (lane / "app.py").write_text("two\n")
    with pytest.raises(GitError, match=r"4\.lock"):
        kept.take("call")
    assert [ref.number for ref in kept.all()] == [3, 2, 1]
    (place / "4.lock").unlink()
    assert kept.take("call").ref.number == 4


def test_a_repository_that_keeps_its_refs_otherwise_is_left_to_git(lane, tmp_path, asked):
    kept = begun(lane)
    asked.unlink()
    (lane / "app.py").write_text("two\n")
    config = tmp_path / "shop/.git/config"
    config.write_text(config.read_text() + "[extensions]\n\trefStorage = reftable\n")
    kept.take("call")
    assert "fast-import" in words(asked)
    config.write_text(config.read_text() + "[core]\n\trepositoryFormatVersion = 1\n")
    (lane / "app.py").write_text("three\n")
    with pytest.raises(GitError):
        kept.take("call")  # of git, which finds no such refs here, or does not know them
    assert len(list((tmp_path / f"shop/.git/refs/banksman/checkpoints/{LANE}").iterdir())) == 4


@pytest.mark.parametrize("head", ["1" * 64, "1" * 39 + " ", "x" * 40, "A" * 40, "11 " * 13 + "1"])
def test_a_repository_inside_that_names_no_commit_of_our_kind_is_left_to_git(lane, head):
    kept = begun(lane)
    inner = make_repository(lane / "inner")
    (inner / ".git/HEAD").write_text(f"{head}\n")
    base = {path: entry for path, entry in kept.look_now()[0].entries.items() if path != "inner"}
    now = LaneTree({**base, "inner": TreeEntry("160000", head)})
    draft = Draft(f"{kept.all()[0].ref}0", kept.all()[0].tree, "call", "", AT)
    with pytest.raises(LeftToGit, match="another kind"):
        QuickCommits(lane, 1_000).write(draft, LaneTree(base), now, lambda _: None)


def test_much_that_is_new_is_left_to_git(lane, asked):
    kept = begun(lane)
    asked.unlink()
    for number in range(MAX_BLOBS + 1):
        (lane / f"{number}.txt").write_text(f"{number}\n")
    many = kept.take("call")
    assert "fast-import" in words(asked)
    assert not many.ref.partial
    (lane / "app.py").write_text("two\n")
    last = kept.take("call").ref  # its tree is in a file of its own
    now = kept.look_now()[0]
    draft = Draft(f"{last.ref}0", last.tree, "call", "", AT)
    later = LaneTree({**now.entries, "large": TreeEntry(FILE, "1" * 40)})
    with pytest.raises(LeftToGit):
        QuickCommits(lane, 1_000).write(draft, now, later, lambda _: (later.entries["large"], b"x" * 1_001))
    QuickCommits(lane, 1_001).write(draft, now, later, lambda _: (later.entries["large"], b"x" * 1_001))
    assert git(lane, "fsck", "--strict", "--no-dangling") == ""


def test_files_that_are_not_those_of_the_base_are_left_to_git(lane):
    kept = begun(lane)
    taken = kept.take("call").ref
    now = kept.look_now()[0]
    draft = Draft(f"{taken.ref}0", taken.tree, "call", "", AT)
    blob = TreeEntry(FILE, hashlib.sha1(b"blob 0\0").hexdigest())
    store = QuickCommits(lane, 1_000_000)
    for before, after in (
        (LaneTree({**now.entries, "more": blob}), now),
        (LaneTree(now.entries, partial="not whole"), now),
        (now, LaneTree(now.entries, partial="not whole")),
        (now, LaneTree({**now.entries, "src": now.entries["app.py"]})),
    ):
        with pytest.raises(LeftToGit):
            store.write(draft, before, after, lambda _: None)
    with pytest.raises(LeftToGit):
        store.write(Draft(draft.ref, "", "call", "", AT), now, now, lambda _: None)
    objects = Path(git(lane, "rev-parse", "--path-format=absolute", "--git-common-dir").strip(), "objects")
    assert not list(objects.glob("tmp_obj_*"))
    assert store.write(draft, now, now, lambda _: None).tree == taken.tree


KILLED = """
import os, signal, sys
from pathlib import Path
from desktop.services.files.lane_files import LaneFiles
from desktop.services.history.checkpoints import LaneCheckpoints
kept = LaneCheckpoints(LaneFiles(Path(sys.argv[1])), sys.argv[2])
kept.all()
sys.addaudithook(lambda name, arguments: name == "os.link" and os.kill(os.getpid(), signal.SIGKILL))
kept.take("call")
"""


def test_a_kill_before_the_ref_loses_nothing_that_was_told(lane):
    begun(lane)
    (lane / "app.py").write_text("two\n")
    died = subprocess.run([sys.executable, "-c", KILLED, str(lane), LANE], check=False)
    assert died.returncode == -signal.SIGKILL
    kept = kept_of(lane)
    assert [ref.number for ref in kept.all()] == [3, 2, 1]
    again = kept.take("call")
    assert (again.ref.number, again.made) == (4, True)
    assert git(lane, "show", f"{again.ref.commit}:app.py") == "two\n"
    assert git(lane, "fsck", "--strict", "--no-dangling") == ""


def test_two_lanes_write_the_same_objects_while_git_collects(lane, tmp_path):
    git(lane, "worktree", "add", "-q", "-b", "lane/y", str(tmp_path / "other"))
    lanes = {"ln_00000000000a": lane, "ln_00000000000b": tmp_path / "other"}

    def work(lane_id: str, folder: Path) -> None:
        kept = kept_of(folder, lane_id)
        for number in range(15):
            (folder / "src/a.py").write_text(f"the same in both {number}\n")
            kept.take("call")

    threads = [threading.Thread(target=work, args=one) for one in lanes.items()]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        git(lane, "-c", "gc.auto=0", "gc", "-q")
    for thread in threads:
        thread.join()
    assert git(lane, "fsck", "--strict", "--no-dangling") == ""
    for lane_id, folder in lanes.items():
        kept = kept_of(folder, lane_id)
        assert [ref.number for ref in kept.all()] == list(range(15, 0, -1))
        assert not kept.restore(kept.all()[-1]).failed
        assert (folder / "src/a.py").read_text() == "the same in both 0\n"
