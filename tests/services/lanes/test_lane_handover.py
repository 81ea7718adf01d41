"""Showing a lane in the checkout and moving the checkout forward: nothing that a repository configures runs."""

import os
from pathlib import Path

import pytest

from desktop.domain.core.errors import GitError, LaneError
from desktop.services.files.lane_files import LaneFiles
from desktop.services.history.tree_fit import RawLane
from desktop.services.lanes.stacks.handover import (
    SHOWN_REFS,
    Handover,
    bring_back,
    check_checkout,
    finish_return,
    show,
)
from desktop.services.lanes.stacks.handover_recovery import undo_show
from desktop.services.lanes.stacks.merge import merge, plan_merge
from tests.agent.rig import git
from tests.services.merge_place import LINES, Place, make_place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    place = make_place(tmp_path)
    place.commit(place.root, "attributes", {".gitattributes": "*.py filter=evil diff=evil merge=evil\n"})
    return place


def trap(place: Place, tmp_path: Path) -> Path:
    """In every place of the configuration; gives the file that is there once something ran."""
    script, fired, hooks = tmp_path / "trap.sh", tmp_path / "fired", tmp_path / "hooks"
    script.write_text(f"#!/bin/sh\necho $0 >> {fired}\ncat\n")
    script.chmod(0o755)
    hooks.mkdir()
    names = ("post-checkout", "pre-commit", "post-merge", "reference-transaction", "post-index-change")
    for name in names:
        (hooks / name).symlink_to(script)
    keys = ("core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv")
    for key in (*keys, "diff.external", "merge.evil.driver", "core.sshCommand", "core.pager"):
        git(place.root, "config", key, str(script))
    git(place.root, "config", "core.hooksPath", str(hooks))
    return fired


def test_a_handover_and_a_merge_in_the_checkout_run_nothing_of_the_repository(place: Place, tmp_path: Path) -> None:
    lane = place.lane("fix")
    folder = Path(lane.worktree_path)
    place.commit(folder, "mine", {"app.py": LINES.replace("one", "ONE"), "new.py": "n\n"})
    raw = RawLane(LaneFiles(folder, name="fix"), lane.id)
    commit = raw.keep(raw.look(), "refs/banksman/test", reason="x").commit
    fired = trap(place, tmp_path)
    checkout = LaneFiles(place.root, name="shop")
    branch, head = check_checkout(place.root)
    handover = Handover(lane.id, branch, head, commit)
    show(checkout, handover)
    (place.root / "new.py").write_text("edited\n")
    assert bring_back(checkout, LaneFiles(folder, name="fix"), handover).changed == ("new.py",)
    (folder / "new.py").write_text("n\n")
    plan = plan_merge(lane, None, "merge", (lane,))
    assert plan.checkout == ""
    merge(lane, plan, "merge", update_checkout=True)
    assert (place.root / "app.py").read_text() == LINES.replace("one", "ONE")
    assert not fired.exists()


def test_edits_of_a_lane_that_is_gone_stay_and_an_unedited_checkout_returns(place: Place) -> None:
    lane = place.lane("fix")
    folder = Path(lane.worktree_path)
    (folder / "loose.txt").write_text("loose")
    raw = RawLane(LaneFiles(folder, name="fix"), lane.id)
    commit = raw.keep(raw.look(), "refs/banksman/test", reason="x").commit
    checkout = LaneFiles(place.root, name="shop")
    branch, head = check_checkout(place.root)
    handover = Handover(lane.id, branch, head, commit)
    show(checkout, handover)
    (place.root / "loose.txt").write_text("edited")
    with pytest.raises(LaneError, match="The lane is gone, so what you edited stays in your checkout"):
        bring_back(checkout, None, handover)
    assert (place.root / "loose.txt").read_text() == "edited"
    (place.root / "loose.txt").write_text("loose")
    assert bring_back(checkout, None, handover).changed == ()
    assert git(place.root, "status", "--porcelain", "--branch") == "## main\n"
    assert git(place.root, "for-each-ref", "refs/banksman/handover", "refs/banksman/handover-base") == ""


