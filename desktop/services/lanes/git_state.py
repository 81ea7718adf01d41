"""The state that git keeps of one worktree beside its files: index, an operation under way, commits that only its logs
name."""

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from desktop.domain.core.errors import GitError
from desktop.records import dataclass
from desktop.services.files.leftovers import passing_prefix
from desktop.services.git.index_copy import copy_index
from desktop.services.git.run import STATUS_LIMIT_S, WORKTREE_LIMIT_S, Git
from desktop.services.git.worktree_place import WorktreePlace

MAX_PARENTS = 500
INDEX_NAME, LOG_NAME = "index", "logs/HEAD"
STATE_FOLDER, STAGES_FOLDER = "git", "stages"
_STATE_FILES = (
    "MERGE_HEAD",
    "MERGE_MODE",
    "MERGE_MSG",
    "AUTO_MERGE",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "ORIG_HEAD",
    "SQUASH_MSG",
    "BISECT_LOG",
    "BISECT_START",
    "BISECT_NAMES",
    "BISECT_TERMS",
    "BISECT_EXPECTED_REV",
    LOG_NAME,
)
_STATE_FOLDERS = ("rebase-merge", "rebase-apply", "sequencer")
_IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Banksman"), ("EMAIL", "trash@banksman.invalid"))
}
_MODE = "100644"


@dataclass(frozen=True)
class GitState:
    """`index`: a commit of the staged files, "" when there is no index or it holds conflicts. `state`: a commit that
    holds the raw index, files of an operation under way, and as parents every commit that nothing else may name."""

    index: str
    state: str


def keep_git_state(place: WorktreePlace, also: tuple[str, ...] = ()) -> GitState:
    """Write it as commits; no ref names them yet. `also`: commits that must stay. Blocking.

    Raises:
        GitError: git could not read or write it; nothing was changed.
    """
    with tempfile.TemporaryDirectory(prefix=passing_prefix()) as scratch:
        index = _whole_index(place, Path(scratch))
        entries = {f"{STATE_FOLDER}/{name}": _blob(place.git(), path) for name, path in state_files(place.git_folder)}
        index_commit = ""
        if index is not None:
            entries[INDEX_NAME] = _blob(place.git(), index)
            own = place.git({"GIT_INDEX_FILE": str(index)})
            conflicts = _unmerged(own)
            entries |= conflicts
            if not conflicts:
                tree = own.run_now("write-tree", limit_s=WORKTREE_LIMIT_S).stdout.strip()
                index_commit = make_commit(place, tree, (), "Staged files of a lane\n")
        tree = _tree_of(place, entries, Path(scratch))
    tips = _tips(place, also)
    while len(tips) > MAX_PARENTS:
        groups = [tips[at : at + MAX_PARENTS] for at in range(0, len(tips), MAX_PARENTS)]
        tips = tuple(make_commit(place, tree, group, "Commits of a lane\n") for group in groups)
    return GitState(index_commit, make_commit(place, tree, tips, "What git kept of a lane\n"))


def make_commit(place: WorktreePlace, tree: str, parents: tuple[str, ...], message: str) -> str:
    """The id of a new commit that no ref names."""
    words = [word for parent in parents for word in ("-p", parent)]
    config = {"i18n.commitEncoding": "UTF-8"}
    made = place.git(_IDENTITY).run_now("commit-tree", tree, *words, "-F", "-", config=config, given=message.encode())
    return made.stdout.strip()


def state_files(git_folder: Path) -> Iterator[tuple[str, Path]]:
    """Names and paths of the files that git keeps of an operation in this worktree."""
    for name in _STATE_FILES:
        if _is_file(git_folder / name):
            yield name, git_folder / name
    for folder in _STATE_FOLDERS:
        for parent, _, names in os.walk(git_folder / folder):
            for name in sorted(names):
                path = Path(parent, name)
                if _is_file(path):
                    yield path.relative_to(git_folder).as_posix(), path


def last_logged_commit(place: WorktreePlace) -> str:
    """The commit that HEAD of this worktree was at last, by its log; "" when there is none."""
    try:
        lines = (place.git_folder / "logs" / "HEAD").read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    words = lines[-1].split(" ", 2)[1:2] if lines else []
    return words[0] if words and _is_oid(words[0]) and words[0].strip("0") else ""


