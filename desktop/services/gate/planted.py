"""What a command planted in a lane that other programs would run or trust on sight: found, put back, moved aside.

A name that appeared is moved out of the lane (gate-B3), also inside a guarded folder that was there; a `.git` pointer
that was changed is put back; what was changed, removed, or belongs to the lane's own commits is told.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from desktop.domain.core.errors import GitError
from desktop.policy.protected_names import TOLD_REASONS, told_reason
from desktop.records import dataclass
from desktop.services.files.lane_view import MAX_ENTRIES
from desktop.services.gate.guarded_places import MAX_GUARDED, Guarded, GuardedPlaces, pointer_bytes
from desktop.services.git.run import Git

MAX_TOLD = 20
MAX_ROUNDS = 5
_ON_SIGHT = "which other programs run or trust on sight"
TOO_MANY = (
    f"This lane holds more than {MAX_ENTRIES:,} files, or more than {MAX_GUARDED:,} in folders that other programs "
    "trust on sight. What commands change in the rest of those folders is not noticed."
)


@dataclass(frozen=True)
class Planted:
    """The result of looking for what a command planted. `told`: one sentence for each thing; `instructions`:
    lane-relative paths of files that later chats read as instructions and that were made or changed. `left`: the
    protected places as they stand then, None where something was undone."""

    told: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    left: Guarded | None = None


def put_right(places: GuardedPlaces, before: Guarded, aside: Path) -> Planted:
    """Undo what a command planted between `before` and the last look, and say it; look again if something was undone.
    `aside`: where new things go. Blocking."""
    told = [*_put_back_pointer(places.root, before, aside)]
    undone = bool(told)
    now = places.now(before=before)
    changed = sorted(path for path in now.entries if before.entries.get(path, now.entries[path]) != now.entries[path])
    for _ in range(MAX_ROUNDS):
        said, moved = _new(places.root, before, now, aside)
        told += said
        undone |= moved
        if not (moved and now.partial):
            break
        places.view.look()
        now = places.now(before=before)
    told += [*_changes(places.root, before, now, changed)]
    touched = sorted(path for path in now.told if before.told.get(path) != now.told[path])
    told += _some(touched, lambda path: f"A command changed {path}: {why_told(path)}.")
    if now.partial and not before.partial:
        told.append(TOO_MANY)
    if undone:
        places.view.look()
    left = None if undone else places.as_left(now)
    return Planted(tuple(told), tuple(filter(is_instruction, touched)), left)


def _changes(root: Path, before: Guarded, now: Guarded, changed: list[str]) -> Iterator[str]:
    """What is told of protected places that were there before and stay as they are."""
    yield from _some(changed, lambda path: f"A command changed {path}, {_ON_SIGHT}.")
    if not now.partial:
        gone = _topmost(path for path in before.entries if path not in now.entries and not os.path.lexists(root / path))
        yield from _some(gone, lambda path: f"A command removed {path}, {_ON_SIGHT}.")
    settings = sorted(path for path in {*now.git, *before.git} if before.git.get(path) != now.git.get(path))
    yield from (f"A command changed Git's own settings: {path}" for path in settings)


def is_instruction(path: str) -> bool:
    """Whether later chats read this lane-relative path as instructions."""
    return told_reason(_parts(path)) == "instructions"


def why_told(path: str) -> str:
    """The reason for telling a person of a change of this lane-relative path, "" for none."""
    return TOLD_REASONS.get(told_reason(_parts(path)), "")


def _new(root: Path, before: Guarded, now: Guarded, aside: Path) -> tuple[list[str], bool]:
    """What appeared: sentences, and whether something was moved out of the lane."""
    new = sorted(path for path in now.entries if path not in before.entries)
    known = _tracked(root, new)
    strange = _topmost(path for path in new if path not in known)
    if before.partial:  # what is new cannot be told from what was not looked at, so nothing is moved
        return _some(strange, lambda path: f"A command made {path}, {_ON_SIGHT}."), False
    back = [path for path in new if path in known and not (root / path).is_dir()]
    told = _some(back, lambda path: f"A command brought back {path}, {_ON_SIGHT}.")
    first = _next_number(aside)
    moved = [_moved(root / path, path, aside / f"{first + at}-{Path(path).name}") for at, path in enumerate(strange)]
    if len(moved) > MAX_TOLD:
        more = (
            f"A command made {len(moved) - MAX_TOLD} more files that other programs run or trust on sight. They were "
        )
        moved = [*moved[:MAX_TOLD], f"{more}moved to {aside}."]
    return told + moved, bool(strange)


def _some(paths: Iterable[str], sentence: Callable[[str], str]) -> list[str]:
    """A sentence for each of the first, and how many more there are."""
    every = list(paths)
    told = [sentence(path) for path in every[:MAX_TOLD]]
    if len(every) > MAX_TOLD:
        told.append(f"The same holds for {len(every) - MAX_TOLD} more files.")
    return told


def _topmost(paths: Iterable[str]) -> list[str]:
    """The paths that lie in none of the others, sorted."""
    kept: list[str] = []
    for path in sorted(paths, key=_parts):
        if not kept or not path.startswith(f"{kept[-1]}/"):
            kept.append(path)
    return kept


def _parts(path: str) -> tuple[str, ...]:
    return tuple(path.split("/"))


def _tracked(root: Path, paths: list[str]) -> frozenset[str]:
    """Those that are part of the lane's own commits, as after a switch of branches, with the folders they are in."""
    if not paths:
        return frozenset()
    try:
        listed = Git(root).run_now("ls-tree", "-r", "-z", "--name-only", "HEAD", "--", *_topmost(paths)).stdout
    except GitError:
        return frozenset()
    known = {name for name in listed.split("\0") if name}
    known |= {str(above) for name in known for above in Path(name).parents}
    return frozenset(path for path in paths if path in known)


def _put_back_pointer(root: Path, before: Guarded, aside: Path) -> Iterator[str]:
    if before.pointer is None or pointer_bytes(root) == before.pointer:
        return
    file = root / ".git"
    try:
        if os.path.lexists(file):
            _take_out(file, aside / f"{_next_number(aside)}-{file.name}")
        file.write_bytes(before.pointer)
        yield "A command changed the lane's .git file. It was put back."
    except OSError as error:
        yield f"A command changed the lane's .git file, and it could not be put back: {error}."


def _moved(entry: Path, path: str, place: Path) -> str:
    try:
        _take_out(entry, place)
    except OSError as error:
        return f"A command made {path}, {_ON_SIGHT}. It could not be moved: {error}."
    return f"A command made {path}, {_ON_SIGHT}. It was moved to {place}."


def _next_number(aside: Path) -> int:
    return 1 + (sum(1 for _ in aside.iterdir()) if aside.is_dir() else 0)


def _take_out(entry: Path, place: Path) -> None:
    """Move an entry out of the lane, as it is: a link stays a link."""
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    shutil.move(entry, place)
