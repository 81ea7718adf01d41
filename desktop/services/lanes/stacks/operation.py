"""A rebase or merge that is open in a lane: its files in conflict, taking a side, going on, and taking it all back."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from desktop.domain.core.errors import GitError, LaneError, PathError
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import ConflictFile
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.pointers import git_folders, read_pointer
from desktop.services.git.commit_facts import person_identity
from desktop.services.git.run import STATUS_LIMIT_S, Git
from desktop.services.git.trees.merge import commit_id, merge_settings
from desktop.services.history.branch_move import filtered
from desktop.services.history.tree_fit import remove_file
from desktop.services.lanes.stacks.rebase import REBASE_LIMIT_S, operation_in

MAX_SIDE_BYTES = 256 * 1024
MAX_FILES = 200
_LINK, _MODULE = "120000", "160000"
_SIDES = {"ours": "2", "theirs": "3"}
_HEADS = {"merge": "MERGE_HEAD", "cherry-pick": "CHERRY_PICK_HEAD", "revert": "REVERT_HEAD", "rebase": "REBASE_HEAD"}
_FINISHED_TOLD: Mapping[str, str] = {
    "merge": "The merge is finished.",
    "cherry-pick": "The cherry-pick is finished.",
    "revert": "The revert is finished.",
    "rebase": "The rebase is finished.",
}
_RUNS_COMMANDS = ("exec", "x")
_MARKERS = (b"<<<<<<< ", b">>>>>>> ")
_LISTED = 5

Take = Literal["ours", "theirs", "as_is"]


@dataclass(frozen=True)
class Conflicts:
    """The operation that is open in a lane, with its conflicts. `ours` is what the lane's files are merged into,
    `theirs` what is applied to it."""

    operation: str
    ours: str
    theirs: str
    files: tuple[ConflictFile, ...]


def conflicts_in(folder: Path) -> Conflicts:
    """The files in conflict, resolved ones of the same step too, by path. Blocking.

    Raises:
        GitError: git could not tell.
    """
    git, operation = Git(folder), operation_in(folder)
    open_ones = _stages(git, "--unmerged")
    done = {path: sides for path, sides in _stages(git, "--resolve-undo").items() if path not in open_ones}
    files = [_file(git, path, sides, resolved=False) for path, sides in open_ones.items()]
    files += [_file(git, path, sides, resolved=True) for path, sides in done.items()]
    files.sort(key=lambda file: file.path)
    return Conflicts(operation, _ours(git, operation), _theirs(git, operation), tuple(files[:MAX_FILES]))


def resolve(folder: Path, path: str, take: Take) -> None:
    """Take one side of a file in conflict, or what stands in the folder now. Blocking.

    Raises:
        LaneError: it is not in conflict, or still has the marks of one; nothing was changed.
        GitError: git failed.
    """
    git = Git(folder)
    sides = _stages(git, "--unmerged").get(path)
    if sides is None:
        raise LaneError(f"{path} is not in conflict any more.")
    if take == "as_is":
        if _has_marks(folder / path):
            raise LaneError(f"{path} still has conflict marks (<<<<<<<). Edit it first, or take one side.")
        _stage(git, [path])
        return
    side = sides.get(_SIDES[take])
    if side is None:
        _remove(folder, path)
        git.run_on_files_now("update-index", "--force-remove", "-z", "--stdin", given=_nul([path]))
        return
    mode, oid = side
    given = f"{mode} {oid} 0\t".encode() + os.fsencode(path) + b"\0"
    git.run_on_files_now("update-index", "-z", "--index-info", given=_cleared(path, oid) + given)
    git.run_on_files_now("checkout-index", "-f", "-z", "--stdin", given=_nul([path]))


def go_on(folder: Path) -> str:
    """Go on with the operation that is open in the lane; its result as a sentence. Files of the lane that git tracks
    count as they are now.

    Blocking.

    Raises:
        LaneError: files are still in conflict, or it would run commands; nothing was changed.
        GitError: git failed, with its words.
    """
    git, operation = Git(folder), operation_in(folder)
    command = _command(operation, "--continue")
    if left := sorted(_stages(git, "--unmerged")):
        if len(left) == 1:
            raise LaneError(f"Still in conflict: {left[0]}. Resolve it first.")
        raise LaneError(f"Still in conflict: {', '.join(left[:_LISTED])}. Resolve them first.")
    _refuse_commands(folder)
    git.run_now("update-index", "-q", "--refresh", check=False, config=git.emptied_filters(), limit_s=STATUS_LIMIT_S)
    changed = git.run_on_files_now("diff-files", "--name-only", "-z", "--ignore-submodules=dirty").names
    _stage(git, changed)
    person = person_identity(git)
    if operation != "merge":  # the author of a commit that is replayed stays who it was
        person = {name: value for name, value in person.items() if name.startswith("GIT_COMMITTER")}
    done = Git(folder, person).run_now(*command, limit_s=REBASE_LIMIT_S, check=False, config=merge_settings(git))
    left = sorted(_stages(git, "--unmerged"))
    if left:
        return f"The next commit is in conflict: {', '.join(left[:_LISTED])}."
    if done.status != 0:
        words = done.stderr.strip() or done.stdout.strip()
        raise GitError(f"git {operation} could not go on: {words}", stderr=done.stderr, status=done.status)
    return _FINISHED_TOLD[operation]


def take_back(folder: Path) -> str:
    """Take back what is open, so that the lane stands where it stood before; what came of it. Blocking.

    Raises:
        LaneError: nothing is open that could be taken back.
        GitError: git failed, or the lane is not as it was before; the sentence says how.
    """
    git, operation = Git(folder), operation_in(folder)
    before, branch = _before(folder, operation), _branch_before(folder)
    done = git.run_now(*_command(operation, "--abort"), limit_s=REBASE_LIMIT_S, check=False, config=merge_settings(git))
    if done.status != 0 or operation_in(folder):
        raise GitError(f"git {operation} could not be taken back: {done.stderr.strip()}", stderr=done.stderr)
    head = commit_id(git, "HEAD")
    ref = git.run_now("symbolic-ref", "--quiet", "HEAD", check=False).stdout.strip()
    staged = git.run_on_files_now("write-tree").stdout.strip()
    tree = git.run_now("rev-parse", "HEAD^{tree}").stdout.strip()
    if (before and head != before) or (branch and ref != branch) or (operation == "rebase" and staged != tree):
        raise GitError(
            f"After taking back the {operation}, the lane stands at {head[:7]} and not as before. Look at it."
        )
    return f"The {operation} was taken back. The lane stands at {head[:7]} again."


def base_of_open_rebase(folder: Path) -> str:
    """The commit that the open rebase puts the lane on, "" when none is open."""
    own, _ = git_folders(folder)
    return read_pointer(own / "rebase-merge" / "onto") or read_pointer(own / "rebase-apply" / "onto")


def is_open_rebase(lane: Lane, before: str, onto: str) -> bool:
    """Whether this rebase is open in the lane: of its branch, which stands at `before`, onto `onto`. Blocking.

    Raises:
        GitError: git could not tell.
    """
    folder = Path(lane.worktree_path)
    if operation_in(folder) != "rebase" or base_of_open_rebase(folder) != onto:
        return False
    return _branch_before(folder) == f"refs/heads/{lane.branch}" and _before(folder, "rebase") == before


def _command(operation: str, word: str) -> tuple[str, str]:
    if operation not in _HEADS:
        what = f"A {operation} is open in this lane; end it in a terminal." if operation else "Nothing is open here."
        raise LaneError(what)
    return operation, word


def _refuse_commands(folder: Path) -> None:
    own, _ = git_folders(folder)
    todo = read_pointer(own / "rebase-merge" / "git-rebase-todo", MAX_SIDE_BYTES)
    if any(line.split(" ", 1)[0] in _RUNS_COMMANDS for line in todo.splitlines()):
        raise LaneError("This rebase would run commands. Go on with it in a terminal.")


def _before(folder: Path, operation: str) -> str:
    own, _ = git_folders(folder)
    if operation == "rebase":
        return read_pointer(own / "rebase-merge" / "orig-head") or read_pointer(own / "rebase-apply" / "orig-head")
    return commit_id(Git(folder), "HEAD") if operation == "merge" else ""


def _branch_before(folder: Path) -> str:
    own, _ = git_folders(folder)
    named = read_pointer(own / "rebase-merge" / "head-name") or read_pointer(own / "rebase-apply" / "head-name")
    return named if named.startswith("refs/heads/") else ""


def _stages(git: Git, which: str) -> dict[str, dict[str, tuple[str, str]]]:
    """By path, then by side (1 base, 2 ours, 3 theirs): mode and id."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for line in git.run_now("ls-files", which, "-z", limit_s=STATUS_LIMIT_S).names:
        head, _, path = line.partition("\t")
        mode, oid, side = head.split(" ")
        found.setdefault(path, {})[side] = (mode, oid)
    return found


