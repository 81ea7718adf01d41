"""Making the difference of a copy in the lane: everything or nothing, only where the lane is as it was (memory-EP6)."""

import contextlib

from desktop.domain.core.errors import BanksmanError, PathError
from desktop.domain.preview.effect import Effect
from desktop.services.files.lane_files import LaneFiles
from desktop.services.history.checkpoints import LaneCheckpoints
from desktop.services.history.tree_id import lane_tree_id
from desktop.services.preview.effects import Difference
from desktop.services.preview.judging import judged
from desktop.services.preview.showing import Goals

MOST_NAMED = 5


class NotApplied(BanksmanError):
    """The difference was not made; the lane is as it was unless the sentence says otherwise."""


def apply_difference(kept: LaneCheckpoints, files: LaneFiles, found: Difference, *, ticked: bool = False) -> str:
    """Make it in the lane; the id of the checkpoint that holds the files as they were just before, but for those that
    Git ignores, which are part of it where they were `ticked`. Blocking.

    Raises:
        NotApplied: the lane is not as it was when the copy was made, or a file cannot be written.
        BanksmanError: the lane cannot be looked at or kept; nothing was changed.
    """
    effect = found.effect
    if not (effect.can_be_ticked if ticked else effect.can_be_applied):
        raise NotApplied("This effect cannot be applied.")
    if lane_tree_id(kept) != effect.tree_before:
        raise NotApplied(f"Not applied: {what_differs(files, effect)} changed since the command was tried.")
    beside = found.beside if ticked else None
    wanted: Goals = found.goals | {path: then for path, (_, then) in (beside.changes if beside else {}).items()}
    facts = [judged(files, path, wanted) for path in wanted]
    closed = [one.raw for one in facts if one.deny or one.ask]
    if closed:
        raise NotApplied(f"Not applied: {closed[0]} can only be changed by a call of its own.")
    done = kept.bring(found.goals, beside)
    if done.failed:
        raise NotApplied(f"Not applied: {done.problem}")
    if effect.tree_after and lane_tree_id(kept) != effect.tree_after:
        kept.take_back(done.safety.ref, beside)
        raise NotApplied("Not applied: the files did not become what was foretold. They are as they were.")
    for folder in (*effect.folders, *effect.kept_folders):
        _make(files, folder)
    return done.safety.ref.checkpoint_id


def what_differs(files: LaneFiles, effect: Effect, *, after: bool = False) -> str:
    """The names of the effect's files that are not what they were, or would be `after` it, else the lane. Blocking."""
    changed = []
    for file in effect.files:
        facts = files.resolve(file.path, "read")
        now = None
        with contextlib.suppress(PathError):
            now = files.sha256(facts) if facts.exists and facts.kind == "file" else None
        known = file.after_sha256 if after else file.before_sha256
        if now != known and "120000" not in (file.before_mode, file.after_mode):
            changed.append(file.path)
    return ", ".join(changed[:MOST_NAMED]) or "other files of the lane"


def _make(files: LaneFiles, folder: str) -> None:
    """An empty folder; one that is there, or cannot be, stays as it is."""
    with contextlib.suppress(OSError, PathError):
        parent, name = files.open_parent(folder, [])
        with parent:
            parent.make(name)
