"""How a lane stands, as git tells it: counts, what is nowhere else, operations, and failures that are never clean."""

import shutil
from pathlib import Path

import pytest

from desktop.domain.core.errors import GitError, LaneError
from desktop.domain.lanes.lane import Lane
from desktop.services.lanes.status import LaneReader, Reading, base_of, read_refs
from tests.agent.rig import git, make_repository
from tests.services.lane_place import NOW, add_lane

pytestmark = pytest.mark.asyncio


class Place:
    """A repository with one lane, and a reader."""

    def __init__(self, root: Path) -> None:
        self.repository = make_repository(root / "shop", {"app.py": "one\ntwo\nthree\n", "docs/a b.md": "text\n"})
        self.lane = add_lane(self.repository, root / "lanes" / "fix", "fix")
        self.folder = Path(self.lane.worktree_path)
        self.reader = LaneReader(lambda: NOW)

    async def read(self, lane: Lane | None = None, parent: Lane | None = None) -> Reading:
        lane = lane or self.lane
        refs = await read_refs(self.repository)
        return await self.reader.read(lane, base_of(lane, parent, refs), refs)

    def commit(self, folder: Path, name: str, text: str = "new\n") -> str:
        (folder / name).write_text(text)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", name)
        return git(folder, "rev-parse", "HEAD").strip()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


async def test_a_new_lane_has_nothing_to_tell(place: Place) -> None:
    status = (await place.read()).status
    assert (status.ahead, status.behind, status.only_here) == (0, 0, 0)
    assert (status.remote_ahead, status.remote_behind) == (None, None)
    assert status.branch == "lane/fix"
    assert not status.dirty
    assert status.changed_files == 0
    assert status.operation == ""


async def test_every_kind_of_change_is_counted_by_its_kind(place: Place) -> None:
    (place.folder / "app.py").write_text("one\n2\nthree\nfour\n")
    (place.folder / "new dir").mkdir()
    (place.folder / "new dir" / "a\nb").write_text("x\n")
    git(place.folder, "mv", "docs/a b.md", "docs/c.md")
    (place.folder / "docs" / "c.md").write_text("other\n")
    reading = await place.read()
    status = reading.status
    assert (status.staged, status.unstaged, status.untracked, status.conflicted) == (1, 2, 1, 0)
    assert reading.files == {"app.py", "docs/a b.md", "docs/c.md", "new dir/a\nb"}
    assert status.changed_files == 4
    assert (status.added, status.removed) == (3, 2)


async def test_committed_and_uncommitted_work_is_counted_together(place: Place) -> None:
    place.commit(place.folder, "new.py", "1\n2\n")
    (place.folder / "app.py").write_text("one\n")
    reading = await place.read()
    assert reading.files == {"new.py", "app.py"}
    assert (reading.status.ahead, reading.status.added, reading.status.removed) == (1, 2, 2)
    git(place.folder, "checkout", "-q", "--", "app.py")
    again = await place.read()
    assert again.files == {"new.py"}
    assert (again.status.added, again.status.removed) == (2, 0)


async def test_ahead_and_behind_follow_the_base_and_the_parent(place: Place, tmp_path: Path) -> None:
    place.commit(place.folder, "one.py")
    child = add_lane(place.repository, tmp_path / "lanes" / "child", "child", 2, "lane/fix", parent_id=place.lane.id)
    place.commit(place.repository, "main.py")
    place.commit(place.folder, "two.py")
    own, of_child = (await place.read()).status, (await place.read(child, place.lane)).status
    assert (own.ahead, own.behind) == (2, 1)
    assert (of_child.ahead, of_child.behind) == (0, 1)


