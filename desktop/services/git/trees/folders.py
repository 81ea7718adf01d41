"""Git's tree objects of a set of files; after a change only those of folders in which something changed are made."""

import os
from collections.abc import Iterable, Mapping

from desktop.services.git.trees.listing import LaneTree, NewHash, TreeEntry

_FOLDER = b"40000"


class PathsClash(ValueError):
    """A file stands where others of the same set need a folder."""


class FolderTrees:
    """The tree objects of some files. A value: `changed` gives another one, which shares what did not change.

    `root`: the id of the tree of all files. Kept are the bodies of the objects, one for each folder.
    """

    def __init__(self, new_hash: NewHash) -> None:
        self._new_hash = new_hash
        self._bodies: dict[str, bytes] = {"": b""}
        self.root = self._id_of(b"")

    def changed(self, goals: Mapping[str, TreeEntry | None]) -> tuple["FolderTrees", list[bytes]]:
        """The trees after these paths became these entries (None: gone), and the bodies of all objects that are new.

        Raises:
            PathsClash: a path is a file and a folder.
        """
        rows: dict[str, dict[bytes, bytes]] = {folder: self._rows(folder) for folder in _with_parents(goals)}
        for path, entry in goals.items():
            folder, _, name = path.rpartition("/")
            raw = os.fsencode(name)
            if entry is None:
                rows[folder].pop(raw, None)
            else:
                rows[folder][raw] = b"%s %s\0" % (entry.mode.encode(), raw) + bytes.fromhex(entry.oid)
        result = FolderTrees(self._new_hash)
        result._bodies = dict(self._bodies)
        return result, result._make(rows)

    def _make(self, rows: dict[str, dict[bytes, bytes]]) -> list[bytes]:
        """The bodies of these folders by their rows, the deepest first; a folder without files is gone."""
        made = []
        for folder in sorted(rows, key=lambda one: one.count("/") + bool(one), reverse=True):
            names = rows[folder]
            if any(name + b"/" in names for name in names):
                raise PathsClash(f"A file and a folder of one name are in '{folder}'.")
            body = b"".join(names[name] for name in sorted(names))
            parent, _, name = folder.rpartition("/")
            raw = os.fsencode(name)
            if folder and not body:
                self._bodies.pop(folder, None)
                rows[parent].pop(raw + b"/", None)
                continue
            self._bodies[folder] = body
            made.append(body)
            oid = self._id_of(body)
            if folder:
                rows[parent][raw + b"/"] = b"%s %s\0" % (_FOLDER, raw) + bytes.fromhex(oid)
            else:
                self.root = oid
        return made

    def _rows(self, folder: str) -> dict[bytes, bytes]:
        """The rows of a folder's object by names as Git sorts them: that of a folder ends with a slash."""
        body, rows, at, digest = self._bodies.get(folder, b""), {}, 0, len(self.root) // 2
        while at < len(body):
            end = body.index(b"\0", at)
            mode, _, name = body[at:end].partition(b" ")
            rows[name + b"/" if mode == _FOLDER else name] = body[at : end + 1 + digest]
            at = end + 1 + digest
        return rows

    def _id_of(self, body: bytes) -> str:
        return self._new_hash(b"tree %d\0" % len(body) + body).hexdigest()


class KnownTrees:
    """The tree objects of the files that were asked for last; of other files only what differs is worked out."""

    def __init__(self) -> None:
        self._known: tuple[FolderTrees, LaneTree] | None = None

    def of(self, files: LaneTree, new_hash: NewHash) -> FolderTrees:
        """The trees of these files.

        Raises:
            PathsClash: a path is a file and a folder.
        """
        trees, before = self._known or (FolderTrees(new_hash), LaneTree({}))
        self._known = None  # until they are all there
        found, _ = trees.changed({path: files.entries.get(path) for path in files.differing(before)})
        self.note(files, found)
        return found

    def note(self, files: LaneTree, trees: FolderTrees) -> None:
        """These are the trees of these files."""
        self._known = trees, files


def _with_parents(paths: Iterable[str]) -> set[str]:
    """The folders of these paths and all folders above them; the top one, "", is always among them."""
    folders = {""}
    for path in paths:
        while (path := path.rpartition("/")[0]) not in folders:
            folders.add(path)
    return folders
