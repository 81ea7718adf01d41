"""From what a command wrote in a copy to the effect that people see, and to what applying it would do."""

import os
import posixpath
import stat
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import field

from desktop.domain.core.content import Block, DiffBlock, TextBlock
from desktop.domain.core.errors import PathError
from desktop.domain.preview.effect import MOST_BYTES, MOST_FILES, Effect, EffectFile
from desktop.policy.paths import PathFacts, WalkFacts, assess_path, screen_path
from desktop.records import dataclass
from desktop.services.changes.sides import FileState, state_now
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.line_diff import line_diff
from desktop.services.git.trees.folders import PathsClash
from desktop.services.git.trees.listing import EXECUTABLE, FILE, LINK, LaneTree, TreeEntry
from desktop.services.history.checkpoints import LaneCheckpoints
from desktop.services.history.tree_id import with_large
from desktop.services.preview.look import Written

Goals = dict[str, tuple[TreeEntry, bytes] | None]
MOST_DIFF_CHARS = 256 * 1024
MOST_DIFFS = 100
MOST_TOLD = 5
_SPECIAL_BITS = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX
_USUAL_RIGHTS = {FILE: frozenset({0o644, 0o664, 0o600}), EXECUTABLE: frozenset({0o755, 0o775, 0o700})}


@dataclass(frozen=True)
class Difference:
    """`goals`: by path what applying it does, None: the file goes. `blocks`: the same for people."""

    effect: Effect
    goals: Goals = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()


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
    found = _read(written)
    goals, ignored = _goals(kept, now, found)
    protected = [words for path in sorted(goals) if (words := _protected(files, path, goals))]
    steps = sorted(goals)
    shown, blocks = _shown(files, {path: goals[path] for path in steps[:MOST_FILES]}, found.after)
    stops = [*protected, *found.stops, *_clashes(kept, now, goals)]
    if len(steps) > MOST_FILES:
        stops.append(f"More than {MOST_FILES} files would differ.")
    empty = _empty_folders(now, goals, found)
    effect = Effect(
        files=shown,
        more=max(len(steps) - MOST_FILES, 0),
        folders=tuple(sorted(empty & found.folders)),
        kept_folders=tuple(sorted(empty - found.folders)),
        ignored=ignored,
        stops=tuple(dict.fromkeys(stops)),
        notes=tuple(dict.fromkeys(found.notes)),
        tree_before=with_large(tree, now.large),
        tree_after="" if stops else _foretold(kept, now, goals),
    )
    return Difference(effect, goals, blocks)


def _read(written: Iterable[Written]) -> _Found:
    """The content of what was written, as far as it may be kept."""
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
            found.after[one.path] = _file(one, found, fits=room >= 0)
    return found


def _file(one: Written, found: _Found, *, fits: bool) -> FileState:
    if one.mode & _SPECIAL_BITS:
        found.stops.append(f"{one.path} would run with the rights of its owner or group (set-uid).")
    mode = EXECUTABLE if one.mode & stat.S_IXUSR else FILE
    if one.mode & 0o777 not in _USUAL_RIGHTS[mode]:
        found.notes.append(f"Of the permissions of {one.path} only the right to run it is applied.")
    if not fits:
        found.stops.append("What was written is more than 50 MiB.")
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


def _goals(kept: LaneCheckpoints, now: LaneTree, found: _Found) -> tuple[Goals, int]:
    """What differs of the files that Git does not ignore, and how many others do."""
    goals: Goals = {}
    for path, state in found.after.items():
        data = state.data if state.data is not None else b""
        entry = kept.entry_of(state.mode, data)
        if state.data is None or now.entries.get(path) != entry:
            goals[path] = (entry, data)
    others, listed = 0, sorted(now.entries) if found.gone else []
    for path in found.gone:
        below = [path] if path in now.entries else _below(listed, path)
        others += not below and path not in found.folders and path not in found.after
        goals |= {one: None for one in below if one not in found.after}
    known = [path for path in goals if path in now.entries]
    unknown = [path for path in goals if path not in now.entries]
    ignored = kept.ignored(goals)
    away = found.gone - found.after.keys()
    large = [path for path in now.large if path in goals or path in away or not found.gone.isdisjoint(_above(path))]
    found.stops += [f"{path} is too large to be kept." for path in large[:MOST_TOLD]]
    hidden = [path for path in known if path in ignored]
    found.stops += [f"{path} is tracked although Git ignores it." for path in hidden[:MOST_TOLD]]
    skipped = {path for path in unknown if path in ignored and path not in now.large}
    return {path: goal for path, goal in goals.items() if path not in skipped}, others + len(skipped)


