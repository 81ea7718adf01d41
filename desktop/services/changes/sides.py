"""The two sides of a change: trees that Git holds, and the lane's files as they are now, read byte for byte."""

import hashlib
import os
import stat

from desktop.domain.core.errors import GitError, PathError
from desktop.records import dataclass
from desktop.services.files.folder_handles import READ_FLAGS, Folder
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import DIFF_LIMIT_S, NO_FETCH, Git, head_commit
from desktop.services.git.trees.listing import EXECUTABLE, FILE, LINK, SUBMODULE

MAX_READ_BYTES = 64 * 1024 * 1024
_GIT_NAMES = (".git", "git~1")
_LITERAL = {**NO_FETCH, "GIT_LITERAL_PATHSPECS": "1"}


@dataclass(frozen=True)
class Tree:
    """A commit or tree. `as_written`: files as Git would write them into the lane (line ends, encodings), else the
    bytes as they are stored."""

    oid: str
    as_written: bool = False


@dataclass(frozen=True)
class Sides:
    """The two sides of a comparison. `new` None: the lane's files as they are now. `words`: what it is compared with,
    for people.

    `problem`: why nothing can be compared, "" when it can. `since`: files that the lane has not as `new` has them any
    more. `large`: files that differ and are in no tree, too large to be kept.
    """

    old: Tree
    new: Tree | None = None
    words: str = ""
    problem: str = ""
    since: frozenset[str] = frozenset()
    large: tuple[str, ...] = ()


@dataclass(frozen=True)
class FileState:
    """One file on one side. `mode` is Git's. `data` None: too large to be read. `oid`: of a submodule its commit."""

    mode: str
    size: int
    data: bytes | None
    oid: str = ""

    @property
    def sha256(self) -> str:
        """Hex SHA-256 of the content; "" of what was not read."""
        return hashlib.sha256(self.data).hexdigest() if self.data is not None and self.mode != SUBMODULE else ""


def sha256_of(state: FileState | None) -> str:
    """The hash of a file, "" where there is none."""
    return state.sha256 if state is not None else ""


def require_lane_path(path: str) -> str:
    """The path, if it can be one of a lane's files.

    Raises:
        PathError: it leads out of the lane, or into Git's own folder.
    """
    parts = path.split("/")
    if os.name == "nt" and any(char in path for char in "\\:"):
        raise PathError(f"'{path}' is no file of this lane.")
    if not all(part not in ("", ".", "..") and part.casefold() not in _GIT_NAMES for part in parts):
        raise PathError(f"'{path}' is no file of this lane.")
    return path


def state_in_tree(git: Git, tree: Tree, path: str, *, max_bytes: int = MAX_READ_BYTES) -> FileState | None:
    """A file as a tree has it; None: it has none. Blocking.

    Raises:
        GitError: the tree or the content is not in the repository.
    """
    literal = Git(git.folder, _LITERAL)
    try:
        listed = literal.run_now("ls-tree", "-z", "--long", "--full-tree", tree.oid, "--", path).raw
    except ValueError as error:
        raise GitError(f"git cannot be asked about '{path}': {error}.") from error
    for line in listed.split(b"\0"):
        head, _, name = line.partition(b"\t")
        if os.fsdecode(name) != path:
            continue
        mode, kind, oid, size = head.decode().split()
        if kind == "commit":
            return FileState(mode, 0, b"", oid)
        if kind != "blob":
            return None
        if int(size) > max_bytes:
            return FileState(mode, int(size), None, oid)
        data = _content(literal, tree, oid, path, plain=mode == LINK)
        return FileState(mode, len(data), data, oid)
    return None


def _content(git: Git, tree: Tree, oid: str, path: str, *, plain: bool) -> bytes:
    if plain or not tree.as_written:
        return git.run_now("cat-file", "blob", oid, limit_s=DIFF_LIMIT_S).raw
    return git.run_on_files_now("cat-file", "--filters", f"--path={path}", oid, limit_s=DIFF_LIMIT_S).raw


def state_now(files: LaneFiles, path: str, *, max_bytes: int = MAX_READ_BYTES) -> FileState | None:
    """A file, link or submodule of the lane as it is now; None: there is none. No link is followed. Blocking.

    Raises:
        PathError: it cannot be read, or the lane is not where it was.
    """
    try:
        folder, name = files.open_parent(path.rstrip("/"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:  # a link, or something that may not be entered, stands where a folder was
        if isinstance(error, PermissionError):
            raise PathError(f"'{path}' cannot be read: {error.strerror}.") from error
        return None
    with folder:
        try:
            return _state(files, folder, name, path, max_bytes)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise PathError(f"'{path}' cannot be read: {error.strerror}.") from error


def _state(files: LaneFiles, folder: Folder, name: str, path: str, max_bytes: int) -> FileState | None:
    found = folder.stat(name)
    if stat.S_ISDIR(found.st_mode):
        head = head_commit(files.root / path)
        return FileState(SUBMODULE, 0, b"", head) if head else None
    if stat.S_ISLNK(found.st_mode):
        target = os.fsencode(folder.link_target(name))
        return FileState(LINK, len(target), target)
    if not stat.S_ISREG(found.st_mode):
        raise PathError(f"'{path}' is no file that can be read.")
    mode = EXECUTABLE if found.st_mode & stat.S_IXUSR else FILE
    if found.st_size > max_bytes:
        return FileState(mode, found.st_size, None)
    data = bytes_of(folder, name, max_bytes)
    return FileState(mode, len(data), data)


def bytes_of(folder: Folder, name: str, max_bytes: int) -> bytes:
    """The content of a regular file. Raises OSError, also when it is none any more or grew above `max_bytes`."""
    with os.fdopen(folder.open(name, READ_FLAGS), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(0, f"{name} is no file any more")
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise OSError(0, f"{name} grew too large")
    return data
