"""The ids of the files that Git has just written into a new worktree, by its index, so that nobody has to read them."""

import os
import struct
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from desktop.domain.core.errors import GitError
from desktop.records import dataclass
from desktop.services.files.change_times import MS, are_precise, moment_ns
from desktop.services.files.lane_view import Stamp
from desktop.services.files.pointers import NoRegularFile, git_folders, open_regular
from desktop.services.git.run import STATUS_LIMIT_S, Git, head_commit
from desktop.services.git.trees.listing import EXECUTABLE, FILE, LINK, SUBMODULE, KnownFile, LaneTree, TreeEntry

WORTH_BYTES, MAX_BYTES = 64 * 1024, 64 * 1024 * 1024
_HEADER, _EXTENSION, _FLAGS = struct.Struct(">4sII"), struct.Struct(">4sI"), struct.Struct(">H")
_FACTS = struct.Struct(">IIII4xII8xI")
"""Both times of the last change, in seconds and nanoseconds, inode, mode and size."""
_MODES = {0o100644: FILE, 0o100755: EXECUTABLE, 0o120000: LINK, 0o160000: SUBMODULE}
_AS_THEY_ARE = ("!eol !ident !working-tree-encoding", "eol=lf !ident !working-tree-encoding")
_ENDS_AS_THEY_ARE = frozenset({"false", "input", "no", "off", "0"})
_ODD = 0xF000
"""The flags of an entry that is in conflict, not to be looked at, or not there by intention."""
_SECOND = 10**9


@dataclass(frozen=True)
class WrittenFiles:
    """What Git wrote. `tree`: its id; `files`: all its entries. `ends`: by paths of files, what a stamp ends with while
    Git's own file stands there; not of those of which Git writes other bytes than it keeps, and not of those so young
    that a change might not show."""

    tree: str
    files: LaneTree
    ends: dict[str, Stamp]

    def standing(self, stamps: Mapping[str, Stamp]) -> Iterator[tuple[str, KnownFile]]:
        """What is known of the files that are as Git wrote them, by how they are now."""
        modes: dict[bytes, str] = {}
        for path, ends in self.ends.items():
            kind, _, rest = stamps.get(path, b"").partition(b" ")
            if rest != ends:
                continue
            entry = self.files.entries[path]
            mode = modes.get(kind)
            if mode is None:
                mode = modes[kind] = _mode(kind)
            if mode == entry.mode:
                yield path, KnownFile(stamps[path], entry, int(ends.partition(b" ")[2].partition(b" ")[0]))


@dataclass(frozen=True)
class FreshIndex:
    """The bytes of an index that Git wrote last at `moment`, with ids of `digest` bytes. `converted`: the files of
    which it wrote other bytes than it keeps."""

    raw: bytes
    digest: int
    moment: int
    converted: frozenset[str]

    def read(self) -> WrittenFiles | None:
        """What it tells. None: it is not of the plain kind, or holds entries that Git does not look at. Blocking."""
        try:
            return self._read()
        except (IndexError, KeyError, ValueError, struct.error):
            return None

    def _read(self) -> WrittenFiles | None:
        raw, digest = self.raw, self.digest
        kind, version, count = _HEADER.unpack_from(raw)
        if (kind, version) != (b"DIRC", 2):
            return None
        entries: dict[str, TreeEntry] = {}
        ends: dict[str, Stamp] = {}
        at, oids, names = _HEADER.size, _FACTS.size, _FACTS.size + digest + _FLAGS.size
        for _ in range(count):
            ctime, ctime_ns, mtime, mtime_ns, inode, mode, size = _FACTS.unpack_from(raw, at)
            end = raw.index(b"\0", at + names)
            if _FLAGS.unpack_from(raw, at + oids + digest)[0] & _ODD:
                return None
            path = os.fsdecode(raw[at + names : end])
            entries[path] = TreeEntry(_MODES[mode], raw[at + oids : at + oids + digest].hex())
            last = max(ctime * _SECOND + ctime_ns, mtime * _SECOND + mtime_ns)
            if last < self.moment and ctime_ns % MS and path not in self.converted:
                ends[path] = b"%d %d %d.%09d0 %d.%09d0" % (inode, size, mtime, mtime_ns, ctime, ctime_ns)
            at += (end - at + 8) // 8 * 8
        tree = _tree(raw, at, digest, count)
        return WrittenFiles(tree, LaneTree(entries), ends) if tree else None


def fresh_index(git: Git) -> FreshIndex | None:
    """The index of the worktree of `git`, in which Git has just written all files and nobody worked yet. None: there is
    something unusual, or so few files that they are read as soon. Blocking.

    An entry counts as Git itself counts it: only if its file was last changed before the index was written.
    """
    try:
        file = git_folders(git.folder)[0] / "index"
        found, digest = file.stat(), len(head_commit(git.folder)) // 2
        if not WORTH_BYTES <= found.st_size <= MAX_BYTES or not are_precise([git.folder, file], git.folder):
            return None
        moment, raw = min(found.st_mtime_ns, moment_ns()), file.read_bytes()
        converted = _converted(git)
    except (OSError, ValueError, GitError):
        return None
    return FreshIndex(raw, digest, moment, converted) if converted is not None and digest else None


def tracked_count(folder: Path) -> int:
    """How many files the index of this worktree says to hold; 0 where it does not say. A guess, for haste alone."""
    try:
        with open(git_folders(folder)[0] / "index", "rb", opener=open_regular) as file:
            return int(_HEADER.unpack(file.read(_HEADER.size))[2])
    except (OSError, ValueError, NoRegularFile, struct.error):
        return 0


def _converted(git: Git) -> frozenset[str] | None:
    """The files of which Git writes other bytes than it keeps, apart from what filters do, which do not run; None: it
    may be any."""
    if git.sets("core.eol") or sys.platform == "win32":
        return None
    if git.sets("core.autocrlf"):
        value = git.run_now("config", "--get", "core.autocrlf", check=False).stdout.strip()
        if value not in _ENDS_AS_THEY_ARE:
            return None
    asked = [f":(exclude,attr:{attributes})" for attributes in _AS_THEY_ARE]
    return frozenset(git.run_on_files_now("ls-files", "-z", "--", *asked, limit_s=STATUS_LIMIT_S).names)


def _tree(raw: bytes, at: int, digest: int, count: int) -> str:
    """The id of the tree of all entries, as the index says it behind them; "" where it does not, or where it has parts
    that are more than hints."""
    found = ""
    while at < len(raw) - digest:
        kind, size = _EXTENSION.unpack_from(raw, at)
        at += _EXTENSION.size
        if not kind[:1].isupper():
            return ""
        if kind == b"TREE":
            root = raw[at : at + size]
            end = root.find(b"\n") + 1
            found = root[end : end + digest].hex() if root.startswith(b"\0%d " % count) else ""
        at += size
    return found


def _mode(kind: bytes) -> str:
    """The mode that Git gives to an entry whose stamp begins with this."""
    if kind[:1] == b"l":
        return LINK
    return (EXECUTABLE if int(kind[1:], 8) & 0o100 else FILE) if kind[:1] == b"f" else ""
