"""What a snapshot of a lane does not hold and somebody may miss: ignored files that are no caches, and repositories
inside the lane; and the copies of them that are kept beside a snapshot."""

import contextlib
import filecmp
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from desktop.domain.core.errors import LaneError
from desktop.records import dataclass
from desktop.services.git.file_search import is_secret
from desktop.services.git.run import STATUS_LIMIT_S
from desktop.services.git.worktree_place import WorktreePlace

LARGE_BYTES = 10 * 1024 * 1024
KEEP_MAX_BYTES = 200 * 1024 * 1024
SMALL_MAX_BYTES, SMALL_MAX_FILES = 20 * 1024 * 1024, 2000
MAX_LISTED = 500
_FILES, _MODULES = "files", "modules"
_CACHES = frozenset({
    "node_modules", "bower_components", "__pycache__", ".venv", "venv", ".tox", ".nox", ".mypy_cache", ".ruff_cache",
    ".pytest_cache", ".hypothesis", ".cache", ".gradle", ".next", ".nuxt", ".parcel-cache", ".turbo", ".terraform",
    "target", "build", "dist", "out", "coverage", "htmlcov", ".eggs", "vendor", "Pods", "DerivedData",
})  # fmt: skip
_INSTALLED = frozenset({"node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox"})
_DATABASES = (".db", ".sqlite", ".sqlite3", ".duckdb", ".mdb", ".rdb", ".dump", ".sql")


@dataclass(frozen=True)
class Unkept:
    """The files of a lane that no snapshot holds, with their bytes. `files`: ignored files that are secrets, databases
    or large; `inner`: folders with a repository of their own; `small`: other ignored files outside of caches, as many
    as can be kept without asking. Paths are lane-relative; those of folders have no slash at their end."""

    files: tuple[tuple[str, int], ...] = ()
    inner: tuple[tuple[str, int], ...] = ()
    small: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[tuple[str, int], ...]:
        """The files and folders that a person is asked about, sorted."""
        return tuple(sorted({*self.files, *self.inner}))


def unkept(place: WorktreePlace) -> Unkept:
    """The files that a snapshot of this worktree would leave out. Blocking.

    Raises:
        GitError: it cannot be listed.
    """
    options = ("--others", "--ignored", "--exclude-standard", "--directory", "-z")
    listed = place.git().run_on_files_now("ls-files", *options, limit_s=STATUS_LIMIT_S).names
    inner = tuple(sorted((path, size_of(place.folder / path)) for path in _repositories(place.folder)))
    within = tuple(f"{path}/" for path, _ in inner)
    every = [pair for path in listed for pair in _ignored_files(place.folder, path)]
    outside = [(rel, size) for rel, size in every if not f"{rel}/".startswith(within)]
    found = [(rel, size) for rel, size in outside if _worth_keeping(rel, size)]
    small = _small([(rel, size) for rel, size in outside if not _worth_keeping(rel, size)])
    return Unkept(tuple(sorted(found)[:MAX_LISTED]), inner, small)


