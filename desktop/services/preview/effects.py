"""From what a command wrote in a copy to the effect that people see, and to what applying it would do."""

import os
import posixpath
import stat
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import field

from desktop.domain.core.content import Block
from desktop.domain.preview.effect import MOST_BYTES, MOST_FILES, Effect
from desktop.records import dataclass
from desktop.services.changes.sides import FileState
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.trees.folders import PathsClash
from desktop.services.git.trees.listing import EXECUTABLE, FILE, LINK, LaneTree, TreeEntry
from desktop.services.history.beside import Beside
from desktop.services.history.checkpoints import LaneCheckpoints
from desktop.services.history.restore import folders_above
from desktop.services.history.tree_id import with_large
from desktop.services.preview.ignored import ignored_files
from desktop.services.preview.judging import protected
from desktop.services.preview.look import Written
from desktop.services.preview.showing import Goals, shown_files

MOST_TOLD = 5
_SPECIAL_BITS = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX
_USUAL_RIGHTS = {FILE: frozenset({0o644, 0o664, 0o600}), EXECUTABLE: frozenset({0o755, 0o775, 0o700})}


@dataclass(frozen=True)
class Difference:
    """`goals`: by path what applying it does, None: the file goes. `blocks`: the same for people. `beside`: the files
    that Git ignores, which a person may tick."""

    effect: Effect
    goals: Goals = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()
    beside: Beside = field(default_factory=Beside)


@dataclass
class _Found:
    """What is known so far. `after`: the content of each path that is a file or link then; `gone`: what is away then,
    with all below it."""

    after: dict[str, FileState] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    stops: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def difference(kept: LaneCheckpoints, files: LaneFiles, written: Iterable[Written]) -> Difference:
    """The difference between the lane and a copy of it in which this was written. Nothing of the lane is changed.
    Blocking.

    Raises:
        GitError, PathError, OSError: the lane or the copy cannot be read.
    """
    now, tree = kept.look_now()
    if now.partial or not tree:
        return Difference(Effect(stops=("Not all files of the lane can be looked at, so its state has no id.",)))
    listed = [*written]
    paths = (one.path for one in listed if one.kind in ("file", "link"))
    apart = kept.ignored(path for path in paths if path not in now.entries and path not in now.large)
    found = _read(sorted(listed, key=lambda one: one.path in apart), apart)
    goals = _goals(kept, now, found)
    others = ignored_files(kept, files, now, {path: found.after[path] for path in apart}, found.gone)
    closed = [words for path in sorted(goals) if (words := protected(files, path, goals))]
    steps = sorted(goals)
    shown, blocks = shown_files(files, {path: goals[path] for path in steps[:MOST_FILES]}, found.after)
    stops = [*closed, *found.stops, *_clashes(kept, now, goals)]
    if len(steps) > MOST_FILES:
        stops.append(f"More than {MOST_FILES} files would differ.")
    empty = _empty_folders(now, goals, found)
    effect = Effect(
        files=shown,
        more=max(len(steps) - MOST_FILES, 0),
        folders=tuple(sorted(empty & found.folders)),
        kept_folders=tuple(sorted(empty - found.folders)),
        ignored=others.count,
        beside=others.files,
        beside_stop=others.stop,
        stops=tuple(dict.fromkeys(stops)),
        notes=tuple(dict.fromkeys((*found.notes, *others.notes))),
        tree_before=with_large(tree, now.large),
        tree_after="" if stops else _foretold(kept, now, goals),
    )
    return Difference(effect, goals, blocks, others.beside)


def _read(written: Iterable[Written], apart: frozenset[str]) -> _Found:
    """The content of what was written, as far as it may be kept. `apart`: files that Git ignores."""
    found, room = _Found(), MOST_BYTES
    for one in written:
        if one.kind == "gone":
            found.gone.add(one.path)
        elif one.kind == "folder":
            found.folders.add(one.path)
        elif one.kind == "special":
            found.stops.append(f"{one.path} is neither a file nor a link nor a folder.")
        elif one.kind == "link":
            target = os.readlink(one.at)  # noqa: PTH115  # as bytes of the disk
            if _leads_out(one.path, target):
                found.stops.append(f"{one.path} is a link that leaves the lane: {target}")
            found.after[one.path] = FileState(LINK, len(target), os.fsencode(target))
        else:
            room -= one.size
            found.after[one.path] = _file(one, found, fits=room >= 0, ignored=one.path in apart)
    return found


