"""Checkpoints of a lane: its files as of a moment, kept in Git where plain Git can reach them, compared and put back.

Nothing here touches the lane's index, HEAD or branch, and no hook, filter or monitor of the repository runs.
"""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Literal

from desktop.collecting import uncollected
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.work import ChangedFile
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.lane_view import LaneView
from desktop.services.git.trees.folders import PathsClash
from desktop.services.git.trees.fresh_index import FreshIndex, tracked_count
from desktop.services.git.trees.listing import MAX_FILE_BYTES, MAX_FILES, LaneTree, TreeEntry, TreeReader
from desktop.services.git.trees.unignored import UnignoredNames
from desktop.services.history.beside import Beside, BesideFiles
from desktop.services.history.diff import changed_paths, tree_changes
from desktop.services.history.prune import to_drop
from desktop.services.history.refs import MAX_NEW_BYTES, SCRATCH_REFS, CheckpointRef, CheckpointRefs, now_in_seconds
from desktop.services.history.restore import NotPutBack, Restorer

NOW: Literal["now"] = "now"


class CheckpointError(BanksmanError):
    """A checkpoint cannot be used; a sentence for people."""


@dataclass(frozen=True)
class CheckpointLimits:
    """The limits of one checkpoint; a file above `file_bytes` is known by its hash alone (lanes-D19)."""

    files: int = MAX_FILES
    file_bytes: int = MAX_FILE_BYTES
    new_bytes: int = MAX_NEW_BYTES


@dataclass(frozen=True)
class Taken:
    """A snapshot. `made` False: nothing changed since this one was made. `changed`: files that differ from `before`,
    the checkpoint before it ("" for the first). `not_restorable`: files that are in it by their hash alone."""

    ref: CheckpointRef
    made: bool
    before: str = ""
    changed: int = 0

    @property
    def not_restorable(self) -> tuple[str, ...]:
        """Lane-relative paths."""
        return tuple(sorted(path for path, _ in self.ref.large))


@dataclass(frozen=True)
class Restored:
    """The result of putting files back. `left`: what differs and was not touched: ignored, a submodule, too large to
    keep.

    `failed`: what could not be changed, and `problem` why; then the files are as they were before, unless `problem`
    says otherwise.
    """

    safety: Taken
    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    problem: str = ""


