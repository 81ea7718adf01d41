"""Starting lanes on real repositories: names, bases, branches, uncommitted work, and what failures leave behind."""

import asyncio
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.domain.core.errors import LaneError
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.names import checked_name, free_color, lane_slug, prefix_problem
from desktop.services.lanes.making.carry import uncommitted
from desktop.services.lanes.making.plan import BaseBehind, LaneWish, lane_folder, plan_lane, root_problem
from desktop.services.lanes.making.start import finish_creation, keep_changes, make_worktree, settled, take_back
from desktop.services.lanes.making.take_out import MOVING_REFS, moved_ref, return_changes
from desktop.services.projects import open_project
from tests.agent.rig import git, make_repository

pytestmark = pytest.mark.asyncio

FILES = {"app.py": "one\ntwo\n", "docs/a b.md": "text\n", "run.sh": "echo\n", "old.txt": "old\n", "kept.txt": "kept\n"}
NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose main is three commits ahead of the clone that `repository` copies."""
    folder = tmp_path_factory.mktemp("shared")
    origin = make_repository(folder / "origin", FILES)
    git(folder, "clone", "-q", str(origin), "shop")
    for number in range(3):
        git(origin, "commit", "-q", "--allow-empty", "-m", f"later {number}")
    git(origin, "branch", "feature")
    return folder


@pytest.fixture
def repository(upstream: Path, tmp_path: Path) -> Path:
    """A clone of its own, with nothing fetched since."""
    return Path(shutil.copytree(upstream / "shop", tmp_path / "shop", symlinks=True))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "lanes"


def state_of(checkout: Path) -> dict[str, str]:
    """Every byte that a lane operation must leave alone: files with their permissions, index, HEAD, branch, stash."""
    found: dict[str, str] = {}
    for path in sorted(checkout.rglob("*")):
        name = str(path.relative_to(checkout))
        if name.startswith(".git/") or path.is_dir():
            continue
        content = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        found[name] = f"{path.lstat().st_mode:o} {hashlib.sha256(content).hexdigest()}"
    index = checkout / ".git/index"
    found["index"] = hashlib.sha256(index.read_bytes()).hexdigest()
    found["head"] = (checkout / ".git/HEAD").read_text()
    found["branch"] = git(checkout, "rev-parse", "HEAD")
    found["stash"] = git(checkout, "stash", "list")
    return found


def mess(checkout: Path) -> None:
    """Staged, unstaged, untracked, deleted, mode changes, a link, and a file in the place of a folder."""
    (checkout / "app.py").write_bytes(b"one\r\nTWO \xff\n")
    git(checkout, "add", "app.py")
    (checkout / "app.py").write_bytes(b"one\r\nTWO \xff\nthree")
    (checkout / "old.txt").unlink()
    git(checkout, "rm", "-q", "kept.txt")
    (checkout / "run.sh").chmod(0o755)
    (checkout / "new").mkdir()
    (checkout / "new/nä me.txt").write_text("new\n")
    (checkout / "new/.env").write_text("KEY=1\n")
    (checkout / "new/.env").chmod(0o600)
    (checkout / "link").symlink_to("app.py")
    shutil.rmtree(checkout / "docs")
    (checkout / "docs").write_text("a file now\n")
    (checkout / "gone.txt").write_text("x")
    git(checkout, "add", "gone.txt")
    (checkout / "gone.txt").unlink()


def files_of(folder: Path) -> dict[str, str]:
    """The files below a folder, without Git's."""
    return {name: what for name, what in state_of_files(folder).items() if name != ".git"}


