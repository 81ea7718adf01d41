"""Taking back parts of a change in a lane: exactly, or not at all."""

import contextlib
from dataclasses import field

from desktop.domain.changes.values import Picked
from desktop.domain.core.errors import BanksmanError, PathError
from desktop.records import dataclass
from desktop.services.changes.file_diff import Lines, diff_of
from desktop.services.changes.listing import renames
from desktop.services.changes.picked_lines import chosen_lines, every_line, named_lines, without
from desktop.services.changes.sides import FileState, Sides, require_lane_path, sha256_of, state_in_tree, state_now
from desktop.services.files.judged_files import identity_of
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.names import shown_name
from desktop.services.git.run import Git
from desktop.services.git.trees.listing import LINK, SUBMODULE, TreeEntry
from desktop.services.history.restore import replace_entry
from desktop.services.lanes.file_trash import LaneTrash
from desktop.services.lanes.moves import Content, Item

MAX_NAMED = 50
CHANGED = "This file changed since the diff was made. Refresh and try again."


class RevertError(BanksmanError):
    """The change could not be taken back, and nothing was changed; a sentence for people."""


@dataclass(frozen=True)
class RevertStep:
    """The change of one file, which is `now` and will be `then`; None: there is no file. `words`: what is done to it,
    for people and agents."""

    path: str
    now: FileState | None
    then: FileState | None
    words: str = ""

    @property
    def size(self) -> int:
        """The bytes of content that are held for this step."""
        return sum(len(side.data or b"") for side in (self.now, self.then) if side is not None)


@dataclass
class Done:
    """The steps that were carried out. `trash`: the entries of files that were moved there."""

    steps: list[RevertStep]
    trash: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """One line about all steps; of very many files it names some and counts the rest."""
        words = [step.words for step in self.steps if step.words]
        more = [f"and {len(words) - MAX_NAMED} more files"] if len(words) > MAX_NAMED else []
        return "; ".join([*words[:MAX_NAMED], *more])


def plan_revert(files: LaneFiles, sides: Sides, picked: tuple[Picked, ...]) -> list[RevertStep]:
    """The steps that take these parts of a change back. Nothing is changed. Blocking.

    Raises:
        RevertError: a file is not what its diff was made from, or cannot be taken back.
        GitError: Git cannot read what it was.
    """
    git = Git(files.root)
    renamed = renames(git, sides) if any(one.old_path for one in picked) else {}
    steps: list[RevertStep] = []
    for one in picked:
        try:
            steps += _steps(files, git, sides, one, renamed)
        except PathError as error:
            raise RevertError(str(error)) from error
    paths = [step.path for step in steps]
    if len(set(paths)) != len(paths):
        raise RevertError("A file is named twice. Take back one part after the other.")
    return steps


def carry_out(files: LaneFiles, steps: list[RevertStep]) -> Done:
    """Change every file as its step says; after a failure every file is as it was. Blocking.

    Raises:
        RevertError: something changed meanwhile or cannot be written; nothing is changed.
    """
    done = Done([])
    try:
        for step in steps:
            _put(files, step, done)
            done.steps.append(step)
    except (PathError, OSError, RevertError) as error:
        for step in reversed(done.steps):
            with contextlib.suppress(PathError, OSError, RevertError):
                _put(files, RevertStep(step.path, step.then, step.now), Done([]))
        reason = str(error) if not isinstance(error, OSError) else f"{steps[len(done.steps)].path}: {error.strerror}."
        raise RevertError(reason) from error
    return done


def turned_round(done: Done) -> list[RevertStep]:
    """The steps that bring back exactly what was taken away, the last first."""
    return [RevertStep(step.path, step.then, step.now, step.words) for step in reversed(done.steps)]