def _file(git: Git, path: str, sides: dict[str, tuple[str, str]], *, resolved: bool) -> ConflictFile:
    texts = {side: _text(git, mode, oid) for side, (mode, oid) in sides.items()}
    return ConflictFile(
        path=path,
        base=texts.get("1"),
        ours=texts.get("2"),
        theirs=texts.get("3"),
        resolved=resolved,
        note=_note(sides, texts),
    )


def _text(git: Git, mode: str, oid: str) -> str | None:
    if mode == _MODULE:
        return None
    size = git.run_now("cat-file", "-s", oid).stdout.strip()
    if not size.isdecimal() or int(size) > MAX_SIDE_BYTES:
        return None
    raw = git.run_now("cat-file", "blob", oid).raw
    return None if b"\0" in raw else raw.decode("utf-8", "replace")


def _note(sides: dict[str, tuple[str, str]], texts: dict[str, str | None]) -> str:
    if any(mode == _MODULE for mode, _ in sides.values()):
        return "A submodule."
    if "2" not in sides or "3" not in sides:
        return "Deleted on one side, changed on the other."
    if any(mode == _LINK for mode, _ in sides.values()):
        return "A link."
    return "No text, or too large to show." if None in texts.values() else ""


def _ours(git: Git, operation: str) -> str:
    if operation != "rebase":
        return git.run_now("symbolic-ref", "--quiet", "--short", "HEAD", check=False).stdout.strip() or "HEAD"
    onto = base_of_open_rebase(git.folder)
    asked = ("for-each-ref", "--count=1", "--format=%(refname:short)", f"--points-at={onto}", "refs/heads")
    name = git.run_now(*asked, check=False).stdout.strip() if onto else ""
    return f"{name} {onto[:7]}".strip()


