"""The files in which two checkpoints of a lane differ, each with its bytes on both sides."""

from collections.abc import Sequence
from pathlib import Path

from desktop.records import dataclass
from desktop.services.git.run import DIFF_LIMIT_S, DIFF_OPTIONS, NO_FETCH, Git
from desktop.services.git.trees.listing import EXECUTABLE, FILE
from desktop.services.history.refs import CheckpointRef, CheckpointRefs

_NONE = "000000"
_PLAIN = (FILE, EXECUTABLE)


@dataclass(frozen=True)
class FileApart:
    """One file. `was`, `stands`: whether it was there, and is. `before`, `after`: its bytes, None where there are none
    or where they were not read: too large, too many, a link, a repository of its own, another mode alone. `whole`: both
    sides were read as far as there are any, so it can be put back by its bytes."""

    path: str
    was: bool
    stands: bool
    before: bytes | None = None
    after: bytes | None = None

    @property
    def whole(self) -> bool:
        """See the class."""
        return (self.before is not None) is self.was and (self.after is not None) is self.stands


@dataclass(frozen=True)
class _Raw:
    path: str
    old_mode: str
    new_mode: str
    old_oid: str
    new_oid: str

    @property
    def plain(self) -> bool:
        """Both sides are files or nothing, and their bytes differ."""
        modes = (self.old_mode, self.new_mode)
        return self.old_oid != self.new_oid and all(mode in (*_PLAIN, _NONE) for mode in modes)


def files_apart(
    root: Path, before: CheckpointRef, after: CheckpointRef, *, most_files: int, most_bytes: int
) -> tuple[FileApart, ...]:
    """Every file that differs, by path; of the first `most_files` their bytes, `most_bytes` in all. Blocking.

    Raises:
        GitError: one of the checkpoints is not in the repository any more.
    """
    if (before.tree, before.large) == (after.tree, after.large):
        return ()
    raws = _raw(root, before.tree, after.tree)
    read = _contents(root, before.lane_id, [one for one in raws if one.plain][:most_files], most_bytes)
    found = {
        one.path: FileApart(
            path=one.path,
            was=one.old_mode != _NONE,
            stands=one.new_mode != _NONE,
            before=read.get(one.old_oid) if one.plain else None,
            after=read.get(one.new_oid) if one.plain else None,
        )
        for one in raws
    }
    then, now = dict(before.large), dict(after.large)
    for path in {*then, *now}:
        if then.get(path) != now.get(path):
            known = found.get(path)
            was = path in then or (known is not None and known.was)
            stands = path in now or (known is not None and known.stands)
            found[path] = FileApart(path=path, was=was, stands=stands)
    return tuple(found[path] for path in sorted(found))


def _raw(root: Path, before: str, after: str) -> list[_Raw]:
    if before == after:
        return []
    words = ("diff-tree", "-r", "--raw", "--no-renames", "--full-index", *DIFF_OPTIONS, "-z", before, after)
    fields = Git(root, NO_FETCH).run_now(*words, limit_s=DIFF_LIMIT_S).names
    found = []
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        old_mode, new_mode, old_oid, new_oid, _ = head.lstrip(":").split(" ")
        found.append(_Raw(path, old_mode, new_mode, old_oid, new_oid))
    return found


def _contents(root: Path, lane_id: str, raws: Sequence[_Raw], most_bytes: int) -> dict[str, bytes]:
    """The content of each id, for as long as there is room."""
    sides = ((one.old_mode, one.old_oid) for one in raws), ((one.new_mode, one.new_oid) for one in raws)
    oids = [*dict.fromkeys(oid for side in sides for mode, oid in side if mode != _NONE)]
    found: dict[str, bytes] = {}
    room = most_bytes
    for oid, data in CheckpointRefs(root, lane_id).contents(oids):
        if len(data) <= room:
            room -= len(data)
            found[oid] = data
    return found
