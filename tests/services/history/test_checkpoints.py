"""Checkpoints on real repositories: what is in them, what they leave alone, and that files come back exactly."""

import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desktop.services.files.lane_files import LaneFiles
from desktop.services.history.checkpoints import CheckpointError, CheckpointLimits, LaneCheckpoints
from desktop.services.history.prune import to_drop
from desktop.services.history.refs import CheckpointRef
from tests.agent.rig import git, make_repository

LANE = "ln_0123456789ab"


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    """A worktree of its own, beside the person's checkout."""
    repository = make_repository(
        tmp_path / "shop", {"app.py": "one\n", "src/a.py": "a\n", "src/b.py": "b\n", ".gitignore": "*.log\nout/\n"}
    )
    git(repository, "worktree", "add", "-q", "-b", "lane/x", str(tmp_path / "lane"))
    return tmp_path / "lane"


def checkpoints(lane: Path, **limits: int) -> LaneCheckpoints:
    return LaneCheckpoints(LaneFiles(lane), LANE, CheckpointLimits(**limits) if limits else None)


def tree(lane: Path) -> dict[str, tuple[str, bytes]]:
    """Every file and link below the lane but Git's own, with its kind and content."""
    found: dict[str, tuple[str, bytes]] = {}
    for path in sorted(lane.rglob("*")):
        name = path.relative_to(lane).as_posix()
        if name.split("/")[0] == ".git":
            continue
        if path.is_symlink():
            found[name] = ("link", os.fsencode(path.readlink()))
        elif path.is_file():
            found[name] = ("x" if path.stat().st_mode & stat.S_IXUSR else "f", path.read_bytes())
    return found


def change_a_lot(lane: Path) -> None:
    """Everything a command can do to files."""
    (lane / "app.py").write_text("two\n")
    (lane / "src/a.py").unlink()
    (lane / "src/b.py").chmod(0o755)
    (lane / "src/new").mkdir()
    (lane / "src/new/c.py").write_text("c\n")
    (lane / "link").symlink_to("src/b.py")
    (lane / "noise.log").write_text("more noise\n")


def git_state(folder: Path) -> tuple[str, ...]:
    """HEAD, branch and the bytes of the index."""
    where = Path(git(folder, "rev-parse", "--absolute-git-dir").strip())
    return (
        git(folder, "rev-parse", "HEAD"),
        git(folder, "branch", "--show-current"),
        (where / "index").read_bytes().hex(),
    )


def test_everything_a_command_did_to_files_is_taken_back_and_brought_back(lane):
    (lane / "noise.log").write_text("noise\n")
    kept = checkpoints(lane)
    before = kept.take("call")
    was = tree(lane)
    change_a_lot(lane)
    now = tree(lane)
    done = kept.restore(before.ref)
    assert tree(lane) == was | {"noise.log": ("f", b"more noise\n")}
    assert not done.failed
    assert set(done.restored) == {"app.py", "src/a.py", "src/b.py"}
    assert set(done.removed) == {"link", "src/new/c.py"}
    assert not (lane / "src/new").exists()
    assert kept.take("call").ref.tree == before.ref.tree
    kept.restore(done.safety.ref)
    assert tree(lane) == now
    assert kept.take("call").ref.tree == done.safety.ref.tree


def test_nothing_of_git_but_the_hidden_refs_changes(lane, tmp_path):
    (lane / "app.py").write_text("staged\n")
    git(lane, "add", "app.py")
    states = [git_state(lane), git_state(tmp_path / "shop")]
    person = tree(tmp_path / "shop")
    kept = checkpoints(lane)
    first = kept.take("call")
    change_a_lot(lane)
    kept.take("call")
    kept.restore(first.ref)
    assert [git_state(lane), git_state(tmp_path / "shop")] == states
    assert tree(tmp_path / "shop") == person
    refs = git(lane, "for-each-ref", "--format=%(refname)").split()
    assert [ref for ref in refs if not ref.startswith(("refs/heads/", "refs/banksman/"))] == []
    assert f"refs/banksman/checkpoints/{LANE}/1" in refs


def test_an_unchanged_lane_names_the_earlier_checkpoint_again(lane):
    kept = checkpoints(lane)
    first = kept.take("turn_start")
    again = kept.take("call")
    assert (again.ref, again.made) == (first.ref, False)
    assert checkpoints(lane).take("call").ref.commit == first.ref.commit  # also in the next process
    named = kept.take("manual", "before the big change")
    assert named.ref.number == 2
    assert named.ref.tree == first.ref.tree


