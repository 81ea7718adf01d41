"""Snapshots of lanes, removing what they hold, and bringing it back; on real repositories."""

import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.domain.core.errors import GitError, LaneError
from desktop.domain.lanes.lane import Lane
from desktop.services.git.run import Git
from desktop.services.git.trees.listing import MAX_FILE_BYTES
from desktop.services.git.worktree_place import common_folder, find_place
from desktop.services.lanes.endings.ignored import put_copies_back, unkept
from desktop.services.lanes.endings.removal import LaneRemoval, delete_branch
from desktop.services.lanes.endings.restore import restore_lane, undo_half_made
from desktop.services.lanes.endings.snapshot import LaneSnapshot, snapshots_in
from desktop.services.projects import project_id
from tests.agent.rig import GIT_ENVIRONMENT, git, make_repository

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


class Ground:
    """A repository with one lane, and the copies of ignored files beside it."""

    def __init__(self, below: Path) -> None:
        self.repository = make_repository(
            below / "shop", {"app.py": "one\n", "gone.txt": "old\n", ".gitignore": "*.log\n.env\nbuild/\n"}
        )
        self.folder = below / "lanes" / "fix"
        git(self.repository, "worktree", "add", "-q", "-b", "lane/fix", str(self.folder))
        found = self.folder.stat()
        self.lane = Lane(
            id="ln_0123456789ab", project_id=project_id(self.repository / ".git"), name="fix", branch="lane/fix",
            worktree_path=str(self.folder), device=found.st_dev, inode=found.st_ino, created_at=NOW,
        )  # fmt: skip
        self.kept = below / "kept"

    @property
    def removal(self) -> LaneRemoval:
        return LaneRemoval(str(self.repository), self.lane, lambda snapshot_id: self.kept / snapshot_id)

    def remove(self) -> LaneSnapshot:
        removal = self.removal
        snapshot = removal.snapshot("delete", NOW)
        assert removal.remove(snapshot) == ""
        return snapshot

    def files(self) -> dict[str, bytes | str]:
        """Every file of the lane with its content, links with their target."""
        found: dict[str, bytes | str] = {}
        for parent, folders, names in os.walk(self.folder):
            folders[:] = [name for name in folders if name != ".git"]
            for name in names:
                path = Path(parent, name)
                if path.name != ".git":
                    rel = os.fsdecode(os.fsencode(path.relative_to(self.folder)))
                    found[rel] = str(path.readlink()) if path.is_symlink() else path.read_bytes()
        return found


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def make_a_mess(folder: Path) -> None:
    """Staged, unstaged, untracked, deleted, a link, a program, odd names, bytes that are no text."""
    (folder / "app.py").write_bytes(b"one\r\nstaged\n")
    git(folder, "add", "app.py")
    (folder / "app.py").write_bytes(b"one\r\nstaged\nnot staged\n")
    (folder / "gone.txt").unlink()
    (folder / "new").mkdir()
    (folder / "new" / 'a "b"\n c.bin').write_bytes(bytes(range(256)))
    (folder / "new" / "link").symlink_to("/nowhere/at all")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "later.txt").write_text("later\n")
    git(folder, "add", "-N", "later.txt")
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.txt")).write_bytes(b"latin\n")


@pytest.mark.promise("lanes-L27")
def test_a_dirty_lane_comes_back_with_files_index_and_branch(ground: Ground) -> None:
    make_a_mess(ground.folder)
    (ground.folder / "more.py").write_text("more\n")
    git(ground.folder, "add", "more.py")
    git(ground.folder, "commit", "-q", "-m", "only here", "--", "more.py")
    files, status = ground.files(), git(ground.folder, "status", "--porcelain=v2")
    staged, head = git(ground.folder, "ls-files", "-s"), git(ground.folder, "rev-parse", "HEAD")
    before = git(ground.repository, "status", "--porcelain=v2", "--branch")
    snapshot = ground.remove()
    assert not ground.folder.exists()
    assert list(ground.folder.parent.iterdir()) == []
    assert str(ground.folder) not in git(ground.repository, "worktree", "list")
    delete_branch(Git(ground.repository), "lane/fix", head.strip())
    assert "lane/fix" not in git(ground.repository, "branch", "--list")
    git(ground.repository, "gc", "-q", "--prune=now")
    restored = restore_lane(str(ground.repository), snapshot)
    assert (restored.folder, restored.branch, restored.notices) == (ground.folder, "lane/fix", ())
    assert ground.files() == files
    assert git(ground.folder, "ls-files", "-s") == staged
    assert git(ground.folder, "status", "--porcelain=v2") == status
    assert git(ground.folder, "rev-parse", "HEAD") == head
    assert os.access(ground.folder / "run.sh", os.X_OK)
    assert git(ground.repository, "status", "--porcelain=v2", "--branch") == before