def _steps(files: LaneFiles, git: Git, sides: Sides, picked: Picked, renamed: dict[str, str]) -> list[RevertStep]:
    old_path = picked.old_path or picked.path
    old = state_in_tree(git, sides.old, require_lane_path(old_path))
    now = state_now(files, require_lane_path(picked.path))
    for side in (old, now):
        if side is not None and side.mode == SUBMODULE:
            raise RevertError(f"{picked.path} is a repository of its own, so it is not changed from here.")
        if side is not None and side.data is None:
            raise RevertError(f"{picked.path} is too large to be taken back here.")
    if sha256_of(now) != picked.sha256 or (now is None and old is None):
        raise RevertError(CHANGED)
    if (picked.base_sha256 or picked.hunks or picked.lines) and sha256_of(old) != picked.base_sha256:
        raise RevertError(CHANGED)
    if picked.hunks or picked.lines:
        return [_part(picked, old, now)]
    return _whole(files, picked, old, now, renamed=renamed.get(picked.path) == picked.old_path)


def _part(picked: Picked, old: FileState | None, now: FileState | None) -> RevertStep:
    """Some lines of a file; its name stays, and its mode."""
    before, after = (side.data or b"" if side is not None else b"" for side in (old, now))
    lines = Lines(picked.context, ignore_space=picked.ignore_space, anyway=True)
    hunks = diff_of(old, now, picked.path, lines=lines).hunks
    chosen = chosen_lines(hunks, picked)
    if chosen is None:
        raise RevertError(CHANGED)
    data = without(before, after, hunks, chosen)
    mode = now.mode if now is not None else old.mode if old is not None else ""
    if old is None and chosen == every_line(hunks):
        return RevertStep(picked.path, now, None, f"{shown_name(picked.path)} (a new file, moved to the trash)")
    words = f"{shown_name(picked.path)} lines {named_lines(hunks, chosen)}"
    return RevertStep(picked.path, now, FileState(mode, len(data), data), words)


def _whole(
    files: LaneFiles, picked: Picked, old: FileState | None, now: FileState | None, *, renamed: bool
) -> list[RevertStep]:
    path, old_path, name = picked.path, picked.old_path, shown_name(picked.path)
    if not old_path or old_path == path:
        if old is None:
            return [RevertStep(path, now, None, f"{name} (a new file, moved to the trash)")]
        return [
            RevertStep(path, now, old, f"{name} (deleted, brought back)" if now is None else f"{name} (whole file)")
        ]
    if not renamed:  # what it was copied from stays as it is
        return [RevertStep(path, now, None, f"{name} (a copy, moved to the trash)")]
    if state_now(files, old_path) is not None:
        raise RevertError(f"{old_path} exists again, so {path} cannot get its name back. Refresh and try again.")
    words = f"{name} (named {shown_name(old_path)} again)"
    return [RevertStep(old_path, None, old, words), RevertStep(path, now, None)]


def _put(files: LaneFiles, step: RevertStep, done: Done) -> None:
    if not _same(state_now(files, step.path), step.now):
        raise RevertError(CHANGED)
    if step.then is None:
        _remove(files, step, done)
        return
    made: list[tuple[str, ...]] = []
    try:
        folder, name = files.open_parent(step.path, made)
        with folder:
            replace_entry(folder, name, TreeEntry(step.then.mode, ""), step.then.data or b"")
    except BaseException:
        files.unmake(made)
        raise


def _remove(files: LaneFiles, step: RevertStep, done: Done) -> None:
    """Into the trash of the lane where it has one; folders that are empty then go."""
    folder, name = files.open_parent(step.path)
    with folder:
        found = folder.stat(name)
    if files.trash is not None and step.now is not None:
        link = step.now.mode == LINK
        content = (Content(step.path, step.now.size),)
        item = Item(step.path, "link" if link else "file", identity_of(found), content)
        done.trash.append(LaneTrash(files.trash).put(files, item).id)
    else:
        parent, name = files.open_parent(step.path)
        with parent:
            parent.unlink(name)
    folder_path = step.path.rpartition("/")[0]
    while folder_path:
        try:
            parent, name = files.open_parent(folder_path)
            with parent:
                parent.remove(name)
        except (OSError, PathError):
            return
        folder_path = folder_path.rpartition("/")[0]


def _same(found: FileState | None, wanted: FileState | None) -> bool:
    if found is None or wanted is None:
        return found is wanted
    return (found.mode, found.data) == (wanted.mode, wanted.data)
