"""Lanes, projects, changes and our own git calls, on real repositories."""

import asyncio
import os
import stat
from pathlib import Path

import pytest

from desktop.agent.core.lane_register import Lanes
from desktop.domain.core.clock import utc_now
from desktop.domain.core.errors import CommandError, LaneError
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.names import lane_name, lane_slug
from desktop.services.changes.lane import Listed, listed_changes
from desktop.services.changes.scope import lane_sides
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import Git, head_commit
from desktop.services.lanes.identity import lane_moved
from desktop.services.lanes.making.plan import lane_folder
from desktop.services.projects import open_project, start_problem
from desktop.store.database import open_store
from tests.agent.rig import git, make_repository

pytestmark = pytest.mark.asyncio


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", {"app.py": "one\ntwo\n", "docs/a b.md": "text\n"})


@pytest.fixture
def lanes(tmp_path: Path) -> Lanes:
    store = open_store(tmp_path / "store")
    lanes = Lanes(store.lanes, tmp_path / "lanes", utc_now)
    yield lanes
    store.close()


def changes_of(lane: Lane) -> Listed:
    files = LaneFiles(Path(lane.worktree_path))
    return listed_changes(files, lane_sides(Git(files.root), lane), {})


async def make(lanes: Lanes, repository: Path, name: str) -> tuple[Project, Lane]:
    project = await open_project(repository)
    return project, await lanes.create(project, name)


async def test_a_lane_is_a_worktree_on_a_branch_of_its_own(lanes: Lanes, repository: Path) -> None:
    _, lane = await make(lanes, repository, "Fix the login loop")
    assert lane.branch == "lane/fix-the-login-loop"
    assert lane.state == "active"
    assert lane.base_ref == "main"
    folder = Path(lane.worktree_path)
    assert (folder / "app.py").read_text() == "one\ntwo\n"
    assert git(repository, "branch", "--show-current").strip() == "main"
    assert git(repository, "status", "--porcelain") == ""
    assert not lane_moved(lane)


async def test_the_same_name_twice_gives_two_branches(lanes: Lanes, repository: Path) -> None:
    _, first = await make(lanes, repository, "Same")
    _, second = await make(lanes, repository, "Same")
    assert (first.branch, second.branch) == ("lane/same", "lane/same-2")
    assert first.worktree_path != second.worktree_path
    assert first.name != second.name


async def test_other_lanes_are_made_while_the_files_of_one_come(lanes: Lanes, repository: Path) -> None:
    project = await open_project(repository)
    first = asyncio.create_task(lanes.create(project, "Same"))
    while not lanes.repository(project.id).locked():
        await asyncio.sleep(0)
    async with lanes.repository(project.id):
        begun = lanes.known(project.id)[0]
        assert (begun.state, git(Path(begun.worktree_path), "rev-parse", "HEAD").strip()) == (
            "creating",
            begun.base_oid,
        )
        await first  # nobody else has to let go of the repository
    made = [first.result(), *await asyncio.gather(*(lanes.create(project, "Same") for _ in range(4)))]
    assert len({lane.branch for lane in made}) == len({lane.worktree_path for lane in made}) == 5
    for lane in made:
        assert lanes.get(lane.id) == lane
        assert (lane.state, git(Path(lane.worktree_path), "status", "--porcelain")) == ("active", "")


