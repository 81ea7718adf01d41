"""Bringing an edit of files to a lane whose files may have changed: byte for byte, merged by lines, all or nothing."""

import contextlib
import tempfile
from pathlib import Path

from desktop.domain.core.errors import GitError, PathError
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.leftovers import passing_prefix
from desktop.services.git.run import DIFF_LIMIT_S, Git
from desktop.services.git.trees.listing import EXECUTABLE, FILE, LaneTree, TreeEntry, TreeReader
from desktop.services.history.refs import SCRATCH_REFS, CheckpointRef, CheckpointRefs, now_in_seconds
from desktop.services.history.restore import NotPutBack, Restorer

_MAX_CONFLICTS = 127


@dataclass(frozen=True)
class Fitted:
    """`changed`: paths that are different now. With `conflicts` nothing was changed."""

    changed: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()


class RawLane:
    """The files of one folder as they are on the disk, what Git ignores left out. Blocking; one thread at a time."""

    def __init__(self, files: LaneFiles, lane_id: str) -> None:
        self.files = files
        self.refs = CheckpointRefs(files.root, lane_id)
        self.reader = TreeReader(files, self.refs.object_format())
        self._lane_id = lane_id

    def look(self, also: LaneTree | None = None) -> LaneTree:
        """The files now; also those of a tree that Git may ignore now.

        Raises:
            GitError: there are more than can be read.
        """
        tree = self.reader.read({*self.refs.listed(), *(also.entries if also is not None else ())})
        if tree.partial:
            raise GitError(f"This folder cannot be read as a whole: {tree.partial}.")
        return tree

    def keep(self, tree: LaneTree, ref: str, *, reason: str, name: str = "", number: int = 1) -> CheckpointRef:
        """A commit of these files on `ref`, read back and compared.

        Raises:
            GitError: it is not what the files are.
        """
        planned = CheckpointRef(self._lane_id, number, "", "", now_in_seconds(), reason, name)
        written = self.refs.write(planned, None, tree, self.reader.content, ref=ref)
        made = CheckpointRef(self._lane_id, number, written.commit, written.tree, planned.at, reason, name)
        if written.tree_now.entries != tree.entries or self.refs.tree_of(made).entries != tree.entries:
            self.refs.drop_ref(ref)
            raise GitError("Files changed while they were kept, so nothing was done. Try again.")
        return made

    def tree_at(self, commit: str) -> LaneTree:
        """The files of a commit as Git holds them."""
        return self.refs.tree_of(CheckpointRef(self._lane_id, 1, commit, "", now_in_seconds()))

    def bring(self, base: LaneTree, edited: LaneTree) -> Fitted:
        """Change the files here as they changed from `base` to `edited`: all of them, or none.

        Raises:
            NotPutBack: a file could not be written; the files are as they were, unless the sentence says otherwise.
        """
        now = self.look(also=edited)
        scratch = f"{SCRATCH_REFS}/{self._lane_id}-fit"
        self.keep(now, scratch, reason="fit")  # what stands here is in the repository while it is changed
        try:
            goal, conflicts = self._goal(base, edited, now)
            if conflicts:
                return Fitted(conflicts=conflicts)
            changed = tuple(sorted(path for path in {*goal, *now.entries} if goal.get(path) != now.entries.get(path)))
            if changed:
                self.put(LaneTree(goal, now.large), now, changed)
            return Fitted(changed)
        finally:
            self.refs.drop_ref(scratch)

    def put(self, target: LaneTree, now: LaneTree, paths: tuple[str, ...] = ()) -> None:
        """Make the files equal to `target`. They are `now`; it takes back what it did when it cannot do all.

        Raises:
            NotPutBack: it could not.
        """
        try:
            Restorer(self.files, self.refs, self.reader, paths).put_back(target, now)
        except NotPutBack:
            Restorer(self.files, self.refs, self.reader, paths).put_back(now, self.look(also=now))
            raise

    def _goal(self, base: LaneTree, edited: LaneTree, now: LaneTree) -> tuple[dict[str, TreeEntry], tuple[str, ...]]:
        goal, conflicts = dict(now.entries), []
        for path in sorted({*base.entries, *edited.entries}):
            before, after, here = base.entries.get(path), edited.entries.get(path), now.entries.get(path)
            if after in (before, here):
                continue
            wanted = after if here == before else self._merged(before, after, here)
            if here != before and wanted is None:
                conflicts.append(path)
            elif wanted is None:
                goal.pop(path, None)
            else:
                goal[path] = wanted
        large = {*base.large, *edited.large, *now.large}
        conflicts += [path for path in large if base.large.get(path) != edited.large.get(path)]
        conflicts += [path for path in goal if _in_a_files_way(path, goal)]
        return goal, tuple(sorted(set(conflicts)))

    def _merged(self, before: TreeEntry | None, after: TreeEntry | None, here: TreeEntry | None) -> TreeEntry | None:
        """What both changes together give; None when they do not go together."""
        if before is None or after is None or here is None:
            return None
        if any(one.mode not in (FILE, EXECUTABLE) for one in (before, after, here)):
            return None
        mode = here.mode if after.mode == before.mode else after.mode
        if after.oid == before.oid:
            return TreeEntry(mode, here.oid)
        texts = dict(self.refs.contents([here.oid, before.oid, after.oid]))
        merged = merge_texts(self.refs.git, texts[here.oid], texts[before.oid], texts[after.oid])
        if merged is None:
            return None
        made = self.refs.git.run_now("hash-object", "-w", "--no-filters", "--stdin", given=merged)
        return TreeEntry(mode, made.stdout.strip())


def merge_texts(git: Git, ours: bytes, base: bytes, theirs: bytes) -> bytes | None:
    """Both changes of a text, None when they are in conflict or when it is no text. Blocking."""
    if any(b"\0" in one for one in (ours, base, theirs)):
        return None
    with tempfile.TemporaryDirectory(prefix=passing_prefix()) as folder:
        names = []
        for name, data in (("ours", ours), ("base", base), ("theirs", theirs)):
            path = Path(folder, name)
            path.write_bytes(data)
            names.append(str(path))
        done = git.run_now("merge-file", "-p", "-q", *names, limit_s=DIFF_LIMIT_S, check=False)
    if done.status > _MAX_CONFLICTS:
        raise GitError(f"git merge-file failed: {done.stderr.strip()}", stderr=done.stderr, status=done.status)
    return done.raw if done.status == 0 else None


def remove_file(files: LaneFiles, path: str) -> None:
    """Remove a file, and folders that are empty then. No link is followed on the way; one that is gone is fine.

    Raises:
        PathError, OSError: it could not be removed.
    """
    try:
        folder, name = files.open_parent(path)
        with folder:
            folder.unlink(name)
    except FileNotFoundError:
        return
    while "/" in path:
        path = path.rpartition("/")[0]
        with contextlib.suppress(OSError, PathError):  # one that is not empty stays
            parent, name = files.open_parent(path)
            with parent:
                parent.remove(name)


def _in_a_files_way(path: str, goal: dict[str, TreeEntry]) -> bool:
    return any(path[:at] in goal for at, char in enumerate(path) if char == "/")