def state_of_files(folder: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if not name.startswith(".git/") and not (path.is_dir() and not path.is_symlink()):
            content = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
            found[name] = f"{path.lstat().st_mode:o} {content!r}"
    return found


async def start(
    repository: Path, root: Path, wish: LaneWish, others: tuple[Lane, ...] = ()
) -> tuple[Project, Lane, tuple[str, ...]]:
    project = await open_project(repository)
    plan = await plan_lane(project, wish, root, others, NOW)
    if wish.changes != "none":
        await keep_changes(project, plan.lane, wish)
    lane = await make_worktree(project, plan.lane, move=wish.changes == "move")
    await settled(project, lane)
    return project, lane, plan.notices


def nothing_left(repository: Path, root: Path, before: str) -> bool:
    """No branch, worktree, folder or ref of ours beside those of before."""
    folders = list(root.rglob("*")) if root.exists() else []
    return refs(repository) == before and not [one for one in folders if one.is_file()]


def refs(repository: Path) -> str:
    return git(repository, "for-each-ref", "--format=%(refname) %(objectname)") + git(repository, "worktree", "list")


@pytest.mark.parametrize("name", ["  ", "!!!", "—", ""])
async def test_a_name_without_letter_or_digit_is_refused(name: str) -> None:
    with pytest.raises(LaneError, match=r"^Give the lane a name with a letter or a digit\.$"):
        checked_name(name)


async def test_a_name_is_trimmed_and_has_at_most_sixty_characters() -> None:
    assert checked_name("  Füx   login ") == "Füx login"
    assert checked_name("x" * 60) == "x" * 60
    with pytest.raises(LaneError, match="at most 60"):
        checked_name("x" * 61)
    with pytest.raises(LaneError, match="control"):
        checked_name("a\x07b")


@pytest.mark.promise("lanes-L7")
@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Füx login", "fux-login"), ("修复登录", "lane-abcdef"), ("CON", "lane-con"), ("lpt9", "lane-lpt9"),
        ("con.txt", "con-txt"), ("a" * 50, "a" * 40), ("-x-", "x"),
    ],
)  # fmt: skip
async def test_a_name_becomes_a_slug_that_every_system_takes(name: str, slug: str) -> None:
    assert lane_slug(name, "ln_000000abcdef") == slug


async def test_prefixes_of_branches_are_plain() -> None:
    assert [prefix_problem(one) for one in ("lane/", "me/work-", "", "a.b/")] == ["", "", "", ""]
    assert all(prefix_problem(one) for one in ("-x/", "a b/", "a//b", "a..b/", "x.lock/y", "/a", "x" * 41))


async def test_colours_are_given_out_one_by_one(repository: Path, root: Path) -> None:
    _, first, _ = await start(repository, root, LaneWish(name="a"))
    _, second, _ = await start(repository, root, LaneWish(name="b"), (first,))
    assert len({first.color, second.color, ""}) == 3
    gone = first.model_copy(update={"state": "archived"})
    assert free_color([gone, second]) == first.color


async def test_a_lane_begins_at_the_remote_default_branch(repository: Path, root: Path) -> None:
    before = state_of(repository)
    _, lane, _ = await start(repository, root, LaneWish(name="Fix login", created_by="ses_1"))
    assert (lane.branch, lane.base_ref, lane.created_by) == ("lane/fix-login", "origin/main", "ses_1")
    assert lane.base_oid == git(repository, "rev-parse", "origin/main").strip()
    assert git(Path(lane.worktree_path), "branch", "--show-current").strip() == "lane/fix-login"
    assert git(repository, "config", "--get-regexp", "^branch").count("lane/") == 0, "nothing is tracked"
    assert state_of(repository) == before


@pytest.mark.promise("lanes-L7")
async def test_a_taken_slug_gets_a_number_also_when_a_remote_has_it(repository: Path, root: Path) -> None:
    git(repository, "branch", "lane/x")
    git(repository, "update-ref", "refs/remotes/origin/lane/x-2", "HEAD")
    git(repository, "branch", "lane/x-3/deeper")
    _, lane, _ = await start(repository, root, LaneWish(name="X"))
    assert (lane.branch, Path(lane.worktree_path).name) == ("lane/x-4", "x-4")


async def test_two_lanes_do_not_have_one_name(repository: Path, root: Path) -> None:
    _, lane, _ = await start(repository, root, LaneWish(name="Login"))
    with pytest.raises(LaneError, match='There is a lane named "LOGIN" already'):
        await start(repository, root, LaneWish(name="LOGIN"), (lane,))
    _, other, _ = await start(repository, root, LaneWish(suggested="login"), (lane,))
    assert other.name == "login-2"


@pytest.mark.promise("lanes-L10")
async def test_a_branch_equal_to_the_prefix_is_told_with_what_to_do(repository: Path, root: Path) -> None:
    git(repository, "branch", "lane")
    before = refs(repository)
    with pytest.raises(LaneError) as error:
        await start(repository, root, LaneWish(name="x"))
    assert str(error.value) == (
        'A branch named "lane" exists, so "lane/x" cannot be created. Change the prefix in Settings › Advanced.'
    )
    assert nothing_left(repository, root, before)
    _, lane, _ = await start(repository, root, LaneWish(name="x", prefix="work/"))
    assert lane.branch == "work/x"