def test_a_merge_with_conflicts_is_open_again_after_a_restore(ground: Ground) -> None:
    git(ground.repository, "checkout", "-q", "-b", "other")
    (ground.repository / "app.py").write_text("theirs\n")
    git(ground.repository, "commit", "-qam", "theirs")
    git(ground.repository, "checkout", "-q", "main")
    (ground.folder / "app.py").write_text("ours\n")
    git(ground.folder, "commit", "-qam", "ours")
    subprocess.run(
        ["git", "merge", "-q", "other"], cwd=ground.folder, env=GIT_ENVIRONMENT, check=False, capture_output=True
    )
    staged, status = git(ground.folder, "ls-files", "-s"), git(ground.folder, "status")
    snapshot = ground.remove()
    assert snapshot.index == ""
    git(ground.repository, "branch", "-D", "other")
    git(ground.repository, "gc", "-q", "--prune=now")
    restore_lane(str(ground.repository), snapshot)
    assert git(ground.folder, "ls-files", "-s") == staged
    assert git(ground.folder, "status") == status
    assert "Unmerged paths" in status


def test_commits_that_only_the_log_of_the_lane_names_are_kept(ground: Ground) -> None:
    (ground.folder / "app.py").write_text("first try\n")
    git(ground.folder, "commit", "-qam", "first try")
    lost = git(ground.folder, "rev-parse", "HEAD").strip()
    git(ground.folder, "reset", "-q", "--hard", "HEAD~1")
    snapshot = ground.remove()
    git(ground.repository, "branch", "-D", "lane/fix")
    git(ground.repository, "reflog", "expire", "--expire=now", "--all")
    git(ground.repository, "gc", "-q", "--prune=now")
    assert lost in git(ground.repository, "rev-list", snapshot.ref)
    assert git(ground.repository, "show", f"{lost}:app.py") == "first try\n"


def test_a_file_too_large_for_a_checkpoint_is_kept_whole(ground: Ground) -> None:
    with (ground.folder / "large.bin").open("wb") as file:
        file.write(b"head")
        file.truncate(MAX_FILE_BYTES + 4096)
        file.seek(0, os.SEEK_END)
        file.write(b"tail")
    snapshot = ground.remove()
    restore_lane(str(ground.repository), snapshot)
    with (ground.folder / "large.bin").open("rb") as file:
        assert file.read(5) == b"head\0"
        file.seek(-5, os.SEEK_END)
        assert file.read() == b"\0tail"


def test_a_file_that_cannot_be_read_stops_the_removal(ground: Ground) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (ground.folder / "closed").write_text("x")
    (ground.folder / "closed").chmod(0)
    with pytest.raises(LaneError, match="closed cannot be read"):
        ground.remove()
    assert ground.folder.is_dir()


@pytest.mark.promise("lanes-L27")
def test_a_full_disk_stops_the_removal_with_everything_in_place(ground: Ground) -> None:
    make_a_mess(ground.folder)
    files, shared = ground.files(), common_folder(str(ground.repository))
    objects = shared / "objects"
    shutil.move(objects, shared / "real")
    (shared / "real" / "pack").rename(shared / "real-pack")
    objects.write_text("no room for anything new")
    try:
        with pytest.raises((GitError, LaneError)):
            ground.remove()
    finally:
        objects.unlink()
        (shared / "real-pack").rename(shared / "real" / "pack")
        shutil.move(shared / "real", objects)
    assert ground.files() == files
    assert snapshots_in(Git(ground.repository)) == []


