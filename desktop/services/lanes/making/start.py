"""Starting a lane: making its worktree, and taking back exactly what was made when that fails (lanes-L9, lanes-L14)."""

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from desktop.domain.core.errors import BanksmanError, GitError, LaneError
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane
from desktop.services.files.leftovers import passing_prefix
from desktop.services.git.base_branches import default_base, merge_base
from desktop.services.git.run import STATUS_LIMIT_S, WORKTREE_LIMIT_S, Git, head_commit
from desktop.services.git.trees.fresh_index import FreshIndex, fresh_index
from desktop.services.git.worktree_place import find_place, pointer_of
from desktop.services.lanes.making.carry import forget, give, keep, kept
from desktop.services.lanes.making.plan import LaneWish
from desktop.services.lanes.making.spare import WORKERS, SpareFiles
from desktop.services.lanes.making.take_out import TakingOut, end_move, require_movable, return_changes
from desktop.services.projects import project_id

_HEADS = "refs/heads/"

Alone = AbstractAsyncContextManager[None]
"""Holds the lock of a repository."""


async def keep_changes(project: Project, lane: Lane, wish: LaneWish) -> None:
    """Keep what is not committed in the checkout for this lane, where git finds it until the lane has it.

    Raises:
        LaneError: there is nothing to take along, something cannot be, or it is not what the person confirmed.
    """
    checkout = Path(project.path)
    carried = await asyncio.to_thread(keep, checkout, lane.id)
    try:
        if carried.head != lane.base_oid:
            raise LaneError("Your checkout moved to another commit meanwhile. Try again.")
        if wish.changes == "move":
            if set(wish.confirmed) != set(carried.paths):
                raise LaneError("The changes in your checkout are not those you confirmed. Look at the list again.")
            await asyncio.to_thread(require_movable, checkout, carried.paths)
    except LaneError:
        await asyncio.to_thread(forget, checkout, lane.id)
        raise


async def make_worktree(project: Project, lane: Lane, *, move: bool = False) -> Lane:
    """The worktree and branch of a planned lane, with what was kept for it; the lane as it now is. `move`: what it got
    is taken out of the checkout then. Once the lane is on record, call `settled`.

    Raises:
        LaneError: with the step that failed and git's words; what this call made is removed, and the checkout is as it
            was.
    """
    await claim(project, lane)
    return (await fill(project, lane, move=move))[0]


async def claim(project: Project, lane: Lane) -> None:
    """The branch of a planned lane, and its worktree without its files. Short, and alone with the repository.

    Raises:
        LaneError: as `make_worktree`.
    """
    git, folder = Git(Path(project.path)), Path(lane.worktree_path)
    try:
        await _make_branch(git, lane)
    except GitError as error:
        raise _failed(lane, error) from error
    async with _or_taken_back(project, lane, contextlib.nullcontext()):
        if lane.branch_from == "remote":
            await git.run("branch", f"--set-upstream-to={lane.base_ref}", "--end-of-options", lane.branch)
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        command = ("worktree", "add", "--no-checkout", "--end-of-options", str(folder), lane.branch)
        await git.run(*command, limit_s=WORKTREE_LIMIT_S)
        await _check_identity(project, folder)


async def fill(
    project: Project,
    lane: Lane,
    *,
    move: bool = False,
    alone: Alone | None = None,
    spare: SpareFiles | None = None,
) -> tuple[Lane, FreshIndex | None]:
    """The files of a lane that has its worktree; the lane as it now is, and what Git says that it wrote. Lanes may be
    filled beside each other. `move`: as `make_worktree`. `alone`: entered before anything is taken back. `spare`: files
    that may be those of the lane.

    Raises:
        LaneError: as `make_worktree`.
    """
    git, folder = Git(Path(project.path)), Path(lane.worktree_path)
    async with _or_taken_back(project, lane, alone or contextlib.nullcontext()):
        own = Git(folder, config=WORKERS)
        if spare is None or lane.branch_from != "new" or not await spare.give(lane.base_oid, folder):
            await own.run_on_files("reset", "--hard", "--quiet", "--no-recurse-submodules")
        fresh = await asyncio.to_thread(fresh_index, own)
        found = folder.stat()
        made = lane.model_copy(update={"device": found.st_dev, "inode": found.st_ino, "state": "active"})
        await asyncio.to_thread(_carry, Path(project.path), made, move)
        return await _measured(git, project, made), fresh


@contextlib.asynccontextmanager
async def _or_taken_back(project: Project, lane: Lane, alone: Alone) -> AsyncIterator[None]:
    try:
        yield
    except (BanksmanError, OSError) as error:
        try:
            async with alone:
                await take_back(project, lane)
        except BanksmanError as second:
            raise _failed(lane, f"{error} Not everything could be taken back: {second}") from error
        raise _failed(lane, error) from error


async def settled(project: Project, lane: Lane) -> None:
    """The lane is on record as it is, so nothing has to be kept of its beginning any more."""
    await asyncio.to_thread(end_move, Path(project.path), lane.id)
    await asyncio.to_thread(forget, Path(project.path), lane.id)


async def take_back(project: Project, lane: Lane, *, later: bool = False) -> None:
    """Remove the worktree of a lane that never became one, its branch if that is new and has no commit, and the files
    that were kept for it. What a move had taken out of the checkout is returned first.

    `later`: the creation was cut off by a crash, so somebody may have worked in the folder since.

    Raises:
        LaneError: the folder holds work, or the checkout could not be returned; nothing of the lane is removed then.
        GitError: git failed.
    """
    checkout, folder = Path(project.path), Path(lane.worktree_path)
    if later and (held := await asyncio.to_thread(_work_in, checkout, folder, lane)):
        raise LaneError(f"The folder of lane '{lane.name}' holds work: {held}. Finish the lane instead.")
    await asyncio.to_thread(return_changes, checkout, lane.id)
    await asyncio.to_thread(_remove, checkout, folder, lane)
    await asyncio.to_thread(forget, checkout, lane.id)