@pytest.mark.promise("lanes-L10")
async def test_an_unknown_base_is_refused_in_words(repository: Path, root: Path) -> None:
    for base in ("origin/foo", "-x", "main..origin/main", "@{-1}", "abcdef12"):
        with pytest.raises(LaneError) as error:
            await start(repository, root, LaneWish(name="x", base=base))
        assert str(error.value) == f'There is no "{base}". Fetch, or choose another base.'


async def test_a_base_may_be_a_tag_or_a_commit(repository: Path, root: Path) -> None:
    git(repository, "tag", "-a", "v1", "-m", "one")
    head = git(repository, "rev-parse", "HEAD").strip()
    _, tagged, _ = await start(repository, root, LaneWish(name="a", base="v1"))
    _, by_id, _ = await start(repository, root, LaneWish(name="b", base=head[:10]), (tagged,))
    assert (tagged.base_oid, by_id.base_oid, by_id.base_ref) == (head, head, head[:10])


async def test_a_repository_without_commits_has_no_lanes(tmp_path: Path, root: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "-q", "-b", "main")
    for wish in (LaneWish(name="x"), LaneWish(name="x", changes="copy")):
        with pytest.raises(LaneError, match=r"This repository has no commit yet\."):
            await start(empty, root, wish)


@pytest.mark.promise("lanes-L11")
async def test_a_local_base_behind_its_remote_is_refused_with_the_number(repository: Path, root: Path) -> None:
    git(repository, "fetch", "-q")
    with pytest.raises(BaseBehind) as error:
        await start(repository, root, LaneWish(name="x", base="main"))
    assert str(error.value) == (
        "main is 3 commits behind origin/main. Base the lane on origin/main, update main, or allow it."
    )
    _, allowed, told = await start(repository, root, LaneWish(name="x", base="main", allow_behind=True))
    assert (allowed.base_ref, told) == ("main", ("main is 3 commits behind origin/main.",))
    _, offline, told = await start(repository, root, LaneWish(name="y", base="main", offline="origin is away"))
    assert offline.base_ref == "main"
    assert told[0] == "main is 3 commits behind origin/main."
    assert "origin is away" in told[1]
    (repository / "app.py").write_text("mine\n")
    _, copied, _ = await start(repository, root, LaneWish(name="z", changes="copy"))
    assert (Path(copied.worktree_path) / "app.py").read_text() == "mine\n"


@pytest.mark.promise("lanes-L13")
async def test_a_lane_can_stand_on_another_up_to_ten_high(repository: Path, root: Path) -> None:
    project, first, _ = await start(repository, root, LaneWish(name="a"))
    git(Path(first.worktree_path), "commit", "-q", "--allow-empty", "-m", "work")
    _, child, _ = await start(repository, root, LaneWish(name="b", parent=first), (first,))
    assert (child.parent_id, child.base_ref) == (first.id, first.branch)
    assert child.base_oid == git(Path(first.worktree_path), "rev-parse", "HEAD").strip()
    tower = [first.model_copy(update={"id": "ln_0", "parent_id": ""})]
    tower += [first.model_copy(update={"id": f"ln_{n}", "parent_id": f"ln_{n - 1}"}) for n in range(1, 10)]
    with pytest.raises(LaneError, match="10 high"):
        await plan_lane(project, LaneWish(name="c", parent=tower[9]), root, tower, NOW)
    assert (await plan_lane(project, LaneWish(name="c", parent=tower[8]), root, tower, NOW)).lane.parent_id == "ln_8"


async def test_the_checkout_is_no_parent_and_lanes_that_are_not_in_use_neither(repository: Path, root: Path) -> None:
    project, lane, _ = await start(repository, root, LaneWish(name="a"))
    primary = lane.model_copy(update={"type": "primary"})
    assert (await plan_lane(project, LaneWish(name="b", parent=primary), root, (), NOW)).lane.parent_id == ""
    for state in ("archived", "deleted", "broken"):
        parent = lane.model_copy(update={"state": state})
        with pytest.raises(LaneError, match=f"parent lane 'a' is {state}"):
            await plan_lane(project, LaneWish(name="b", parent=parent), root, (), NOW)