def test_what_changes_after_the_snapshot_stays(ground: Ground) -> None:
    removal = ground.removal
    snapshot = removal.snapshot("delete", NOW)
    (ground.folder / "app.py").write_text("late\n")
    with pytest.raises(LaneError, match="changed meanwhile"):
        removal.remove(snapshot)
    assert (ground.folder / "app.py").read_text() == "late\n"
    assert str(ground.folder) in git(ground.repository, "worktree", "list")


def test_a_repository_inside_the_lane_and_ignored_secrets_are_copied(ground: Ground) -> None:
    make_repository(ground.folder / "inner", {"deep.txt": "deep\n"})
    (ground.folder / ".env").write_text("KEY=1\n")
    (ground.folder / "noise.log").write_text("noise\n")
    (ground.folder / "build").mkdir()
    (ground.folder / "build" / "data.sqlite").write_text("cache\n")
    place = find_place(str(ground.repository), str(ground.folder))
    assert place is not None
    assert [path for path, _ in unkept(place).all] == [".env", "inner"]
    removal = ground.removal
    snapshot = removal.snapshot("delete", NOW)
    assert removal.remove(snapshot) == ""
    assert snapshot.kept == (".env", "inner")
    assert (ground.kept / snapshot.id / "files" / "inner" / ".git" / "HEAD").is_file()
    assert (ground.kept / snapshot.id / "files" / ".env").read_text() == "KEY=1\n"


def test_too_much_to_copy_refuses_the_removal(ground: Ground) -> None:
    with (ground.folder / "huge.log").open("wb") as file:
        file.truncate(201 * 1024 * 1024)
    with pytest.raises(LaneError, match="more than 200 MB"):
        ground.removal.snapshot("archive", NOW)
    assert (ground.folder / "huge.log").is_file()


def test_a_folder_that_is_gone_is_pruned_with_its_commits_kept(ground: Ground) -> None:
    (ground.folder / "app.py").write_text("two\n")
    git(ground.folder, "commit", "-qam", "two")
    (ground.folder / "app.py").write_text("three\n")
    git(ground.folder, "add", "app.py")
    shutil.rmtree(ground.folder)
    snapshot = ground.remove()
    assert snapshot.files_from == "head"
    assert str(ground.folder) not in git(ground.repository, "worktree", "list")
    restore_lane(str(ground.repository), snapshot)
    assert (ground.folder / "app.py").read_text() == "two\n"
    assert git(ground.folder, "show", ":app.py") == "three\n"


def test_a_removal_that_was_cut_off_can_be_done_again(ground: Ground) -> None:
    make_a_mess(ground.folder)
    removal = ground.removal
    snapshot = removal.snapshot("delete", NOW)
    ground.folder.rename(removal.aside)
    assert ground.removal.remove(snapshot) == ""
    assert not removal.aside.exists()
    assert str(ground.folder) not in git(ground.repository, "worktree", "list")
    assert ground.removal.remove(snapshot) == ""


def test_a_taken_branch_and_folder_get_a_suffix(ground: Ground) -> None:
    snapshot = ground.remove()
    git(ground.repository, "branch", "-D", "lane/fix")
    git(ground.repository, "commit", "-q", "--allow-empty", "-m", "later")
    git(ground.repository, "branch", "lane/fix")
    ground.folder.mkdir(parents=True)
    restored = restore_lane(str(ground.repository), snapshot)
    assert (restored.folder.name, restored.branch) == ("fix-2", "lane/fix-2")
    assert restored.notices


def test_a_branch_that_moved_or_is_open_is_not_deleted(ground: Ground) -> None:
    oid = git(ground.repository, "rev-parse", "lane/fix").strip()
    with pytest.raises(LaneError, match="open in another folder"):
        delete_branch(Git(ground.repository), "lane/fix", oid)
    with pytest.raises(LaneError, match="other commits"):
        delete_branch(Git(ground.repository), "lane/fix", "1" * 40)
    delete_branch(Git(ground.repository), "lane/none", oid)


def test_the_log_of_a_restored_lane_still_names_what_it_named(ground: Ground) -> None:
    (ground.folder / "app.py").write_text("first try\n")
    git(ground.folder, "commit", "-qam", "first try")
    lost = git(ground.folder, "rev-parse", "HEAD").strip()
    git(ground.folder, "reset", "-q", "--hard", "HEAD~1")
    restore_lane(str(ground.repository), ground.remove())
    assert lost in git(ground.folder, "log", "--walk-reflogs", "--format=%H")


