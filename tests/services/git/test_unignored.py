"""The files of a lane, followed from look to look, are those that Git and the disk tell when asked for all of them."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

from desktop.domain.core.errors import GitError, PathError
from desktop.services.files import change_times
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.lane_view import LaneView
from desktop.services.git.trees import unignored
from desktop.services.git.trees.listing import LaneTree, TreeReader
from desktop.services.git.trees.unignored import UnignoredNames
from desktop.services.history.refs import CheckpointRefs
from tests.services.git.lane_changes import STEPS, Step, do, new_lane, run_git, settled

WINDOW_NS = 20_000_000


@pytest.fixture(scope="module", autouse=True)
def _short_window() -> Iterator[None]:
    """Times are believed soon after a change, so that a test need not wait."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(change_times, "RACY_NS", WINDOW_NS)
        yield


class Follower:
    """What follows a lane, and what is told anew each time to compare with."""

    def __init__(self, lane: Path) -> None:
        self.lane = lane
        self.files = LaneFiles(lane)
        self.refs = CheckpointRefs(lane, "ln_1")
        self.view = LaneView(lane)
        self.listings = 0
        self.answers = True
        self.names = UnignoredNames(self.refs.git, self.listed, plain=self.files.has_plain_names)
        self.reader = TreeReader(self.files, "sha1", max_file_bytes=8)

    def listed(self) -> list[str]:
        """Every name, by Git."""
        self.listings += 1
        if not self.answers:
            raise GitError("git ls-files was stopped after 8 s.")
        return self.refs.listed()

    def look(self) -> LaneTree:
        """The files now, which must be all of them, as they are."""
        settled(WINDOW_NS)
        self.view.look()
        self.names.follow(self.view)
        tree = self.reader.read_seen(self.view, self.names)
        listed = self.refs.listed()
        whole = TreeReader(self.files, "sha1", max_file_bytes=8).read(listed)
        assert tree == whole
        assert {path for path in self.names.paths if path in self.view.stamps} == {
            path for path in listed if path in self.view.stamps
        }
        return tree


@pytest.fixture
def follower(tmp_path: Path) -> Follower:
    found = Follower(new_lane(tmp_path / "lane"))
    found.look()
    found.look()
    assert found.names.followed
    found.listings = 0
    return found