async def test_the_newest_of_a_base_is_its_remote_branch(place: Place, tmp_path: Path) -> None:
    git(place.repository, "clone", "-q", "--bare", ".", str(tmp_path / "origin.git"))
    git(place.repository, "remote", "add", "origin", str(tmp_path / "origin.git"))
    place.commit(place.repository, "main.py")
    git(place.repository, "push", "-q", "origin", "main")
    git(place.repository, "reset", "-q", "--hard", "HEAD~1")
    status = (await place.read()).status
    assert (status.behind, status.base_name) == (1, "origin/main")
    git(place.repository, "merge", "-q", "--ff-only", "origin/main")
    assert (await place.read()).status.base_name == "", "main is there too"


async def test_what_was_pushed_is_told_apart_from_what_has_nowhere_to_go(place: Place, tmp_path: Path) -> None:
    git(place.repository, "clone", "-q", "--bare", ".", str(tmp_path / "origin.git"))
    git(place.repository, "remote", "add", "origin", str(tmp_path / "origin.git"))
    place.commit(place.folder, "one.py")
    git(place.folder, "push", "-q", "-u", "origin", "lane/fix")
    place.commit(place.folder, "two.py")
    status = (await place.read()).status
    assert (status.remote_ahead, status.remote_behind, status.only_here) == (1, 0, 1)
    git(place.folder, "update-ref", "-d", "refs/remotes/origin/lane/fix")
    gone = (await place.read()).status
    assert (gone.remote_ahead, gone.remote_behind, gone.only_here) == (None, None, 2)


@pytest.mark.promise("lanes-L1")
@pytest.mark.parametrize("elsewhere", [("branch", "kept"), ("tag", "v1"), ("update-ref", "refs/remotes/origin/x")])
async def test_commits_that_something_else_holds_are_not_only_here(place: Place, elsewhere: tuple[str, str]) -> None:
    oid = place.commit(place.folder, "one.py")
    assert (await place.read()).status.only_here == 1
    git(place.repository, *elsewhere, oid)
    assert (await place.read()).status.only_here == 0


async def test_a_detached_head_is_told(place: Place) -> None:
    git(place.folder, "checkout", "-q", "--detach")
    status = (await place.read()).status
    assert status.detached
    assert status.branch == ""
    assert status.only_here == 0


async def test_a_rebase_that_stopped_is_told_with_its_conflict(place: Place) -> None:
    place.commit(place.folder, "app.py", "mine\n")
    place.commit(place.repository, "app.py", "theirs\n")
    with pytest.raises(Exception, match="rebase"):
        git(place.folder, "rebase", "main")
    status = (await place.read()).status
    assert status.operation == "rebase"
    assert status.conflicted == 1
    assert status.dirty


async def test_a_base_that_is_gone_is_not_compared_with(place: Place) -> None:
    status = (await place.read(place.lane.model_copy(update={"base_ref": "nowhere"}))).status
    assert (status.ahead, status.behind) == (None, None)


async def test_a_folder_that_is_gone_or_another_is_an_error(place: Place, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    place.folder.rename(moved)
    with pytest.raises(LaneError, match="is gone"):
        await place.read()
    shutil.copytree(moved, place.folder)
    with pytest.raises(LaneError, match="does not point at its own folder"):
        await place.read()


async def test_git_that_is_ended_by_its_limit_is_an_error_and_nothing_is_taken_for_clean(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    real = shutil.which("git")
    slow.write_text(f'#!/bin/sh\ncase "$1" in status) exec sleep 60;; esac\nexec {real} "$@"\n')
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:/usr/bin:/bin")
    monkeypatch.setattr("desktop.services.git.status.STATUS_LIMIT_S", 0.3)
    with pytest.raises(GitError, match=r"was stopped after 0\.3 s"):
        await place.read()


async def test_a_broken_index_is_an_error(place: Place) -> None:
    index = Path(git(place.folder, "rev-parse", "--path-format=absolute", "--git-path", "index").strip())
    index.write_bytes(b"not an index")
    with pytest.raises(GitError, match="git status failed"):
        await place.read()


async def test_names_of_branches_with_odd_separators_are_read(place: Place) -> None:
    git(place.repository, "branch", "odd\u2028name")
    assert "refs/heads/odd\u2028name" in (await read_refs(place.repository)).oids
