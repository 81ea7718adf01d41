"""Moving files and folders of a lane: what would move, whether it may, and the move itself, all by open folders."""

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from desktop.domain.core.errors import PathError
from desktop.policy.paths import PathFacts
from desktop.policy.protected_names import CLASS_REASONS, class_effect, name_classes
from desktop.records import dataclass
from desktop.services.files.folder_handles import READ_FLAGS, Folder
from desktop.services.files.judged_files import identity_of
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.path_walk import Identity
from desktop.services.git.trees.copy import carry_across

MAX_ENTRIES = 10_000
MAX_HASHED = 200
MAX_HASHED_BYTES = 50 * 1024 * 1024
CHUNK_BYTES = 1 << 20

ItemKind = Literal["file", "dir", "link"]


@dataclass(frozen=True)
class Content:
    """A file in what is moved. `sha256` of the whole file and its `lines`; "" and 0 where it was not read."""

    rel: str
    size: int
    sha256: str = ""
    lines: int = 0


@dataclass(frozen=True)
class Item:
    """The file, folder or link at a lane-relative path without links; `files` are those in it, sorted, itself if it is
    one."""

    rel: str
    kind: ItemKind
    identity: Identity
    files: tuple[Content, ...]

    @property
    def shown(self) -> str:
        """The path of the item for people and models: a folder ends in "/"."""
        return f"{self.rel}/" if self.kind == "dir" else self.rel

    @property
    def size(self) -> int:
        """The bytes of all files in the item."""
        return sum(file.size for file in self.files)


def find_item(files: LaneFiles, facts: PathFacts, *, new_rel: str = "") -> Item:
    """The item that these facts name; a link at the end of the path is itself meant, not what it leads to. Blocking.

    `new_rel`: where it shall be, so that no name in it becomes a protected one there.

    Raises:
        PathError: there is nothing, it is not what was judged, or it holds what may not be moved.
    """
    if facts.deny or Path(facts.rel).is_absolute():
        raise PathError(f"{facts.raw} cannot be moved: {facts.reason or 'it is outside the lane'}.")
    try:
        rel = _link_itself(files, facts) or facts.rel
        if rel == ".":
            raise PathError("The lane itself cannot be moved or deleted.")
        folder, name = files.open_parent(rel)
        with folder:
            return _item(folder, name, rel, facts, new_rel)
    except FileNotFoundError as e:
        raise PathError(f"{facts.raw} does not exist.") from e
    except OSError as e:
        raise PathError(f"{facts.raw} cannot be looked at: {e.strerror}.") from e


def move(files: LaneFiles, item: Item, target: PathFacts) -> None:
    """The item stands where the target's facts say, and nothing was replaced. Missing folders are made. Blocking.

    Raises:
        PathError: something stands there, or it cannot be moved there; nothing was changed.
    """
    if target.op != "write" or target.deny or Path(target.rel).is_absolute():
        raise PathError(f"{target.raw} cannot be written: {target.reason or 'it is outside the lane'}.")
    if f"{target.rel}/".startswith(f"{item.rel}/"):
        raise PathError(f"{item.shown} cannot be moved into itself.")
    made: list[tuple[str, ...]] = []
    try:
        folder, name = files.open_parent(item.rel)
        with folder:
            _check_same(folder, name, item)
            there, new = files.open_parent(target.rel, made)
            with there:
                folder.carry(name, there, new)
    except FileExistsError as e:
        files.unmake(made)
        raise PathError(f"{target.rel} exists already. Choose another name, or delete it first.") from e
    except OSError as e:
        files.unmake(made)
        raise PathError(f"{item.shown} could not be moved to {target.rel}: {e.strerror}.") from e
    except PathError:
        files.unmake(made)
        raise


def move_out(files: LaneFiles, item: Item, place: Path, new: str) -> None:
    """The item stands in a folder outside the lane, under a name that was free. Blocking.

    Raises:
        PathError: it is not what was found, or cannot be moved; it is still in the lane then.
    """
    try:
        folder, name = files.open_parent(item.rel)
        with folder, files.open_outside(place) as there:
            _check_same(folder, name, item)
            carry_across(folder, name, there, new)
    except OSError as e:
        raise PathError(f"{item.shown} could not be moved to the trash: {e.strerror}.") from e


def move_in(files: LaneFiles, place: Path, name: str, target: PathFacts) -> None:
    """Move the entry `name` of a folder outside into the lane, to a path where nothing stood. Blocking.

    Raises:
        PathError: something stands there, or it cannot be moved; it is still outside then.
    """
    made: list[tuple[str, ...]] = []
    try:
        there, new = files.open_parent(target.rel, made)
        with there, files.open_outside(place) as folder:
            carry_across(folder, name, there, new)
    except FileExistsError as e:
        files.unmake(made)
        raise PathError(f"{target.rel} exists again. Move it away first.") from e
    except OSError as e:
        files.unmake(made)
        raise PathError(f"{target.rel} could not be restored: {e.strerror}.") from e


