"""A rebase or merge that is open in a lane: both sides, taking one, going on, and taking it back exactly."""

import os
from pathlib import Path

import pytest

from desktop.domain.core.errors import LaneError
from desktop.domain.lanes.lane import Lane
from desktop.services.lanes.stacks.operation import base_of_open_rebase, conflicts_in, go_on, resolve, take_back
from desktop.services.lanes.stacks.rebase import operation_in, plan_rebase, rebase
from tests.agent.rig import git
from tests.services.merge_place import LINES, Place, make_place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    return make_place(tmp_path)


def open_rebase(place: Place) -> Lane:
    """Two commits in conflict, and between them one that fits."""
    lane = place.lane("fix")
    folder = Path(lane.worktree_path)
    place.commit(folder, "mine", {"app.py": LINES.replace("one", "mine"), "gone.txt": "g\n", "both.txt": "m\n"})
    place.commit(folder, "fits", {"fits.txt": "f\n"})
    place.commit(folder, "again", {"readme.md": "# Mine\n"})
    (place.root / "a" / "b.txt").unlink()
    place.commit(
        place.root, "main", {"app.py": LINES.replace("one", "main"), "both.txt": "t\n", "readme.md": "# Main\n"}
    )
    assert rebase(plan_rebase(lane, None), keep_conflict=True).left_open
    return lane


def test_both_sides_are_listed_and_taken_and_the_rebase_goes_on_to_its_end(place: Place) -> None:
    lane = open_rebase(place)
    folder, before = Path(lane.worktree_path), place.untouched()
    found = conflicts_in(folder)
    assert (found.operation, found.ours.split()[0]) == ("rebase", "main")
    assert found.theirs.endswith(" mine")
    by_path = {file.path: file for file in found.files}
    assert set(by_path) == {"app.py", "both.txt"}
    assert (by_path["both.txt"].base, by_path["both.txt"].ours, by_path["both.txt"].theirs) == (None, "t\n", "m\n")
    assert by_path["app.py"].base == LINES
    assert base_of_open_rebase(folder) == place.oid("main")
    with pytest.raises(LaneError, match=r"Still in conflict: app\.py, both\.txt"):
        go_on(folder)
    with pytest.raises(LaneError, match="still has conflict marks"):
        resolve(folder, "app.py", "as_is")
    (folder / "app.py").write_text(LINES.replace("one", "together"))
    resolve(folder, "app.py", "as_is")
    resolve(folder, "both.txt", "theirs")
    assert {file.path: file.resolved for file in conflicts_in(folder).files} == {"app.py": True, "both.txt": True}
    (folder / "fits.txt").unlink(missing_ok=True)
    (folder / "a-new-test.txt").write_text("by the agent")
    assert go_on(folder) == "The next commit is in conflict: readme.md."
    resolve(folder, "readme.md", "ours")
    assert go_on(folder) == "The rebase is finished."
    assert operation_in(folder) == ""
    assert place.subjects(lane.branch) == ["fits", "mine", "main", "first"]
    assert (folder / "app.py").read_text() == LINES.replace("one", "together")
    assert (folder / "both.txt").read_text() == "m\n"
    assert git(folder, "status", "--porcelain") == "?? a-new-test.txt\n"
    assert place.untouched() == before


def test_taking_it_back_leaves_the_lane_exactly_as_before(place: Place) -> None:
    lane = open_rebase(place)
    folder = Path(lane.worktree_path)
    resolve(folder, "app.py", "ours")
    assert "taken back" in take_back(folder)
    assert operation_in(folder) == ""
    assert git(folder, "status", "--porcelain", "--branch") == f"## {lane.branch}\n"
    assert place.subjects(lane.branch) == ["again", "fits", "mine", "first"]
    held = git(folder, "ls-tree", "-r", "--name-only", "HEAD").split()
    assert (
        sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file() and p.name != ".git") == held
    )
    assert (folder / "app.py").read_text() == LINES.replace("one", "mine")
    with pytest.raises(LaneError, match="Nothing is open"):
        take_back(folder)


def test_a_side_that_deleted_a_file_can_be_taken_and_a_merge_goes_on(place: Place) -> None:
    lane = place.lane("fix")
    folder = Path(lane.worktree_path)
    (folder / "readme.md").unlink()
    place.commit(folder, "without", {"app.py": LINES.replace("one", "mine")})
    place.commit(place.root, "main", {"readme.md": "# More\n", "app.py": LINES.replace("one", "main")})
    with pytest.raises(Exception, match="returned non-zero"):
        git(folder, "merge", "-q", "main")
    found = conflicts_in(folder)
    assert (found.operation, found.ours) == ("merge", "lane/fix")
    assert found.theirs.endswith("main")
    note = next(file.note for file in found.files if file.path == "readme.md")
    assert note == "Deleted on one side, changed on the other."
    resolve(folder, "readme.md", "ours")
    assert not (folder / "readme.md").exists()
    resolve(folder, "app.py", "theirs")
    assert go_on(folder) == "The merge is finished."
    assert len(git(folder, "log", "-1", "--format=%P").split()) == 2
    assert git(folder, "log", "-1", "--format=%an").strip() == "Petra"
    assert git(folder, "status", "--porcelain") == ""


def test_a_rebase_that_would_run_commands_is_left_to_a_terminal(place: Place) -> None:
    lane = open_rebase(place)
    folder = Path(lane.worktree_path)
    todo = Path(git(folder, "rev-parse", "--absolute-git-dir").strip(), "rebase-merge", "git-rebase-todo")
    todo.write_text(f"exec touch {folder}/ran\n{todo.read_text()}")
    for path in ("app.py", "both.txt"):
        resolve(folder, path, "ours")
    with pytest.raises(LaneError, match="would run commands"):
        go_on(folder)
    assert not (folder / "ran").exists()
    take_back(folder)


def test_taking_the_side_that_deleted_a_file_follows_no_link_out_of_the_lane(place: Place, tmp_path: Path) -> None:
    lane = place.lane("fix")
    folder = Path(lane.worktree_path)
    (folder / "a" / "b.txt").unlink()
    place.commit(folder, "without", {"own.txt": "o\n"})
    place.commit(place.root, "main", {"a/b.txt": "changed\n"})
    with pytest.raises(Exception, match="returned non-zero"):
        git(folder, "merge", "-q", "main")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b.txt").write_text("not the lane's")
    (folder / "a" / "b.txt").unlink()
    (folder / "a").rmdir()
    (folder / "a").symlink_to(outside)
    with pytest.raises(LaneError, match="could not be removed"):
        resolve(folder, "a/b.txt", "ours")
    assert (outside / "b.txt").read_text() == "not the lane's"