def test_untracked_files_are_in_it_and_ignored_ones_are_not(lane):
    (lane / "new file.txt").write_text("new\n")
    (lane / "x.log").write_text("log\n")
    (lane / "out").mkdir()
    (lane / "out/big").write_text("built\n")
    taken = checkpoints(lane).take("call")
    listed = git(lane, "ls-tree", "-r", "--name-only", taken.ref.commit).splitlines()
    assert listed == [".gitignore", "app.py", "new file.txt", "src/a.py", "src/b.py"]


def test_no_filter_hook_or_monitor_of_the_repository_runs_and_the_bytes_are_raw(lane, tmp_path):
    mark = tmp_path / "ran"
    script = tmp_path / "planted.sh"
    script.write_text(f"#!/bin/sh\necho ran >> {mark}\ncat\n")
    script.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("reference-transaction", "post-index-change", "pre-commit", "post-checkout"):
        (hooks / name).write_text(f"#!/bin/sh\necho hook >> {mark}\n")
        (hooks / name).chmod(0o755)
    (lane / ".gitattributes").write_text("* filter=planted text eol=lf diff=planted\n")
    git(lane, "config", "filter.planted.clean", str(script))
    git(lane, "config", "filter.planted.smudge", str(script))
    git(lane, "config", "filter.planted.required", "true")
    git(lane, "config", "diff.planted.textconv", str(script))
    git(lane, "config", "diff.external", str(script))
    git(lane, "config", "core.fsmonitor", str(script))
    git(lane, "config", "core.hooksPath", str(hooks))
    git(lane, "config", "core.autocrlf", "true")
    (lane / "app.py").write_bytes(b"one\r\ntwo\n")
    kept = checkpoints(lane)
    first = kept.take("call")
    (lane / "app.py").write_bytes(b"three\r\n")
    assert [file.path for file in kept.compare(first.ref)] == ["app.py"]
    kept.restore(first.ref)
    assert (lane / "app.py").read_bytes() == b"one\r\ntwo\n"
    assert not mark.exists()


@pytest.mark.promise("lanes-D19")
def test_a_large_file_is_known_by_its_hash_and_named_not_restorable(lane):
    (lane / "film.bin").write_bytes(b"\0" * (60 * 1024 * 1024))
    git(lane, "add", "film.bin")
    kept = checkpoints(lane)
    first = kept.take("call")
    assert first.not_restorable == ("film.bin",)
    assert checkpoints(lane).find(first.ref.checkpoint_id).large == first.ref.large
    assert kept.take("call").made is False
    with (lane / "film.bin").open("r+b") as file:
        file.write(b"changed")
    (lane / "app.py").write_text("two\n")
    assert kept.take("call").made
    done = kept.restore(first.ref)
    assert done.left == ("film.bin",)
    assert not done.failed
    assert (lane / "film.bin").read_bytes()[:7] == b"changed"
    assert (lane / "app.py").read_text() == "one\n"


@pytest.mark.promise("lanes-D19")
def test_a_file_that_grew_too_large_is_never_overwritten_or_removed(lane):
    kept = checkpoints(lane, file_bytes=100)
    first = kept.take("call")
    (lane / "app.py").write_bytes(b"x" * 200)
    (lane / "huge.bin").write_bytes(b"y" * 200)
    done = kept.restore(first.ref)
    assert done.left == ("app.py", "huge.bin")
    assert (lane / "app.py").read_bytes() == b"x" * 200
    assert (lane / "huge.bin").exists()


def test_over_the_limits_it_is_partial_says_why_and_removes_nothing_when_put_back(lane):
    kept = checkpoints(lane, files=3)
    first = kept.take("call")
    assert "only 3 of 4 files" in first.ref.partial
    assert "only 3 of 4 files" in checkpoints(lane).find(first.ref.checkpoint_id).partial
    done = checkpoints(lane).restore(first.ref)
    assert not done.failed
    assert (lane / "src/b.py").exists()
    small = LaneCheckpoints(LaneFiles(lane), "ln_00000000000b", CheckpointLimits(new_bytes=10))
    (lane / "a.txt").write_bytes(b"q" * 11)
    assert "2 GiB" in small.take("call").ref.partial


