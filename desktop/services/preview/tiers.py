"""Which kind of copy works on this computer: found out by trying a real one (memory-EP3)."""

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from desktop.domain.core.ids import new_id
from desktop.domain.preview.effect import CopyTier
from desktop.records import dataclass
from desktop.services.files.leftovers import passing_prefix
from desktop.services.git.trees.listing import FILE, LaneTree, TreeEntry
from desktop.services.preview.copies import CopyFolder, new_copy_folder
from desktop.services.preview.look import Written, written_in, written_over
from desktop.services.preview.trial import NoCopy, Ran, Trial, run_in_copy
from desktop.services.preview.whole_copy import Stamps, copy_lane
from desktop.services.processes.running import LaunchFailed
from desktop.services.processes.sandbox.guard import Guard
from desktop.services.processes.sandbox.resource_watch import ResourceWatch

PROBE_LIMIT_S = 10.0
TIERS: tuple[CopyTier, ...] = ("overlay", "copy")
_CONTAINED = frozenset({"bwrap", "landlock"})
_TRIED = "printf new > made && printf more >> kept && rm gone && mv moved there && rm -r folder && mkdir folder"
_PLANTED = {"kept": "kept", "gone": "gone", "moved": "moved", "folder/inner": "inner"}
_EXPECTED = {("made", "file"), ("kept", "file"), ("gone", "gone"), ("moved", "gone"), ("there", "file")}


@dataclass(frozen=True)
class Tier:
    """The kind of copy that works, None for none, and why no better one does."""

    kind: CopyTier | None
    reason: str = ""


@dataclass(frozen=True)
class Copying:
    """A copy that was made. `known`: of a whole copy, the stamps of its files."""

    kind: CopyTier
    folder: CopyFolder
    known: Stamps

    def written(self, lane: Path) -> list[Written]:
        """What the command wrote. Blocking. Raises TooMuch, OSError."""
        if self.kind == "overlay":
            return written_over(self.folder.files, lane)
        return written_in(self.folder.files, self.known)


def begin_copy(kind: CopyTier, parent: Path, lane: Path, tree: LaneTree) -> Copying:
    """A copy of the lane, whose files are `tree`. Blocking. Raises NoCopy, OSError; nothing is left then."""
    folder = new_copy_folder(parent)
    try:
        return Copying(kind, folder, copy_lane(lane, tree, folder.files) if kind == "copy" else {})
    except BaseException:
        folder.remove()
        raise


async def run_in_first(
    trial: Trial, kinds: Sequence[CopyTier], parent: Path, tree: LaneTree, guard: Guard, watch: ResourceWatch
) -> tuple[Copying, Ran]:
    """Run it in the first of these kinds of copies that comes up: what works in the folder for copies need not work
    over the file system of every lane. The copy is the caller's to remove.

    Raises:
        As `begin_copy` and `run_in_copy`; nothing is left then.
    """
    for kind in kinds[:-1]:
        with contextlib.suppress(LaunchFailed):
            return await _run_in(trial, kind, parent, tree, guard, watch)
    return await _run_in(trial, kinds[-1], parent, tree, guard, watch)


async def _run_in(
    trial: Trial, kind: CopyTier, parent: Path, tree: LaneTree, guard: Guard, watch: ResourceWatch
) -> tuple[Copying, Ran]:
    copying = await asyncio.to_thread(begin_copy, kind, parent, trial.lane, tree)
    try:
        return copying, await run_in_copy(trial, kind, copying.folder, guard, watch, new_id("try_"))
    except BaseException:
        await asyncio.to_thread(copying.folder.remove)
        raise


def kinds_from(kind: CopyTier, guard: Guard, tiers: tuple[CopyTier, ...]) -> tuple[CopyTier, ...]:
    """The kinds that may be tried for one command, the one that was found first."""
    others = ("copy",) if kind == "overlay" and "copy" in tiers and guard.tier == "bwrap" else ()
    return (kind, *others)


async def find_tier(
    parent: Path, guard: Guard, watch: ResourceWatch, env: Mapping[str, str], tiers: tuple[CopyTier, ...] = TIERS
) -> Tier:
    """Try each kind: a write, a delete, a rename, a replaced folder, and whether what lies below stayed as it was."""
    if guard.tier not in _CONTAINED:
        return Tier(None, "there is no sandbox on this computer in which a copy could be shown.")
    reason = ""
    for kind in tiers:
        if kind == "copy" and guard.tier != "bwrap":
            continue  # only bubblewrap shows a folder at another's place
        reason = await _problem(kind, parent, guard, watch, env)
        if not reason:
            return Tier(kind)
    return Tier(None, reason)


async def _problem(kind: CopyTier, parent: Path, guard: Guard, watch: ResourceWatch, env: Mapping[str, str]) -> str:
    """Why this kind does not work here, "" when it does."""
    try:
        lane = await asyncio.to_thread(_planted, parent)
    except OSError as error:
        return f"nothing can be written in the folder for copies: {error.strerror}."
    try:
        return await _tried(kind, parent, lane, guard, watch, env)
    except (LaunchFailed, NoCopy, OSError) as error:
        return f"{str(error).rstrip('.')}."
    finally:
        await asyncio.to_thread(shutil.rmtree, lane, True)


async def _tried(
    kind: CopyTier, parent: Path, lane: Path, guard: Guard, watch: ResourceWatch, env: Mapping[str, str]
) -> str:
    tree = LaneTree({path: TreeEntry(FILE, "") for path in _PLANTED})
    before = _state(lane)
    copying = await asyncio.to_thread(begin_copy, kind, parent, lane, tree)
    try:
        trial = Trial(_TRIED, lane, lane, env, {}, PROBE_LIMIT_S)
        ran = await run_in_copy(trial, kind, copying.folder, guard, watch, new_id("probe_"))
        if not ran.completed.ok:
            last = ran.completed.output.head().strip().splitlines()[-1:]
            return f"a try of it failed: {' '.join(last) or ran.completed.ending}."
        if _state(lane) != before:
            return "a try of it changed what it should only have shown."
        found = {(one.path, one.kind) for one in copying.written(lane)}
        return "" if found >= _EXPECTED and ("folder/inner", "gone") in found else "a try of it lost what was written."
    finally:
        await asyncio.to_thread(copying.folder.remove)


def _planted(parent: Path) -> Path:
    """A folder that stands for a lane."""
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lane = Path(tempfile.mkdtemp(prefix=passing_prefix(), dir=parent))
    for path, text in _PLANTED.items():
        (lane / path).parent.mkdir(exist_ok=True)
        (lane / path).write_text(text, encoding="utf-8")
    return lane


def _state(lane: Path) -> list[tuple[str, int, int, bytes]]:
    """All that a copy must not change of a lane."""
    found = []
    for folder, _, names in os.walk(lane):
        for path in [Path(folder), *(Path(folder, name) for name in names)]:
            facts = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            found.append((str(path), facts.st_mode, facts.st_mtime_ns, content))
    return sorted(found)
