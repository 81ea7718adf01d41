"""The list of files that differ between the two sides of a change: names, counts, kinds, without their diffs."""

import contextlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

from desktop.domain.core.errors import GitError, PathError
from desktop.domain.core.work import ChangedFile
from desktop.records import dataclass
from desktop.services.changes.sides import MAX_READ_BYTES, Sides, state_now
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.leftovers import passing_prefix
from desktop.services.files.pointers import git_folders
from desktop.services.git.index_copy import copy_index
from desktop.services.git.run import DIFF_LIMIT_S, DIFF_OPTIONS, STATUS_LIMIT_S, Git, head_commit
from desktop.services.git.trees.listing import SUBMODULE

MAX_FILES = 300
MAX_HASHED_BYTES = MAX_READ_BYTES
_LETTERS: dict[str, Literal["added", "modified", "deleted", "renamed", "copied", "type_changed", "conflicted"]] = {
    "A": "added",
    "M": "modified",
    "D": "deleted",
    "R": "renamed",
    "C": "copied",
    "T": "type_changed",
}
_RENAMES = ("--find-renames=50%", "--find-copies=50%", "-l1000")
_SHAPE = ("--raw", "--no-abbrev", "--numstat", "-z")
_LITERAL = {"GIT_LITERAL_PATHSPECS": "1", "GIT_NO_LAZY_FETCH": "1"}
_MADE = re.compile(
    r"(^|/)(node_modules|vendor|third_party|dist)/|(^|/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|"
    r"pnpm-lock\.yaml|poetry\.lock|uv\.lock|Cargo\.lock|composer\.lock|Gemfile\.lock|go\.sum|Pipfile\.lock)$|"
    r"\.min\.(js|css)$|\.(pb\.go|map)$|_pb2\.pyi?$"
)
_WORDS_BEFORE_TAB = 2
_ATTRIBUTES = ("linguist-generated", "linguist-vendored")


@dataclass(frozen=True)
class Listing:
    """The files that differ, by path. `more`: so many are not among them."""

    files: tuple[ChangedFile, ...]
    more: int = 0

    @property
    def count(self) -> int:
        """The number of files that differ."""
        return len(self.files) + self.more


@dataclass(frozen=True)
class Row:
    """A file that differs, with the ids of its contents, "" for none and for what only the lane's folder has."""

    file: ChangedFile
    old_oid: str = ""
    new_oid: str = ""

    @property
    def only_text(self) -> bool:
        """Whether only the text of the file can differ."""
        return self.file.status == "modified" and not self.file.mode_change and not self.file.submodule

    def known_to(self, index: "LaneIndex") -> "Row":
        """With what the index knows of the file."""
        path, status = self.file.path, self.file.status
        if path in index.conflicted:
            return replace(self, file=self.file.model_copy(update={"status": "conflicted"}))
        if status == "added" and path in index.untracked:
            return replace(self, file=self.file.model_copy(update={"status": "untracked"}))
        return self

    def counted(self, added: str, removed: str) -> "Row":
        """With the counts that git printed, "-" for what is no text."""
        binary = added == "-"
        counts = {"added": 0 if binary else int(added), "removed": 0 if binary else int(removed), "binary": binary}
        return replace(self, file=self.file.model_copy(update=counts))


class LaneIndex:
    """git in a lane with a private copy of its index, in which files that Git does not know yet are entered, so that
    they show in diffs. Blocking; the lane's own index is not written."""

    def __init__(self, git: Git, untracked: frozenset[str], conflicted: frozenset[str]) -> None:
        """`untracked`: all that Git does not know, also folders and files that cannot be read."""
        self.git = git
        self.untracked = untracked
        self.conflicted = conflicted

    @classmethod
    @contextlib.contextmanager
    def of(cls, git: Git) -> Iterator["LaneIndex"]:
        """The copy, which goes when the block ends.

        Raises:
            GitError: Git cannot read the lane.
        """
        plain = git.also(_LITERAL)
        asked = ("ls-files", "-t", "--unmerged", "--others", "--exclude-standard", "-z")
        listed = plain.run_on_files_now(*asked, limit_s=STATUS_LIMIT_S).raw.split(b"\0")
        others = [line[2:] for line in listed if line.startswith(b"? ")]
        conflicted = frozenset(os.fsdecode(line.partition(b"\t")[2]) for line in listed if line.startswith(b"M "))
        names = frozenset(os.fsdecode(path.rstrip(b"/")) for path in others)
        files = [path for path in others if not path.endswith(b"/") and _is_readable(git.folder / os.fsdecode(path))]
        if not files:
            yield cls(plain, names, conflicted)
            return
        with tempfile.TemporaryDirectory(prefix=passing_prefix()) as folder:
            yield cls(_copied(plain, Path(folder) / "index", files), names, conflicted)