@settings(max_examples=6, deadline=None)
@given(steps=STEPS)
def test_after_any_changes_what_was_followed_equals_what_is_told_anew(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        follower = Follower(new_lane(Path(folder) / "lane"))
        follower.look()
        for step in steps:
            do(follower.lane, step)
            follower.look()


def test_git_lists_all_names_only_when_what_decides_about_them_changed(follower: Follower) -> None:
    lane = follower.lane
    for number in range(3):
        (lane / f"new{number}").write_text("x")
        (lane / "in" / f"{number}.log").write_text("ignored")
        tree = follower.look()
    (lane / "a").unlink()
    (lane / "new0").rename(lane / "dir" / "moved")
    follower.look()
    assert follower.listings == 0
    assert "new2" in tree.entries
    (lane / "dir" / ".gitignore").write_text("moved\n")
    assert "dir/moved" not in follower.look().entries
    assert follower.listings == 1


def test_what_did_not_change_is_the_same_tree(follower: Follower) -> None:
    first = follower.look()
    (follower.lane / "in" / "other.log").write_text("ignored")
    assert follower.look() is first


@pytest.mark.parametrize("where", ["index", "exclude", "config", "include", "home"])
def test_a_change_of_what_git_ignores_is_seen_wherever_it_is_said(
    follower: Follower, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lane = follower.lane
    (lane / "in" / "one.log").write_text("ignored")
    (tmp_path / "excludes").write_text("a\n")
    assert "in/one.log" not in follower.look().entries
    match where:
        case "index":
            run_git(lane, "add", "-f", "in/one.log")
            assert "in/one.log" in follower.look().entries
            run_git(lane, "rm", "-q", "--cached", "in/one.log")
            assert "in/one.log" not in follower.look().entries
            return
        case "exclude":
            (lane / ".git" / "info" / "exclude").write_text("fresh\n")
        case "config":
            run_git(lane, "config", "core.excludesFile", str(tmp_path / "excludes"))
            follower.look()
            (tmp_path / "excludes").write_text("fresh\n")
        case "include":
            run_git(lane, "config", "include.path", str(tmp_path / "more"))
            follower.look()
            (tmp_path / "excludes").write_text("fresh\n")
            (tmp_path / "more").write_text(f"[core]\nexcludesFile = {tmp_path / 'excludes'}\n")
        case _:
            monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
            follower = Follower(lane)
            follower.look()
            follower.look()
            (tmp_path / "settings" / "git").mkdir(parents=True)
            (tmp_path / "settings" / "git" / "ignore").write_text("fresh\n")
    (lane / "fresh").write_text("")
    assert "fresh" not in follower.look().entries


def test_a_repository_that_appears_in_a_folder_is_known_by_its_head(follower: Follower) -> None:
    lane = follower.lane
    (lane / "sub").mkdir()
    (lane / "sub" / "file").write_text("")
    assert "sub/file" in follower.look().entries
    run_git(lane / "sub", "init", "-q")
    run_git(lane / "sub", "add", "-A")
    run_git(lane / "sub", "commit", "-qm", "one")
    tree = follower.look()
    assert tree.entries["sub"].mode == "160000"
    run_git(lane / "sub", "commit", "-qm", "two", "--allow-empty")
    assert follower.look().entries["sub"] != tree.entries["sub"]
    assert not follower.names.followed


def test_a_file_that_could_not_be_read_is_read_when_it_can_be(follower: Follower) -> None:
    lane = follower.lane
    (lane / "a").unlink()
    (lane / "a").mkdir()
    assert "a" not in follower.look().entries
    (lane / "a").rmdir()
    (lane / "a").write_text("again")
    assert "a" in follower.look().entries


def test_a_file_that_was_read_for_a_checkpoint_is_read_again(follower: Follower) -> None:
    tree = follower.look()
    assert follower.reader.content("a") is not None
    assert follower.look() is tree


def test_where_names_are_not_plain_git_lists_them_at_each_look(tmp_path: Path) -> None:
    follower = Follower(new_lane(tmp_path / "lane"))
    follower.names = UnignoredNames(follower.refs.git, follower.listed, plain=False)
    for _ in range(3):
        follower.look()
    assert follower.listings == 3


def test_many_passing_names_do_not_gather(follower: Follower, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unignored, "MAX_NEW", 3)
    for number in range(6):
        (follower.lane / f"passing{number}").write_text("")
        follower.look()
        (follower.lane / f"passing{number}").unlink()
    assert len(follower.names.paths) < 14
    assert follower.listings > 0


def test_after_a_list_that_git_could_not_give_it_is_asked_again(follower: Follower) -> None:
    lane = follower.lane
    (lane / "in" / "one.log").write_text("ignored")
    follower.look()
    run_git(lane, "add", "-f", "in/one.log")
    settled(WINDOW_NS)
    follower.view.look()
    follower.answers = False
    with pytest.raises(GitError):
        follower.names.follow(follower.view)
    follower.answers = True
    assert "in/one.log" in follower.look().entries


def test_after_a_look_that_was_cut_off_everything_is_in_the_next(follower: Follower, tmp_path: Path) -> None:
    lane = follower.lane
    (lane / "a").write_text("changed")
    follower.reader.forget(["b"])
    follower.view.look()
    follower.names.follow(follower.view)
    follower.names.followed = False  # so that the whole lane is read
    lane.rename(tmp_path / "away")
    lane.mkdir()
    with pytest.raises(PathError):
        follower.reader.read_seen(follower.view, follower.names)
    lane.rmdir()
    (tmp_path / "away").rename(lane)
    assert "b" in follower.look().entries


@pytest.mark.parametrize("there", [True, False])
def test_files_in_the_folder_of_a_submodule_that_is_not_there_are_none_of_the_lane(
    follower: Follower, there: bool
) -> None:
    lane = follower.lane
    if there:
        (lane / "sub").mkdir()
    run_git(lane, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    follower.look()
    (lane / "sub").mkdir(exist_ok=True)
    (lane / "sub" / "file").write_text("x")
    assert "sub/file" not in follower.look().entries
    (lane / "sub" / "in").mkdir()
    (lane / "sub" / "in" / "more").write_text("x")
    assert "sub/in/more" not in follower.look().entries
