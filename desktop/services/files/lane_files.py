"""The only code that opens paths of a lane for tools: resolve, read, replace."""

import contextlib
import copy
import functools
import hashlib
import os
import posixpath
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from desktop.domain.core.errors import PathError
from desktop.policy.path_words import PathKind
from desktop.policy.paths import PathFacts, PathOp, WalkFacts, assess_path, screen_path, split_path
from desktop.services.files.folder_handles import HAS_HANDLES, Folder, HandleFolder, PathFolder, descend
from desktop.services.files.judged_files import identity_of, open_judged, remove_judged, replace_judged
from desktop.services.files.path_walk import Parts, Walk, Walker, system_devices
from desktop.services.files.places import Places, folds_case, in_bare_repository, is_below, parts_of, repository_parts

CHUNK_BYTES = 1024 * 1024
OTHER_PLACE = "it leads elsewhere than when it was judged"
LANE_MOVED = "the lane folder is not the one this chat was opened on"


class LaneFiles:
    """The files of one lane. `references` may be read as well; `own_folders` are the product's own and stay closed.
    `trash`: where deleted files of this lane are kept; None, as at first: nothing can be deleted.

    Holds no handle: the lane folder is known by its device and inode, and every call checks that it is still there.
    May be used from any thread.

    Raises:
        PathError: `root` is no folder.
    """

    def __init__(
        self,
        root: Path,
        *,
        name: str = "",
        references: tuple[Path, ...] = (),
        own_folders: tuple[Path, ...] = (),
        windows: bool = os.name == "nt",
        handles: bool = HAS_HANDLES,
    ) -> None:
        self.root = root.resolve()
        if not self.root.is_dir():
            raise PathError(f"The lane folder '{self.root}' does not exist.")
        self.name = name or self.root.name
        self._root_name, self._git_name = str(self.root), str(self.root / ".git")
        self.trash: Path | None = None
        self.identity = identity_of(self.root.stat())
        self._windows = windows
        self._handles = handles
        real_references = tuple(folder.resolve() for folder in references if folder.is_dir())
        self._places = Places(
            root=parts_of(self.root),
            references=tuple(map(parts_of, real_references)),
            own=tuple(parts_of(folder.resolve()) for folder in own_folders),
        )
        known = {identity_of(folder.stat()): parts_of(folder) for folder in (*real_references, self.root)}
        self._walker = Walker(self.root.anchor, windows, known, system_devices())
        self._folds_case = folds_case(self.root)
        self._git_folders = self._git_at_first = frozenset(repository_parts(self.root))
        self._git_seen = self._git_pointer()
        self._judged: dict[tuple[str, PathOp], PathFacts] | None = None

    @property
    def moved(self) -> bool:
        """Whether another folder, or none, stands where the lane was opened."""
        try:
            return identity_of(os.lstat(self._root_name)) != self.identity
        except OSError:
            return True

    def check_place(self) -> None:
        """Raises PathError where `moved` is True."""
        if self.moved:
            raise PathError(f"Nothing was opened: {LANE_MOVED}.")

    @property
    def has_plain_names(self) -> bool:
        """Whether the file system takes different names for different files, and Git does so as well."""
        return not self._folds_case and sys.platform not in {"darwin", "win32"}

    def with_trash(self, folder: Path) -> "LaneFiles":
        """The files of the same lane, where deleted ones are kept in `folder`, which need not exist yet."""
        kept = copy.copy(self)
        kept.trash = folder
        return kept

    @property
    def own_folders(self) -> tuple[str, ...]:
        """The product's own folders, which stay closed, as paths."""
        return tuple(map(self._walker.join, self._places.own))

    def is_own_git(self, folder: Path) -> bool:
        """Whether this is where Git kept the lane when it was opened. A lane without Git may get one."""
        return not self._git_at_first or parts_of(folder.resolve()) in self._git_at_first

    def key(self, rel: str) -> str:
        """Equal for all names of one file: where the file system ignores case, `A.txt` and `a.txt` are the same."""
        return rel.casefold() if self._folds_case else rel

    def resolve(self, path: str, op: PathOp) -> PathFacts:
        """The facts of a path: where it leads by the kernel's rules, and how that is judged for `op`. Never raises."""
        facts = self._resolve(path, op)
        if self._judged is None or facts.deny:
            return facts
        known = self._judged.get((path, op))
        same = not facts.ask if known is None else _way(known) == _way(facts)
        return facts if same else assess_path(path, op, WalkFacts(fault=OTHER_PLACE))

    def held_to(self, judged: tuple[PathFacts, ...]) -> "LaneFiles":
        """The files of the same lane for one call: a path that was `judged` must still lead where it led then, and of
        all others none can be used that a person would be asked about."""
        held = copy.copy(self)
        held._judged = {(facts.raw, facts.op): facts for facts in judged}
        return held

    def _resolve(self, path: str, op: PathOp) -> PathFacts:
        if screened := screen_path(path, op, windows=self._windows):
            return screened
        if self.moved:
            return assess_path(path, op, WalkFacts(fault=LANE_MOVED))
        try:
            return assess_path(path, op, self._facts(path, op))
        except (OSError, ValueError) as e:
            return assess_path(path, op, WalkFacts(fault=f"it cannot be looked at ({type(e).__name__})"))

    def _facts(self, path: str, op: PathOp) -> WalkFacts:
        start, components = self._start(path)
        walk = self._walker.walk(start, components)
        parts = tuple(walk.parts)
        place, base, owned = self._places.place_of(parts)
        if walk.system:
            place, base = "outside", ()
        rel = "/".join(parts[len(base) :]) or "." if place == "lane" else self._walker.join(parts)
        if walk.fault or not _is_text(rel):
            return WalkFacts(fault=walk.fault or "its name on disk is not valid text")
        names = self._names([(*start, *components), *walk.names, parts], base if place != "outside" else None)
        shows_link = any(place != "lane" or is_below(name, self._places.root) for name in walk.names)
        found = walk.found
        return WalkFacts(
            place=place,
            rel=rel,
            names=names or (parts,),
            system=walk.system,
            product_folder=owned,
            git_folder=self._is_git(place, base, parts, changes=op in {"write", "delete"}),
            kind=_kind(walk),
            nlink=found.st_nlink if found else 0,
            device=found.st_dev if found else 0,
            inode=found.st_ino if found else 0,
            size=found.st_size if found else 0,
            other_device=self.identity[0] not in {walk.device, 0}
            or (found is not None and found.st_dev != self.identity[0]),
            via_symlink=f"{path} → {rel}" if shows_link else "",
        )

    def _start(self, path: str) -> tuple[Parts, list[str]]:
        anchor = self._walker.anchor
        if self._windows and (drive := os.path.splitdrive(path)[0] or (path[:2] if path[1:2] == ":" else "")):
            if not path.casefold().startswith(anchor.casefold()):
                return (), [drive, *split_path(path[len(drive) :], windows=True)]
            path = anchor + path[len(anchor) :]
        if path.startswith(anchor):
            return (), split_path(path[len(anchor) :], windows=self._windows)
        return self._places.root, split_path(path, windows=self._windows)

    def _names(self, spellings: list[Parts], base: Parts | None) -> tuple[Parts, ...]:
        """The spellings that lie below the lane or the folder `base`, as they read with `..` taken away."""
        found: dict[Parts, None] = {}
        for spelling in spellings:
            plain = _plain(spelling)
            for folder in (self._places.root, base):
                if folder is not None and is_below(plain, folder):
                    found[plain[len(folder) :]] = None
        return tuple(found)

    def _is_git(self, place: str, base: Parts, parts: Parts, *, changes: bool) -> bool:
        if (seen := self._git_pointer()) != self._git_seen:
            self._git_folders = self._git_folders | frozenset(repository_parts(self.root))
            self._git_seen = seen
        if any(is_below(parts, folder) for folder in self._git_folders):
            return True
        return place != "outside" and in_bare_repository(self._walker.anchor, base, parts, changes=changes)

    def _git_pointer(self) -> tuple[int, int, int] | None:
        """Changes when the lane's `.git` is written anew."""
        try:
            found = os.lstat(self._git_name)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def open_read(self, facts: PathFacts) -> BinaryIO:
        """The file of these facts, opened without following a link.

        Raises:
            PathError: it is missing, no regular file, or no longer the object that was judged.
        """
        if facts.deny or not facts.exists:
            raise PathError(f"'{facts.raw}' {facts.reason or 'does not exist'}.")
        with _explained(facts):
            folder, name = self._parent(facts)
            with folder:
                return os.fdopen(open_judged(folder, name, facts), "rb")

    def read_bytes(self, facts: PathFacts, *, max_bytes: int | None = None) -> bytes:
        """The file's content, at most `max_bytes` of it. Raises PathError as `open_read` does."""
        with self.open_read(facts) as file, _explained(facts):
            return file.read(-1 if max_bytes is None else max_bytes)

    def sha256(self, facts: PathFacts) -> str:
        """Hex SHA-256 of the whole file. Raises PathError as `open_read` does."""
        found = hashlib.sha256()
        with self.open_read(facts) as file, _explained(facts):
            while chunk := file.read(CHUNK_BYTES):
                found.update(chunk)
        return found.hexdigest()

    def replace(self, facts: PathFacts, content: bytes, *, expect_sha256: str | None, mode: int | None = None) -> None:
        """The file now holds exactly `content`, or nothing was changed (gate-P9).

        `expect_sha256` is the hash of the content that is replaced; None: there must be no file yet. Missing folders
        are created. `mode` None keeps the mode of the file, 0644 for a new one.

        Raises:
            PathError: the file changed on disk since it was judged, or cannot be written.
        """
        if facts.op != "write" or facts.deny:
            raise PathError(f"'{facts.raw}' cannot be written: {facts.reason or 'it was judged for reading'}.")
        made: list[Parts] = []
        with _explained(facts):
            try:
                folder, name = self._parent(facts, made)
                with folder:
                    replace_judged(folder, name, facts, content, expect_sha256=expect_sha256, mode=mode)
            except BaseException:
                self.unmake(made)
                raise

    def open_parent(self, rel: str, made: list[Parts] | None = None) -> tuple[Folder, str]:
        """The open folder around a real lane-relative path, and the path's last part. The caller closes the folder.

        With `made` given, missing folders are created and noted there; `unmake` takes them away again.

        Raises:
            PathError: another folder stands where the lane was opened.
            OSError: a part is missing, no folder, or a link.
        """
        parts = tuple(rel.split("/"))
        return descend(self._lane(), parts[:-1], made), parts[-1]

    def open_outside(self, folder: Path) -> Folder:
        """A folder that is not the lane's, held in the way that the lane's are. Raises OSError."""
        return self._open_folder(folder)

    def delete(self, facts: PathFacts, *, expect_sha256: str) -> None:
        """The file is gone, if it held exactly this content; its folder stays.

        Raises:
            PathError: the file changed on disk since it was judged, or cannot be removed; nothing was changed.
        """
        if facts.op not in ("write", "delete") or facts.deny:
            raise PathError(f"'{facts.raw}' cannot be removed: {facts.reason or 'it was judged for reading'}.")
        with _explained(facts):
            folder, name = self._parent(facts)
            with folder:
                remove_judged(folder, name, facts, expect_sha256=expect_sha256)

    def _top(self, facts: PathFacts) -> tuple[Folder, Parts]:
        if Path(facts.rel).is_absolute():
            return self._open_folder(Path(self.root.anchor)), parts_of(Path(facts.rel))
        return self._lane(), tuple(facts.rel.split("/"))

    def _lane(self) -> Folder:
        lane = self._open_folder(self.root)
        if identity_of(lane.own_stat()) != self.identity:
            lane.close()
            raise PathError(f"Nothing was opened: {LANE_MOVED}.")
        return lane

    def _open_folder(self, path: Path) -> Folder:
        return HandleFolder.at(path) if self._handles else PathFolder.at(path)

    def _parent(self, facts: PathFacts, made: list[Parts] | None = None) -> tuple[Folder, str]:
        top, parts = self._top(facts)
        return descend(top, parts[:-1], made), parts[-1] if parts else "."

    def unmake(self, made: list[Parts]) -> None:
        """Take away folders that were made for a file that was then not written."""
        for parts in reversed(made):
            with contextlib.suppress(OSError), descend(self._lane(), parts[:-1]) as folder:
                folder.remove(parts[-1])


@functools.lru_cache(maxsize=1024)
def _plain(spelling: Parts) -> Parts:
    """As it reads with `.` and `..` taken away."""
    return tuple(piece for piece in posixpath.normpath("/" + "/".join(spelling)).split("/") if piece)


def _way(facts: PathFacts) -> tuple[object, ...]:
    return facts.verdict, facts.rel, facts.class_, facts.ask, facts.deny


def _is_text(name: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in name)


def _kind(walk: Walk) -> PathKind:
    if walk.found is None:
        return "missing"
    if walk.is_folder:
        return "dir"
    return "file" if stat.S_ISREG(walk.found.st_mode) else "other"


@contextlib.contextmanager
def _explained(facts: PathFacts) -> Iterator[None]:
    """Turns what the system says into the one error that callers expect."""
    try:
        yield
    except OSError as e:
        raise PathError(f"'{facts.raw}' cannot be opened as it was judged: {e.strerror}.") from e
