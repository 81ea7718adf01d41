"""The files by which git leads from folder to folder: what they name, and that nothing waits for a pipe."""

import os
import sys
from pathlib import Path

import pytest

from desktop.services.files.places import parts_of, repository_parts
from desktop.services.files.pointers import NoRegularFile, git_folders, open_regular, pointed, read_pointer
from desktop.services.gate.guarded_places import pointer_bytes
from desktop.services.processes.sandbox.profile import shown_git
from tests.agent.rig import git, make_repository


def test_a_worktree_and_its_repository_are_found(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shop")
    lane = tmp_path / "lane"
    git(repository, "worktree", "add", "-q", str(lane), "-b", "lane")
    common = (repository / ".git").resolve()
    assert git_folders(lane) == (common / "worktrees" / "lane", common)
    assert git_folders(repository) == (common, common)
    assert repository_parts(lane) == tuple(sorted(parts_of(folder) for folder in git_folders(lane)))
    assert repository_parts(repository) == (parts_of(common),)


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_two_above_is_counted_from_where_the_git_folder_really_lies(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shop")
    lane = tmp_path / "lane"
    git(repository, "worktree", "add", "-q", str(lane), "-b", "lane")
    decoy = make_repository(tmp_path / "decoy")
    (decoy / ".git" / "worktrees").symlink_to(repository / ".git" / "worktrees")
    (lane / ".git").write_text(f"gitdir: {decoy}/.git/worktrees/lane\n")
    common = (repository / ".git").resolve()
    assert git_folders(lane) == (common / "worktrees" / "lane", common)
    (common / "worktrees" / "lane" / "commondir").write_text(f"{decoy}/.git\n")
    assert git_folders(lane) == (common / "worktrees" / "lane", (decoy / ".git").resolve())


@pytest.mark.parametrize("said", ["", "gitdir:", "gitdir: gone", "/etc", "gitdir: a\0b"])
def test_a_pointer_that_leads_nowhere_is_no_worktree(tmp_path: Path, said: str) -> None:
    (tmp_path / ".git").write_text(said)
    with pytest.raises((OSError, ValueError)):
        git_folders(tmp_path)


def test_a_folder_is_guarded_before_it_is_there(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: coming\n")
    assert repository_parts(tmp_path) == (parts_of((tmp_path / "coming").resolve()),)
    (tmp_path / ".git").write_text("gitdir: coming\0behind\n")
    assert pointed(tmp_path / ".git", prefix="gitdir:") == (tmp_path / "coming").resolve()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes in the place of files")
def test_a_pipe_in_the_place_of_a_pointer_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")
    assert (repository_parts(tmp_path), shown_git(tmp_path), pointer_bytes(tmp_path)) == ((), (), None)
    assert read_pointer(tmp_path / ".git") == ""
    with pytest.raises(NoRegularFile):
        open_regular(str(tmp_path / ".git"), os.O_RDONLY)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes in the place of files")
def test_a_pipe_put_there_after_the_look_counts_as_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(Path, "is_file", lambda _: True)
    assert read_pointer(tmp_path / "pipe") == ""
