"""Bringing a lane back from its snapshot: worktree, branch, staged files, working files, an operation under way."""

import contextlib
import os
import subprocess
from pathlib import Path

from desktop.domain.core.errors import BanksmanError, GitError, LaneError
from desktop.records import dataclass
from desktop.services.files.folder_handles import CREATE_FLAGS
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import NO_FETCH, WORKTREE_LIMIT_S, Git, git_environment
from desktop.services.git.trees.listing import (
    EXECUTABLE,
    LINK,
    MAX_FILE_BYTES,
    SUBMODULE,
    LaneTree,
    TreeEntry,
    TreeReader,
)
from desktop.services.git.worktree_place import WorktreePlace, common_folder, find_place, registered
from desktop.services.history.refs import CheckpointRefs
from desktop.services.history.restore import Restorer, is_temporary
from desktop.services.lanes.endings.ignored import is_copy
from desktop.services.lanes.endings.snapshot import NO_LIMIT, LaneSnapshot, commit_of
from desktop.services.lanes.git_state import INDEX_NAME, LOG_NAME, STATE_FOLDER

_MAX_SUFFIX = 99
_BATCH_LIMIT_S = 600.0


@dataclass(frozen=True)
class RestoredLane:
    """The lane as it was restored. `branch`: "" when detached; it has a new suffix when its name was taken."""

    folder: Path
    branch: str
    notices: tuple[str, ...] = ()


def restore_lane(project_path: str, snapshot: LaneSnapshot) -> RestoredLane:
    """The lane stands again as the snapshot holds it; nothing that exists is replaced. Blocking.

    Raises:
        GitError, LaneError: it could not be brought back; what this call made is removed, the snapshot is kept.
    """
    git = Git(common_folder(project_path), NO_FETCH)
    folder = _free_folder(Path(snapshot.lane.worktree_path), registered(git.folder))
    branch, made_branch = _branch(git, snapshot)
    added = False
    try:
        notices = _add(git, snapshot, folder, branch)
        added = True
        _fill(project_path, snapshot, folder)
    except (BanksmanError, OSError) as error:
        if added:
            git.run_now("worktree", "remove", "--force", str(folder), limit_s=WORKTREE_LIMIT_S, check=False)
        if made_branch:
            git.run_now("update-ref", "-d", f"refs/heads/{branch}", snapshot.branch_oid, check=False)
        raise LaneError(f"The lane '{snapshot.lane.name}' could not be brought back: {error}") from error
    if branch and snapshot.upstream and made_branch:
        git.run_now("branch", f"--set-upstream-to={snapshot.upstream}", "--end-of-options", branch, check=False)
    renamed = f'Its branch is "{branch}" now, because "{snapshot.lane.branch}" is taken.'
    said = (renamed,) if branch != snapshot.lane.branch and branch else ()
    return RestoredLane(folder, branch, (*said, *notices))


def _add(git: Git, snapshot: LaneSnapshot, folder: Path, branch: str) -> tuple[str, ...]:
    """Make the empty worktree; sentences about what is not as it was."""
    start = snapshot.head or snapshot.branch_oid
    if not start:
        raise LaneError("The snapshot holds no commit to start from.")
    target, notices = _head(git, snapshot, branch, start)
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    git.run_now(
        "worktree",
        "add",
        "--no-checkout",
        *target[:-1],
        "--end-of-options",
        str(folder),
        target[-1],
        limit_s=WORKTREE_LIMIT_S,
    )
    return notices


def _fill(project_path: str, snapshot: LaneSnapshot, folder: Path) -> None:
    place = find_place(project_path, str(folder))
    if place is None:
        raise LaneError("git does not know the new worktree.")
    _put_index(place, snapshot)
    fill_files(place, snapshot.lane.id, snapshot.commit)
    _put_state(place, snapshot)


