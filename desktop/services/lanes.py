"""Worktrees of lanes: planning one, making it with its branch, and checking that it is still the same folder."""

import asyncio
import hashlib
import re
import shutil
import unicodedata
from datetime import datetime
from pathlib import Path

from desktop.domain.errors import GitError, LaneError
from desktop.domain.ids import new_lane_id
from desktop.domain.lane import Lane
from desktop.domain.work import Project
from desktop.services.git import WORKTREE_LIMIT_S, Git

BRANCH_PREFIX = "lane/"
SLUG_MAX_CHARS = 40
NAME_MAX_CHARS = 60
SHORT_NAME_CHARS = 28
_MAX_SUFFIX = 99
_HANGING = {"a", "an", "and", "at", "by", "for", "from", "in", "is", "it", "of", "on", "or", "the", "to", "with"}


def lane_slug(name: str, lane_id: str) -> str:
    """The name as a branch and folder name: ASCII, lower case, dashes, at most 40 characters (lanes-L7)."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_name.lower()).strip("-")[:SLUG_MAX_CHARS].strip("-")
    return slug or f"lane-{lane_id[-6:]}"


def lane_name(text: str) -> str:
    """A short name for the lane of a task: its first words, as far as 28 characters go."""
    words: list[str] = []
    for word in re.findall(r"\w+", text):
        if words and len(" ".join([*words, word])) > SHORT_NAME_CHARS:
            break
        words.append(word)
    while len(words) > 1 and words[-1].lower() in _HANGING:
        words.pop()
    return "-".join(words).lower()[:NAME_MAX_CHARS]


async def plan_lane(project: Project, name: str, root: Path, taken: set[str], now: datetime) -> Lane:
    """A lane that is to be made: free branch, folder and name, based on the repository's default branch.

    `taken`: names of other lanes, case-folded. Nothing is created.

    Raises:
        LaneError: there is no commit to start from, or no free branch.
    """
    git = Git(Path(project.path))
    lane_id = new_lane_id()
    (base_ref, base_oid), (branch, slug) = await asyncio.gather(
        _base(git, project), _free_branch(git, lane_slug(name, lane_id))
    )
    return Lane(
        id=lane_id,
        project_id=project.id,
        name=_free_name(name, slug, taken),
        branch=branch,
        worktree_path=str(_folder(project, root, slug)),
        base_ref=base_ref,
        base_oid=base_oid,
        device=0,
        inode=0,
        state="creating",
        created_at=now,
    )


async def remove_new_worktree(project: Project, lane: Lane) -> None:
    """Take back a lane that was just made and is of no use: its worktree, and its branch if it has no commit."""
    await _undo(Git(Path(project.path)), Path(lane.worktree_path), lane)


async def make_worktree(project: Project, lane: Lane) -> Lane:
    """The worktree and branch of a planned lane; the lane as it now is.

    Raises:
        LaneError: with git's words; what this call made is removed.
    """
    git, folder = Git(Path(project.path)), Path(lane.worktree_path)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        await git.run_on_files(
            "worktree", "add", "--no-track", "-b", lane.branch, "--end-of-options", str(folder), lane.base_oid,
            limit_s=WORKTREE_LIMIT_S,
        )  # fmt: skip
        await _check_identity(git, folder)
    except (GitError, OSError, LaneError) as error:
        await _undo(git, folder, lane)
        raise LaneError(f"Could not create the lane '{lane.name}': {error}") from error
    found = folder.stat()
    return lane.model_copy(update={"state": "active", "device": found.st_dev, "inode": found.st_ino})


async def _base(git: Git, project: Project) -> tuple[str, str]:
    """Name and commit of what a lane begins at: the remote's default branch, else the branch that is checked out."""
    branches = [f"refs/heads/{name}" for name in (project.branch, "main", "master") if name]
    asked = ["refs/remotes/origin/HEAD", *branches]
    listed = await git.run("for-each-ref", "--format=%(refname) %(objectname) %(symref:short)", *asked, check=False)
    found = {ref: (oid, target) for ref, oid, target in (line.split(" ", 2) for line in listed.stdout.splitlines())}
    for ref in asked:
        if ref in found:
            oid, target = found[ref]
            return target or ref.removeprefix("refs/heads/"), oid
    head = await git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", check=False)
    if head.status != 0:
        raise LaneError("This repository has no commit yet.")
    return "HEAD", head.stdout.strip()


async def _free_branch(git: Git, slug: str) -> tuple[str, str]:
    prefix = BRANCH_PREFIX.rstrip("/")
    listed = (await git.run("for-each-ref", "--format=%(refname:short)", f"refs/heads/{prefix}")).stdout
    taken = set(listed.splitlines())
    if prefix in taken:
        raise LaneError(
            f'A branch named "{prefix}" exists, so "{BRANCH_PREFIX}{slug}" cannot be created. Rename that branch.'
        )
    for suffix in ("", *(f"-{number}" for number in range(2, _MAX_SUFFIX + 1))):
        branch = f"{BRANCH_PREFIX}{slug}{suffix}"
        if branch not in taken:
            return branch, slug + suffix
    raise LaneError(f'There are {_MAX_SUFFIX} lanes named "{slug}" already. Choose another name.')


def _folder(project: Project, root: Path, slug: str) -> Path:
    mark = hashlib.sha256(project.id.encode()).hexdigest()[:8]
    parent = root / f"{project.name}-{mark}"
    folder, number = parent / slug, 2
    while folder.exists():
        folder, number = parent / f"{slug}-{number}", number + 1
    return folder


async def _check_identity(git: Git, folder: Path) -> None:
    """The new worktree is its own top folder and belongs to this repository (lanes-G8)."""
    path = ("rev-parse", "--path-format=absolute")
    made, wanted = await asyncio.gather(
        Git(folder).run(*path, "--show-toplevel", "--git-common-dir"), git.run(*path, "--git-common-dir")
    )
    top, _, common = made.stdout.rstrip("\n").rpartition("\n")
    if Path(top).resolve() != folder.resolve() or Path(common).resolve() != Path(wanted.stdout.rstrip("\n")).resolve():
        raise LaneError(f"'{folder}' does not point at its own folder.")


async def _undo(git: Git, folder: Path, lane: Lane) -> None:
    """Take back what a failed creation made: the worktree, and the branch if nothing was committed on it."""
    await git.run("worktree", "remove", "--force", str(folder), limit_s=WORKTREE_LIMIT_S, check=False)
    if folder.is_dir() and not any(folder.iterdir()):
        shutil.rmtree(folder)
    await git.run("update-ref", "-d", f"refs/heads/{lane.branch}", lane.base_oid, check=False)


def _free_name(name: str, slug: str, taken: set[str]) -> str:
    wanted = " ".join(name.split())[:NAME_MAX_CHARS].strip() or slug
    return wanted if wanted.casefold() not in taken else slug