class LaneCheckpoints:
    """The checkpoints of one lane. Every method blocks and belongs on a worker thread, one at a time. `fresh`: what Git
    wrote when it made the lane.

    Raises:
        GitError: Git cannot be used in the lane.
        CheckpointError: there is no such checkpoint any more.
    """

    def __init__(
        self,
        files: LaneFiles,
        lane_id: str,
        limits: CheckpointLimits | None = None,
        *,
        fresh: FreshIndex | None = None,
    ) -> None:
        self._limits = limits or CheckpointLimits()
        self._files = files
        self._lane_id = lane_id
        self._refs = CheckpointRefs(files.root, lane_id, max_new_bytes=self._limits.new_bytes)
        self.view = LaneView(files.root)
        self._names = UnignoredNames(self._refs.git, self._refs.listed, plain=files.has_plain_names)
        self._reader: TreeReader | None = None
        self._last: tuple[CheckpointRef, LaneTree] | None = None
        self._is_new = False
        self._fresh = fresh
        self._begun: tuple[str, LaneTree] | None = None

    def tree_of(self, ref: CheckpointRef) -> LaneTree:
        """The files in a checkpoint."""
        return self._refs.tree_of(ref)

    def take(self, reason: str, name: str = "") -> Taken:
        """A checkpoint of the files now; the last one again when nothing changed and it needs no name of its own."""
        return self._take(self._look(), reason, name)

    def all(self) -> list[CheckpointRef]:
        """The checkpoints of the lane, the newest first."""
        return self._refs.all()

    def find(self, checkpoint_id: str, commit: str = "") -> CheckpointRef:
        """The checkpoint of that id; with `commit`, only if it is still that commit.

        Raises:
            CheckpointError: it is not there any more, or something else is in its place.
        """
        found = self._refs.find(checkpoint_id)
        if found is None:
            raise CheckpointError("This checkpoint is not kept any more.")
        if commit and found.commit != commit:
            raise CheckpointError("Something outside Banksman replaced this checkpoint, so it is not used.")
        return found

    def compare(self, before: CheckpointRef, after: CheckpointRef | Literal["now"] = NOW) -> tuple[ChangedFile, ...]:
        """The files that differ between `before` and `after`, or the files as they are now."""
        return self._changes(before.tree, self._tree_now() if after == NOW else after.tree)

    def would_change(self, target: CheckpointRef) -> tuple[ChangedFile, ...]:
        """The changes to the files as they are now that putting everything back to `target` would make."""
        return self._changes(self._tree_now(), target.tree)

    def paths_between(self, before: CheckpointRef, after: CheckpointRef | Literal["now"] = NOW) -> frozenset[str]:
        """The paths of the files that differ."""
        tree = self._tree_now() if after == NOW else after.tree
        return changed_paths(self._refs.git, before.tree, tree) if tree != before.tree else frozenset()

    def differing(self, before: CheckpointRef) -> tuple[str, ...]:
        """The paths of the files now that differ from `before`, sorted; without reading what did not change."""
        then, now = self._refs.tree_of(before), self._look()
        differing = set(now.differing(then))
        differing |= {path for path in {*then.large, *now.large} if then.large.get(path) != now.large.get(path)}
        return tuple(sorted(differing))

    def tree_now(self) -> tuple[str, dict[str, str]]:
        """The id of the tree of the files now, and the files that are too large to be in it, by their content's id.
        No checkpoint stays."""
        now = self._look()
        return self._tree_of(now), now.large

    def look_now(self) -> tuple[LaneTree, str]:
        """The files now, and the id that Git would give to the tree of its entries, "" for a partial one that has none.
        Nothing is written."""
        now = self._look()
        try:
            return now, self._refs.trees.of(now, self._tree_reader().new_hash).root
        except PathsClash as error:
            return replace(now, partial=str(error)), ""

    def restore(self, target: CheckpointRef, paths: tuple[str, ...] = ()) -> Restored:
        """Put back the files that differ from `target`, or those among `paths` (files and folders).

        A checkpoint is taken first. HEAD, branch, index, ignored files and what is too large stay as they are.
        """
        wanted = self._refs.tree_of(target)
        now = self._look(also=wanted)
        safety = self._take(now, "restore")
        self._refs.keep(target)
        return self._put(safety, wanted, now, paths)

    def bring(self, goals: Mapping[str, tuple[TreeEntry, bytes] | None], beside: Beside | None = None) -> Restored:
        """Give these files this content, or take them away (None): all of them, or none. A checkpoint is taken first.
        `beside`: files that Git ignores, which no checkpoint holds, to be changed with them.

        A crash half-way is taken back as that of `restore` is. `left`: what was not touched; then nothing is changed.
        """
        now = self._look()
        wanted = now.having({path: goal[0] if goal is not None else None for path, goal in goals.items()})
        safety = self._take(now, "call")
        planned = CheckpointRef(self._lane_id, 0, "", safety.ref.tree, now_in_seconds())
        scratch = f"{SCRATCH_REFS}/{self._lane_id}-bring"
        reader = self._tree_reader()
        self._refs.write(planned, now, wanted, lambda path: goals.get(path) or reader.content(path), ref=scratch)
        try:
            done = self._put(safety, wanted, now, beside=beside)
        finally:
            self._refs.drop_ref(scratch)
        if untouched := tuple(path for path in done.left if path in goals):
            self.take_back(safety.ref, beside)
            return Restored(safety, left=untouched, failed=untouched, problem=f"{untouched[0]} cannot be changed.")
        return done

    def ignored(self, paths: Iterable[str]) -> frozenset[str]:
        """Those that the ignore files cover, whether Git tracks them or not."""
        return self._refs.ignored(paths)

    def foretold(self, now: LaneTree, goals: Mapping[str, TreeEntry | None]) -> str:
        """The id of the tree that these files have once they are so. Raises PathsClash."""
        return self._refs.trees.of(now.having(goals), self._tree_reader().new_hash).root

    def entry_of(self, mode: str, data: bytes) -> TreeEntry:
        """A file of this content as a tree names it."""
        digest = self._tree_reader().new_hash(b"blob %d\0" % len(data) + data)
        return TreeEntry(mode, digest.hexdigest())

    def take_back(self, before: CheckpointRef, beside: Beside | None) -> Restored:
        """Return what `bring` has brought, files that Git ignores among it."""
        if beside is not None:
            with contextlib.suppress(NotPutBack):
                self._beside().take_back(beside)
        return self.restore(before)

    def _put(
        self,
        safety: Taken,
        wanted: LaneTree,
        now: LaneTree,
        paths: tuple[str, ...] = (),
        *,
        beside: Beside | None = None,
    ) -> Restored:
        """Put files back while `safety` holds what was there: all, or none."""
        self._refs.keep(safety.ref)
        restorer = Restorer(self._files, self._refs, self._tree_reader(), paths)
        others, more = self._beside(), beside or Beside()
        self._refs.mark_restoring(others.keep(more, safety.ref) if more.changes else safety.ref)
        try:
            others.put_away(more)
            steps = restorer.put_back(wanted, now)
            others.put(more)
        except NotPutBack as error:
            returned = self._returned(safety, now, error, more)
            self._done_restoring(more)
            return returned
        self._done_restoring(more)
        return Restored(safety, tuple(steps.restored), tuple(steps.removed), tuple(sorted(steps.left)))

    def finish_cut_off(self) -> Restored | None:
        """Return the files to what they were before a restore that a crash cut off; None: there was none.

        What stands there now is kept in a checkpoint of its own first.
        """
        self._is_new = self._refs.nothing_kept()
        commit = "" if self._is_new else self._refs.cut_off_restore()
        if not commit:
            return None
        found = self._beside().cut_off(commit)
        known = {ref.checkpoint_id if found is not None else ref.commit: ref for ref in self._refs.all()}
        before = known.get(found[1] if found is not None else commit)
        if before is None:
            self._refs.mark_restoring(None)
            return None
        returned = self.take_back(before, found[0] if found is not None else None)
        self._beside().forget()
        self._refs.drop_ref(f"{SCRATCH_REFS}/{self._lane_id}-bring")
        return returned

    def write_into(self, target: CheckpointRef, files: LaneFiles) -> tuple[str, ...]:
        """Give another, new lane of the same repository the files of `target`; what it could not get, sorted.

        Raises:
            NotPutBack: a file could not be written.
        """
        refs = CheckpointRefs(files.root, self._lane_id)
        reader = TreeReader(files, refs.object_format(), max_file_bytes=self._limits.file_bytes)
        wanted = refs.tree_of(target)
        now = reader.read({*refs.listed(), *wanted.entries})
        return tuple(sorted(Restorer(files, refs, reader).put_back(wanted, now).left))

    def needless(
        self, now: datetime, is_named: Callable[[CheckpointRef], bool] = lambda ref: False
    ) -> list[CheckpointRef]:
        """Those that do not have to be kept (lanes-D23). `is_named`: something outside Git needs it. This may be asked
        beside other work of the lane."""
        listed = [replace(ref, kept=ref.kept or is_named(ref)) for ref in self._refs.all()]
        going = to_drop(listed, now)
        return [ref for ref in listed if ref.number in going]

    def drop(self, refs: Iterable[CheckpointRef]) -> None:
        """Remove these, but for those that are to be kept since they were listed."""
        kept = self._refs.kept_numbers()
        self._refs.drop([ref for ref in refs if str(ref.number) not in kept])

    def keep(self, ref: CheckpointRef) -> None:
        """Never prune this one."""
        self._refs.keep(ref)

    def drop_all(self) -> None:
        """Remove all checkpoints of this lane, because nothing uses them any more."""
        for ref in self._refs.all():
            self._refs.drop([ref])
            if ref.kept:
                self._refs.drop_kept(ref)
        self._last, self._is_new = None, False

    def _done_restoring(self, beside: Beside) -> None:
        self._refs.mark_restoring(None)
        if beside.changes:
            self._beside().forget()

    def _beside(self) -> BesideFiles:
        return BesideFiles(self._files, self._refs, self._tree_reader())

    def _returned(self, safety: Taken, before: LaneTree, error: NotPutBack, beside: Beside) -> Restored:
        """Everything as it was before a restore that failed half-way."""
        try:
            self._beside().take_back(beside)
            now = self._look(also=before)
            Restorer(self._files, self._refs, self._tree_reader()).put_back(before, now)
        except NotPutBack as second:
            names = tuple(sorted({*error.paths, *second.paths}))
            problem = f"{error} It could not all be returned either: {second} What was there is in a checkpoint."
            return Restored(safety, failed=names, problem=problem)
        return Restored(safety, failed=error.paths, problem=str(error))

    def _tree_reader(self) -> TreeReader:
        if self._reader is None:
            kind = self._refs.object_format()
            self._reader = TreeReader(self._files, kind, max_file_bytes=self._limits.file_bytes)
        return self._reader

    def _look(self, also: LaneTree | None = None) -> LaneTree:
        """The files now; also those of a tree that Git may ignore now."""
        if also is not None:
            return self._tree_reader().read({*self._refs.listed(), *also.entries}, max_files=self._limits.files)
        self._files.check_place()
        if self.view.version == 0:
            self.view.expect(tracked_count(self._files.root))
        self.view.look()
        self._names.follow(self.view)
        self._take_over()
        return self._tree_reader().read_seen(self.view, self._names, max_files=self._limits.files)

    def _take_over(self) -> None:
        """Know the files that stand as Git wrote them when it made the lane."""
        fresh, self._fresh = self._fresh, None
        with uncollected() if fresh is not None else contextlib.nullcontext():
            written = fresh.read() if fresh is not None else None
            if written is not None:
                self._tree_reader().take_over(written.standing(self.view.stamps))
                self._begun = (written.tree, written.files)

    def _latest(self) -> tuple[CheckpointRef, LaneTree] | None:
        if self._last is None:
            newest = None if self._is_new else self._refs.newest()
            self._is_new = False
            self._last = (newest, self._refs.tree_of(newest)) if newest is not None else None
        return self._last

    def _take(self, now: LaneTree, reason: str, name: str = "") -> Taken:
        last = self._latest()
        before, tree = last if last is not None else (None, None)
        if before is not None and tree is not None and tree.same_as(now) and not name:
            self._last = before, now
            return Taken(before, made=False, before=before.checkpoint_id)
        number = before.number + 1 if before is not None else 1
        begun, self._begun = self._begun, None  # once: what it begins from may be gone another time
        base, known = (before.tree, tree) if before is not None else begun or ("", None)
        planned = CheckpointRef(self._lane_id, number, "", base, now_in_seconds(), reason, name)
        written = self._refs.write(planned, known, now, self._tree_reader().content)
        kept = written.tree_now
        ref = replace(
            planned,
            commit=written.commit,
            tree=written.tree,
            partial=kept.partial,
            large=tuple(sorted(kept.large.items())),
        )
        self._last = (ref, kept)
        changed = len(kept.differing(tree)) if tree is not None else len(kept.entries)
        return Taken(ref, made=True, before=before.checkpoint_id if before is not None else "", changed=changed)

    def _changes(self, before: str, after: str) -> tuple[ChangedFile, ...]:
        return tree_changes(self._refs.git, before, after) if before != after else ()

    def _tree_now(self) -> str:
        return self._tree_of(self._look())

    def _tree_of(self, now: LaneTree) -> str:
        """The id of the tree of these files, without a checkpoint that stays."""
        last = self._latest()
        if last is not None and last[1].same_as(now):
            return last[0].tree
        base = last[0].tree if last is not None else ""
        planned = CheckpointRef(self._lane_id, 0, "", base, now_in_seconds())
        scratch = f"{SCRATCH_REFS}/{self._lane_id}"
        known = last[1] if last is not None else None
        written = self._refs.write(planned, known, now, self._tree_reader().content, ref=scratch)
        self._refs.drop_ref(scratch)
        return written.tree