def _copied(git: Git, index: Path, untracked: list[bytes]) -> Git:
    try:
        copy_index(git_folders(git.folder)[0], index)
    except (OSError, ValueError) as error:
        raise GitError(f"The lane's index cannot be read: {error}.") from error
    own = git.also({"GIT_INDEX_FILE": str(index)})
    digits = len(head_commit(git.folder)) or len(git.run_now("hash-object", "--stdin").stdout.strip())
    content = b"1" * digits  # Git reads the file, not this; an entry must only name something
    given = b"".join(b"100644 %s\t%s\0" % (content, path) for path in untracked)
    whole = ("-c", "core.splitIndex=false")  # else a part of the copy would be written beside the lane's index
    own.run_on_files_now(*whole, "update-index", "-z", "--index-info", given=given, limit_s=DIFF_LIMIT_S)
    return own


def list_changes(index: LaneIndex | None, git: Git, sides: Sides, *, ignore_space: bool = False) -> list[Row]:
    """The files that differ, by path, with counts of lines. `index`: for sides that end with the lane's files now.
    Blocking.

    Raises:
        GitError: Git could not compare them.
    """
    options = (*DIFF_OPTIONS, *_RENAMES, *_SHAPE, *(["--ignore-all-space"] if ignore_space else []))
    if sides.new is not None:
        done = git.run_now("diff-tree", "-r", *options, sides.old.oid, sides.new.oid, limit_s=DIFF_LIMIT_S)
    else:
        assert index is not None
        done = index.git.run_on_files_now("diff", *options, sides.old.oid, "--", limit_s=DIFF_LIMIT_S)
    rows = _parsed([os.fsdecode(part) for part in done.raw.split(b"\0")])
    if index is not None and sides.new is None:
        rows = [row.known_to(index) for row in rows if not _only_written_again(git, row)]
        there = {row.file.path for row in rows}
        rows += [Row(ChangedFile(path=path, status="conflicted")) for path in index.conflicted - there]
        for path in index.untracked - there:
            place = git.folder / path
            if _is_folder(place):
                rows.append(Row(ChangedFile(path=path, status="untracked", submodule=True)))
            elif os.path.lexists(place) and not _is_readable(place):
                rows.append(Row(ChangedFile(path=path, status="untracked", binary=True)))
    rows += [Row(ChangedFile(path=path, status="modified", binary=True, too_large=True)) for path in sides.large]
    return sorted(rows, key=lambda row: row.file.path)


def _only_written_again(git: Git, row: Row) -> bool:
    """A file of the lane that is no text and holds what it held: of such Git counts no lines, so that only its
    content can tell."""
    if not (row.only_text and row.file.binary and row.old_oid and not row.new_oid):
        return False
    place = git.folder / row.file.path
    try:
        size = place.lstat().st_size if not place.is_symlink() else -1
    except OSError:
        return False
    if size != _sizes(git, {row.old_oid}).get(row.old_oid):
        return False
    made = git.run_now("hash-object", "--no-filters", "--", str(place), check=False, limit_s=DIFF_LIMIT_S)
    return made.stdout.strip() == row.old_oid


def renames(git: Git, sides: Sides) -> dict[str, str]:
    """Files that have another name now, each with its old one; copies are not among them. Blocking. Raises GitError."""
    if sides.new is not None:
        rows = list_changes(None, git, sides)
    else:
        with LaneIndex.of(git) as index:
            rows = list_changes(index, git, sides)
    return {row.file.path: row.file.old_path for row in rows if row.file.status == "renamed"}