def test_a_restore_that_fails_half_way_leaves_the_files_as_they_were(lane):
    kept = checkpoints(lane)
    (lane / "t1").write_text("1\n")
    (lane / "t2").write_text("2\n")
    (lane / "t3").write_text("3\n")
    first = kept.take("call")
    for name in ("t1", "t2"):
        (lane / name).write_text("changed\n")
    (lane / "t3").unlink()
    (lane / "t3").mkdir()
    (lane / "t3/kept.log").write_text("ignored, so it cannot give way\n")
    now = tree(lane)
    done = kept.restore(first.ref)
    assert done.failed == ("t3",)
    assert "t3 could not be put back" in done.problem
    assert tree(lane) == now


def test_a_restore_that_a_crash_cut_off_is_taken_back_as_a_whole(lane):
    kept = checkpoints(lane)
    first = kept.take("call")
    change_a_lot(lane)
    now = tree(lane)
    safety = kept.take("restore")
    git(lane, "update-ref", f"refs/banksman/restoring/{LANE}", safety.ref.commit)
    (lane / "app.py").write_text("one\n")  # the first of the files that were to come back
    again = checkpoints(lane)
    assert again.finish_cut_off().restored == ("app.py",)
    assert tree(lane) == now
    assert again.finish_cut_off() is None
    again.restore(first.ref)
    assert "restoring" not in git(lane, "for-each-ref", "--format=%(refname)")


def test_only_the_paths_that_were_asked_for_come_back(lane):
    kept = checkpoints(lane)
    first = kept.take("call")
    change_a_lot(lane)
    done = kept.restore(first.ref, ("src",))
    assert set(done.restored) == {"src/a.py", "src/b.py"}
    assert done.removed == ("src/new/c.py",)
    assert (lane / "app.py").read_text() == "two\n"
    assert (lane / "link").is_symlink()


def test_what_was_ignored_then_or_is_ignored_now_is_not_removed(lane):
    kept = checkpoints(lane)
    (lane / "out").mkdir()
    (lane / "out/built").write_text("built\n")
    first = kept.take("call")
    (lane / ".gitignore").write_text("*.log\n")
    (lane / "out/more").write_text("more\n")
    kept.take("call")
    done = kept.restore(first.ref)
    assert not done.failed
    assert (lane / "out/built").read_text() == "built\n"
    assert done.left == ("out/built", "out/more")
    assert (lane / ".gitignore").read_text() == "*.log\nout/\n"


def test_a_file_that_is_ignored_now_is_kept_before_it_is_replaced(lane):
    (lane / "notes.txt").write_text("mine\n")
    kept = checkpoints(lane)
    first = kept.take("call")
    (lane / ".gitignore").write_text("*.txt\n")
    (lane / "notes.txt").write_text("changed while ignored\n")
    done = kept.restore(first.ref)
    assert (lane / "notes.txt").read_text() == "mine\n"
    kept.restore(done.safety.ref)
    assert (lane / "notes.txt").read_text() == "changed while ignored\n"


def test_a_file_becomes_a_folder_and_a_folder_a_file_and_back(lane):
    kept = checkpoints(lane)
    first = kept.take("call")
    was = tree(lane)
    (lane / "app.py").unlink()
    (lane / "app.py").mkdir()
    (lane / "app.py/inner").write_text("inner\n")
    (lane / "src/a.py").unlink()
    (lane / "src/b.py").unlink()
    (lane / "src").rmdir()
    (lane / "src").write_text("a file now\n")
    now = tree(lane)
    done = kept.restore(first.ref)
    assert not done.failed, done.problem
    assert tree(lane) == was
    kept.restore(done.safety.ref)
    assert tree(lane) == now