def _below(listed: list[str], folder: str) -> list[str]:
    """The paths below a folder, of sorted ones."""
    first, after = bisect_left(listed, f"{folder}/"), bisect_left(listed, f"{folder}0")  # "0" follows "/"
    return listed[first:after]


def judged(files: LaneFiles, path: str, goals: Goals) -> PathFacts:
    """How writing this path is judged. Where a file goes and a folder of its name comes, or the other way round, what
    stands there now does not matter: the name alone does."""
    facts = files.resolve(path, "write")
    makes_way = any(goals.get(folder, ()) is None for folder in _above(path))
    makes_way |= facts.kind == "dir" and any(one.startswith(f"{path}/") for one in goals)
    if not makes_way or screen_path(path, "write", windows=False) is not None:
        return facts
    return assess_path(path, "write", WalkFacts(rel=path, names=(tuple(path.split("/")),)))


def _protected(files: LaneFiles, path: str, goals: Goals) -> str:
    """Why a person is asked about this name whatever writes it, "" where they are not."""
    facts = judged(files, path, goals)
    if not facts.deny and not facts.ask:
        return ""
    return f"{path} is {facts.verdict}: {facts.reason or 'it cannot be written'}."


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
    full = {folder for path, goal in goals.items() if goal is not None for folder in _above(path)}
    emptied = {folder for path, goal in goals.items() if goal is None for folder in _above(path)}
    away = {one for one in emptied if not found.gone.isdisjoint((one, *_above(one)))}
    maybe = ((emptied - away) | found.folders) - full
    listed = sorted(now.entries) if maybe else []
    return {one for one in maybe if all(goals.get(path, ()) is None for path in _below(listed, one))}


def _above(path: str) -> Iterable[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _shown(
    files: LaneFiles, goals: Goals, after: Mapping[str, FileState]
) -> tuple[tuple[EffectFile, ...], tuple[Block, ...]]:
    """The files with their hashes, and the difference line by line for as many as can be shown."""
    shown: list[EffectFile] = []
    blocks: list[Block] = []
    room = MOST_DIFF_CHARS
    for path, goal in goals.items():
        try:
            before = state_now(files, path)
        except PathError:
            before = None
        then = after[path] if goal is not None else None
        block, added, removed = _block(path, before, then)
        size = len(block.unified) if isinstance(block, DiffBlock) else len(block.text)
        room -= size
        if len(blocks) < MOST_DIFFS and room >= 0:
            blocks.append(block)
        shown.append(_effect_file(path, before, then, added, removed))
    if len(blocks) < len(shown):
        blocks.append(TextBlock(text=f"{len(shown) - len(blocks)} more files differ."))
    return tuple(shown), tuple(blocks)


def _effect_file(path: str, before: FileState | None, then: FileState | None, added: int, removed: int) -> EffectFile:
    return EffectFile(
        path=path,
        kind="delete" if then is None else "create" if before is None else "modify",
        before_sha256=before.sha256 if before is not None else None,
        after_sha256=then.sha256 if then is not None else None,
        before_mode=before.mode if before is not None else "",
        after_mode=then.mode if then is not None else "",
        size=then.size if then is not None else 0,
        added=added,
        removed=removed,
    )


def _block(path: str, before: FileState | None, then: FileState | None) -> tuple[DiffBlock | TextBlock, int, int]:
    """The change of one file for people, with the lines that come and go."""
    texts = [_text(side) for side in (before, then)]
    if texts[0] is None or texts[1] is None:
        sizes = " → ".join(f"{side.size:,} bytes" if side is not None else "no file" for side in (before, then))
        return TextBlock(text=f"{path}: not a text that can be shown, {sizes}"), 0, 0
    found = line_diff(texts[0], texts[1])
    if before is not None and then is not None and before.mode != then.mode:
        words = f"{path}: mode {before.mode} → {then.mode}"
        if not found.unified:
            return TextBlock(text=words), 0, 0
    if found.too_large:
        return TextBlock(text=f"{path}: +{found.added} −{found.removed}"), found.added, found.removed
    return (
        DiffBlock(path=path, unified=found.unified, added=found.added, removed=found.removed),
        found.added,
        found.removed,
    )


def _text(side: FileState | None) -> str | None:
    """The text of a side, "" where there is no file; None: it is none that can be shown."""
    if side is None:
        return ""
    if side.data is None or b"\0" in side.data:
        return None
    try:
        return side.data.decode("utf-8")
    except UnicodeDecodeError:
        return None