async def test_files_that_do_not_come_leave_nothing_of_their_lane(lanes: Lanes, repository: Path) -> None:
    project = await open_project(repository)
    before = git(repository, "for-each-ref") + git(repository, "worktree", "list")
    blob = git(repository, "rev-parse", "HEAD:app.py").strip()
    (repository / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(LaneError, match="Could not create the lane"):
        await lanes.create(project, "Half")
    assert not lanes.known(project.id)
    assert git(repository, "for-each-ref") + git(repository, "worktree", "list") == before
    assert not [path for path in lanes.root.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Füße & mehr!", "fue-mehr"), ("--- a ---", "a"), ("x" * 90, "x" * 40), ("日本語", "lane-abcdef")],
)
async def test_names_become_plain_slugs(name: str, slug: str) -> None:
    assert lane_slug(name, "ln_000000abcdef") == slug


async def test_a_branch_equal_to_the_prefix_is_named_as_the_reason(lanes: Lanes, repository: Path) -> None:
    git(repository, "branch", "lane")
    project = await open_project(repository)
    with pytest.raises(LaneError, match='A branch named "lane" exists'):
        await lanes.create(project, "x")


@pytest.mark.promise("lanes-L9")
async def test_a_failed_creation_leaves_nothing_behind(lanes: Lanes, repository: Path, tmp_path: Path) -> None:
    project = await open_project(repository)
    (tmp_path / "lanes").mkdir()
    (tmp_path / "lanes" / lane_folder(project, tmp_path, "x").parent.name).write_text("where the folder should be")
    with pytest.raises(LaneError, match="Could not create the lane 'x'"):
        await lanes.create(project, "x")
    assert "lane/x" not in git(repository, "branch", "--list", "lane/*")
    assert lanes.of_project(project.id) == []


async def test_another_folder_in_its_place_is_not_the_lane(lanes: Lanes, repository: Path) -> None:
    _, lane = await make(lanes, repository, "x")
    folder = Path(lane.worktree_path)
    folder.rename(folder.with_name("elsewhere"))
    assert lane_moved(lane)
    folder.mkdir()
    assert lane_moved(lane)


async def test_all_worktrees_of_a_repository_are_one_project(lanes: Lanes, repository: Path) -> None:
    project, lane = await make(lanes, repository, "x")
    again = await open_project(Path(lane.worktree_path))
    assert again == project
    assert (await open_project(repository / "docs")).path == str(repository)


async def test_what_is_no_repository_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="is not a folder"):
        await open_project(tmp_path / "none")
    (tmp_path / "plain").mkdir()
    with pytest.raises(CommandError, match="is not a git repository"):
        await open_project(tmp_path / "plain")
    (tmp_path / "bare").mkdir()
    git(tmp_path / "bare", "init", "-q", "--bare")
    with pytest.raises(CommandError, match="is a bare repository"):
        await open_project(tmp_path / "bare")


async def test_a_repository_without_a_commit_says_so(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    git(tmp_path / "new", "init", "-q", "-b", "main")
    project = await open_project(tmp_path / "new")
    assert "no commit yet" in await start_problem(project)


async def test_changes_name_every_file_that_differs_from_the_base(lanes: Lanes, repository: Path) -> None:
    _, lane = await make(lanes, repository, "x")
    folder = Path(lane.worktree_path)
    (folder / "app.py").write_text("one\nTWO\nthree\n")
    (folder / "new file.txt").write_text("a\nb\n")
    (folder / "blob.bin").write_bytes(b"\0\1\2")
    git(folder, "mv", "docs/a b.md", "docs/ü.md")
    by_path = {file.path: file for file in changes_of(lane).listing.files}
    assert set(by_path) == {"app.py", "new file.txt", "blob.bin", "docs/ü.md"}
    assert (by_path["app.py"].status, by_path["app.py"].added, by_path["app.py"].removed) == ("modified", 2, 1)
    assert (by_path["new file.txt"].status, by_path["new file.txt"].added) == ("untracked", 2)
    assert by_path["blob.bin"].binary
    assert (by_path["docs/ü.md"].status, by_path["docs/ü.md"].old_path) == ("renamed", "docs/a b.md")


async def test_the_head_is_read_without_starting_git(lanes: Lanes, repository: Path) -> None:
    _, lane = await make(lanes, repository, "x")
    wanted = git(repository, "rev-parse", "HEAD").strip()
    assert head_commit(Path(lane.worktree_path)) == wanted
    git(repository, "pack-refs", "--all")
    assert head_commit(Path(lane.worktree_path)) == wanted == head_commit(repository)
    assert head_commit(repository / "docs") == ""


@pytest.mark.promise("lanes-G2")
async def test_planted_hooks_filters_and_monitors_do_not_run(lanes: Lanes, repository: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/fired\ncat\n")
    trap.chmod(trap.stat().st_mode | stat.S_IXUSR)
    (repository / ".gitattributes").write_text("*.py filter=evil diff=evil\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "attributes")
    for key in ("core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv", "diff.external"):
        git(repository, "config", key, str(trap))
    hook = repository / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    os.link(trap, hook)
    _, lane = await make(lanes, repository, "x")
    (Path(lane.worktree_path) / "app.py").write_text("changed\n")
    changes_of(lane)
    assert not (tmp_path / "fired").exists()


async def test_git_that_fails_gives_its_own_words(repository: Path) -> None:
    with pytest.raises(Exception, match="git rev-parse failed: fatal"):
        await Git(repository).run("rev-parse", "--verify", "no-such-ref")


async def test_a_lane_is_named_by_the_first_words_of_its_task() -> None:
    assert lane_name("The cart total is wrong with a discount code.") == "the-cart-total-is-wrong"
    assert lane_name("a") == "a"
    assert lane_name("…") == ""