async def finish_creation(project: Project, lane: Lane) -> Lane:
    """Make the lane of a record that was left at `creating`, as it was planned; the lane as it now is. Once it is on
    record, call `settled`.

    Raises:
        LaneError: it cannot be made; it can be taken back then.
    """
    checkout, folder = Path(project.path), Path(lane.worktree_path)
    if await asyncio.to_thread(_work_in, checkout, folder, lane):
        return await _as_it_stands(project, lane)
    moved = await asyncio.to_thread(return_changes, checkout, lane.id)
    await asyncio.to_thread(_remove, checkout, folder, lane)
    return await make_worktree(project, lane, move=moved)


async def _make_branch(git: Git, lane: Lane) -> None:
    """A new branch, in one step that fails when somebody else made it meanwhile."""
    if lane.branch_from == "existing":
        return
    ref, nothing = f"{_HEADS}{lane.branch}", "0" * len(lane.base_oid)
    await git.run("update-ref", "-m", f"branch: Created from {lane.base_ref}", ref, lane.base_oid, nothing)


async def _check_identity(project: Project, folder: Path) -> None:
    """The new worktree is its own top folder and belongs to this repository, in git's own words (lanes-G8)."""
    asked = ("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
    top, _, common = (await Git(folder).run(*asked)).stdout.rstrip("\n").rpartition("\n")
    if Path(top).resolve() != folder.resolve() or project_id(Path(common)) != project.id:
        raise LaneError(f"'{folder}' does not point at its own folder.")


def _carry(checkout: Path, lane: Lane, move: bool) -> None:
    carried = kept(checkout, lane.id)
    if carried is None:
        return
    give(carried, Path(lane.worktree_path))
    if move:
        TakingOut(checkout, carried).run()


async def _measured(git: Git, project: Project, lane: Lane) -> Lane:
    """What a lane on a branch that was there before is measured against: the default, from where they parted."""
    if lane.branch_from == "new":
        return lane
    base = await default_base(git, project.branch)
    common = await merge_base(git, base.oid, lane.base_oid)
    return lane.model_copy(update={"base_ref": base.name, "base_oid": common or base.oid})


async def _as_it_stands(project: Project, lane: Lane) -> Lane:
    """The worktree is whole and somebody worked in it: it becomes the lane as it is."""
    git, folder = Git(Path(project.path)), Path(lane.worktree_path)
    try:
        await _check_identity(project, folder)
    except GitError as error:
        raise LaneError(f"Could not finish the lane '{lane.name}': {error}") from error
    found = folder.stat()
    made = lane.model_copy(update={"device": found.st_dev, "inode": found.st_ino, "state": "active"})
    return await _measured(git, project, made)


# Taking back


def _work_in(checkout: Path, folder: Path, lane: Lane) -> str:
    """What somebody did in the folder of a lane whose creation was cut off, in words; "" for nothing."""
    place = find_place(str(checkout), str(folder))
    if place is None or pointer_of(folder) == "" or kept(checkout, lane.id) is not None:
        return ""
    if head_commit(folder) not in ("", lane.base_oid):
        return "commits"
    git = place.git()
    command = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all")
    if (place.git_folder / "index").is_file() and not (place.git_folder / "index.lock").exists():
        entries = git.run_on_files_now(*command, limit_s=STATUS_LIMIT_S).names
        done = [entry for entry in entries if entry[:2].strip() != "D"]
    else:  # git had not written all files yet, so only those that the commit does not have are somebody's
        with tempfile.TemporaryDirectory(prefix=passing_prefix()) as own:
            looking = place.git({"GIT_INDEX_FILE": str(Path(own) / "index")})
            looking.run_on_files_now("read-tree", lane.base_oid)
            entries = looking.run_on_files_now(*command, limit_s=STATUS_LIMIT_S).names
        done = [entry for entry in entries if entry.startswith("??")]
    return f"{len(done)} changed files" if done else ""


def _remove(checkout: Path, folder: Path, lane: Lane) -> None:
    """The worktree that git has registered at this path goes, and the branch that was made for it."""
    git, place = Git(checkout), find_place(str(checkout), str(folder))
    if place is not None:
        named = ("worktree", "remove", "--force", "--force", str(folder))
        git.run_now(*named, limit_s=WORKTREE_LIMIT_S, config=git.emptied_filters(), check=False)
        if pointer_of(folder) and Path(folder, pointer_of(folder)).resolve() == place.git_folder.resolve():
            shutil.rmtree(folder)
        if place.git_folder.is_dir():
            shutil.rmtree(place.git_folder)
    for empty in (folder, folder.parent):
        with contextlib.suppress(OSError):
            empty.rmdir()
    if lane.branch_from == "existing":
        return
    git.run_now("update-ref", "-d", f"{_HEADS}{lane.branch}", lane.base_oid, check=False)
    left = git.run_now("rev-parse", "--verify", "--quiet", "--end-of-options", f"{_HEADS}{lane.branch}", check=False)
    if left.status != 0 and lane.branch_from == "remote":
        git.run_now("config", "--remove-section", f"branch.{lane.branch}", check=False)


def _failed(lane: Lane, why: object) -> LaneError:
    return LaneError(f"Could not create the lane '{lane.name}': {why}")