def _whole_index(place: WorktreePlace, scratch: Path) -> Path | None:
    """A copy of the index that needs no second file; None when there is no index."""
    if not _is_file(place.git_folder / "index"):
        return None
    copy = scratch / "index"
    try:
        copy_index(place.git_folder, copy)
    except OSError as error:
        raise GitError(f"The index of the lane cannot be read: {error}.") from error
    own = place.git({"GIT_INDEX_FILE": str(copy)})
    if any(place.git_folder.glob("sharedindex.*")):
        own.run_now("update-index", "--no-split-index", limit_s=WORKTREE_LIMIT_S)
    return copy


def _unmerged(own: Git) -> dict[str, tuple[str, str]]:
    """The sides of files in conflict, by where they stand in the state's tree."""
    entries = {}
    for line in own.run_now("ls-files", "--unmerged", "-z", limit_s=STATUS_LIMIT_S).names:
        head, _, path = line.partition("\t")
        mode, oid, side = head.split(" ")
        entries[f"{STAGES_FOLDER}/{side}/{path}"] = (mode, oid)
    return entries


def _blob(git: Git, path: Path) -> tuple[str, str]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise GitError(f"'{path.name}' of the lane cannot be read: {error}.") from error
    made = git.run_now("hash-object", "-w", "--no-filters", "--stdin", given=data, limit_s=WORKTREE_LIMIT_S)
    return _MODE, made.stdout.strip()


def _tree_of(place: WorktreePlace, entries: dict[str, tuple[str, str]], scratch: Path) -> str:
    own = place.git({"GIT_INDEX_FILE": str(scratch / "state")})
    given = b"".join(
        f"{mode} {oid}\t".encode() + os.fsencode(path) + b"\0" for path, (mode, oid) in sorted(entries.items())
    )
    own.run_now("update-index", "-z", "--index-info", given=given)
    return own.run_now("write-tree").stdout.strip()


def _tips(place: WorktreePlace, also: tuple[str, ...]) -> tuple[str, ...]:
    """Commits that no branch, tag or remote branch holds, and that this worktree's refs and logs name."""
    named = {*also, *_logged(place)}
    named |= {oid for name in _STATE_FILES if (oid := _commit_in(place.git_folder / name))}
    if not named:
        return ()
    git, given = place.git(), "".join(f"{oid}^{{commit}}\n" for oid in sorted(named)).encode()
    checked = git.run_now("cat-file", "--batch-check", given=given, limit_s=STATUS_LIMIT_S).stdout
    there = [words[0] for line in checked.splitlines() if len(words := line.split()) == 3 and words[1] == "commit"]
    if not there:
        return ()
    asked = "".join(f"{oid}\n" for oid in there).encode()
    known = ("--not", "--branches", "--remotes", "--tags")
    listed = git.run_now("rev-list", "--parents", "--stdin", *known, given=asked, limit_s=WORKTREE_LIMIT_S).stdout
    rows = [line.split() for line in listed.splitlines()]
    inner = {parent for row in rows for parent in row[1:]}
    tips = [row[0] for row in rows if row[0] not in inner]
    return tuple(dict.fromkeys([*(oid for oid in also if oid in there), *tips]))


def _logged(place: WorktreePlace) -> set[str]:
    """Every commit that the log of this worktree's HEAD names."""
    try:
        text = (place.git_folder / "logs" / "HEAD").read_text("utf-8", "replace")
    except OSError:
        return set()
    oids = {word for line in text.splitlines() for word in line.split(" ", 2)[:2] if _is_oid(word)}
    return {oid for oid in oids if oid.strip("0")}


def _commit_in(path: Path) -> str:
    try:
        word = path.read_text("utf-8", "replace").split()[:1] if _is_file(path) else []
    except OSError:
        return ""
    return word[0] if word and _is_oid(word[0]) else ""


def _is_oid(word: str) -> bool:
    return len(word) in (40, 64) and all(char in "0123456789abcdef" for char in word)


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False