def keep_copies(
    place: WorktreePlace, paths: tuple[str, ...], folder: Path, small: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Copies of these files and folders are in `folder`, on the disk; with what filled submodules keep in git's folder,
    and the `small` ones, of which none has to be there any more.

    Raises:
        LaneError: they are more than 200 MB, or cannot be copied; `folder` is not there then.
    """
    modules = place.git_folder / _MODULES
    total = sum(size_of(place.folder / path) for path in paths) + (size_of(modules) if modules.is_dir() else 0)
    if total > KEEP_MAX_BYTES:
        raise LaneError(
            f"The ignored files to keep are {total // 1_000_000} MB, more than 200 MB. Move some of them elsewhere, or "
            "do not keep a copy. Nothing was removed."
        )
    try:
        shutil.rmtree(folder, ignore_errors=True)
        for path in paths:
            _copy(place.folder / path, folder / _FILES / path)
        for path in small:
            with contextlib.suppress(FileNotFoundError):
                _copy(place.folder / path, folder / _FILES / path)
        if modules.is_dir() and any(modules.iterdir()):
            _copy(modules, folder / _MODULES)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise LaneError(f"The ignored files could not be copied: {error}. Nothing was removed.") from error
    return tuple(sorted(map(spelled, paths)))


def put_copies_back(folder: Path, lane_folder: Path) -> tuple[str, ...]:
    """Kept copies stand in the lane again wherever nothing else stands. What could not be put back, sorted."""
    left = []
    for path in _walked(folder / _FILES):
        rel = path.relative_to(folder / _FILES).as_posix()
        target = lane_folder / rel
        try:
            if not os.path.lexists(target):
                _copy(path, target)
            elif target.is_symlink() or _bytes(target) != _bytes(path):
                left.append(rel)
        except OSError:
            left.append(rel)
    return tuple(sorted(left))


def copies_hold(folder: Path, lane_folder: Path, paths: tuple[str, ...]) -> bool:
    """Whether the kept copies are still exactly what stands in the lane under these paths."""
    every = (one for path in paths for one in _walked(lane_folder / path))
    kinds = (stat.S_IFREG, stat.S_IFLNK)
    files = (one for one in every if stat.S_IFMT(one.lstat().st_mode) in kinds)
    return all(is_copy(folder, lane_folder, one.relative_to(lane_folder).as_posix()) for one in files)


def is_copy(folder: Path, lane_folder: Path, path: str) -> bool:
    """Whether a copy of this file or link of the lane is kept, with the same content."""
    one, copy = lane_folder / path, folder / _FILES / path
    if not os.path.lexists(copy) or copy.is_symlink() != one.is_symlink():
        return False
    if one.is_symlink():
        return one.readlink() == copy.readlink()
    return filecmp.cmp(one, copy, shallow=False)


def spelled(path: str) -> str:
    """The path as text, whatever its bytes are. Different paths are spelled differently but for odd ones."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def size_of(path: Path) -> int:
    """The bytes of a file, or of all files in a folder; links are not followed."""
    return sum(_size(one) for one in _walked(path))


def _ignored_files(root: Path, path: str) -> Iterator[tuple[str, int]]:
    if not path.endswith("/"):
        if not _in_cache(path):
            yield path, _size(root / path)
        return
    if _in_cache(path):
        return
    for parent, folders, names in os.walk(root / path):
        folders[:] = [name for name in folders if name not in _CACHES]
        for name in names:
            full = Path(parent, name)
            yield full.relative_to(root).as_posix(), _size(full)


def _small(files: list[tuple[str, int]]) -> tuple[str, ...]:
    """The smallest first, as far as the room for them goes."""
    kept, room = [], SMALL_MAX_BYTES
    for size, rel in sorted((size, rel) for rel, size in files)[:SMALL_MAX_FILES]:
        room -= size
        if room < 0:
            break
        kept.append(rel)
    return tuple(kept)


def _repositories(root: Path) -> list[str]:
    found = []
    for parent, folders, names in os.walk(root):
        if parent != str(root) and ".git" in (*folders, *names):
            found.append(Path(parent).relative_to(root).as_posix())
            folders[:] = []
        else:
            folders[:] = [name for name in folders if name not in _INSTALLED and name != ".git"]
    return found


def _in_cache(path: str) -> bool:
    return any(part in _CACHES for part in path.split("/"))


def _worth_keeping(path: str, size: int) -> bool:
    return is_secret(path) or path.lower().endswith(_DATABASES) or size > LARGE_BYTES


def _walked(path: Path) -> Iterator[Path]:
    if not path.is_dir() or path.is_symlink():
        if os.path.lexists(path):
            yield path
        return
    for parent, folders, names in os.walk(path):
        links = [name for name in folders if Path(parent, name).is_symlink()]
        yield from (Path(parent, name) for name in (*names, *links))


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if source.is_dir() and not source.is_symlink():
        shutil.copytree(source, target, symlinks=True, copy_function=_copy_file)
    else:
        _copy_file(source, target)


def _copy_file(source: str | Path, target: str | Path) -> str:
    if stat.S_IFMT(os.lstat(source).st_mode) not in (stat.S_IFREG, stat.S_IFLNK):
        return str(target)
    shutil.copy2(source, target, follow_symlinks=False)
    if not Path(target).is_symlink():
        with Path(target).open("rb") as file, contextlib.suppress(OSError):
            os.fsync(file.fileno())
    return str(target)


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if not path.is_symlink() else os.fsencode(path.readlink())


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