def _link_itself(files: LaneFiles, facts: PathFacts) -> str:
    """The path of the link that the given path ends in; "" when it ends in none. Raises OSError, PathError."""
    head, slash, tail = facts.raw.rpartition("/")
    if not facts.via_symlink or tail in ("", ".", ".."):
        return ""
    around = files.resolve(head or ("/" if slash else "."), "list")
    if around.deny or around.kind != "dir" or Path(around.rel).is_absolute():
        raise PathError(f"{facts.via_symlink}: name the file where it really is.")
    rel = tail if around.rel == "." else f"{around.rel}/{tail}"
    folder, name = files.open_parent(rel)
    with folder:
        return rel if stat.S_ISLNK(folder.stat(name).st_mode) else ""


def _item(folder: Folder, name: str, rel: str, facts: PathFacts, new_rel: str) -> Item:
    found = folder.stat(name)
    identity = identity_of(found)
    if stat.S_ISLNK(found.st_mode):
        return Item(rel, "link", identity, ())
    if identity != (facts.device, facts.inode):
        raise PathError(f"{facts.raw} changed on disk since it was judged; nothing was moved.")
    if stat.S_ISREG(found.st_mode):
        return Item(rel, "file", identity, (_content(folder, name, rel, found.st_size, read=True),))
    if not stat.S_ISDIR(found.st_mode):
        raise PathError(f"{rel} is not a regular file.")
    _check_bare(folder, name, rel)
    contents: list[Content] = []
    for count, (inner, entry, below, status) in enumerate(_below(folder, name, ""), 1):
        if count > MAX_ENTRIES:
            raise PathError(f"{rel}/ holds more than {MAX_ENTRIES:,} entries. Do it in parts, or with a command.")
        if status.st_dev != found.st_dev:
            raise PathError(f"{rel}/{below} lies on another device than the lane.")
        _check_names(f"{rel}/{below}", f"{new_rel}/{below}" if new_rel else "")
        if stat.S_ISDIR(status.st_mode):
            _check_bare(inner, entry, f"{rel}/{below}")
        if stat.S_ISREG(status.st_mode):
            read = len(contents) < MAX_HASHED
            contents.append(_content(inner, entry, f"{rel}/{below}", status.st_size, read=read))
    return Item(rel, "dir", identity, tuple(sorted(contents, key=lambda content: content.rel)))


def _below(folder: Folder, name: str, prefix: str) -> Iterator[tuple[Folder, str, str, os.stat_result]]:
    """Everything in a folder: the open folder around it, its name, its path below the folder, and what it is."""
    with folder.child(name) as inner:
        for entry in sorted(inner.names()):
            status = inner.stat(entry)
            yield inner, entry, prefix + entry, status
            if stat.S_ISDIR(status.st_mode):
                yield from _below(inner, entry, f"{prefix}{entry}/")


def _check_names(*paths: str) -> None:
    for path in filter(None, paths):
        effects = {class_: class_effect(class_, "delete") for class_ in name_classes(tuple(path.split("/")))}
        for class_, effect in sorted(effects.items(), key=lambda pair: pair[1] != "deny"):
            way = (
                "No mode or rule can allow it." if effect == "deny" else "Name it by itself, so that a person is asked."
            )
            raise PathError(f"{path} is protected: {CLASS_REASONS[class_]}. {way}")


def _check_bare(folder: Folder, name: str, rel: str) -> None:
    with folder.child(name) as inner:
        names = {entry.casefold() for entry in inner.names()}
    if "head" in names and ({"objects", "refs"} <= names or "commondir" in names):
        raise PathError(f"{rel} is protected: {CLASS_REASONS['git']}. No mode or rule can allow it.")


def _content(folder: Folder, name: str, rel: str, size: int, *, read: bool) -> Content:
    if not read or size > MAX_HASHED_BYTES:
        return Content(rel, size)
    found, lines = hashlib.sha256(), 0
    with os.fdopen(folder.open(name, READ_FLAGS), "rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            found.update(chunk)
            lines += chunk.count(b"\n")
    return Content(rel, size, found.hexdigest(), lines)


def _check_same(folder: Folder, name: str, item: Item) -> None:
    if identity_of(folder.stat(name)) != item.identity:
        raise PathError(f"{item.shown} changed on disk meanwhile; nothing was moved.")