def _theirs(git: Git, operation: str) -> str:
    if operation not in _HEADS:
        return ""
    asked = ("log", "-1", "--no-show-signature", "--format=%h %s", "--abbrev=7", _HEADS[operation], "--")
    return git.run_now(*asked, check=False).stdout.strip()


def _remove(folder: Path, path: str) -> None:
    try:
        remove_file(LaneFiles(folder, name="lane"), path)
    except (OSError, PathError) as error:
        raise LaneError(f"{path} could not be removed: {error}.") from error


def _has_marks(path: Path) -> bool:
    try:
        if path.is_symlink() or not path.is_file():
            return False
        with path.open("rb") as file:
            found = {mark for line in file for mark in _MARKERS if line.startswith(mark)}
    except OSError:
        return False
    return len(found) == len(_MARKERS)


def _stage(git: Git, paths: list[str]) -> None:
    """What stands in the folder, into the index; as it is, so files of a person's own filter are refused."""
    if not paths:
        return
    if through := filtered(git, paths):
        raise LaneError(f"{through[0]} goes through a filter of Git. Resolve it in a terminal.")
    git.run_on_files_now("update-index", "--add", "--remove", "-z", "--stdin", given=_nul(paths))


def _cleared(path: str, oid: str) -> bytes:
    return b"0 " + b"0" * len(oid) + b"\t" + os.fsencode(path) + b"\0"


def _nul(paths: list[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)
