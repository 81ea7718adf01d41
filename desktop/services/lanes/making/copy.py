"""Copying ignored files of the person's checkout into a new lane (lanes-L19)."""

import contextlib
import os
import shutil
import stat
import tempfile
from dataclasses import field
from pathlib import Path, PurePosixPath

from desktop.domain.core.errors import GitError, LaneError
from desktop.policy.protected_names import name_classes
from desktop.records import dataclass
from desktop.services.files.folder_handles import CREATE_FLAGS, READ_FLAGS, Folder, descend
from desktop.services.git.run import Git
from desktop.services.lanes.lane_file import open_folder

LIST_LIMIT_S = 30.0
MOST_FILES = 20_000
_MB = 1024 * 1024


@dataclass(frozen=True)
class CopyResult:
    """`copied`: paths, in order; `skipped`: path or pattern, and why; `secrets`: those of `copied` whose names are of
    the secret class. `bytes_copied`: of all of them."""

    copied: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    secrets: tuple[str, ...] = ()
    bytes_copied: int = 0


NOTHING = CopyResult()


@dataclass
class _Copying:
    room: int
    copied: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    bytes_copied: int = 0


def copy_ignored(checkout: Path, lane: Path, patterns: tuple[str, ...], max_mb: int) -> CopyResult:
    """Copy files of `checkout` that fit the patterns and that git ignores to the same place in `lane`. Only regular
    files; nothing that is there is replaced; permissions are kept; at most `max_mb` MB in all. The checkout is only
    read. Blocking.

    Raises:
        LaneError: the files could not be listed; nothing was copied.
    """
    usable = tuple(pattern for pattern in patterns if ".." not in PurePosixPath(pattern.lstrip("!")).parts)
    state = _Copying(max_mb * _MB)
    state.skipped += [(pattern, "it leads out of the checkout") for pattern in patterns if pattern not in usable]
    if not usable:
        return CopyResult(skipped=tuple(state.skipped))
    git = Git(checkout)
    try:
        found, tracked = _fitting(git, usable)
        ignored = _ignored(git, found)
    except (GitError, OSError) as error:
        raise LaneError(f"The files to copy could not be listed: {error}") from error
    state.skipped += [(path, "git tracks it, so the lane has its own") for path in tracked]
    state.skipped += [(path, "git does not ignore it") for path in found if path not in ignored]
    if len(ignored) > MOST_FILES:
        raise LaneError(f"The patterns fit {len(ignored)} files; at most {MOST_FILES} are copied. Name fewer.")
    for path in ignored:
        _copy(checkout, lane, path, state)
    secrets = tuple(path for path in state.copied if "secret" in name_classes(PurePosixPath(path).parts))
    return CopyResult(tuple(state.copied), tuple(state.skipped), secrets, state.bytes_copied)


def _fitting(git: Git, patterns: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Files that fit the patterns: those that git does not track, and those that it does."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".patterns", delete=False) as file:
        file.write("\n".join(patterns) + "\n")
    try:
        listing = ("ls-files", "-z", "--ignored", f"--exclude-from={file.name}")
        others = git.run_on_files_now(*listing, "--others", limit_s=LIST_LIMIT_S).names
        cached = git.run_on_files_now(*listing, "--cached", limit_s=LIST_LIMIT_S).names
    finally:
        Path(file.name).unlink(missing_ok=True)
    return others, cached


def _ignored(git: Git, paths: list[str]) -> dict[str, None]:
    """Those of the paths that the repository itself ignores, in order."""
    listed = ("ls-files", "-z", "--ignored", "--others", "--exclude-standard")
    known = set(git.run_on_files_now(*listed, limit_s=LIST_LIMIT_S).names) if paths else set()
    return {path: None for path in paths if path in known}


def _copy(checkout: Path, lane: Path, path: str, state: _Copying) -> None:
    *folders, name = PurePosixPath(path).parts
    try:
        with descend(open_folder(checkout), tuple(folders)) as source:
            why = _unfit(source, name, path, state.room)
            if why:
                state.skipped.append((path, why))
                return
            with descend(open_folder(lane), tuple(folders), []) as target:
                size = _copy_file(source, target, name, state.room)
    except FileExistsError:
        state.skipped.append((path, "the lane has a file of this name"))
    except OSError as error:
        state.skipped.append((path, error.strerror or str(error)))
    else:
        state.copied.append(path)
        state.room -= size
        state.bytes_copied += size


def _unfit(source: Folder, name: str, path: str, room: int) -> str:
    """Why this is not copied, "" if it is."""
    if path.endswith("/"):
        return "it is another repository"
    found = source.stat(name)
    if stat.S_ISLNK(found.st_mode):
        return "it is a link"
    if not stat.S_ISREG(found.st_mode):
        return "it is no regular file"
    return "with it, more would be copied than copy.max_mb allows" if found.st_size > room else ""


def _copy_file(source: Folder, target: Folder, name: str, room: int) -> int:
    """Copy one file; its size. What was begun is removed when it fails. Raises OSError."""
    with os.fdopen(source.open(name, READ_FLAGS), "rb") as old:
        before = os.fstat(old.fileno())
        if not stat.S_ISREG(before.st_mode) or before.st_size > room:
            raise OSError("it changed meanwhile")
        with os.fdopen(target.open(name, CREATE_FLAGS), "wb") as new:
            try:
                shutil.copyfileobj(old, new, 1 << 20)
                if os.chmod in os.supports_fd:
                    os.chmod(new.fileno(), stat.S_IMODE(before.st_mode) & 0o777)  # noqa: PTH101 - by descriptor
            except OSError:
                with contextlib.suppress(OSError):
                    target.unlink(name)
                raise
    return before.st_size
