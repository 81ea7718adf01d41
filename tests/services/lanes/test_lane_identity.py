"""A lane whose folder is not its own any more is told, whatever was put in its place."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.domain.core.errors import GitError, LaneError
from desktop.domain.lanes.lane import Lane
from desktop.services.files.pointers import git_folders
from desktop.services.lanes.identity import lane_moved, misplaced, require_own_folder
from tests.agent.rig import git, make_repository
from tests.services.lane_place import add_lane, record

pytestmark = pytest.mark.asyncio
SENTENCE = 'Lane "fix-login" does not point at its own folder. Repair or remove it.'


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop")


@pytest.fixture
def lane(repository: Path, tmp_path: Path) -> Lane:
    return add_lane(repository, tmp_path / "lanes" / "fix", "fix-login")


async def test_a_lane_as_it_was_made_is_its_own_folder(lane: Lane, repository: Path) -> None:
    assert not lane_moved(lane)
    assert misplaced(lane) == ""
    await require_own_folder(lane, repository)


async def test_the_persons_checkout_is_its_own_folder(repository: Path) -> None:
    await require_own_folder(record(repository, repository, "shop", type="primary"), repository)


async def test_a_lane_with_links_that_are_relative_is_its_own_folder(lane: Lane, repository: Path) -> None:
    folder = Path(lane.worktree_path)
    git_folder, _ = git_folders(folder)
    (folder / ".git").write_text("gitdir: ../../shop/.git/worktrees/fix\n")
    (git_folder / "gitdir").write_text("../../../../lanes/fix/.git\n")
    assert not lane_moved(lane)


def _other_repository(folder: Path, repository: Path) -> None:
    other = make_repository(repository.parent / "other")
    (folder / ".git").write_text(f"gitdir: {other}/.git\n")


def _other_lane(folder: Path, repository: Path) -> None:
    other = repository.parent / "lanes" / "second"
    add_lane(repository, other, "second", 2)
    (folder / ".git").write_text((other / ".git").read_text())


def _linked_to_other_lane(folder: Path, repository: Path) -> None:
    _other_lane(folder, repository)
    (folder / ".git").unlink()
    (folder / ".git").symlink_to(repository.parent / "lanes" / "second" / ".git")


def _the_checkout_itself(folder: Path, repository: Path) -> None:
    (folder / ".git").write_text(f"gitdir: {repository}/.git\n")


def _repository_of_its_own(folder: Path, _repository: Path) -> None:
    (folder / ".git").unlink()
    git(folder, "init", "-q")


def _no_git_file(folder: Path, _repository: Path) -> None:
    (folder / ".git").unlink()


def _foreign_words(folder: Path, _repository: Path) -> None:
    (folder / ".git").write_text("elsewhere\n")


def _another_folder(folder: Path, _repository: Path) -> None:
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    shutil.rmtree(folder)
    (folder.parent / "keeps the inode").mkdir()
    copy.rename(folder)


@pytest.mark.promise("lanes-G8")
@pytest.mark.parametrize(
    "change",
    [
        _other_repository, _other_lane, _linked_to_other_lane, _the_checkout_itself, _repository_of_its_own,
        _no_git_file, _foreign_words, _another_folder,
    ],
)  # fmt: skip
async def test_what_was_put_in_its_place_is_told(
    lane: Lane, repository: Path, change: Callable[[Path, Path], None]
) -> None:
    change(Path(lane.worktree_path), repository)
    assert lane_moved(lane)
    assert misplaced(lane) == SENTENCE
    with pytest.raises(LaneError, match="does not point at its own folder") as told:
        await require_own_folder(lane, repository)
    assert str(told.value) == SENTENCE


async def test_a_folder_that_is_gone_is_said_to_be_gone(lane: Lane, repository: Path) -> None:
    shutil.rmtree(lane.worktree_path)
    with pytest.raises(LaneError, match='The folder of lane "fix-login" is gone'):
        await require_own_folder(lane, repository)


async def test_a_work_tree_that_is_set_elsewhere_is_told(lane: Lane, repository: Path, tmp_path: Path) -> None:
    folder = Path(lane.worktree_path)
    (tmp_path / "elsewhere").mkdir()
    git(repository, "config", "extensions.worktreeConfig", "true")
    git(folder, "config", "--worktree", "core.worktree", str(tmp_path / "elsewhere"))
    with pytest.raises(LaneError):
        await require_own_folder(lane, repository)


async def test_a_worktree_that_git_does_not_list_is_told(lane: Lane, repository: Path) -> None:
    with pytest.raises(LaneError):
        await require_own_folder(lane, make_repository(repository.parent / "other"))


async def test_a_folder_that_is_gone_is_moved_and_nothing_stands_in_its_place(lane: Lane) -> None:
    shutil.rmtree(lane.worktree_path)
    assert lane_moved(lane)
    assert misplaced(lane) == ""


async def test_git_that_cannot_tell_is_no_answer(lane: Lane, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(GitError):
        await require_own_folder(lane, repository)