def test_files_of_a_filter_are_never_written_into_the_checkout_without_it(place: Place) -> None:
    place.commit(place.root, "large files", {".gitattributes": "*.bin filter=lfs\n", "a.bin": "pointer one\n"})
    (place.root / "a.bin").write_text("what the filter made of it\n")
    git(place.root, "update-index", "--assume-unchanged", "a.bin")  # as the filter would have it: nothing has changed
    lane = place.lane("fix")
    folder = Path(lane.worktree_path)
    place.commit(folder, "mine", {"a.bin": "pointer two\n"})
    assert "a.bin goes through a filter of Git" in plan_merge(lane, None, "merge", (lane,)).checkout
    head = place.oid("main")
    with pytest.raises(LaneError, match=r"a\.bin goes through a filter of Git, so it cannot be shown"):
        show(LaneFiles(place.root, name="shop"), Handover(lane.id, "main", head, place.oid(lane.branch)))
    assert (place.root / "a.bin").read_text() == "what the filter made of it\n"
    assert git(place.root, "branch", "--show-current") == "main\n"


@pytest.fixture
def ready(place: Place) -> tuple[LaneFiles, LaneFiles, Handover]:
    """The checkout, a lane that changes, adds and deletes files, and the handover that could begin."""
    lane = place.lane("fix")
    folder = Path(lane.worktree_path)
    place.commit(folder, "mine", {"app.py": LINES.replace("one", "ONE"), "new/x.txt": "n\n", "more.txt": "m\n"})
    (folder / "readme.md").unlink()
    files = LaneFiles(folder, name="fix")
    raw = RawLane(files, lane.id)
    commit = raw.keep(raw.look(), "refs/banksman/test", reason="x").commit
    return LaneFiles(place.root, name="shop"), files, Handover(lane.id, *check_checkout(place.root), commit)


def handover_refs(place: Place) -> list[str]:
    listed = git(place.root, "for-each-ref", "--format=%(refname)", "refs/banksman").split()
    return [ref for ref in listed if "/handover" in ref and "/handover-edits/" not in ref]


@pytest.mark.parametrize("index", [False, True])
def test_a_showing_that_was_cut_off_is_taken_back_but_not_what_changed_since(
    place: Place, ready: tuple[LaneFiles, LaneFiles, Handover], index: bool
) -> None:
    checkout, _, handover = ready
    root, before = place.root, git(place.root, "rev-parse", "HEAD")
    git(root, "update-ref", f"{SHOWN_REFS}/{handover.lane_id}", handover.commit)
    (root / "app.py").write_text(LINES.replace("one", "ONE"))
    (root / "new").mkdir()
    (root / "new/x.txt").write_text("n\n")
    (root / "readme.md").unlink()
    (root / "more.txt").write_text("somebody's own")
    if index:
        git(root, "read-tree", handover.commit)
    told = undo_show(checkout, handover)
    assert "These files were changed besides, and stay: more.txt." in told
    assert git(root, "status", "--porcelain", "--branch") == "## main\n?? more.txt\n"
    assert not (root / "new").exists()
    assert git(root, "rev-parse", "HEAD") == before
    assert handover_refs(place) == []
    assert undo_show(checkout, handover) == ""


def test_a_return_that_was_cut_off_goes_on_and_does_not_bring_its_own_steps_into_the_lane(
    place: Place, ready: tuple[LaneFiles, LaneFiles, Handover]
) -> None:
    checkout, lane, handover = ready
    show(checkout, handover)
    (place.root / "app.py").write_text("edited\n")
    lock = place.root / ".git/index.lock"
    lock.write_text("")
    with pytest.raises(GitError, match=r"index\.lock"):
        bring_back(checkout, lane, handover)
    lock.unlink()
    assert (lane.root / "app.py").read_text() == "edited\n"
    (place.root / "more.txt").unlink()  # as its branch has it
    (place.root / "readme.md").write_text("# Shop\n")
    (place.root / "a/b.txt").write_text("changed since\n")
    with pytest.raises(LaneError, match=r"a/b\.txt changed since"):
        finish_return(checkout, handover)
    (place.root / "a/b.txt").write_text("b\n")
    assert bring_back(checkout, lane, handover).branch == "main"
    assert git(place.root, "status", "--porcelain", "--branch") == "## main\n"
    assert (lane.root / "app.py").read_text() == "edited\n"
    assert (lane.root / "more.txt").exists()
    assert handover_refs(place) == []
