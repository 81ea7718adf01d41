"""The folders in which git keeps a worktree: its files, its own git folder, the shared one. The `.git` file is not
believed."""

import os
from pathlib import Path

from desktop.domain.core.errors import GitError
from desktop.records import dataclass
from desktop.services.files.pointers import git_folders, read_pointer
from desktop.services.git.run import NO_FETCH, Git

_FLUSHED = {"GIT_CONFIG_PARAMETERS": "'core.fsync=all' 'fastimport.unpackLimit=1'"}


@dataclass(frozen=True)
class WorktreePlace:
    """`folder`: the files. `git_folder`: what git keeps of this worktree alone; `common`: what all of them share."""

    folder: Path
    git_folder: Path
    common: Path

    @property
    def environment(self) -> dict[str, str]:
        """For git calls that mean this worktree whatever its `.git` file says, and that are on the disk when done."""
        return {"GIT_DIR": str(self.git_folder), "GIT_WORK_TREE": str(self.folder), **NO_FETCH, **_FLUSHED}

    def git(self, extra: dict[str, str] | None = None) -> Git:
        """git in this worktree; in the shared folder when the files are gone."""
        there = self.folder if self.folder.is_dir() else self.common
        return Git(there, {**self.environment, **(extra or {})})

    def at(self, folder: Path) -> "WorktreePlace":
        """The place of the same worktree after its folder was renamed to this one."""
        return WorktreePlace(folder, self.git_folder, self.common)


def common_folder(project_path: str) -> Path:
    """The git folder that all worktrees of a repository share, without starting git. Blocking.

    Raises:
        GitError: this is no repository any more.
    """
    try:
        return git_folders(Path(project_path))[1]
    except (OSError, ValueError) as error:
        raise GitError(f"'{project_path}' is no git repository any more: {error}.") from error


def is_shallow(folder: Path) -> bool:
    """Whether the history ends early in the repository of this worktree: git has a file that says where. Blocking.

    Raises:
        GitError: this is no repository any more.
    """
    return (common_folder(str(folder)) / "shallow").is_file()


def find_place(project_path: str, worktree_path: str) -> WorktreePlace | None:
    """The worktree that git has registered at this path; None: it has none there. Blocking.

    Raises:
        GitError: the repository cannot be read.
    """
    common = common_folder(project_path)
    wanted = os.path.realpath(worktree_path)
    for git_folder, pointer in registered(common):
        if os.path.realpath(pointer.parent) == wanted:
            return WorktreePlace(Path(worktree_path), git_folder, common)
    return None


def registered(common: Path) -> list[tuple[Path, Path]]:
    """The git folder of every linked worktree, with the path of the `.git` file that it belongs to.

    Raises:
        GitError: they cannot be listed.
    """
    try:
        found = sorted((common / "worktrees").iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise GitError(f"The worktrees of this repository cannot be listed: {error}.") from error
    pairs = ((folder, first_line(folder / "gitdir")) for folder in found)
    return [(folder, Path(folder, pointer)) for folder, pointer in pairs if pointer]


def pointer_of(folder: Path) -> str:
    """The git folder that the `.git` file of a worktree names, "" where there is none."""
    line = first_line(folder / ".git")
    return line.removeprefix("gitdir:").strip() if line.startswith("gitdir:") else ""


def first_line(path: Path) -> str:
    """The first line of a small file, "" when it is no regular file or cannot be read."""
    try:
        lines = "" if path.is_symlink() else read_pointer(path)
    except OSError:
        return ""
    return next(iter(lines.splitlines()), "").strip()


def lock_reason(git_folder: Path) -> str | None:
    """Why git keeps this worktree locked, "" for no reason given; None: it is not locked."""
    lock = git_folder / "locked"
    if not lock.exists():
        return None
    try:
        return lock.read_text("utf-8", "replace").strip()
    except OSError:
        return ""
