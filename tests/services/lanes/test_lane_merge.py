"""Merging into the base without a pull request: the plan, the moved ref, and the person's checkout beside it."""

import os
from pathlib import Path

import pytest

from desktop.domain.core.errors import GitError, LaneError
from desktop.domain.lanes.lane import Lane
from desktop.services.lanes.stacks.merge import MergePlan, merge, plan_merge
from desktop.services.lanes.stacks.rebase import plan_rebase, rebase
from tests.agent.rig import git
from tests.services.merge_place import LINES, Place, make_place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    return make_place(tmp_path)


def worked(place: Place, name: str = "fix", **more: str) -> Lane:
    """A lane with two commits, on a base that nobody has open and that went on."""
    git(place.root, "branch", "base")
    lane = place.lane(name, base="base")
    place.commit(lane.worktree_path, "first of it", {"app.py": LINES.replace("one", "ONE")})
    place.commit(lane.worktree_path, "second of it", {"new.txt": "n\n"})
    git(place.root, "switch", "-q", "base")
    place.commit(place.root, "base goes on", more or {"app.py": LINES.replace("six", "SIX")})
    git(place.root, "switch", "-q", "main")
    return lane


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_each_method_is_shown_in_memory_and_then_moves_the_base_alone(place: Place, method) -> None:
    lane = worked(place)
    before, refs = place.untouched(), git(place.root, "for-each-ref")
    plan = plan_merge(lane, None, method, (lane,))
    assert git(place.root, "for-each-ref") == refs
    assert (plan.problem, plan.conflicts, plan.base, plan.in_checkout) == ("", (), "base", False)
    assert [line.partition(" ")[2] for line in plan.commits] == ["second of it", "first of it"]
    assert [(file.path, file.status) for file in plan.files] == [("app.py", "modified"), ("new.txt", "added")]
    made = merge(lane, plan, method)
    assert place.oid("base") == made
    assert place.oid("base^{tree}") == plan.tree
    assert place.untouched() == before
    shown = git(place.root, "show", "base:app.py")
    assert shown == LINES.replace("one", "ONE").replace("six", "SIX")
    parents = git(place.root, "log", "-1", "--format=%P", "base").split()
    subjects = place.subjects("base")
    if method == "merge":
        assert parents == [plan.base_oid, plan.head]
        assert subjects[0] == "Merge branch 'lane/fix' into base"
    elif method == "squash":
        assert (parents, subjects[:2]) == ([plan.base_oid], ["fix", "base goes on"])
        assert "* second of it\n* first of it" in git(place.root, "log", "-1", "--format=%b", "base")
    else:
        assert subjects[:3] == ["second of it", "first of it", "base goes on"]
    assert git(Path(lane.worktree_path), "status", "--porcelain") == ""
    assert place.oid(lane.branch) == plan.head


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_what_does_not_fit_is_a_problem_with_its_files(place: Place, method) -> None:
    lane = worked(place, **{"app.py": LINES.replace("one", "other")})
    plan = plan_merge(lane, None, method, (lane,))
    assert plan.conflicts == ("app.py",)
    assert "does not fit on base" in plan.problem
    with pytest.raises(LaneError, match="does not fit"):
        merge(lane, plan, method)


def test_a_dirty_lane_a_merged_one_and_a_moved_base_are_refused(place: Place) -> None:
    lane = worked(place)
    Path(lane.worktree_path, "loose.txt").write_text("x")
    assert "not committed: loose.txt" in plan_merge(lane, None, "merge", (lane,)).problem
    Path(lane.worktree_path, "loose.txt").unlink()
    plan = plan_merge(lane, None, "merge", (lane,))
    git(place.root, "update-ref", "refs/heads/base", place.oid("main"))
    with pytest.raises(GitError):
        merge(lane, plan, "merge")
    assert place.oid("base") == place.oid("main")
    fresh = plan_merge(lane, None, "merge", (lane,))
    assert fresh.digest(lane, "merge") != plan.digest(lane, "merge")
    merge(lane, fresh, "merge")
    assert "holds everything" in plan_merge(lane, None, "merge", (lane,)).problem


def test_a_base_that_is_open_in_another_lane_names_it(place: Place) -> None:
    parent = place.lane("parent")
    child = place.lane("child", parent=parent)
    place.commit(child.worktree_path, "c", {"c.txt": "c\n"})
    plan = plan_merge(child, parent, "merge", (parent, child))
    assert plan.problem == "lane/parent is open in the lane 'parent'. It can only be moved from there."
    place.commit(parent.worktree_path, "p", {"p.txt": "parent's\n"})
    place.commit(place.root, "m", {"p.txt": "main's\n"})
    assert rebase(plan_rebase(parent, None), keep_conflict=True).left_open  # its branch is not checked out meanwhile
    assert "open in the lane 'parent'" in plan_merge(child, parent, "merge", (parent, child)).problem


def in_checkout(place: Place) -> tuple[Lane, MergePlan]:
    lane = place.lane("fix")
    place.commit(lane.worktree_path, "mine", {"app.py": LINES.replace("one", "ONE"), "new/file.txt": "n\n"})
    return lane, plan_merge(lane, None, "merge", (lane,))


@pytest.mark.promise("lanes-L50")
def test_the_checkout_is_moved_only_when_a_person_says_so_and_nothing_is_lost(place: Place) -> None:
    lane, plan = in_checkout(place)
    assert (plan.in_checkout, plan.checkout, plan.problem) == (True, "", "")
    before = place.untouched()
    with pytest.raises(LaneError, match=r"main is open in your checkout\. Push a pull request, or update it there\."):
        merge(lane, plan, "merge")
    assert place.untouched() == before
    (place.root / "mine.txt").write_text("untracked stays")
    merge(lane, plan, "merge", update_checkout=True)
    assert (place.root / "app.py").read_text() == LINES.replace("one", "ONE")
    assert (place.root / "new" / "file.txt").read_text() == "n\n"
    assert git(place.root, "status", "--porcelain") == "?? mine.txt\n"
    assert git(place.root, "branch", "--show-current") == "main\n"


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda root: (root / "readme.md").write_text("changed"), "not committed: readme.md"),
        (lambda root: (root / "new").write_text("in the way"), "files that Git does not keep are in the way: new"),
    ],
)
def test_a_checkout_that_is_not_clean_is_refused_with_the_reason(place: Place, spoil, words: str) -> None:
    lane, _ = in_checkout(place)
    spoil(place.root)
    before = place.untouched()
    plan = plan_merge(lane, None, "merge", (lane,))
    assert words in plan.checkout
    with pytest.raises(LaneError):
        merge(lane, plan, "merge", update_checkout=True)
    assert place.untouched() == before


def test_only_the_branch_that_the_base_names_is_merged_into(place: Place) -> None:
    git(place.root, "branch", "gone")
    lane = worked(place).model_copy(update={"base_ref": "lane/gone"})
    with pytest.raises(LaneError, match="no local branch 'lane/gone'"):
        plan_merge(lane, None, "merge", (lane,))
    git(place.root, "remote", "add", "up/stream", "/nowhere")
    remote = lane.model_copy(update={"base_ref": "up/stream/base"})
    assert plan_merge(remote, None, "merge", (remote,)).base == "base"