def test_files_aside_are_compared_even_when_git_has_forgotten_the_worktree(ground: Ground) -> None:
    make_a_mess(ground.folder)
    (ground.folder / "noise.log").write_text("ignored\n")
    removal = ground.removal
    snapshot = removal.snapshot("delete", NOW)
    ground.folder.rename(removal.aside)
    git(ground.repository, "worktree", "prune")
    (removal.aside / "late.txt").write_text("late\n")
    with pytest.raises(LaneError, match=r"holds late\.txt"):
        ground.removal.remove(snapshot)
    (removal.aside / "late.txt").unlink()
    (removal.aside / "run.sh").unlink()
    assert ground.removal.remove(snapshot) == ""
    assert not removal.aside.exists()


def test_a_secret_or_repository_that_comes_after_the_snapshot_stops_the_removal(ground: Ground) -> None:
    (ground.folder / ".env").write_text("KEY=1\n")
    for late in (lambda: (ground.folder / ".env").write_text("KEY=2\n"), lambda: make_repository(ground.folder / "in")):
        removal = ground.removal
        snapshot = removal.snapshot("delete", NOW)
        late()
        with pytest.raises(LaneError, match="changed meanwhile"):
            removal.remove(snapshot)
    assert (ground.folder / ".env").read_text() == "KEY=2\n"
    assert (ground.folder / "in" / ".git").is_dir()


def test_names_that_are_no_text_and_small_ignored_files_are_kept_too(ground: Ground) -> None:
    odd = Path(os.fsdecode(os.fsencode(ground.folder) + b"/caf\xe9"))
    odd.mkdir()
    (odd / ".env").write_text("KEY=1\n")
    (ground.folder / "notes.log").write_text("worth something\n")
    (ground.folder / "build").mkdir()
    (ground.folder / "build" / "app.o").write_text("cache\n")
    snapshot = ground.remove()
    assert snapshots_in(Git(ground.repository)) == [snapshot]
    assert snapshot.kept == ("caf\\xe9/.env",)
    restored = restore_lane(str(ground.repository), snapshot)
    assert put_copies_back(ground.kept / snapshot.id, restored.folder) == ()
    assert (odd / ".env").read_text() == "KEY=1\n"
    assert (ground.folder / "notes.log").read_text() == "worth something\n"
    assert not (ground.folder / "build").exists()


def test_a_folder_that_git_has_forgotten_is_neither_kept_nor_removed(ground: Ground) -> None:
    shutil.rmtree(ground.repository / ".git" / "worktrees" / "fix")
    with pytest.raises(LaneError, match="does not point at its own folder"):
        ground.removal.snapshot("archive", NOW)
    assert (ground.folder / "app.py").is_file()


def test_a_place_that_git_keeps_for_a_missing_worktree_is_left_to_it(ground: Ground) -> None:
    snapshot = ground.remove()
    git(ground.repository, "worktree", "add", "-q", "-b", "usb", str(ground.folder))
    shutil.rmtree(ground.folder)
    restored = restore_lane(str(ground.repository), snapshot)
    assert restored.folder.name == "fix-2"
    assert str(ground.folder) in git(ground.repository, "worktree", "list")


def test_a_restore_that_was_cut_off_is_undone_unless_somebody_worked_there(ground: Ground) -> None:
    (ground.folder / ".env").write_text("KEY=1\n")
    make_a_mess(ground.folder)
    snapshot = ground.remove()
    kept = ground.kept / snapshot.id
    restored = restore_lane(str(ground.repository), snapshot)
    put_copies_back(kept, restored.folder)
    (restored.folder / "mine.txt").write_text("mine\n")
    with pytest.raises(LaneError, match=r"holds mine\.txt"):
        undo_half_made(str(ground.repository), snapshot, kept)
    (restored.folder / "mine.txt").unlink()
    (restored.folder / "app.py").unlink()
    undo_half_made(str(ground.repository), snapshot, kept)
    assert not restored.folder.exists()
    undo_half_made(str(ground.repository), snapshot, kept)
    assert restore_lane(str(ground.repository), snapshot).branch == "lane/fix"
