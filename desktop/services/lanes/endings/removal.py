"""Removing what a lane is made of, each only when its snapshot holds it: the folder, the branch."""

import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Literal

from desktop.domain.core.errors import LaneError
from desktop.domain.lanes.lane import Lane
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.leftovers import passing_prefix
from desktop.services.git.run import WORKTREE_LIMIT_S, Git
from desktop.services.git.trees.listing import TreeReader
from desktop.services.git.worktree_place import WorktreePlace, common_folder, find_place
from desktop.services.lanes.endings.ignored import copies_hold, keep_copies, spelled, unkept
from desktop.services.lanes.endings.snapshot import (
    NO_LIMIT,
    LaneSnapshot,
    SnapshotTaker,
    commit_of,
    new_snapshot_id,
    snapshot_without_folder,
    tree_entries,
)
from desktop.services.lanes.git_state import last_logged_commit
from desktop.services.lanes.identity import lane_moved, misplaced_words

_ASIDE = ".removing-"
Purpose = Literal["delete", "archive"]


class LaneRemoval:
    """Removes the folder of one lane. `kept_folder`: where copies of ignored files of a snapshot go, by its id.

    Every method blocks; one at a time for a repository.

    Raises:
        GitError, LaneError, PathError: it was not done; the message says what stands.
    """

    def __init__(self, project_path: str, lane: Lane, kept_folder: Callable[[str], Path]) -> None:
        self._project_path = project_path
        self._lane = lane
        self._kept_folder = kept_folder
        self._taker: SnapshotTaker | None = None

    @property
    def folder(self) -> Path:
        """The folder that holds the lane's files."""
        return Path(self._lane.worktree_path)

    @property
    def aside(self) -> Path:
        """The folder that holds the lane's files while they are being removed."""
        return self.folder.with_name(f"{_ASIDE}{self._lane.id}")

    def snapshot(
        self, purpose: Purpose, at: datetime, *, holds: str = "", keep: tuple[str, ...] | None = None, tree: str = ""
    ) -> LaneSnapshot:
        """Keep everything of the lane. `keep`: ignored files and inner repositories to copy, None: all of them.
        `holds`: in words, what there is to lose.

        `tree`: what stands for the files when the folder is gone, "" for those of its last commit.
        """
        common = common_folder(self._project_path)
        git = Git(common)
        place = find_place(self._project_path, self._lane.worktree_path)
        if os.path.lexists(self.folder) and (place is None or lane_moved(self._lane)):
            raise LaneError(misplaced_words(self._lane))
        facts = self._facts(git, place, purpose, at).model_copy(update={"holds": holds})
        if place is None or not self.folder.is_dir():
            there = place or WorktreePlace(self.folder, common / "worktrees" / self._lane.id, common)
            start = facts.head or facts.branch_oid
            files = tree or (git.run_now("rev-parse", f"{start}^{{tree}}").stdout.strip() if start else "")
            if not files:
                raise LaneError(f"Nothing is left of the lane '{self._lane.name}' that could be kept.")
            known = facts.model_copy(update={"files_from": "checkpoint" if tree else "head"})
            return snapshot_without_folder(there, known, files)
        left_out = unkept(place)
        names = tuple(path for path, _ in left_out.all)
        chosen = names if keep is None else tuple(path for path in names if spelled(path) in keep)
        self._taker = SnapshotTaker(place, self._lane, whole=frozenset(path for path, _ in left_out.inner))
        kept = keep_copies(place, chosen, self._kept_folder(facts.id), left_out.small)
        try:
            left = tuple(spelled(path) for path in names if path not in chosen)
            return self._taker.take(facts.model_copy(update={"kept": kept, "left_out": left}))
        except BaseException:
            shutil.rmtree(self._kept_folder(facts.id), ignore_errors=True)
            raise

    def remove(self, snapshot: LaneSnapshot) -> str:
        """Remove the folder and git's entry for it, if the snapshot still holds all of it; what is left over, in words,
        "" for nothing. May be called again after a crash."""
        place = find_place(self._project_path, self._lane.worktree_path)
        if self.aside.is_dir() and place is None:
            self._compare_orphan(snapshot)
            return _emptied(self.aside)
        if place is not None and place.folder.is_dir():
            if self.aside.is_dir():
                raise LaneError(f"'{self.aside}' is in the way: it is left from an earlier removal. Move it away.")
            self._move_aside()
        if place is not None:
            self._compare_aside(place, snapshot)
            Git(place.common).run_now("worktree", "remove", "--force", str(place.folder), limit_s=WORKTREE_LIMIT_S)
        return _emptied(self.aside) if self.aside.is_dir() else ""

    def _move_aside(self) -> None:
        try:
            self.folder.rename(self.aside)
        except OSError as error:
            raise LaneError(
                f"'{self.folder}' cannot be moved ({error.strerror or error}): something uses it. Nothing was removed."
            ) from error

    def _compare_aside(self, place: WorktreePlace, snapshot: LaneSnapshot) -> None:
        if not self.aside.is_dir():
            return
        same = False
        try:
            there = unkept(place.at(self.aside))
            if self._taker is None:
                whole = frozenset(path for path, _ in there.inner)
                self._taker = SnapshotTaker(place.at(self.aside), self._lane, whole=whole)
            known = {*snapshot.kept, *snapshot.left_out}
            same = all(spelled(path) in known for path, _ in there.all)
            same = same and self._taker.holds_all_of(snapshot, self.aside)
            kept = tuple(path for path, _ in there.all if spelled(path) in snapshot.kept)
            same = same and copies_hold(self._kept_folder(snapshot.id), self.aside, kept)
        finally:
            if not same:
                self._move_back()
        if not same:
            raise LaneError(f"Files of the lane '{self._lane.name}' changed meanwhile. Nothing was removed; try again.")

    def _compare_orphan(self, snapshot: LaneSnapshot) -> None:
        """The same where git has forgotten the worktree already: there is no index to ask any more."""
        common = common_folder(self._project_path)
        with tempfile.TemporaryDirectory(prefix=passing_prefix()) as scratch:
            place = WorktreePlace(self.aside, common, common)
            git = place.git({"GIT_INDEX_FILE": str(Path(scratch, "none"))})
            options = ("--others", "--exclude-standard", "-z")
            listed = git.run_on_files_now("ls-files", *options, limit_s=WORKTREE_LIMIT_S).names
            entries = tree_entries(git, snapshot.commit)
            kind = git.run_now("rev-parse", "--show-object-format").stdout.strip()
        known = {*snapshot.kept, *snapshot.left_out}
        paths = {path.rstrip("/") for path in listed if spelled(path.rstrip("/")) not in known} | set(entries)
        found = TreeReader(LaneFiles(self.aside), kind, max_file_bytes=NO_LIMIT).read(paths, max_files=NO_LIMIT)
        if other := sorted(path for path, entry in found.entries.items() if entries.get(path) != entry):
            raise LaneError(f"'{self.aside}' holds {other[0]}, which the snapshot does not. It was left as it is.")

    def _move_back(self) -> None:
        try:
            self.aside.rename(self.folder)
        except OSError as error:
            raise LaneError(
                f"The lane's files stand in '{self.aside}' and could not be moved back to '{self.folder}' "
                f"({error.strerror}). Nothing was removed."
            ) from error

    def _facts(self, git: Git, place: WorktreePlace | None, purpose: Purpose, at: datetime) -> LaneSnapshot:
        lane = self._lane
        branch_oid = commit_of(git, f"refs/heads/{lane.branch}") if lane.branch else ""
        head, branch = "", ""
        if place is not None:
            head = commit_of(place.git(), "HEAD")
            named = place.git().run_now("symbolic-ref", "--quiet", "--short", "HEAD", check=False)
            branch = named.stdout.strip() if named.status == 0 else ""
            head = head or last_logged_commit(place)
            if branch == lane.branch and lane.branch:
                branch_oid = branch_oid or head
        upstream = ""
        if branch_oid and lane.branch:
            asked = git.run_now("for-each-ref", "--format=%(upstream:short)", f"refs/heads/{lane.branch}")
            upstream = asked.stdout.strip()
        return LaneSnapshot(
            id=new_snapshot_id(git, lane.id, at),
            lane=lane,
            at=at,
            purpose=purpose,
            head=head or branch_oid,
            branch=branch,
            branch_oid=branch_oid,
            upstream=upstream,
        )


