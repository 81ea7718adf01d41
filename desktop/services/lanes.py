"""Lanes: making a worktree with its branch, checking that it is still the one, and what differs in it."""

import hashlib
import re
import shutil
import unicodedata
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from desktop.domain.errors import GitError, LaneError
from desktop.domain.ids import new_lane_id
from desktop.domain.work import Lane, Project
from desktop.services.git import WORKTREE_LIMIT_S, Git
from desktop.store.lane_store import LaneStore

BRANCH_PREFIX = "lane/"
SLUG_MAX_CHARS = 40
NAME_MAX_CHARS = 60
_MAX_SUFFIX = 99


def lane_slug(name: str, lane_id: str) -> str:
    """The name as a branch and folder name: ASCII, lower case, dashes, at most 40 characters (lanes-L7)."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_name.lower()).strip("-")[:SLUG_MAX_CHARS].strip("-")
    return slug or f"lane-{lane_id[-6:]}"


def lane_moved(lane: Lane) -> bool:
    """The folder of this lane is gone, or is another one than the one it was created as."""
    try:
        found = Path(lane.worktree_path).stat()
    except OSError:
        return True
    return (found.st_dev, found.st_ino) != (lane.device, lane.inode)


class Lanes:
    """Lanes of all projects. `root`: where their worktrees stand; never inside a repository."""

    def __init__(self, store: LaneStore, root: Path, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._root = root
        self._clock = clock

    def get(self, lane_id: str) -> Lane | None:
        """The lane of that id, None if there is none."""
        return self._store.get(lane_id)

    def of_project(self, project_id: str) -> list[Lane]:
        """The lanes of a project that are in use."""
        return [lane for lane in self._store.of_project(project_id) if lane.state in ("active", "broken")]

    async def primary(self, project: Project) -> Lane:
        """The lane that is the person's own checkout; made at the first call."""
        known = next((lane for lane in self._store.of_project(project.id) if lane.type == "primary"), None)
        folder = Path(project.path)
        found = folder.stat()
        lane = Lane(
            id=known.id if known is not None else new_lane_id(),
            project_id=project.id,
            name=project.name,
            type="primary",
            branch=project.branch,
            worktree_path=str(folder),
            device=found.st_dev,
            inode=found.st_ino,
            created_at=known.created_at if known is not None else self._clock(),
        )
        self._store.save(lane)
        return lane

    async def create(self, project: Project, name: str) -> Lane:
        """A new worktree on a new branch, from the repository's default branch.

        The record is written first, as `creating`; a failure removes what this call made.

        Raises:
            LaneError: with the step that failed and git's words.
        """
        git = Git(Path(project.path))
        lane_id = new_lane_id()
        base_ref, base_oid = await self._base(git, project)
        branch, slug = await self._free_branch(git, lane_slug(name, lane_id))
        folder = self._folder(project, slug)
        lane = Lane(
            id=lane_id, project_id=project.id, name=_free_name(name, slug, self._names(project)), branch=branch,
            worktree_path=str(folder), base_ref=base_ref, base_oid=base_oid, device=0, inode=0, state="creating",
            created_at=self._clock(),
        )  # fmt: skip
        self._store.save(lane)
        try:
            folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            await git.run_on_files(
                "worktree", "add", "--no-track", "-b", branch, "--end-of-options", str(folder), base_oid,
                limit_s=WORKTREE_LIMIT_S,
            )  # fmt: skip
            await self._check_identity(git, folder)
        except (GitError, OSError, LaneError) as error:
            await self._undo(git, folder, branch, base_oid)
            self._store.save(lane.model_copy(update={"state": "archived"}))
            raise LaneError(f"Could not create the lane '{lane.name}': {error}") from error
        found = folder.stat()
        lane = lane.model_copy(update={"state": "active", "device": found.st_dev, "inode": found.st_ino})
        self._store.save(lane)
        return lane

    async def _base(self, git: Git, project: Project) -> tuple[str, str]:
        remote = (await git.run("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD", check=False)).stdout
        candidates = [remote.strip(), project.branch, "main", "master", "HEAD"]
        for ref in filter(None, candidates):
            found = await git.run("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", check=False)
            if found.status == 0:
                return ref, found.stdout.strip()
        raise LaneError("This repository has no commit yet.")

    async def _free_branch(self, git: Git, slug: str) -> tuple[str, str]:
        prefix = BRANCH_PREFIX.rstrip("/")
        if (await git.run("show-ref", "--verify", "--quiet", f"refs/heads/{prefix}", check=False)).status == 0:
            raise LaneError(
                f'A branch named "{prefix}" exists, so "{BRANCH_PREFIX}{slug}" cannot be created. Rename that branch.'
            )
        listed = (await git.run("for-each-ref", "--format=%(refname:short)", f"refs/heads/{BRANCH_PREFIX}")).stdout
        taken = set(listed.splitlines())
        for suffix in ("", *(f"-{number}" for number in range(2, _MAX_SUFFIX + 1))):
            branch = f"{BRANCH_PREFIX}{slug}{suffix}"
            if branch not in taken:
                return branch, slug + suffix
        raise LaneError(f'There are {_MAX_SUFFIX} lanes named "{slug}" already. Choose another name.')

    def _folder(self, project: Project, slug: str) -> Path:
        mark = hashlib.sha256(project.id.encode()).hexdigest()[:8]
        parent = self._root / f"{project.name}-{mark}"
        folder, number = parent / slug, 2
        while folder.exists():
            folder, number = parent / f"{slug}-{number}", number + 1
        return folder

    def _names(self, project: Project) -> set[str]:
        return {lane.name.casefold() for lane in self._store.of_project(project.id) if lane.state != "archived"}

    async def _check_identity(self, git: Git, folder: Path) -> None:
        """The new worktree is its own top folder and belongs to this repository (lanes-G8)."""
        inside = Git(folder)
        top = (await inside.run("rev-parse", "--path-format=absolute", "--show-toplevel")).stdout.strip()
        common = (await inside.run("rev-parse", "--path-format=absolute", "--git-common-dir")).stdout.strip()
        wanted = (await git.run("rev-parse", "--path-format=absolute", "--git-common-dir")).stdout.strip()
        if Path(top).resolve() != folder.resolve() or Path(common).resolve() != Path(wanted).resolve():
            raise LaneError(f"'{folder}' does not point at its own folder.")

    async def _undo(self, git: Git, folder: Path, branch: str, base_oid: str) -> None:
        """Take back what a failed creation made: the worktree, and the branch if nothing was committed on it."""
        await git.run("worktree", "remove", "--force", str(folder), limit_s=WORKTREE_LIMIT_S, check=False)
        if folder.is_dir() and not any(folder.iterdir()):
            shutil.rmtree(folder)
        await git.run("update-ref", "-d", f"refs/heads/{branch}", base_oid, check=False)


def _free_name(name: str, slug: str, taken: set[str]) -> str:
    wanted = " ".join(name.split())[:NAME_MAX_CHARS].strip() or slug
    return wanted if wanted.casefold() not in taken else slug