def _head(git: Git, snapshot: LaneSnapshot, branch: str, start: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What `worktree add` is given so that HEAD is what it was."""
    if snapshot.branch and snapshot.branch == snapshot.lane.branch and branch:
        return (branch,), ()
    if snapshot.branch and commit_of(git, f"refs/heads/{snapshot.branch}") == start:
        if snapshot.branch not in _checked_out(git):
            return (snapshot.branch,), ()
        return ("--detach", start), (f'It is on no branch now: "{snapshot.branch}" is open elsewhere.',)
    return ("--detach", start), ()


def _branch(git: Git, snapshot: LaneSnapshot) -> tuple[str, bool]:
    """The lane's own branch, made anew when it is gone, with a suffix when the name is taken."""
    wanted, oid = snapshot.lane.branch, snapshot.branch_oid
    if not wanted or not oid:
        return "", False
    there = commit_of(git, f"refs/heads/{wanted}")
    if there == oid and wanted not in _checked_out(git):
        return wanted, False
    for name in (wanted, *(f"{wanted}-{number}" for number in range(2, _MAX_SUFFIX + 1))):
        if not commit_of(git, f"refs/heads/{name}"):
            git.run_now("update-ref", "--create-reflog", f"refs/heads/{name}", oid, "0" * len(oid))
            return name, True
    raise LaneError(f'There are too many branches named like "{wanted}".')


def _checked_out(git: Git) -> set[str]:
    lines = git.run_now("worktree", "list", "--porcelain", "-z").names
    return {line.removeprefix("branch refs/heads/") for line in lines if line.startswith("branch ")}


def _free_folder(wanted: Path, places: list[tuple[Path, Path]]) -> Path:
    """Where nothing stands and git knows of nothing that stood there."""
    known = {os.path.realpath(pointer.parent) for _, pointer in places}
    for folder in (wanted, *(wanted.with_name(f"{wanted.name}-{number}") for number in range(2, _MAX_SUFFIX + 1))):
        if not os.path.lexists(folder) and os.path.realpath(folder) not in known:
            return folder
    raise LaneError(f"There is no free folder beside '{wanted}'.")


def _put_index(place: WorktreePlace, snapshot: LaneSnapshot) -> None:
    git, index = place.git(), place.git_folder / "index"
    raw = git.run_now("cat-file", "blob", f"{snapshot.state}:{INDEX_NAME}", check=False)
    if raw.status == 0:
        index.write_bytes(raw.raw)
        if git.run_now("ls-files", "--stage", "-z", check=False, limit_s=WORKTREE_LIMIT_S).status == 0:
            return
        index.unlink()
    git.run_now("read-tree", snapshot.index or snapshot.head or snapshot.branch_oid, limit_s=WORKTREE_LIMIT_S)


def undo_half_made(project_path: str, snapshot: LaneSnapshot, kept: Path) -> None:
    """Remove the worktree of a restore that a crash cut off, if everything in it is in the snapshot or among the copies
    in `kept`. Blocking.

    Raises:
        GitError: it could not be looked at.
        LaneError: it holds something else; it stays.
    """
    place = find_place(project_path, snapshot.lane.worktree_path)
    if place is None:
        return
    entries, _ = _entries(place.git(), snapshot.commit)
    there = [path for path in _paths(place.folder) if not is_temporary(path)]
    reader = TreeReader(LaneFiles(place.folder), _format(place), max_file_bytes=NO_LIMIT)
    found = reader.read(there, max_files=NO_LIMIT).entries
    strange = [path for path in there if path not in entries or found.get(path) != entries[path]]
    if other := sorted(path for path in strange if not is_copy(kept, place.folder, path)):
        raise LaneError(f"'{place.folder}' holds {other[0]}, which the snapshot does not. It was left as it is.")
    Git(place.common).run_now("worktree", "remove", "--force", str(place.folder), limit_s=WORKTREE_LIMIT_S)


def _paths(folder: Path) -> list[str]:
    found = []
    for parent, folders, names in os.walk(folder):
        links = [name for name in folders if Path(parent, name).is_symlink()]
        found += [Path(parent, name).relative_to(folder).as_posix() for name in (*names, *links)]
    return [path for path in found if path != ".git"]


def _format(place: WorktreePlace) -> str:
    return CheckpointRefs(place.folder, "", environment=place.environment).object_format()


def fill_files(place: WorktreePlace, lane_id: str, commit: str) -> None:
    """The empty folder of a worktree has exactly the files of this commit, raw. Blocking.

    Raises:
        GitError, LaneError, NotPutBack: a file could not be written.
    """
    files = LaneFiles(place.folder)
    refs = CheckpointRefs(place.folder, lane_id, environment=place.environment)
    reader = TreeReader(files, refs.object_format(), max_file_bytes=NO_LIMIT)
    entries, large = _entries(place.git(), commit)
    small = {path: entry for path, entry in entries.items() if path not in large}
    Restorer(files, refs, reader).put_back(LaneTree(small), LaneTree({}))
    for path in large:
        _stream(place, path, entries[path])
    for path in _submodules(place):
        with contextlib.suppress(OSError):  # something else stands there
            (place.folder / path).mkdir(parents=True, exist_ok=True)
    wanted = {path: entry for path, entry in entries.items() if entry.mode != SUBMODULE}
    found = reader.read(wanted, max_files=NO_LIMIT).entries
    if wrong := sorted(path for path, entry in wanted.items() if found.get(path) != entry):
        raise LaneError(f"{wrong[0]} is not what was kept.")


def _submodules(place: WorktreePlace) -> list[str]:
    """Where the index has submodules: their folders are empty in a worktree until somebody fills them."""
    staged = place.git().run_now("ls-files", "--stage", "-z", limit_s=WORKTREE_LIMIT_S).names
    return [line.partition("\t")[2] for line in staged if line.startswith(f"{SUBMODULE} ")]


def _entries(git: Git, commit: str) -> tuple[dict[str, TreeEntry], frozenset[str]]:
    """The files of a snapshot, and those of them that are too large for the memory."""
    entries, large = {}, set()
    for line in git.run_now("ls-tree", "-r", "-l", "-z", "--full-tree", commit, limit_s=WORKTREE_LIMIT_S).names:
        head, _, path = line.partition("\t")
        mode, _, oid, size = head.split()
        entries[path] = TreeEntry(mode, oid)
        if size.isdecimal() and int(size) > MAX_FILE_BYTES and mode != LINK:
            large.add(path)
    return entries, frozenset(large)


def _stream(place: WorktreePlace, path: str, entry: TreeEntry) -> None:
    """Write a large file piece by piece."""
    target = place.folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(target, CREATE_FLAGS, 0o777 if entry.mode == EXECUTABLE else 0o666)
    try:
        subprocess.run(
            ["git", "cat-file", "blob", entry.oid],
            cwd=place.common,
            env={**git_environment(), **place.environment},
            stdin=subprocess.DEVNULL,
            stdout=fd,
            stderr=subprocess.DEVNULL,
            timeout=_BATCH_LIMIT_S,
            check=True,
        )
    except (subprocess.SubprocessError, OSError) as error:
        raise GitError(f"{path} could not be written: {error}.") from error
    finally:
        os.close(fd)


def _put_state(place: WorktreePlace, snapshot: LaneSnapshot) -> None:
    """An operation that was under way is under way again, and the log of HEAD goes on where it was."""
    git = place.git()
    prefix = f"{STATE_FOLDER}/"
    for line in git.run_now("ls-tree", "-r", "-z", "--full-tree", snapshot.state).names:
        head, _, path = line.partition("\t")
        if not path.startswith(prefix) or ".." in path.split("/"):
            continue
        target = place.git_folder / path.removeprefix(prefix)
        data = git.run_now("cat-file", "blob", head.split(" ")[2]).raw
        with contextlib.suppress(FileExistsError):
            target.parent.mkdir(parents=True)
        since = target.read_bytes() if path == f"{STATE_FOLDER}/{LOG_NAME}" and target.is_file() else b""
        target.write_bytes(data + since)