def delete_branch(git: Git, branch: str, oid: str) -> None:
    """The branch is gone, if it still stands at this commit and is open nowhere. One that is gone already is done.

    Raises:
        LaneError: it moved, or it is open in another worktree; it was not deleted.
        GitError: git could not do it.
    """
    there = commit_of(git, f"refs/heads/{branch}")
    if not there:
        return
    if there != oid:
        raise LaneError(f'The branch "{branch}" has other commits by now, so it was kept.')
    listed = git.run_now("worktree", "list", "--porcelain", "-z").names
    if f"branch refs/heads/{branch}" in listed:
        raise LaneError(f'The branch "{branch}" is open in another folder, so it was kept.')
    git.run_now("update-ref", "-d", f"refs/heads/{branch}", oid)
    git.run_now("config", "--local", "--remove-section", f"branch.{branch}", check=False)


def _emptied(folder: Path) -> str:
    """Remove a folder whose content is kept; what could not be removed, in words."""
    shutil.rmtree(folder, onerror=_made_writable)
    return f"Files are left in '{folder}', which could not be removed." if folder.exists() else ""


def _made_writable(remove: Callable[..., object], path: str, _error: object) -> None:
    """A folder or file that may not be written is made writable, then removed after all."""
    try:
        Path(path).parent.chmod(stat.S_IRWXU)
        if not Path(path).is_symlink():
            Path(path).chmod(stat.S_IRWXU)
        if remove in (os.unlink, os.rmdir):
            remove(path)
        else:
            shutil.rmtree(path, ignore_errors=True)
    except OSError:
        return
