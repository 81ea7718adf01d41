"""Rebasing one lane: what moves, what stays, what is refused, and what nobody's settings may run."""

import os
from pathlib import Path

import pytest

from desktop.domain.core.errors import GitError, LaneError
from desktop.services.git.run import Git
from desktop.services.git.trees.merge import merge_trees
from desktop.services.lanes.stacks.operation import go_on, resolve
from desktop.services.lanes.stacks.rebase import Rebased, plan_rebase, rebase, take_back
from tests.agent.rig import git
from tests.services.merge_place import LINES, Place, checkout_hash, make_place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    return make_place(tmp_path)


def on(place: Place, lane, parent=None, **more) -> Rebased:
    """Rebase, with the person's checkout looked at before and after."""
    before = place.untouched()
    try:
        return rebase(plan_rebase(lane, parent), **more)
    finally:
        assert place.untouched() == before


@pytest.mark.promise("lanes-L39")
def test_a_lane_moves_onto_its_newest_base_with_authors_messages_and_ignored_files(place: Place) -> None:
    lane = place.lane("fix")
    folder = Path(lane.worktree_path)
    (folder / ".gitignore").write_text("cache/\n")
    place.commit(folder, "Mend it\n\nBecause:\n# not a comment\n\n  spaces  ", {"app.py": LINES.replace("one", "ONE")})
    old = git(folder, "log", "-1", "--format=%an %ae %ad %B").strip()
    (folder / "cache").mkdir()
    (folder / "cache" / "x").write_text("kept")
    place.commit(place.root, "main goes on", {"app.py": LINES.replace("six", "SIX")})
    done = on(place, lane)
    assert done.state == "succeeded"
    assert (folder / "app.py").read_text() == LINES.replace("one", "ONE").replace("six", "SIX")
    assert git(folder, "status", "--porcelain") == ""
    assert place.subjects(lane.branch) == ["Mend it", "main goes on", "first"]
    assert git(folder, "log", "-1", "--format=%an %ae %ad %B").strip() == old
    assert git(folder, "log", "-1", "--format=%cn").strip() == "Petra"
    assert (folder / "cache" / "x").read_text() == "kept"
    assert on(place, lane.model_copy(update={"base_oid": place.oid("main")})).state == "skipped"
    take_back(lane, done.before, done.after)
    assert place.subjects(lane.branch) == ["Mend it", "first"]
    assert git(folder, "status", "--porcelain") == ""


def test_a_conflict_changes_nothing_at_all(place: Place) -> None:
    lane = place.lane("fix")
    folder = Path(lane.worktree_path)
    place.commit(folder, "fits", {"new.txt": "n\n"})
    place.commit(folder, "does not fit", {"app.py": LINES.replace("one", "mine")})
    place.commit(place.root, "main goes on", {"app.py": LINES.replace("one", "theirs")})
    own = folder / ".git"
    index = Path(own.read_text().split(" ", 1)[1].strip()) / "index"
    before = (place.oid(lane.branch), index.read_bytes(), checkout_hash(folder))
    done = on(place, lane)
    assert (done.state, done.conflicts) == ("conflict", ("app.py",))
    assert '"does not fit"' in done.text
    git_state = (place.oid(lane.branch), index.read_bytes(), checkout_hash(folder))
    assert git_state[0] == before[0]
    assert git_state[2] == before[2]
    assert git(folder, "status", "--porcelain") == ""


def test_only_the_childs_own_commits_follow_a_parent_whose_commits_were_rewritten(place: Place) -> None:
    parent = place.lane("parent")
    place.commit(parent.worktree_path, "parent's", {"p.txt": "old\n"})
    child = place.lane("child", parent=parent)
    place.commit(child.worktree_path, "child's", {"c.txt": "c\n"})
    git(Path(parent.worktree_path), "reset", "-q", "--hard", "HEAD~1")
    place.commit(parent.worktree_path, "parent's, other words", {"p.txt": "new\n"})
    done = on(place, child, parent)
    assert done.state == "succeeded"
    assert place.subjects(child.branch) == ["child's", "parent's, other words", "first"]
    assert Path(child.worktree_path, "p.txt").read_text() == "new\n"


def test_what_the_base_holds_already_is_left_out(place: Place) -> None:
    lane = place.lane("fix")
    place.commit(lane.worktree_path, "same", {"app.py": LINES.replace("two", "TWO")})
    place.commit(lane.worktree_path, "own", {"own.txt": "o\n"})
    place.commit(place.root, "same, by hand", {"app.py": LINES.replace("two", "TWO")})
    place.commit(place.root, "more", {"more.txt": "m\n"})
    assert on(place, lane).state == "succeeded"
    assert place.subjects(lane.branch)[:2] == ["own", "more"]


def test_what_is_not_committed_or_in_the_way_is_never_overwritten(place: Place) -> None:
    lane = place.lane("fix")
    folder = Path(lane.worktree_path)
    place.commit(place.root, "main goes on", {"secret.env": "theirs\n", "dir/x": "x\n", ".gitignore": "*.env\ndir\n"})
    (folder / "loose.txt").write_text("untracked")
    with pytest.raises(LaneError, match=r"not committed: loose\.txt"):
        on(place, lane)
    (folder / "loose.txt").unlink()
    place.commit(folder, "ignore", {".gitignore": "*.env\ndir\n"})
    git(place.root, "add", "-f", "secret.env", "dir/x")
    git(place.root, "commit", "-q", "-m", "forced")
    (folder / "secret.env").write_text("mine")
    (folder / "dir").write_text("a file where a folder must be")
    with pytest.raises(GitError, match=r"in the way: dir, secret\.env"):
        on(place, lane)
    assert (folder / "secret.env").read_text() == "mine"
    assert place.subjects(lane.branch)[0] == "ignore"
    assert git(folder, "status", "--porcelain") == ""


