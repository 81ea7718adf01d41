"""What differs in a lane from its base: files, counts and unified diffs, read by git without touching its index."""

from pathlib import Path

from desktop.domain.errors import GitError
from desktop.domain.lane import Lane
from desktop.domain.work import ChangedFile
from desktop.services.git import DIFF_LIMIT_S, DIFF_OPTIONS, STATUS_LIMIT_S, Git

MAX_FILE_LINES = 5000
MAX_FILE_BYTES = 1_000_000
MAX_FILES = 500
_DIFF = ("diff", *DIFF_OPTIONS)

_STATUS = {"A": "added", "M": "modified", "D": "deleted", "R": "renamed", "T": "modified"}


async def lane_changes(lane: Lane) -> tuple[str, tuple[ChangedFile, ...]]:
    """The base that is compared with, in words, and every file that differs: committed, not committed, and untracked.

    Raises:
        GitError: git could not read the lane.
    """
    git = Git(Path(lane.worktree_path))
    base = lane.base_oid or "HEAD"
    listed = await git.run_on_files(*_DIFF, "-M", "--raw", "--numstat", "-z", base, "--", limit_s=DIFF_LIMIT_S)
    shown = [await _with_diff(git, base, file) for file in _parse_listing(listed.stdout)[:MAX_FILES]]
    files = [file for file in shown if file is not None]
    untracked = await git.run_on_files("ls-files", "--others", "--exclude-standard", "-z", limit_s=STATUS_LIMIT_S)
    paths = [path for path in untracked.stdout.split("\0") if path][: MAX_FILES - len(files)]
    files += [await _untracked(git, path) for path in paths]
    return lane.base_ref or lane.branch or "HEAD", tuple(sorted(files, key=lambda file: file.path))


def _parse_listing(output: str) -> list[ChangedFile]:
    """`--raw --numstat -z`: first all raw records, then all counts, each in the same order."""
    fields = output.split("\0")
    found: dict[str, ChangedFile] = {}
    index = 0
    while index < len(fields) and fields[index].startswith(":"):
        letter = fields[index].split(" ")[4][:1]
        renamed = letter in "RC"
        path = fields[index + 2] if renamed else fields[index + 1]
        old = fields[index + 1] if renamed else ""
        found[path] = ChangedFile.model_validate(
            {"path": path, "status": _STATUS.get(letter, "modified"), "old_path": old}
        )
        index += 3 if renamed else 2
    while index < len(fields) and fields[index].count("\t") >= 2:
        added, removed, path = fields[index].split("\t", 2)
        if not path:
            path, index = fields[index + 2], index + 2
        index += 1
        binary = added == "-"
        counts = {"added": 0 if binary else int(added), "removed": 0 if binary else int(removed), "binary": binary}
        if path in found:
            found[path] = found[path].model_copy(update=counts)
    return list(found.values())


async def _with_diff(git: Git, base: str, file: ChangedFile) -> ChangedFile | None:
    """The file with its diff; None where only its times differ from what the index remembers."""
    if file.binary:
        return file
    if file.added + file.removed > MAX_FILE_LINES:
        return file.model_copy(update={"too_large": True})
    paths = [file.old_path, file.path] if file.old_path else [file.path]
    literal = [f":(literal,top){path}" for path in paths]
    diff = await git.run_on_files(*_DIFF, "-M", base, "--", *literal, limit_s=DIFF_LIMIT_S)
    return _carrying(file, diff.stdout) if diff.stdout else None


async def _untracked(git: Git, path: str) -> ChangedFile:
    file = ChangedFile(path=path, status="untracked")
    full = git.folder / path
    if full.is_symlink() or not full.is_file() or full.stat().st_size > MAX_FILE_BYTES:
        return file.model_copy(update={"too_large": full.is_file() and not full.is_symlink()})
    diff = await git.run(*_DIFF, "--no-index", "--", "/dev/null", path, limit_s=DIFF_LIMIT_S, check=False)
    if diff.status > 1:
        raise GitError(f"git diff failed: {diff.stderr.strip()}", stderr=diff.stderr, status=diff.status)
    if "\nBinary files " in f"\n{diff.stdout}":
        return file.model_copy(update={"binary": True})
    lines = diff.stdout.splitlines()
    added = sum(1 for line in lines if line.startswith("+") and not line.startswith("+++"))
    return _carrying(file.model_copy(update={"added": added}), diff.stdout)


def _carrying(file: ChangedFile, unified: str) -> ChangedFile:
    if len(unified) > MAX_FILE_BYTES:
        return file.model_copy(update={"too_large": True})
    start = unified.find("\n@@")
    return file.model_copy(update={"unified": unified[start + 1 :] if start >= 0 else unified})