def test_a_link_in_the_place_of_a_folder_is_never_followed(lane, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("SECRET\n")
    kept = checkpoints(lane)
    first = kept.take("call")
    for name in ("a.py", "b.py"):
        (lane / "src" / name).unlink()
    (lane / "src").rmdir()
    (lane / "src").symlink_to(outside)
    taken = kept.take("call")
    assert "src/a.py" not in git(lane, "ls-tree", "-r", "--name-only", taken.ref.commit)
    kept.restore(first.ref)
    assert (lane / "src/a.py").read_text() == "a\n"
    assert (outside / "a.py").read_text() == "SECRET\n"


@pytest.mark.parametrize(
    "name", ['quo"te', "back\\slash", "new\nline", "tab\there", " space ", "ünï", os.fsdecode(b"\xff\xfe")]
)
def test_every_name_that_a_file_can_have_goes_in_and_comes_back(lane, name):
    kept = checkpoints(lane)
    (lane / name).write_text("odd\n")
    first = kept.take("call")
    (lane / name).unlink()
    gone = kept.take("call")
    kept.restore(first.ref)
    assert (lane / name).read_text() == "odd\n"
    checkpoints(lane).restore(gone.ref)
    assert not os.path.lexists(lane / name)


def test_submodules_and_repositories_inside_are_known_by_their_head_and_left_alone(lane):
    inner = make_repository(lane / "vendor/inner")
    kept = checkpoints(lane)
    first = kept.take("call")
    listed = git(lane, "ls-tree", "-r", first.ref.commit, "vendor/inner")
    assert listed.split()[:3] == ["160000", "commit", git(inner, "rev-parse", "HEAD").strip()]
    (inner / "app.py").write_text("changed\n")
    git(inner, "commit", "-qam", "second")
    done = kept.restore(first.ref)
    assert done.left == ("vendor/inner",)
    assert (inner / "app.py").read_text() == "changed\n"


def test_a_file_changed_in_the_same_moment_is_read_again(lane):
    kept = checkpoints(lane)
    path = lane / "app.py"
    path.write_text("abc\n")
    times = path.stat()
    first = kept.take("call")
    with path.open("r+") as file:
        file.write("xyz\n")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert kept.take("call").ref.tree != first.ref.tree


def test_what_git_packs_away_can_still_be_put_back(lane):
    kept = checkpoints(lane)
    (lane / "only here.txt").write_text("only here\n")
    first = kept.take("call")
    (lane / "only here.txt").unlink()
    git(lane, "-c", "gc.pruneExpire=now", "gc", "-q", "--prune=now")
    checkpoints(lane).restore(first.ref)
    assert (lane / "only here.txt").read_text() == "only here\n"


def test_the_difference_is_listed_with_counts_and_hunks(lane):
    kept = checkpoints(lane)
    first = kept.take("call")
    change_a_lot(lane)
    (lane / "pic.png").write_bytes(b"\x89PNG\0\1")
    (lane / "long.txt").write_text("x\n" * 6000)
    files = {file.path: file for file in kept.compare(first.ref)}
    assert (files["app.py"].status, files["app.py"].added, files["app.py"].removed) == ("modified", 1, 1)
    assert files["app.py"].unified.startswith("@@")
    assert files["src/a.py"].status == "deleted"
    assert files["src/b.py"].status == "modified"
    assert files["pic.png"].binary
    assert files["long.txt"].too_large
    assert not files["long.txt"].unified
    assert "noise.log" not in files
    assert set(kept.differing(first.ref)) == set(files)
    second = kept.take("call")
    assert {file.path for file in kept.compare(first.ref, second.ref)} == set(files)
    assert kept.compare(second.ref) == ()
    assert "scratch" not in git(lane, "for-each-ref", "--format=%(refname)")


def test_a_new_lane_gets_the_files_as_changes_that_are_not_committed(lane, tmp_path):
    kept = checkpoints(lane)
    change_a_lot(lane)
    taken = kept.take("call")
    git(lane, "worktree", "add", "-q", "-b", "lane/fork", str(tmp_path / "fork"), "main")
    fork = tmp_path / "fork"
    assert kept.write_into(taken.ref, LaneFiles(fork)) == ()
    assert {name: one for name, one in tree(lane).items() if name != "noise.log"} == tree(fork)
    assert git(fork, "rev-parse", "HEAD") == git(lane, "rev-parse", "main")
    assert git(fork, "status", "--porcelain").split() != []


def test_a_checkpoint_that_is_gone_or_replaced_is_refused(lane):
    kept = checkpoints(lane)
    taken = kept.take("call")
    with pytest.raises(CheckpointError, match="not kept any more"):
        kept.find(f"{LANE}/99")
    with pytest.raises(CheckpointError, match="not kept any more"):
        kept.find("../../heads/main")
    git(lane, "update-ref", taken.ref.ref, "HEAD")
    with pytest.raises(CheckpointError, match="replaced"):
        kept.find(taken.ref.checkpoint_id, taken.ref.commit)


def test_a_lane_that_moved_is_not_read(lane, tmp_path):
    kept = checkpoints(lane)
    first = kept.take("call")
    lane.rename(tmp_path / "elsewhere")
    git(tmp_path / "shop", "worktree", "prune")
    git(tmp_path / "shop", "worktree", "add", "-q", "-f", "-b", "lane/y", str(lane))
    (lane / "app.py").write_text("of another lane\n")
    with pytest.raises(Exception, match="not the one"):
        kept.restore(first.ref)
    assert (lane / "app.py").read_text() == "of another lane\n"


# Keeping and dropping


NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)