@pytest.mark.promise("lanes-L15")
async def test_a_lane_takes_over_a_branch_that_is_open_nowhere(repository: Path, root: Path) -> None:
    git(repository, "branch", "mine")
    _, lane, _ = await start(repository, root, LaneWish(name="My work", base="mine", existing_branch=True))
    assert (lane.branch, lane.branch_from, lane.base_ref) == ("mine", "existing", "origin/main")
    with pytest.raises(LaneError, match=r'^Branch "mine" is open in lane "My work"\.$'):
        await start(repository, root, LaneWish(name="b", base="mine", existing_branch=True), (lane,))
    with pytest.raises(LaneError, match=r'^Branch "main" is open in your checkout\.$'):
        await start(repository, root, LaneWish(name="b", base="main", existing_branch=True), (lane,))
    with pytest.raises(LaneError, match="is no branch"):
        await start(repository, root, LaneWish(name="b", base="HEAD", existing_branch=True), (lane,))


@pytest.mark.promise("lanes-L15")
async def test_a_remote_branch_gets_a_local_one_that_follows_it(repository: Path, root: Path) -> None:
    git(repository, "fetch", "-q")
    _, lane, _ = await start(repository, root, LaneWish(name="f", base="origin/feature", existing_branch=True))
    assert (lane.branch, lane.branch_from) == ("feature", "remote")
    assert git(Path(lane.worktree_path), "rev-parse", "--abbrev-ref", "@{u}").strip() == "origin/feature"
    with pytest.raises(LaneError, match='There is a branch "feature" here already'):
        await start(repository, root, LaneWish(name="g", base="origin/feature", existing_branch=True), (lane,))


async def blocked(repository: Path, root: Path) -> None:
    """A file stands where the folder of this repository's lanes has to be."""
    project = await open_project(repository)
    root.mkdir()
    (root / lane_folder(project, root, "x").parent.name).write_text("in the way")


@pytest.mark.promise("lanes-L9")
@pytest.mark.parametrize("base", ["", "origin/feature", "spare"])
async def test_what_a_failed_creation_made_is_gone(repository: Path, root: Path, base: str) -> None:
    git(repository, "fetch", "-q")
    git(repository, "branch", "spare")
    await blocked(repository, root)
    before, config = refs(repository), (repository / ".git/config").read_bytes()
    with pytest.raises(LaneError, match="Could not create the lane 'f'"):
        await start(repository, root, LaneWish(name="f", base=base, existing_branch=bool(base)))
    assert refs(repository) == before
    assert (repository / ".git/config").read_bytes() == config


async def test_a_branch_that_somebody_makes_meanwhile_is_not_taken_away(repository: Path, root: Path) -> None:
    project = await open_project(repository)
    plan = await plan_lane(project, LaneWish(name="x"), root, (), NOW)
    git(repository, "branch", plan.lane.branch, plan.lane.base_oid)
    with pytest.raises(LaneError, match="Could not create"):
        await make_worktree(project, plan.lane)
    assert plan.lane.branch in git(repository, "branch", "--list", "lane/*")


@pytest.mark.promise("lanes-L8")
async def test_lanes_do_not_stand_inside_a_repository(repository: Path, tmp_path: Path) -> None:
    inside = repository / "docs/lanes"
    assert "inside a git repository" in root_problem(inside)
    assert "whole path" in root_problem(Path("lanes"))
    (tmp_path / "file").write_text("")
    assert "not writable" in root_problem(tmp_path / "file" / "lanes")
    assert root_problem(tmp_path / "fine" / "deep") == ""
    with pytest.raises(LaneError, match=r"must not stand inside .* Settings › General"):
        await start(repository, inside, LaneWish(name="x"))


async def test_a_path_too_long_for_windows_names_the_setting(repository: Path, tmp_path: Path) -> None:
    project = await open_project(repository)
    deep = tmp_path / ("d" * 180)
    with pytest.raises(LaneError, match="Settings › General"):
        lane_folder(project, deep, "x", windows=True)
    assert lane_folder(project, deep, "x", windows=False).name == "x"


