"""The differences between two trees of a lane: files, counts and unified diffs within limits."""

import os

from desktop.domain.core.work import ChangedFile
from desktop.services.git.patch import files_of
from desktop.services.git.run import DIFF_LIMIT_S, DIFF_OPTIONS, Git

MAX_FILE_LINES = 5000
MAX_FILE_BYTES = 1_000_000
MAX_FILES = 500
_LETTERS = {"A": "added", "M": "modified", "D": "deleted", "R": "renamed", "T": "modified"}
_DIFF = ("diff-tree", "-r", "--full-index", *DIFF_OPTIONS)
_PATHS_AT_ONCE = 50
_WORDS_BEFORE_TAB = 2


def tree_changes(git: Git, before: str, after: str) -> tuple[ChangedFile, ...]:
    """Every file that differs from tree `before` to tree `after`, by path, at most 500 of them. Blocking.

    Raises:
        GitError: one of the trees is not in the repository.
    """
    listed = git.run_now(*_DIFF, "-M", "--raw", "--numstat", "-z", before, after, limit_s=DIFF_LIMIT_S)
    files = _listed([os.fsdecode(part) for part in listed.raw.split(b"\0")])[:MAX_FILES]
    wanted = [file for file in files if not file.binary and file.added + file.removed <= MAX_FILE_LINES]
    large = {file.path for file in files if not file.binary} - {file.path for file in wanted}
    unified: dict[str, str] = {}
    for start in range(0, len(wanted), _PATHS_AT_ONCE):
        unified |= _patches(git, before, after, wanted[start : start + _PATHS_AT_ONCE])
    return tuple(sorted((_carrying(file, unified, large) for file in files), key=lambda file: file.path))


def changed_paths(git: Git, before: str, after: str, *more: str) -> frozenset[str]:
    """The paths that differ between two trees, both names of a renamed file. `more`: further options. Blocking.
    Raises GitError."""
    return frozenset(git.run_now(*_DIFF, *more, "--name-only", "-z", before, after, limit_s=DIFF_LIMIT_S).names)


def deleted_paths(git: Git, before: str, after: str) -> frozenset[str]:
    """The paths of tree `before` that are not in `after`. Blocking. Raises GitError."""
    return changed_paths(git, before, after, "--diff-filter=D")


def _patches(git: Git, before: str, after: str, files: list[ChangedFile]) -> dict[str, str]:
    paths = [path for file in files for path in (file.old_path, file.path) if path]
    literal = Git(git.folder, {"GIT_LITERAL_PATHSPECS": "1", "GIT_NO_LAZY_FETCH": "1"})
    patch = literal.run_now(*_DIFF, "-M", "-p", before, after, "--", *paths, limit_s=DIFF_LIMIT_S)
    return {part.path: part.hunks for part in files_of(patch.raw)}


def _carrying(file: ChangedFile, unified: dict[str, str], large: set[str]) -> ChangedFile:
    text = unified.get(file.path, "")
    if file.path in large or len(text) > MAX_FILE_BYTES:
        return file.model_copy(update={"too_large": True})
    return file.model_copy(update={"unified": text})


def _listed(fields: list[str]) -> list[ChangedFile]:
    """`--raw --numstat -z`: first all raw records, then all counts, each in the same order."""
    found: dict[str, ChangedFile] = {}
    index = 0
    while index < len(fields) and fields[index].startswith(":"):
        letter = fields[index].split(" ")[4][:1]
        path, old = fields[index + 1], ""
        index += 2
        if letter in "RC":
            old, path, index = path, fields[index], index + 1
        status = _LETTERS.get(letter, "modified")
        found[path] = ChangedFile.model_validate({"path": path, "status": status, "old_path": old})
    while index < len(fields) and fields[index].count("\t") >= _WORDS_BEFORE_TAB:
        added, removed, path = fields[index].split("\t", 2)
        if not path:
            path, index = fields[index + 2], index + 2
        index += 1
        if path in found:
            binary = added == "-"
            counts = {"added": 0 if binary else int(added), "removed": 0 if binary else int(removed), "binary": binary}
            found[path] = found[path].model_copy(update=counts)
    return list(found.values())