def _file(one: Written, found: _Found, *, fits: bool, ignored: bool) -> FileState:
    if one.mode & _SPECIAL_BITS:
        found.stops.append(f"{one.path} would run with the rights of its owner or group (set-uid).")
    mode = EXECUTABLE if one.mode & stat.S_IXUSR else FILE
    if one.mode & 0o777 not in _USUAL_RIGHTS[mode] and not ignored:
        found.notes.append(f"Of the permissions of {one.path} only the right to run it is applied.")
    if not fits:
        found.stops += [] if ignored else ["What was written is more than 50 MiB."]
        return FileState(mode, one.size, None)
    if not one.mode & stat.S_IRUSR:
        one.at.chmod(0o600)  # it is our own copy
    return FileState(mode, one.size, one.at.read_bytes())


def _leads_out(path: str, target: str) -> bool:
    """Whether a link could lead out of the lane, or into Git's own folder. A step up behind a name could, as that name
    may be a link itself."""
    steps = target.split("/")
    behind_a_name = any(step not in ("", ".", "..") and ".." in steps[at:] for at, step in enumerate(steps))
    if target.startswith("/") or behind_a_name:
        return True
    parts = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)).split("/")
    return parts[0] == ".." or ".git" in (part.casefold() for part in parts)


def _goals(kept: LaneCheckpoints, now: LaneTree, found: _Found) -> Goals:
    """What differs of the files that Git does not ignore."""
    goals: Goals = {}
    for path, state in found.after.items():
        data = state.data if state.data is not None else b""
        entry = kept.entry_of(state.mode, data)
        if state.data is None or now.entries.get(path) != entry:
            goals[path] = (entry, data)
    listed = sorted(now.entries) if found.gone else []
    for path in found.gone:
        below = [path] if path in now.entries else _below(listed, path)
        goals |= {one: None for one in below if one not in found.after}
    known = [path for path in goals if path in now.entries]
    unknown = [path for path in goals if path not in now.entries]
    ignored = kept.ignored(goals)
    away = found.gone - found.after.keys()
    large = [
        path for path in now.large if path in goals or path in away or not found.gone.isdisjoint(folders_above(path))
    ]
    found.stops += [f"{path} is too large to be kept." for path in large[:MOST_TOLD]]
    hidden = [path for path in known if path in ignored]
    found.stops += [f"{path} is tracked although Git ignores it." for path in hidden[:MOST_TOLD]]
    skipped = {path for path in unknown if path in ignored and path not in now.large}
    return {path: goal for path, goal in goals.items() if path not in skipped}


def _below(listed: list[str], folder: str) -> list[str]:
    """The paths below a folder, of sorted ones."""
    first, after = bisect_left(listed, f"{folder}/"), bisect_left(listed, f"{folder}0")  # "0" follows "/"
    return listed[first:after]


def _clashes(kept: LaneCheckpoints, now: LaneTree, goals: Goals) -> list[str]:
    inside = {path for path, entry in now.entries.items() if entry.mode == "160000"}
    nested = [path for path in goals if any(path == one or path.startswith(f"{one}/") for one in inside)]
    return [f"{path} lies in a repository of its own." for path in nested[:MOST_TOLD]]


def _foretold(kept: LaneCheckpoints, now: LaneTree, goals: Goals) -> str:
    """The id of the lane's files once it is applied; "" where files that say what Git ignores are among them."""
    if any(path.rpartition("/")[2] == ".gitignore" for path in goals):
        return ""
    try:
        return with_large(kept.foretold(now, _entries(goals)), now.large)
    except PathsClash:
        return ""


def _entries(goals: Goals) -> Mapping[str, TreeEntry | None]:
    return {path: goal[0] if goal is not None else None for path, goal in goals.items()}


def _empty_folders(now: LaneTree, goals: Goals, found: _Found) -> set[str]:
    """Folders that are there then without a file of the lane in them: new ones, and those whose files went."""
    full = {folder for path, goal in goals.items() if goal is not None for folder in folders_above(path)}
    emptied = {folder for path, goal in goals.items() if goal is None for folder in folders_above(path)}
    away = {one for one in emptied if not found.gone.isdisjoint((one, *folders_above(one)))}
    maybe = ((emptied - away) | found.folders) - full
    listed = sorted(now.entries) if maybe else []
    return {one for one in maybe if all(goals.get(path, ()) is None for path in _below(listed, one))}