def test_merges_that_a_rebase_would_lose_are_refused(place: Place) -> None:
    lane = place.lane("fix")
    folder = Path(lane.worktree_path)
    place.commit(folder, "mine", {"app.py": LINES.replace("one", "mine")})
    place.commit(place.root, "theirs", {"app.py": LINES.replace("six", "SIX")})
    git(folder, "merge", "-q", "--no-commit", "main")
    place.commit(folder, "merged, and more", {"evil.txt": "only in the merge\n"})
    place.commit(place.root, "later", {"later.txt": "l\n"})
    with pytest.raises(GitError, match="merges whose result would be lost"):
        on(place, lane)
    assert (folder / "evil.txt").exists()


def test_no_driver_hook_filter_signer_or_recorded_resolution_runs(place: Place, tmp_path: Path) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\necho $0 $* >> {tmp_path}/fired\ncat\n")
    trap.chmod(0o755)
    place.commit(place.root, "attributes", {".gitattributes": "*.py merge=evil filter=evil diff=evil\n"})
    lane = place.lane("fix")
    folder = Path(lane.worktree_path)
    place.commit(folder, "mine", {"app.py": LINES.replace("one", "mine")})
    place.commit(place.root, "theirs", {"app.py": LINES.replace("six", "SIX")})
    settings = {
        "merge.evil.driver": f"{trap} %A", "merge.default": "evil", "filter.evil.smudge": str(trap),
        "filter.evil.clean": str(trap), "filter.evil.required": "true", "diff.evil.textconv": str(trap),
        "commit.gpgSign": "true", "gpg.program": str(trap), "core.fsmonitor": str(trap), "core.editor": str(trap),
        "sequence.editor": str(trap), "rebase.autoStash": "true", "rebase.updateRefs": "true",
        "core.hooksPath": str(tmp_path / "hooks"), "diff.external": str(trap), "rerere.enabled": "true",
    }  # fmt: skip
    for key, value in settings.items():
        git(place.root, "config", key, value)
    (tmp_path / "hooks").mkdir()
    for hook in ("post-rewrite", "pre-rebase", "post-checkout", "reference-transaction", "post-merge", "pre-commit"):
        (tmp_path / "hooks" / hook).symlink_to(trap)
    assert on(place, lane).state == "succeeded"
    assert (folder / "app.py").read_text() == LINES.replace("one", "mine").replace("six", "SIX")
    assert not (tmp_path / "fired").exists()
    quiet = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "commit.gpgSign=false", "filter.evil.clean=cat",
             "filter.evil.smudge=cat")  # fmt: skip
    options = [word for setting in quiet for word in ("-c", setting)]
    (place.root / "app.py").write_text(LINES.replace("one", "theirs"))
    git(place.root, *options, "commit", "-q", "-a", "-m", "against it")
    moved = lane.model_copy(update={"base_oid": git(folder, "rev-parse", "HEAD~1").strip()})
    left = on(place, moved, keep_conflict=True)
    assert (left.state, left.left_open, left.conflicts) == ("conflict", True, ("app.py",))
    assert "<<<<<<<" in (folder / "app.py").read_text()
    resolve(folder, "app.py", "theirs")
    assert go_on(folder) == "The rebase is finished."
    assert (folder / "app.py").read_text() == LINES.replace("one", "mine").replace("six", "SIX")
    assert not (tmp_path / "fired").exists()


def test_an_unknown_name_is_unknown_and_neither_clean_nor_in_conflict(place: Place) -> None:
    assert merge_trees(Git(place.root), "no-such-ref", "main").outcome == "unknown"
    assert merge_trees(Git(place.root), place.oid("main"), "0" * 40).outcome == "unknown"


def test_a_lane_that_was_pushed_or_went_on_is_not_set_back(place: Place) -> None:
    lane = place.lane("fix")
    place.commit(lane.worktree_path, "mine", {"n.txt": "n\n"})
    place.commit(place.root, "theirs", {"m.txt": "m\n"})
    done = on(place, lane)
    git(place.root, "update-ref", "refs/remotes/origin/fix", done.after)
    with pytest.raises(LaneError, match="was pushed since"):
        take_back(lane, done.before, done.after)
    place.commit(lane.worktree_path, "more", {"n2.txt": "n\n"})
    with pytest.raises(LaneError, match="has changed since"):
        take_back(lane, done.before, done.after)


def test_commits_of_the_local_base_that_its_remote_lacks_are_not_lost(place: Place) -> None:
    git(place.root, "remote", "add", "origin", "/nowhere")
    git(place.root, "update-ref", "refs/remotes/origin/main", "main")
    place.commit(place.root, "not pushed", {"local.txt": "l\n"})
    lane = place.lane("fix")
    place.commit(lane.worktree_path, "mine", {"n.txt": "n\n"})
    assert on(place, lane).state == "skipped"
    assert place.subjects(lane.branch) == ["mine", "not pushed", "first"]
    place.commit(place.root, "later", {"later.txt": "l\n"})
    git(place.root, "update-ref", "refs/remotes/origin/main", "main")
    assert plan_rebase(lane, None).name == "origin/main"
    assert on(place, lane).state == "succeeded"
