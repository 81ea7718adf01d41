"""Taking uncommitted changes out of the person's checkout once a lane has them: all of it, or the checkout as it was.

What is taken out was kept before (`lane_carry`) and is read back first. A ref says that it has begun, so that what a
crash cuts off can be returned.
"""

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from desktop.domain.core.errors import BanksmanError, GitError, LaneError, PathError
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.leftovers import passing_prefix
from desktop.services.files.pointers import git_folders
from desktop.services.git.run import Git
from desktop.services.git.trees.listing import LaneTree, TreeReader
from desktop.services.history.refs import CheckpointRef, now_in_seconds
from desktop.services.history.restore import NotPutBack, Restorer, is_temporary
from desktop.services.lanes.making.carry import (
    Carried,
    KnownPaths,
    kept,
    named,
    private_index,
    refresh,
    set_permissions,
    uncommitted,
)

MOVING_REFS, MOVED_REFS = "refs/banksman/moving", "refs/banksman/moved"
_UNFILTERED = ("unspecified", "unset")
CHANGED = "Your checkout changed while its changes were moved. Nothing was taken out of it; try again."


def moved_ref(lane_id: str) -> str:
    """The ref that holds what was moved into a lane, as it was in the checkout."""
    return f"{MOVED_REFS}/{lane_id}"


def require_movable(checkout: Path, paths: tuple[str, ...]) -> None:
    """Raises LaneError when Git would write one of these files through a filter: its bytes could not be put back."""
    given = b"".join(os.fsencode(path) + b"\0" for path in paths)
    listed = Git(checkout).run_now("check-attr", "-z", "--stdin", "filter", given=given).names
    filtered = [path for path, value in zip(listed[::3], listed[2::3], strict=True) if value not in _UNFILTERED]
    if filtered:
        raise LaneError(
            f"These files go through a filter of Git, so they cannot be moved: {named(filtered)}. Copy them."
        )