async def test_submodules_and_shallow_clones_are_told_of(upstream: Path, tmp_path: Path, root: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{upstream / 'origin'}", "thin")
    (tmp_path / "thin/.gitmodules").write_text("")
    git(tmp_path / "thin", "add", ".gitmodules")
    git(tmp_path / "thin", "commit", "-q", "-m", "modules")
    _, _, told = await start(tmp_path / "thin", root, LaneWish(name="x", base="main"))
    assert any("submodules" in text for text in told)
    assert any("shallow" in text for text in told)


@pytest.mark.promise("lanes-L14")
async def test_uncommitted_work_is_copied_byte_for_byte(repository: Path, root: Path) -> None:
    mess(repository)
    before = state_of(repository)
    _, lane, _ = await start(repository, root, LaneWish(name="x", changes="copy"))
    folder = Path(lane.worktree_path)
    assert files_of(folder) == files_of(repository)
    assert git(folder, "status", "--porcelain") == git(repository, "status", "--porcelain")
    assert state_of(repository) == before
    assert lane.base_oid == git(repository, "rev-parse", "HEAD").strip()
    assert "refs/banksman/start" not in refs(repository)


async def test_nothing_uncommitted_is_refused(repository: Path, root: Path) -> None:
    before = refs(repository)
    with pytest.raises(LaneError, match="nothing uncommitted"):
        await start(repository, root, LaneWish(name="x", changes="copy"))
    assert nothing_left(repository, root, before)


async def test_uncommitted_work_is_moved_and_stays_restorable(repository: Path, root: Path) -> None:
    mess(repository)
    had, status = files_of(repository), git(repository, "status", "--porcelain")
    confirmed = uncommitted(repository).paths
    _, lane, _ = await start(repository, root, LaneWish(name="x", changes="move", confirmed=confirmed))
    folder = Path(lane.worktree_path)
    assert (files_of(folder), git(folder, "status", "--porcelain")) == (had, status)
    assert git(repository, "status", "--porcelain") == ""
    assert {name: Path(repository, name).read_text() for name in FILES} == FILES
    assert not (repository / "new").exists()
    assert git(repository, "show", f"{moved_ref(lane.id)}:new/.env") == "KEY=1\n"
    assert MOVING_REFS not in refs(repository)


async def test_only_what_was_confirmed_is_moved(repository: Path, root: Path) -> None:
    mess(repository)
    before, known = state_of(repository), refs(repository)
    confirmed = uncommitted(repository).paths[1:]
    with pytest.raises(LaneError, match="not those you confirmed"):
        await start(repository, root, LaneWish(name="x", changes="move", confirmed=confirmed))
    assert state_of(repository) == before
    assert nothing_left(repository, root, known)


@pytest.mark.promise("lanes-L14")
async def test_a_move_that_fails_half_way_leaves_the_checkout_as_it_was(repository: Path, root: Path) -> None:
    mess(repository)
    before, known = state_of(repository), refs(repository)
    (repository / ".git/index.lock").write_text("")  # the files are out by the time the index is
    wish = LaneWish(name="x", changes="move", confirmed=uncommitted(repository).paths)
    with pytest.raises(LaneError, match="which is as it was"):
        await start(repository, root, wish)
    (repository / ".git/index.lock").unlink()
    assert state_of(repository) == before
    assert nothing_left(repository, root, known)


async def test_files_that_go_through_a_filter_are_not_moved(repository: Path, root: Path) -> None:
    (repository / ".gitattributes").write_text("*.py filter=own\n")
    (repository / "app.py").write_text("changed\n")
    before = state_of(repository)
    wish = LaneWish(name="x", changes="move", confirmed=uncommitted(repository).paths)
    with pytest.raises(LaneError, match=r"filter of Git.*app\.py"):
        await start(repository, root, wish)
    assert state_of(repository) == before


async def test_files_in_conflict_are_not_taken_along(repository: Path, root: Path) -> None:
    git(repository, "checkout", "-q", "-b", "other")
    (repository / "app.py").write_text("other\n")
    git(repository, "commit", "-q", "-am", "other")
    git(repository, "checkout", "-q", "main")
    (repository / "app.py").write_text("mine\n")
    git(repository, "commit", "-q", "-am", "mine")
    with pytest.raises(Exception, match="returned non-zero"):
        git(repository, "merge", "other")
    with pytest.raises(LaneError, match="in conflict"):
        await start(repository, root, LaneWish(name="x", changes="copy"))


# A crash half-way


async def planned(repository: Path, root: Path, wish: LaneWish) -> tuple[Project, Lane]:
    project = await open_project(repository)
    lane = (await plan_lane(project, wish, root, (), NOW)).lane
    if wish.changes != "none":
        await keep_changes(project, lane, wish)
    return project, lane


def as_if(step: str) -> Callable[[Path, Lane], None]:
    """What stands on the disk when a process is killed at this step of making a worktree."""

    def nothing(repository: Path, lane: Lane) -> None: ...

    def branch(repository: Path, lane: Lane) -> None:
        git(repository, "branch", lane.branch, lane.base_oid)

    def claimed(repository: Path, lane: Lane) -> None:
        branch(repository, lane)
        git(repository, "worktree", "add", "-q", "--no-checkout", lane.worktree_path, lane.branch)

    def given(repository: Path, lane: Lane) -> None:
        claimed(repository, lane)
        (Path(lane.worktree_path) / ".git").unlink()

    def half(repository: Path, lane: Lane) -> None:
        branch(repository, lane)
        git(repository, "worktree", "add", "-q", "--no-checkout", lane.worktree_path, lane.branch)
        (Path(lane.worktree_path) / "app.py").write_text("on")
        git(repository, "worktree", "lock", lane.worktree_path, "--reason", "initializing")

    def whole(repository: Path, lane: Lane) -> None:
        branch(repository, lane)
        git(repository, "worktree", "add", "-q", lane.worktree_path, lane.branch)

    steps = {"nothing": nothing, "branch": branch, "claimed": claimed, "given": given, "half": half, "whole": whole}
    return steps[step]


@pytest.mark.parametrize("step", ["nothing", "branch", "claimed", "given", "half", "whole"])
async def test_a_creation_that_was_cut_off_can_be_finished_or_taken_back(
    repository: Path, root: Path, step: str
) -> None:
    before = refs(repository)
    for finish in (True, False):
        project, lane = await planned(repository, root, LaneWish(name=f"x{finish}"))
        as_if(step)(repository, lane)
        if finish:
            made = await finish_creation(project, lane)
            assert git(Path(made.worktree_path), "status", "--porcelain") == ""
            assert (made.state, made.inode) == ("active", Path(made.worktree_path).stat().st_ino)
            await take_back(project, made)
        else:
            await take_back(project, lane, later=True)
        assert nothing_left(repository, root, before)


async def test_what_somebody_did_in_a_lane_that_was_cut_off_is_kept(repository: Path, root: Path) -> None:
    project, lane = await planned(repository, root, LaneWish(name="x"))
    as_if("whole")(repository, lane)
    (Path(lane.worktree_path) / "app.py").write_text("work\n")
    with pytest.raises(LaneError, match="holds work"):
        await take_back(project, lane, later=True)
    made = await finish_creation(project, lane)
    assert (made.state, (Path(made.worktree_path) / "app.py").read_text()) == ("active", "work\n")


async def test_a_move_that_was_cut_off_is_returned_or_done_again(repository: Path, root: Path) -> None:
    mess(repository)
    before, known = state_of(repository), refs(repository)
    wish = LaneWish(name="x", changes="move", confirmed=uncommitted(repository).paths)
    project, lane = await planned(repository, root, wish)
    made = await make_worktree(project, lane, move=True)  # killed before `settled`
    assert git(repository, "status", "--porcelain") == ""
    await take_back(project, lane, later=True)
    assert state_of(repository) == before
    assert nothing_left(repository, root, known)
    project, lane = await planned(repository, root, replace(wish, name="y"))
    made = await make_worktree(project, lane, move=True)
    again = await finish_creation(project, lane)
    await settled(project, again)
    assert git(repository, "status", "--porcelain") == ""
    assert (Path(made.worktree_path) / "new/.env").read_text() == "KEY=1\n"


MOVE = """
import sys
from pathlib import Path
from desktop.services.lanes.making.carry import kept
from desktop.services.lanes.making.take_out import TakingOut
checkout = Path(sys.argv[1])
TakingOut(checkout, kept(checkout, sys.argv[2])).run()
print("done", flush=True)
sys.stdin.read()
"""


async def test_a_checkout_from_which_a_killed_process_took_files_is_as_before(repository: Path, root: Path) -> None:
    mess(repository)
    for number in range(120):
        (repository / f"new{number}.txt").write_text("x" * 2000)
    before = state_of(repository)
    wish = LaneWish(name="x", changes="move", confirmed=uncommitted(repository).paths)
    project, lane = await planned(repository, root, wish)
    marker = repository / ".git" / MOVING_REFS / lane.id / "files"
    cut_off = 0
    for after_s in (0.0, 0.01, *[0.0] * 8):  # where this process is late, that one has come to its end
        child = subprocess.Popen(
            [sys.executable, "-c", MOVE, str(repository), lane.id], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert child.stdin is not None
        assert child.stdout is not None
        while not marker.exists() and child.poll() is None:
            await asyncio.sleep(0.002)
        await asyncio.sleep(after_s)
        child.kill()
        cut_off += child.communicate()[0] == b""
        assert return_changes(repository, lane.id)
        assert state_of(repository) == before
        assert not list((repository / ".git").glob("*index*-*")) + list((repository / ".git").glob("*.lock"))
        if cut_off and after_s == 0.01:
            break
    assert cut_off
    await take_back(project, lane, later=True)
