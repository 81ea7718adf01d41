"""Files that Git ignores, changed together with a lane's own: all of both or none, also when the process dies."""

import contextlib
from collections.abc import Mapping
from dataclasses import field, replace

from desktop.domain.core.errors import GitError, PathError
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.trees.listing import LaneTree, TreeEntry, TreeReader
from desktop.services.history.refs import SCRATCH_REFS, CheckpointRef, CheckpointRefs, now_in_seconds
from desktop.services.history.restore import NotPutBack, folders_above, replace_entry

Held = tuple[TreeEntry, bytes] | None
_BEFORE, _AFTER = "before/", "after/"


@dataclass(frozen=True)
class Beside:
    """`changes`: by path the content that is there before and that shall be there, None: no file. `folders`: those that
    go once they are empty."""

    changes: Mapping[str, tuple[Held, Held]] = field(default_factory=dict)
    folders: tuple[str, ...] = ()


class BesideFiles:
    """Changes such files of one lane. While they change, both sides of each are kept on a ref, on which a later process
    takes them back. Blocking."""

    def __init__(self, files: LaneFiles, refs: CheckpointRefs, reader: TreeReader) -> None:
        self._files = files
        self._refs = refs
        self._reader = reader
        self._ref = f"{SCRATCH_REFS}/{refs.lane_id}-beside/1"

    def keep(self, beside: Beside, safety: CheckpointRef) -> CheckpointRef:
        """Keep both sides, with the checkpoint that holds the lane's own files. Raises GitError."""
        held = {
            f"{side}{path}": one
            for path, both in beside.changes.items()
            for side, one in zip((_BEFORE, _AFTER), both, strict=True)
            if one is not None
        }
        planned = CheckpointRef(self._refs.lane_id, 1, "", "", now_in_seconds(), "beside", safety.checkpoint_id)
        tree = LaneTree({path: entry for path, (entry, _) in held.items()})
        written = self._refs.write(planned, None, tree, held.get, ref=self._ref)
        if written.tree_now.partial:
            raise GitError(f"The files that Git ignores could not be kept: {written.tree_now.partial}.")
        return replace(planned, commit=written.commit)

    def forget(self) -> None:
        """They are as they shall be, or as they were."""
        self._refs.drop_ref(self._ref)

    def put_away(self, beside: Beside) -> None:
        """The first half: what shall not be there goes. Raises NotPutBack."""
        gone = [path for path, (_, then) in beside.changes.items() if then is None]
        for path in sorted(gone):
            self._change(path, *beside.changes[path])
        for folder in sorted(beside.folders, key=len, reverse=True):
            self._remove_empty(folder)

    def put(self, beside: Beside) -> None:
        """The second half: what shall be there comes. Raises NotPutBack."""
        for path in sorted(path for path, (_, then) in beside.changes.items() if then is not None):
            self._change(path, *beside.changes[path])

    def take_back(self, beside: Beside) -> None:
        """Return those that were changed; one that is neither as before nor as it should be stays.

        Raises:
            NotPutBack: one of them cannot be changed.
        """
        ordered = sorted(beside.changes, key=lambda path: (beside.changes[path][1] is None, path))
        for path in ordered:
            before, then = beside.changes[path]
            if before != then and self._is(path, then):
                self._write(path, before)
                for folder in folders_above(path) if before is None else ():
                    self._remove_empty(folder)

    def cut_off(self, commit: str) -> tuple[Beside, str] | None:
        """What a process that died within was changing, by the commit that it kept, and the id of the checkpoint of the
        lane's own files; None: it is no such commit. Raises GitError."""
        found = self._refs.at(self._ref)
        if found is None or found.commit != commit:
            return None
        entries = self._refs.tree_of(found).entries
        contents = dict(self._refs.contents(sorted({entry.oid for entry in entries.values()})))
        sides: dict[str, dict[str, Held]] = {_BEFORE: {}, _AFTER: {}}
        for name, entry in entries.items():
            side = _BEFORE if name.startswith(_BEFORE) else _AFTER
            sides[side][name.removeprefix(side)] = (entry, contents[entry.oid])
        paths = sorted({*sides[_BEFORE], *sides[_AFTER]})
        changes = {path: (sides[_BEFORE].get(path), sides[_AFTER].get(path)) for path in paths}
        return Beside(changes), found.name

    def _change(self, path: str, before: Held, then: Held) -> None:
        if not self._is(path, before):
            raise NotPutBack((path,), f"{path} is not what it was: something changed it meanwhile.")
        self._write(path, then)

    def _is(self, path: str, held: Held) -> bool:
        """Whether exactly this stands there."""
        found = self._reader.content(path)
        return found == held and (found is not None or not self._is_something(path))

    def _is_something(self, path: str) -> bool:
        try:
            folder, name = self._files.open_parent(path)
            with folder:
                folder.stat(name)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except (OSError, PathError):
            return True
        return True

    def _write(self, path: str, held: Held) -> None:
        made: list[tuple[str, ...]] = []
        try:
            folder, name = self._files.open_parent(path, made)
            with folder:
                if held is None:
                    folder.unlink(name)
                else:
                    replace_entry(folder, name, *held)
        except (OSError, PathError) as error:
            self._files.unmake(made)
            said = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
            raise NotPutBack((path,), f"{path} could not be changed: {said}.") from error

    def _remove_empty(self, path: str) -> None:
        with contextlib.suppress(OSError, PathError):  # one that is not empty stays
            folder, name = self._files.open_parent(path)
            with folder:
                folder.remove(name)
