"""Taking the commits of another lane: what stands against it changes nothing."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.domain.core.errors import GitError, LaneError
from desktop.domain.lanes.lane import Lane
from desktop.services.lanes.stacks.take import not_committed, take_commits
from tests.agent.rig import git, make_repository

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def lane_at(folder: Path, branch: str) -> Lane:
    found = folder.stat()
    return Lane(
        id=f"ln_{branch}",
        project_id="p",
        name=branch,
        branch=branch,
        worktree_path=str(folder),
        device=found.st_dev,
        inode=found.st_ino,
        created_at=NOW,
    )


@pytest.fixture
def lanes(tmp_path: Path) -> tuple[Lane, Lane]:
    """A lane, and one on top of it with a commit of its own."""
    mine = make_repository(tmp_path / "mine")
    theirs = tmp_path / "theirs"
    git(mine, "worktree", "add", "-q", "-b", "theirs", str(theirs))
    (theirs / "made.txt").write_text("made\n")
    git(theirs, "add", "-A")
    git(theirs, "commit", "-q", "-m", "Make it")
    return lane_at(mine, "main"), lane_at(theirs, "theirs")


def state_of(lane: Lane) -> tuple[str, str]:
    folder = Path(lane.worktree_path)
    return git(folder, "rev-parse", "HEAD"), git(folder, "status", "--porcelain", "--untracked-files=all")


def test_both_histories_are_joined_by_one_commit(lanes: tuple[Lane, Lane]) -> None:
    into, theirs = lanes
    folder = Path(into.worktree_path)
    (folder / "mine.txt").write_text("mine\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Mine")
    done = take_commits(into, theirs, "Take it")
    assert (done.branch, done.commits, done.files, done.conflicts) == ("main", 1, ("made.txt",), ())
    assert git(folder, "log", "-1", "--format=%P").split() == [
        done.before,
        git(folder, "rev-parse", "theirs").strip(),
    ]
    assert git(folder, "log", "-1", "--format=%B").strip() == "Take it\n\nMerge branch 'theirs' into main"
    assert git(folder, "status", "--porcelain") == ""
    again = take_commits(into, theirs, "Take it")
    assert (again.before, again.commits) == (again.after, 0)


@pytest.mark.parametrize("stands", ["staged", "detached", "merging", "gone", "filtered", "unrelated"])
def test_what_stands_against_it_changes_nothing(stands: str, lanes: tuple[Lane, Lane]) -> None:
    into, theirs = lanes
    folder = Path(into.worktree_path)
    if stands == "staged":
        (folder / "app.py").write_text("mine\n")
        git(folder, "add", "-A")
    elif stands == "detached":
        git(folder, "checkout", "-q", "--detach")
    elif stands == "merging":
        (folder / ".git" / "MERGE_HEAD").write_text(git(folder, "rev-parse", "HEAD"))
    elif stands == "gone":
        theirs = theirs.model_copy(update={"branch": "elsewhere"})
    elif stands == "filtered":
        (folder / ".git" / "info").mkdir(exist_ok=True)
        (folder / ".git" / "info" / "attributes").write_text("made.txt filter=lfs\n")
    else:
        git(Path(theirs.worktree_path), "checkout", "-q", "--orphan", "theirs2")
        git(Path(theirs.worktree_path), "commit", "-q", "-m", "Another beginning")
        theirs = theirs.model_copy(update={"branch": "theirs2"})
    before = state_of(into)
    with pytest.raises((LaneError, GitError)) as refused:
        take_commits(into, theirs, "Take it")
    words = {
        "staged": "Git's index holds changes that are not committed: app.py",
        "detached": "is on no branch",
        "merging": "A merge is open in the lane 'main'",
        "gone": "The branch elsewhere of the lane 'theirs' is gone.",
        "filtered": "made.txt goes through a filter",
        "unrelated": "unrelated histories",
    }
    assert words[stands] in str(refused.value)
    assert state_of(into) == before


def test_a_conflict_changes_nothing(lanes: tuple[Lane, Lane]) -> None:
    into, theirs = lanes
    folder = Path(into.worktree_path)
    (folder / "made.txt").write_text("another\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Mine")
    before = state_of(into)
    assert take_commits(into, theirs, "Take it").conflicts == ("made.txt",)
    assert state_of(into) == before


def test_what_is_not_committed_is_told_of_the_lane_on_its_own_branch(lanes: tuple[Lane, Lane]) -> None:
    _, theirs = lanes
    folder = Path(theirs.worktree_path)
    assert not_committed(theirs) == ()
    (folder / "sub").mkdir()
    (folder / "sub" / "new.txt").write_text("new\n")
    (folder / "app.py").unlink()
    assert not_committed(theirs) == ("app.py", "sub/new.txt")
    git(folder, "checkout", "-q", "-b", "another")
    with pytest.raises(LaneError, match="is on another, not on theirs"):
        not_committed(theirs)