class TakingOut:
    """The move of uncommitted files out of a checkout. Every method blocks."""

    def __init__(self, checkout: Path, carried: Carried) -> None:
        self._checkout = checkout
        self._carried = carried
        self._files = LaneFiles(checkout)
        self._refs = KnownPaths(checkout, carried.lane_id, carried.paths)
        self._reader = TreeReader(self._files, self._refs.object_format())
        self._git = self._refs.git
        self._index = git_folders(checkout)[0] / "index"

    def run(self) -> None:
        """The files are those of HEAD, untracked ones are gone, and so is what was staged. Until `end_move` it can be
        returned.

        Raises:
            LaneError: it could not be done; the checkout is as it was, or the text says what is not.
            GitError: Git failed before anything was changed.
        """
        require_movable(self._checkout, self._carried.paths)
        self._read_back()
        goal = self._goal()
        if self._changed():
            raise LaneError(CHANGED)
        self._mark()
        try:
            self._put(goal, self._carried.files)
            self._reset_index()
        except (BanksmanError, OSError) as error:
            self.back(goal)
            told = f"Your changes could not be taken out of your checkout, which is as it was: {error}"
            raise LaneError(told) from error

    def back(self, goal: LaneTree | None = None) -> None:
        """The checkout as it was before; what somebody changed there since stays as it is.

        Raises:
            LaneError: it could not all be returned; all of it is still kept.
        """
        self._sweep()
        ours = goal or self._goal()
        self._reader.forget(self._carried.paths)
        now, wanted, theirs = self._reader.read(self._carried.paths), {}, False
        for path in self._carried.paths:
            there, then = now.entries.get(path), self._carried.files.entries.get(path)
            chosen = then if there == ours.entries.get(path) else there
            theirs = theirs or chosen != then
            if chosen is not None:
                wanted[path] = chosen
        try:
            self._put(LaneTree(wanted), now)
            set_permissions(self._files, self._carried.modes)
            self._index_back()
        except (BanksmanError, OSError) as error:
            where = self._keep_on()
            raise LaneError(f"Not all could be returned to your checkout: {error} It is kept in {where}.") from error
        if theirs:
            self._keep_on()
        _unmark(self._git, self._carried.lane_id)

    def _put(self, target: LaneTree, now: LaneTree) -> None:
        steps = Restorer(self._files, self._refs, self._reader).put_back(target, now)
        if steps.left:
            raise NotPutBack(tuple(sorted(steps.left)), f"{named(steps.left)} could not be changed.")

    def _read_back(self) -> None:
        """What was kept is there, byte for byte."""
        again = kept(self._checkout, self._carried.lane_id)
        if again is None or again.files.entries != self._carried.files.entries:
            raise LaneError("What was kept of your changes could not be read back. Nothing was taken out.")
        new = hashlib.sha256 if self._refs.object_format() == "sha256" else hashlib.sha1
        for oid, data in self._refs.contents([entry.oid for entry in again.files.entries.values()]):
            if new(b"blob %d\0" % len(data) + data).hexdigest() != oid:
                raise LaneError("What was kept of your changes is damaged. Nothing was taken out.")

    def _changed(self) -> bool:
        found = uncommitted(self._checkout)
        self._reader.forget(self._carried.paths)
        same = found.head == self._carried.head and set(found.paths) == set(self._carried.paths)
        return not same or self._reader.read(self._carried.paths).entries != self._carried.files.entries

    def _goal(self) -> LaneTree:
        """The files of HEAD as they stand in a working folder, with its line ends; their content is kept by Git too."""
        with tempfile.TemporaryDirectory(prefix=passing_prefix()) as name:
            folder = Path(name)
            (folder / "files").mkdir()
            own = Git(self._checkout, {"GIT_INDEX_FILE": str(folder / "index")})
            own.run_on_files_now("read-tree", self._carried.head)
            given = b"".join(os.fsencode(path) + b"\0" for path in sorted(self._carried.before.entries))
            if given:
                own.run_on_files_now(
                    "checkout-index", "-f", "-q", "-z", "--stdin", f"--prefix={folder / 'files'}/", given=given
                )
            reader = TreeReader(LaneFiles(folder / "files"), self._refs.object_format())
            found = reader.read(self._carried.before.entries)
            scratch = f"{MOVING_REFS}/{self._carried.lane_id}/new"
            target = CheckpointRef(self._carried.lane_id, 0, "", "", now_in_seconds(), "start")
            written = self._refs.write(target, None, found, reader.content, ref=scratch)
            self._refs.drop_ref(scratch)
        if set(written.tree_now.entries) != set(self._carried.before.entries):
            raise LaneError("Some files of the last commit could not be made ready. Nothing was taken out.")
        return LaneTree(written.tree_now.entries)

    def _mark(self) -> None:
        lane_id, index = self._carried.lane_id, self._index.read_bytes() if self._index.is_file() else b""
        blob = self._git.run_now("hash-object", "-w", "--no-filters", "--stdin", given=index).stdout.strip()
        files = self._git.run_now("rev-parse", "--verify", f"refs/banksman/start/{lane_id}/files").stdout.strip()
        self._git.run_now("update-ref", f"{MOVING_REFS}/{lane_id}/index", blob)
        self._git.run_now("update-ref", f"{MOVING_REFS}/{lane_id}/files", files)

    def _keep_on(self) -> str:
        """What was taken out stays on a ref of its own; which."""
        ref = moved_ref(self._carried.lane_id)
        marked = f"{MOVING_REFS}/{self._carried.lane_id}/files"
        self._git.run_now("update-ref", ref, self._git.run_now("rev-parse", "--verify", marked).stdout.strip())
        return ref

    def _reset_index(self) -> None:
        """The index is HEAD's."""
        with tempfile.TemporaryDirectory(prefix=passing_prefix()) as folder:
            own = private_index(self._checkout, Path(folder))
            own.run_on_files_now("read-tree", "--reset", self._carried.head)
            refresh(own)
            self._write_index((Path(folder) / "index").read_bytes())

    def _index_back(self) -> None:
        """The index of before, byte for byte, unless somebody changed it since."""
        blob = self._git.run_now("cat-file", "blob", f"{MOVING_REFS}/{self._carried.lane_id}/index").raw
        if self._index.read_bytes() == blob:
            return
        staged = self._git.run_now("diff-index", "--cached", "--quiet", self._carried.head, check=False)
        if staged.status == 0:
            self._write_index(blob)

    def _write_index(self, content: bytes) -> None:
        """In git's own way: a lock that nobody else holds becomes the index. The lock is a second name of our own file,
        so that one which a crash left is known to be ours."""
        lock, ours = self._index.with_name("index.lock"), self._own_lock
        ours.write_bytes(content)
        try:
            os.link(ours, lock)
        except FileExistsError as error:
            ours.unlink()
            raise GitError(
                f"Another git command works in your checkout ({lock} exists). Try again when it is done."
            ) from error
        lock.replace(self._index)
        ours.unlink()

    @property
    def _own_lock(self) -> Path:
        return self._index.with_name(f"banksman-index-{self._carried.lane_id}")

    def _sweep(self) -> None:
        """Take away what a process that was killed half-way left beside the files."""
        lock, ours = self._index.with_name("index.lock"), self._own_lock
        if ours.exists():
            if lock.exists() and ours.samefile(lock):
                lock.unlink()
            ours.unlink()
        for folder in {path.rpartition("/")[0] for path in self._carried.paths}:
            with contextlib.suppress(OSError, PathError):
                opened, _ = self._files.open_parent(f"{folder}/x" if folder else "x")
                with opened:
                    for name in opened.names():
                        if is_temporary(name):
                            opened.unlink(name)


def return_changes(checkout: Path, lane_id: str) -> bool:
    """Return to the checkout what a move had taken out that was not ended by `end_move`; whether there was one.
    Blocking.

    Raises:
        LaneError: it could not all be returned; it is still kept.
    """
    if not _begun(Git(checkout), lane_id):
        return False
    carried = kept(checkout, lane_id)
    if carried is None:
        raise LaneError(f"What was moved out of your checkout is kept in {MOVING_REFS}/{lane_id}/files only.")
    TakingOut(checkout, carried).back()
    return True


def end_move(checkout: Path, lane_id: str) -> None:
    """The lane has what was taken out, which stays on the ref `moved_ref` beside it. Blocking."""
    git = Git(checkout)
    if commit := _begun(git, lane_id):
        git.run_now("update-ref", moved_ref(lane_id), commit)
        _unmark(git, lane_id)


def _begun(git: Git, lane_id: str) -> str:
    listed = git.run_now("for-each-ref", "--format=%(objectname)", f"{MOVING_REFS}/{lane_id}/files")
    return listed.stdout.strip()


def _unmark(git: Git, lane_id: str) -> None:
    for name in ("files", "index"):
        git.run_now("update-ref", "-d", f"{MOVING_REFS}/{lane_id}/{name}", check=False)
