"""The ids that Git would give to the trees of a lane, worked out without Git and without writing."""

import os

from desktop.services.git.tree_listing import NewHash, TreeEntry


class TreeIds:
    """The ids of the trees of one lane, one after the other: only folders in which something changed are hashed again.

    One thread at a time.
    """

    def __init__(self, new_hash: NewHash) -> None:
        self._new_hash = new_hash
        self._entries: dict[str, TreeEntry] = {}
        self._rows: dict[str, dict[bytes, bytes]] = {"": {}}
        self._id = new_hash(b"tree 0\0").digest()

    def of(self, entries: dict[str, TreeEntry]) -> str:
        """The id of the tree of these files. Nobody changes the entries afterwards."""
        before = self._entries
        if entries is not before:
            changed = [path for path, entry in entries.items() if before.get(path) is not entry]
            gone = [path for path in before if path not in entries]
            self._entries = entries
            self._take_in(changed, gone)
        return self._id.hex()

    def _take_in(self, changed: list[str], gone: list[str]) -> None:
        touched: set[str] = {""}
        for path in gone:
            self._rows_around(path, touched).pop(_raw_name(path), None)
        for path in changed:
            mode, oid = self._entries[path]
            name = _raw_name(path)
            self._rows_around(path, touched)[name] = mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid)
        for folder in sorted(touched, key=lambda one: one.count("/") + bool(one), reverse=True):
            rows = self._rows[folder]
            if not folder:
                self._id = _object_id(rows, self._new_hash)
            elif rows:
                name = _raw_name(folder)
                found = _object_id(rows, self._new_hash)
                self._rows[_above(folder)][name + b"/"] = b"40000 " + name + b"\0" + found
            else:
                self._rows[_above(folder)].pop(_raw_name(folder) + b"/", None)
                del self._rows[folder]

    def _rows_around(self, path: str, touched: set[str]) -> dict[bytes, bytes]:
        """The rows of the folder of this path, which is entered among the touched ones with all above it."""
        above = _above(path)
        folder = above
        while folder not in touched:
            touched.add(folder)
            self._rows.setdefault(folder, {})
            folder = _above(folder)
        return self._rows[above]


def _above(path: str) -> str:
    return path.rpartition("/")[0]


def _raw_name(path: str) -> bytes:
    return os.fsencode(path.rpartition("/")[2])


def _object_id(rows: dict[bytes, bytes], new_hash: NewHash) -> bytes:
    """The id of a tree object. A folder's row stands under its name with a slash, as Git sorts it."""
    body = b"".join([row for _, row in sorted(rows.items())])
    return new_hash(b"tree %d\0" % len(body) + body).digest()
