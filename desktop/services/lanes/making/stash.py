"""Snapshots that a lane owns: changes put aside and brought back. Git's stash, which all lanes share, is never used."""

import os
from datetime import datetime, timedelta

from desktop.domain.core.errors import GitError, LaneError
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import STATUS_LIMIT_S, WORKTREE_LIMIT_S
from desktop.services.git.trees.listing import LaneTree
from desktop.services.history.refs import CheckpointRef, now_in_seconds
from desktop.services.history.tree_fit import RawLane, remove_file
from desktop.services.lanes.stacks.rebase import operation_in

STASH_REFS = "refs/banksman/stash"
BASE_REFS = "refs/banksman/stash-base"
DROPPED_REFS = "refs/banksman/stash-dropped"
KEPT_DAYS = 30


@dataclass(frozen=True)
class Stash:
    """Changes that were put aside. `number` names it; `head`: the commit that the lane stood at then."""

    number: int
    message: str
    at: datetime
    head: str
    commit: str
    files: int


@dataclass(frozen=True)
class Applied:
    """The result of bringing a stash back. With `conflicts` nothing was changed."""

    stash: Stash
    changed: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()


class LaneStashes:
    """The stashes of one lane. Blocking; one thread at a time.

    Raises:
        LaneError: a sentence about what stands against it; nothing was changed.
        GitError: git failed.
    """

    def __init__(self, files: LaneFiles, lane_id: str) -> None:
        self._files = files
        self._lane_id = lane_id
        self._raw = RawLane(files, lane_id)
        self._git = self._raw.refs.git

    def all(self) -> list[Stash]:
        """The stashes of the lane, the newest first."""
        found = [self._stash(ref) for ref in self._raw.refs.listed_below(f"{STASH_REFS}/{self._lane_id}/")]
        return sorted(found, key=lambda stash: stash.number, reverse=True)

    def push(self, message: str) -> Stash:
        """Put every change aside, untracked files too; the lane is as its last commit then."""
        if operation := operation_in(self._files.root):
            raise LaneError(f"A {operation} is open in this lane. A person has to finish or abort it first.")
        head = self._git.run_now("rev-parse", "--verify", "--quiet", "HEAD^{commit}", check=False).stdout.strip()
        if not head:
            raise LaneError("There is no commit yet, so nothing can be put aside.")
        tracked, loose = self._changes()
        if not tracked and not loose:
            raise LaneError("Nothing to put aside: nothing has changed.")
        now = self._raw.look()
        if large := sorted({*tracked, *loose} & set(now.large)):
            raise LaneError(f"{large[0]} is too large to be put aside. Commit it, or move it away first.")
        number = max([stash.number for stash in self.all()], default=0) + 1
        number = max(number, self._highest_dropped() + 1)
        self._raw.keep(now, self._ref(STASH_REFS, number), reason=head, name=message, number=number)
        self._clean(now, tracked, loose)
        self._raw.keep(self._raw.look(), self._ref(BASE_REFS, number), reason=head, number=number)
        return next(stash for stash in self.all() if stash.number == number)

    def apply(self, number: int | None) -> Applied:
        """Bring changes back; the stash stays. All of it, or nothing where it does not fit."""
        stash = self.find(number)
        edited, base = self._raw.tree_at(stash.commit), self._base(stash)
        done = self._raw.bring(base, edited)
        return Applied(stash, done.changed, done.conflicts)

    def drop(self, number: int | None) -> Stash:
        """Remove a stash from the list; for 30 days its commit stays below `refs/banksman/stash-dropped`."""
        stash = self.find(number)
        self._git.run_now("update-ref", self._ref(DROPPED_REFS, stash.number), stash.commit)
        for refs in (STASH_REFS, BASE_REFS):
            self._raw.refs.drop_ref(self._ref(refs, stash.number))
        self._forget_old()
        return stash

    def clear(self) -> int:
        """Drop them all; how many."""
        every = self.all()
        for stash in every:
            self.drop(stash.number)
        return len(every)

    def find(self, number: int | None) -> Stash:
        """The stash of that number, None: the newest."""
        every = self.all()
        found = next((stash for stash in every if number in (None, stash.number)), None)
        if found is None and number is None:
            raise LaneError("This lane has no stash.")
        if found is None:
            known = ", ".join(str(stash.number) for stash in every)
            raise LaneError(f"There is no stash {number}." + (f" There are: {known}." if known else ""))
        return found

    def _stash(self, ref: CheckpointRef) -> Stash:
        base = self._base_commit(ref.number) or ref.reason
        asked = ("diff-tree", "-r", "--name-only", "--no-renames", "-z", base, ref.commit)
        files = len(self._git.run_now(*asked, check=False, limit_s=STATUS_LIMIT_S).names)
        return Stash(ref.number, ref.name, ref.at, ref.reason, ref.commit, files)

    def _base(self, stash: Stash) -> LaneTree:
        """The files as they were without the changes; as Git holds them where a crash came before they were read."""
        return self._raw.tree_at(self._base_commit(stash.number) or stash.head)

    def _base_commit(self, number: int) -> str:
        asked = ("rev-parse", "--verify", "--quiet", self._ref(BASE_REFS, number))
        return self._git.run_now(*asked, check=False).stdout.strip()

    def _changes(self) -> tuple[list[str], list[str]]:
        """Tracked files that differ from the last commit or in the index, and files that are not tracked."""
        if self._git.run_now("ls-files", "--unmerged", "-z").names:
            raise LaneError("Files are in conflict. Resolve that first.")
        options = ("--no-ext-diff", "--no-textconv", "--no-renames", "--name-only", "-z", "--ignore-submodules=all")
        worked = self._git.run_on_files_now("diff", *options, "HEAD", "--").names
        staged = self._git.run_on_files_now("diff", "--cached", *options, "HEAD", "--").names
        others = ("ls-files", "--others", "--exclude-standard", "-z")
        loose = self._git.run_on_files_now(*others, limit_s=STATUS_LIMIT_S).names
        return sorted({*worked, *staged}), [path for path in loose if not path.endswith("/")]

    def _clean(self, kept: LaneTree, tracked: list[str], loose: list[str]) -> None:
        """The lane as its last commit, once it is sure that the files are still those that were kept."""
        self._raw.reader.forget([*tracked, *loose])
        again = self._raw.reader.read([*tracked, *loose]).entries
        if any(again.get(path) != kept.entries.get(path) for path in (*tracked, *loose)):
            raise GitError("Files changed while they were put aside, so the lane stays as it is.")
        self._git.run_on_files_now("read-tree", "--reset", "HEAD")
        held = set(self._git.run_now("ls-files", "--cached", "-z").names)
        for path in (*loose, *(path for path in tracked if path not in held)):
            remove_file(self._files, path)
        back = b"".join(os.fsencode(path) + b"\0" for path in tracked if path in held)
        if back:
            self._git.run_now(
                "checkout-index",
                "-f",
                "-u",
                "-z",
                "--stdin",
                given=back,
                limit_s=WORKTREE_LIMIT_S,
                config=self._git.emptied_filters(),
            )

    def _highest_dropped(self) -> int:
        dropped = self._raw.refs.listed_below(f"{DROPPED_REFS}/{self._lane_id}/")
        return max((ref.number for ref in dropped), default=0)

    def _forget_old(self) -> None:
        before = now_in_seconds() - timedelta(days=KEPT_DAYS)
        for ref in self._raw.refs.listed_below(f"{DROPPED_REFS}/{self._lane_id}/"):
            if ref.at < before:
                self._raw.refs.drop_ref(self._ref(DROPPED_REFS, ref.number))

    def _ref(self, refs: str, number: int) -> str:
        return f"{refs}/{self._lane_id}/{number}"
