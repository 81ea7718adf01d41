"""The files that Git ignores of what a command did in a copy: counted apart, applied only where a person ticks them."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path

from desktop.domain.core.errors import PathError
from desktop.domain.preview.effect import MOST_BYTES, MOST_FILES, EffectFile
from desktop.records import dataclass
from desktop.services.changes.sides import FileState, state_now
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.trees.listing import SUBMODULE, LaneTree
from desktop.services.history.beside import Beside, Held
from desktop.services.history.checkpoints import LaneCheckpoints
from desktop.services.history.restore import folders_above
from desktop.services.preview.judging import protected
from desktop.services.preview.look import MOST_ENTRIES
from desktop.services.preview.showing import Goals, effect_file


@dataclass(frozen=True)
class Ignored:
    """`count`: how many differ; `files`, `beside`: those that can be ticked, for people and to be done. `stop`: why
    none can; `notes`: what is no part of them."""

    count: int = 0
    files: tuple[EffectFile, ...] = ()
    beside: Beside = field(default_factory=Beside)
    stop: str = ""
    notes: tuple[str, ...] = ()


def ignored_files(
    kept: LaneCheckpoints, files: LaneFiles, now: LaneTree, after: Mapping[str, FileState], gone: Iterable[str]
) -> Ignored:
    """Those that differ. `after`: those that were written; `gone`: all that is away then, with what is below it.
    Nothing is changed. Blocking. Raises PathError."""
    removed, folders = _below_gone(files.root, now, gone)
    wanted: dict[str, FileState | None] = {path: None for path in removed if path not in after} | {**after}
    if len(wanted) > MOST_FILES:
        return Ignored(len(wanted), stop=f"More than {MOST_FILES} files that Git ignores would differ.")
    goals: Goals = {path: _held(kept, state) for path, state in wanted.items()}
    changes: dict[str, tuple[Held, Held]] = {}
    shown, notes, room, count = list[EffectFile](), list[str](), MOST_BYTES, 0
    for path, then in sorted(wanted.items()):
        before = _before(files, path)
        if _same(before, then):
            continue
        count += 1
        if words := protected(files, path, goals):
            notes.append(f"{words} It is never applied.")
            continue
        room -= sum(MOST_BYTES if state.data is None else state.size for state in (before, then) if state is not None)
        changes[path] = (_held(kept, before), goals[path])
        shown.append(effect_file(path, before, then))
    stop = "The files that Git ignores are more than 50 MiB, as they were and as they would be." if room < 0 else ""
    return Ignored(count, tuple(shown), Beside({} if stop else changes, folders), stop, tuple(notes))


def _below_gone(root: Path, now: LaneTree, gone: Iterable[str]) -> tuple[list[str], tuple[str, ...]]:
    """The files of the lane that went and are none of Git's, and the folders that they were in."""
    modules = {path for path, entry in now.entries.items() if entry.mode == SUBMODULE}
    found, folders = list[str](), list[str]()
    waiting = [path for path in gone if modules.isdisjoint((path, *folders_above(path)))]
    while waiting and len(found) < MOST_ENTRIES:
        path = waiting.pop()
        at = root / path
        if at.is_dir() and not at.is_symlink():
            if path in modules:
                continue
            folders.append(path)
            with os.scandir(at) as listed:
                waiting += [f"{path}/{entry.name}" for entry in listed]
        elif os.path.lexists(at) and path not in now.entries and path not in now.large:
            found.append(path)
    return found, tuple(folders)


def _before(files: LaneFiles, path: str) -> FileState | None:
    """What the lane has there, None where that is no file."""
    try:
        return state_now(files, path)
    except PathError:
        return None


def _held(kept: LaneCheckpoints, state: FileState | None) -> Held:
    if state is None or state.data is None:
        return None
    return kept.entry_of(state.mode, state.data), state.data


def _same(before: FileState | None, then: FileState | None) -> bool:
    if before is None or then is None:
        return before is then
    return before.mode == then.mode and before.data is not None and before.data == then.data
