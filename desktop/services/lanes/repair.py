"""Repairing a lane (lanes-L35, lanes-L36): each repair puts a link, a folder or a name back. None commits, resets,
cleans or removes a file of the lane."""

import os
import shutil
from pathlib import Path

from desktop.domain.core.errors import LaneError
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane
from desktop.services.git.run import STATUS_LIMIT_S, WORKTREE_LIMIT_S, Git
from desktop.services.git.worktree_place import WorktreePlace, common_folder, find_place, first_line, pointer_of
from desktop.services.history.refs import CheckpointRefs
from desktop.services.lanes.compare import head_branch, place_of, stale_locks
from desktop.services.lanes.endings.restore import fill_files
from desktop.services.lanes.endings.snapshot import commit_of
from desktop.services.lanes.git_state import last_logged_commit

Changes = dict[str, object]
"""What to change in the lane's record."""


class LaneRepair:
    """Repairs one lane. Every method blocks and gives what changes in its record.

    Raises:
        GitError, LaneError: it was not repaired; the message says what to do.
    """

    def __init__(self, project: Project, lane: Lane) -> None:
        self._project, self._lane = project, lane
        self._folder = Path(lane.worktree_path)
        self._common = common_folder(project.path)
        self._git = Git(self._common)

    def recreate(self) -> Changes:
        """Make the folder again, with what git has staged for it, which is its last commit where nothing is."""
        place = self._empty_place()
        if place is None:
            self._added()
            return self._measured()
        try:
            self._linked(place)
            if not (place.git_folder / "index").is_file():
                place.git().run_now("read-tree", "HEAD", limit_s=WORKTREE_LIMIT_S)
            place.git().run_on_files_now("checkout-index", "--all", "--quiet", limit_s=WORKTREE_LIMIT_S)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)  # made by this call, of what git holds
            raise
        return self._measured()

    def recreate_checkpoint(self) -> Changes:
        """The folder is there again with the files of the lane's last checkpoint."""
        listed = CheckpointRefs(Path(self._project.path), self._lane.id).all()
        if not listed:
            raise LaneError("There is no checkpoint of this lane any more.")
        place = self._empty_place()
        if place is None:
            self._added("--no-checkout")
            place = find_place(self._project.path, str(self._folder))
            if place is None:
                raise LaneError("git does not know the new worktree.")
            place.git().run_now("read-tree", "HEAD", limit_s=WORKTREE_LIMIT_S)
        else:
            self._linked(place)
        try:
            fill_files(place, self._lane.id, listed[0].commit)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)  # made by this call, of what the checkpoint holds
            raise
        return self._measured()

    def locate(self, path: str) -> Changes:
        """The lane stands in this folder now."""
        folder = Path(path)
        place = place_of(self._project, self._lane)
        if not folder.is_absolute() or not folder.is_dir():
            raise LaneError(f"'{path}' is no folder.")
        if place is None:
            raise LaneError("git has forgotten this lane's folder. Recreate it instead.")
        if os.path.realpath(folder / (pointer_of(folder) or "?")) != os.path.realpath(place.git_folder):
            raise LaneError(f"'{path}' is not the folder of this lane.")
        self._git.run_now("worktree", "repair", str(folder), limit_s=WORKTREE_LIMIT_S)
        if find_place(self._project.path, str(folder)) is None:
            raise LaneError(f"git could not be told of '{path}'.")
        found = folder.stat()
        return {"worktree_path": str(folder.resolve()), "device": found.st_dev, "inode": found.st_ino}

    def restore_link(self) -> Changes:
        """The folder's `.git` file leads to its repository again."""
        link = self._folder / ".git"
        if os.path.lexists(link) and not (link.is_file() and not link.is_symlink() and _is_link_text(link)):
            raise LaneError(f"'{link}' is no link of git. Look at it and move it away, then try again.")
        self._linked(place_of(self._project, self._lane) or self._new_place())
        return self._measured()

    def recreate_branch(self) -> Changes:
        """The branch that HEAD names exists again, at the last commit that the lane was at."""
        place = self._place()
        branch, oid = head_branch(place.git_folder), last_logged_commit(place)
        if not branch or not oid or not commit_of(self._git, oid):
            raise LaneError("The last commit of this lane is not known any more.")
        self._git.run_now("update-ref", "--create-reflog", f"refs/heads/{branch}", oid, "0" * len(oid))
        return {"branch": branch}

    def follow(self) -> Changes:
        """The record takes the branch that the lane is on, none when it is on none."""
        return {"branch": head_branch(self._place().git_folder)}

    def switch_back(self) -> Changes:
        """The lane is on its branch again. Refused while anything could get lost by it."""
        place, git = self._place(), Git(self._folder)
        options = ("--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=dirty")
        if git.run_on_files_now("status", *options, limit_s=STATUS_LIMIT_S).stdout:
            raise LaneError("Files of the lane are changed. Commit them, or take the changes back, then try again.")
        head = commit_of(place.git(), "HEAD")
        alone = self._git.run_now("rev-list", "--count", head, "--not", "--branches", "--remotes", "--tags").stdout
        if int(alone):
            raise LaneError("Its commits are on no branch. Make a branch for them first, or keep the lane as it is.")
        git.run_on_files_now("switch", "--quiet", "--no-guess", "--end-of-options", self._lane.branch)
        return {}

    def unlock(self) -> Changes:
        """Git's lock on the worktree is gone, and those that were left long ago."""
        place = self._place()
        if (place.git_folder / "locked").exists():
            self._git.run_now("worktree", "unlock", str(self._folder))
        for lock in stale_locks(place.git_folder):
            lock.unlink(missing_ok=True)
        return {}

    def _place(self) -> WorktreePlace:
        place = place_of(self._project, self._lane)
        if place is None:
            raise LaneError("git does not know this lane any more.")
        return place

    def _empty_place(self) -> WorktreePlace | None:
        """Where git keeps the lane whose folder is gone; None: nowhere any more."""
        if os.path.lexists(self._folder):
            raise LaneError(f"'{self._folder}' exists. Move it away first.")
        place = find_place(self._project.path, str(self._folder))
        if place is not None:
            self._folder.mkdir(parents=True, mode=0o755)
        return place

    def _added(self, *options: str) -> None:
        self._git.run_on_files_now(
            "worktree", "add", *options, "--end-of-options", str(self._folder), self._lane.branch
        )

    def _linked(self, place: WorktreePlace) -> None:
        temporary = self._folder / f".git-{os.urandom(4).hex()}"
        temporary.write_bytes(b"gitdir: " + os.fsencode(place.git_folder) + b"\n")
        temporary.replace(self._folder / ".git")

    def _new_place(self) -> WorktreePlace:
        """git has forgotten the worktree: it is told of it again, with an index like its branch. No file is touched."""
        branch = self._lane.branch
        if not branch or not commit_of(self._git, f"refs/heads/{branch}"):
            raise LaneError("git has forgotten this lane, and its branch is gone. Its files are where they were.")
        if f"branch refs/heads/{branch}" in self._git.run_now("worktree", "list", "--porcelain", "-z").names:
            raise LaneError(f'The branch "{branch}" is open in another folder, so the lane cannot be linked to it.')
        git_folder = self._common / "worktrees" / self._folder.name
        while git_folder.exists():
            git_folder = git_folder.with_name(f"{git_folder.name}1")
        git_folder.mkdir(parents=True)
        (git_folder / "commondir").write_text("../..\n")
        (git_folder / "gitdir").write_bytes(os.fsencode(self._folder / ".git") + b"\n")
        (git_folder / "HEAD").write_text(f"ref: refs/heads/{branch}\n", encoding="utf-8")
        place = WorktreePlace(self._folder, git_folder, self._common)
        place.git().run_now("read-tree", "HEAD", limit_s=WORKTREE_LIMIT_S)
        return place

    def _measured(self) -> Changes:
        found = self._folder.stat()
        return {"device": found.st_dev, "inode": found.st_ino}


def _is_link_text(link: Path) -> bool:
    return first_line(link).startswith("gitdir:") or link.stat().st_size == 0
