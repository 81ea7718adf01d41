"""What changed between two commits of a bare repository, file by file, as a pull request shows it."""

import re
from dataclasses import dataclass

from tests.fakes.github.git_repository import BareRepository

STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}
HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True)
class FileChange:
    """One file. `patch` None: binary. `blob`: the object id after the change (before it for a removed file)."""

    path: str
    old_path: str
    status: str
    additions: int
    deletions: int
    patch: str | None
    blob: str


def changes(git: BareRepository, old: str, new: str) -> list[FileChange]:
    """The files that differ between the commits of these ids, in order of their names."""
    return git.known(("changes", old, new), lambda: _changes(git, old, new))


def _changes(git: BareRepository, old: str, new: str) -> list[FileChange]:
    common = ("diff-tree", "-r", "-M", "--no-commit-id", "-z")
    raw = git.run(*common, "--raw", "--full-index", "--abbrev=40", old, new).split("\0")
    counts = _counts(git.run(*common, "--numstat", old, new).split("\0"))
    found: list[FileChange] = []
    position = 0
    while position < len(raw) - 1:
        facts = raw[position].lstrip(":").split()
        letter = facts[4][0]
        paths = raw[position + 1 : position + (3 if letter in "RC" else 2)]
        position += 1 + len(paths)
        added, removed = counts[paths[-1]]
        patch = _patch(git, old, new, paths) if added is not None else None
        blob = facts[2] if letter == "D" else facts[3]
        found.append(FileChange(paths[-1], paths[0], STATUS[letter], added or 0, removed or 0, patch, blob))
    return found


def _counts(fields: list[str]) -> dict[str, tuple[int | None, int | None]]:
    counts: dict[str, tuple[int | None, int | None]] = {}
    rest = iter(fields)
    for field in rest:
        if not field:
            continue
        added, removed, path = field.split("\t", 2)
        if not path:
            next(rest)
            path = next(rest)
        counts[path] = (None, None) if added == "-" else (int(added), int(removed))
    return counts


def _patch(git: BareRepository, old: str, new: str, paths: list[str]) -> str | None:
    printed = git.run("diff-tree", "-r", "-M", "-p", "--no-commit-id", old, new, "--", *paths)
    start = printed.find("\n@@ ")
    return printed[start + 1 :].rstrip("\n") if start >= 0 else None


def line_now(git: BareRepository, path: str, line: int, then: str, now: str) -> int | None:
    """Where that line of commit `then` is in commit `now`; None when it was changed or removed."""
    return git.known(("line_now", path, str(line), then, now), lambda: _line_now(git, path, line, then, now))


def _line_now(git: BareRepository, path: str, line: int, then: str, now: str) -> int | None:
    printed = git.run("diff-tree", "-r", "-p", "-U0", "--no-commit-id", then, now, "--", path)
    moved = 0
    for text in printed.splitlines():
        hunk = HUNK.match(text)
        if hunk is None:
            if text.startswith("deleted file"):
                return None
            continue
        start, old_count, new_count = int(hunk[1]), int(hunk[2] or 1), int(hunk[4] or 1)
        first = start if old_count else start + 1
        if line < first:
            break
        if line < first + old_count:
            return None
        moved += new_count - old_count
    return line + moved


def hunk_around(patch: str | None, line: int, side: str) -> str:
    """The part of a patch that ends at that line, as a review comment quotes it."""
    hunk: list[str] = []
    old = new = 0
    for text in (patch or "").splitlines():
        head = HUNK.match(text)
        if head is not None:
            hunk, old, new = [text], int(head[1]) - 1, int(head[3]) - 1
            continue
        hunk.append(text)
        old += text[:1] in {" ", "-"}
        new += text[:1] in {" ", "+"}
        if (side == "RIGHT" and new == line and text[:1] != "-") or (
            side == "LEFT" and old == line and text[:1] != "+"
        ):
            return "\n".join(hunk)
    return "\n".join(hunk)
