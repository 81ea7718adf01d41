"""What a command planted in a lane that other programs would run or trust on sight: found, put back, moved aside.

The names are those of gate-P7. A name that appeared is moved out of the lane (gate-B3), a `.git` pointer that was
changed is put back, what was changed or cannot be undone is told. Folders of installed packages are left alone: they
bring such names by the hundred, and nobody opens a project there.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from desktop.domain.errors import GitError
from desktop.policy.protected_names import name_classes
from desktop.services.git import Git
from desktop.services.sandbox.profile import MAX_POINTER_BYTES, git_folders

MAX_ENTRIES = 200_000
MAX_MOVED = 20
_PACKAGES = {"node_modules", "site-packages", "vendor", ".venv", "venv", ".tox", "target", "__pycache__", ".cargo"}
_GIT_FILES = ("config", "config.worktree", "info/attributes", "objects/info/alternates")

Stamp = tuple[int, int, int, int]


@dataclass(frozen=True)
class Guarded:
    """How the protected places of a lane stood. `pointer`: the bytes of its `.git` file, None when that is none."""

    entries: dict[str, Stamp] = field(default_factory=dict)
    git: dict[str, Stamp] = field(default_factory=dict)
    pointer: bytes | None = None


def guarded_places(root: Path) -> Guarded:
    """How they stand now. May take long in a large lane: call it from a thread."""
    return Guarded(dict(_named(root)), dict(_git_state(root)), _pointer(root))


def put_right(root: Path, before: Guarded, aside: Path) -> tuple[str, ...]:
    """Undo what a command planted since `before`, and say it: one sentence for each. `aside`: where new things go.
    Blocking."""
    now = guarded_places(root)
    told = [*_put_back_pointer(root, before, aside)]
    new = sorted(path for path in now.entries if path not in before.entries)
    tracked = _tracked(root, new)
    told += [f"A command brought back {path}, which other programs run or trust on sight." for path in sorted(tracked)]
    strange = [path for path in new if path not in tracked]
    told += [_moved(root, path, aside) for path in strange[:MAX_MOVED]]
    if len(strange) > MAX_MOVED:
        told.append(f"A command made {len(strange) - MAX_MOVED} more files that other programs run or trust on sight.")
    changed = sorted(path for path in now.entries if before.entries.get(path, now.entries[path]) != now.entries[path])
    told += [f"A command changed {path}, which other programs run or trust on sight." for path in changed]
    settings = sorted(path for path in now.git if before.git.get(path) != now.git[path])
    told += [f"A command changed Git's own settings: {path}" for path in settings]
    return tuple(told)


def _named(root: Path) -> Iterator[tuple[str, Stamp]]:
    waiting, seen = [root], 0
    while waiting and seen < MAX_ENTRIES:
        try:
            with os.scandir(waiting.pop()) as entries:
                found = list(entries)
        except OSError:
            continue
        for entry in found:
            seen += 1
            path = Path(entry.path).relative_to(root)
            if len(path.parts) == 1 and entry.name == ".git":
                continue
            if _may_be_named(path) and name_classes(path.parts) & {"guarded", "git", "own"}:
                yield path.as_posix(), _stamp(Path(entry.path))
            elif entry.is_dir(follow_symlinks=False) and entry.name not in _PACKAGES:
                waiting.append(Path(entry.path))


def _may_be_named(path: Path) -> bool:
    """A quick look that spares the exact one for nearly all entries: every such name begins with a dot, or is Git's
    short one, unless it is spelled oddly or stands in an editor's folder."""
    name = path.name
    return not name.isascii() or name[0] in ".gG \t" or (len(path.parts) > 1 and path.parts[-2][0] == ".")


def _git_state(root: Path) -> Iterator[tuple[str, Stamp]]:
    for folder in git_folders(root.resolve()):
        if folder.is_dir():
            for name in _GIT_FILES:
                if (folder / name).is_file():
                    yield str(folder / name), _stamp(folder / name)
            hooks = folder / "hooks"
            for hook in sorted(hooks.iterdir()) if hooks.is_dir() else ():
                if not hook.name.endswith(".sample"):
                    yield str(hook), _stamp(hook)


def _tracked(root: Path, paths: list[str]) -> frozenset[str]:
    """Those that are part of the lane's own commits, such as after a switch of branches."""
    if not paths:
        return frozenset()
    try:
        listed = Git(root).run_now("ls-tree", "-r", "-z", "--name-only", "HEAD", "--", *paths[:MAX_MOVED]).stdout
    except GitError:
        return frozenset()
    known = listed.split("\0")
    return frozenset(path for path in paths if any(f"{name}/".startswith(f"{path}/") for name in known if name))


def _stamp(path: Path) -> Stamp:
    try:
        found = path.lstat()
    except OSError:
        return (0, 0, 0, 0)
    changed = 0 if stat.S_ISDIR(found.st_mode) else found.st_mtime_ns
    return (stat.S_IFMT(found.st_mode), found.st_ino, changed, 0 if stat.S_ISDIR(found.st_mode) else found.st_size)


def _pointer(root: Path) -> bytes | None:
    file = root / ".git"
    if file.is_symlink() or not file.is_file():
        return None
    try:
        with file.open("rb") as opened:
            return opened.read(MAX_POINTER_BYTES)
    except OSError:
        return None


def _put_back_pointer(root: Path, before: Guarded, aside: Path) -> Iterator[str]:
    if before.pointer is None or _pointer(root) == before.pointer:
        return
    file = root / ".git"
    try:
        if os.path.lexists(file):
            _take_out(file, aside)
        file.write_bytes(before.pointer)
        yield "A command changed the lane's .git file. It was put back."
    except OSError as error:
        yield f"A command changed the lane's .git file, and it could not be put back: {error}."


def _moved(root: Path, path: str, aside: Path) -> str:
    try:
        place = _take_out(root / path, aside)
    except OSError as error:
        return f"A command made {path}, which other programs run or trust on sight. It could not be moved: {error}."
    return f"A command made {path}, which other programs run or trust on sight. It was moved to {place}."


def _take_out(entry: Path, aside: Path) -> Path:
    """Move an entry out of the lane, as it is: a link stays a link."""
    aside.mkdir(parents=True, exist_ok=True, mode=0o700)
    number = 1 + sum(1 for _ in aside.iterdir())
    place = aside / f"{number}-{entry.name}"
    shutil.move(entry, place)
    return place