def dated(number: int, days: float, *, name: str = "", kept: bool = False) -> CheckpointRef:
    return CheckpointRef(LANE, number, "c", "t", NOW - timedelta(days=days), name=name, kept=kept)


@pytest.mark.promise("lanes-D23")
def test_fourteen_days_are_kept_whole_then_the_last_of_each_day_then_nothing():
    listed = [dated(1, 120), dated(2, 60.2), dated(3, 60.1), dated(4, 20), dated(5, 13), dated(6, 13), dated(7, 0)]
    assert to_drop(listed, NOW) == {1, 2}


@pytest.mark.promise("lanes-D23")
def test_named_and_referenced_ones_and_the_newest_are_always_kept():
    listed = [dated(1, 300, name="mine"), dated(2, 300, kept=True), dated(3, 300), dated(4, 299.9)]
    assert to_drop(listed, NOW) == {3}


def test_of_more_than_two_thousand_the_oldest_go():
    listed = [dated(1, 1, name="mine"), *(dated(number, 0.5) for number in range(2, 2103))]
    assert to_drop(listed, NOW) == set(range(2, 104))


def test_dropped_refs_are_gone_and_the_others_stay(lane):
    kept = checkpoints(lane)
    for text in ("1", "2", "3"):
        (lane / "app.py").write_text(text)
        kept.take("call")
    later = datetime.now(UTC) + timedelta(days=200)
    kept.drop(kept.needless(later))
    assert [ref.number for ref in kept.all()] == [3]
    kept.drop_all()
    assert kept.all() == []


def test_a_restore_protects_the_checkpoints_it_names(lane):
    kept = checkpoints(lane)
    first = kept.take("call")
    for text in ("1", "2", "3"):
        (lane / "app.py").write_text(text)
        kept.take("call")
    done = kept.restore(first.ref)
    kept.take("call")
    kept.drop(kept.needless(datetime.now(UTC) + timedelta(days=200)))
    assert {ref.number for ref in kept.all()} >= {first.ref.number, done.safety.ref.number}


def test_the_next_one_follows_the_highest_number_whatever_stands_beside_it(lane):
    kept = checkpoints(lane)
    for number in range(11):
        (lane / "app.py").write_text(f"{number}\n")
        kept.take("call")
    assert checkpoints(lane).take("call").ref.number == 11
    git(lane, "pack-refs", "--all")
    git(lane, "update-ref", f"refs/banksman/checkpoints/{LANE}/zz", "HEAD")
    (lane / "app.py").write_text("more\n")
    assert checkpoints(lane).take("call").ref.number == 12


def test_one_that_was_put_back_after_they_were_listed_is_not_dropped(lane):
    kept = checkpoints(lane)
    first = kept.take("call")
    for text in ("1", "2", "3"):
        (lane / "app.py").write_text(text)
        kept.take("call")
    going = kept.needless(datetime.now(UTC) + timedelta(days=200))
    assert [ref.number for ref in going] == [3, 2, 1]
    kept.restore(first.ref)
    kept.drop(going)
    assert [ref.number for ref in kept.all()] == [4, 1]


def test_a_repository_of_the_other_kind_of_ids_works_too(tmp_path):
    folder = tmp_path / "sha256"
    folder.mkdir()
    git(folder, "init", "-q", "--object-format=sha256")
    (folder / "a").write_text("a\n")
    kept = checkpoints(folder)
    first = kept.take("call")
    (folder / "a").write_text("b\n")
    kept.restore(first.ref)
    assert (folder / "a").read_text() == "a\n"
    assert len(first.ref.commit) == 64


def test_an_empty_lane_has_an_empty_checkpoint(tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    git(folder, "init", "-q")
    kept = checkpoints(folder)
    first = kept.take("call")
    (folder / "a").write_text("a\n")
    kept.restore(first.ref)
    assert not (folder / "a").exists()