def described(rows: list[Row], files: LaneFiles, git: Git, sides: Sides, *, limit: int = MAX_FILES) -> Listing:
    """The first `limit` files with their sizes, whether they were generated, and the hash of the newer side where that
    is the lane's file as it is now. Blocking."""
    shown = rows[:limit]
    sizes = _sizes(git, {oid for row in shown for oid in (row.old_oid, row.new_oid) if oid})
    made = _generated(git, [row.file.path for row in shown])
    found: list[ChangedFile] = []
    for row in shown:
        update: dict[str, object] = {"size_before": sizes.get(row.old_oid, 0), "generated": row.file.path in made}
        update["after_turn"] = row.file.path in sides.since
        if row.file.path in sides.since:
            update["size_after"] = sizes.get(row.new_oid, 0)
        else:
            update |= _measured(files, row.file)
        found.append(row.file.model_copy(update=update))
    return Listing(tuple(found), len(rows) - len(shown))


def count_changes(index: LaneIndex | None, git: Git, sides: Sides) -> int:
    """The number of files that differ. Blocking. Raises GitError."""
    if sides.old == sides.new:
        return 0
    if sides.new is not None:
        done = git.run_now(
            "diff-tree",
            "-r",
            *DIFF_OPTIONS,
            *_RENAMES,
            "--name-only",
            "-z",
            sides.old.oid,
            sides.new.oid,
            limit_s=DIFF_LIMIT_S,
        )
        return len(done.names)
    return len(list_changes(index, git, sides))


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def _is_readable(path: Path) -> bool:
    """Whether its content can be had; of a link, that it can be read as a link."""
    return path.is_symlink() or os.access(path, os.R_OK)


def _measured(files: LaneFiles, file: ChangedFile) -> dict[str, object]:
    """Size and hash of the lane's file as it is now."""
    if file.status == "deleted" or file.submodule:
        return {}
    try:
        state = state_now(files, file.path, max_bytes=MAX_HASHED_BYTES)
    except PathError:
        return {}
    return {"size_after": state.size, "sha256": state.sha256} if state is not None else {}


def _parsed(fields: list[str]) -> list[Row]:
    """`--raw --numstat -z`: first all raw records, then all counts, each in the same order. What has no count
    was only written again and does not differ."""
    found: dict[str, Row] = {}
    index = 0
    while index < len(fields) and fields[index].startswith(":"):
        old_mode, new_mode, old_oid, new_oid, letter = fields[index][1:].split(" ")
        path, old = fields[index + 1], ""
        index += 2
        if letter[:1] in "RC":
            old, path, index = path, fields[index], index + 1
        modes = "" if old_mode == new_mode or "000000" in (old_mode, new_mode) else f"{old_mode} → {new_mode}"
        values = {"path": path, "status": _LETTERS.get(letter[:1], "modified"), "old_path": old, "mode_change": modes}
        file = ChangedFile.model_validate({**values, "submodule": SUBMODULE in (old_mode, new_mode)})
        found[path] = Row(file, old_oid.strip("0") and old_oid, new_oid.strip("0") and new_oid)
    counted: set[str] = set()
    while index < len(fields) and fields[index].count("\t") >= _WORDS_BEFORE_TAB:
        added, removed, path = fields[index].split("\t", 2)
        if not path:
            path, index = fields[index + 2], index + 2
        index += 1
        if path in found:
            counted.add(path)
            found[path] = found[path].counted(added, removed)
    return [row for path, row in found.items() if path in counted or not row.only_text]


def _sizes(git: Git, oids: set[str]) -> dict[str, int]:
    """How many bytes these contents have, of those that the repository has."""
    if not oids:
        return {}
    given = "".join(f"{oid}\n" for oid in sorted(oids)).encode()
    listed = git.run_now("cat-file", "--batch-check=%(objectname) %(objectsize)", given=given, limit_s=DIFF_LIMIT_S)
    rows = (line.split(" ") for line in listed.stdout.splitlines())
    return {row[0]: int(row[1]) for row in rows if row[1].isdigit()}


def _generated(git: Git, paths: list[str]) -> frozenset[str]:
    """Those that programs write: by Git's attributes where they say so, else by their names."""
    if not paths:
        return frozenset()
    given = b"".join(os.fsencode(path) + b"\0" for path in paths)
    fields = git.run_on_files_now("check-attr", "-z", "--stdin", *_ATTRIBUTES, given=given).names
    said = {path: True for path in paths if _MADE.search(path)}
    for path, value in zip(fields[0::3], fields[2::3], strict=False):
        if value in ("set", "true"):
            said[path] = True
        elif value in ("unset", "false"):
            said[path] = False
    return frozenset(path for path, made in said.items() if made)
