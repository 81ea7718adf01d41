"""Opening a repository: which project a folder belongs to, and whether work can start in it."""

import asyncio
import hashlib
import re
from pathlib import Path

from desktop.domain.core.errors import CommandError, GitError, one_line
from desktop.domain.core.work import Project
from desktop.services.git.reader import RepoReader
from desktop.services.git.run import Git, head_commit

OLDEST_GIT = (2, 38)
_NO_REPOSITORY = "not a git repository"


async def open_project(path: Path) -> Project:
    """The repository that holds `path`, its primary checkout as the path.

    Raises:
        CommandError: not a folder, not a repository, bare, git missing or too old. The text says what to do.
    """
    if not path.is_dir():
        raise CommandError("not_a_folder", f"'{path}' is not a folder. Open a folder that holds a git repository.")
    git = Git(path)
    checked, places = await asyncio.gather(check_git(git), _places(git), return_exceptions=True)
    if isinstance(checked, BaseException):
        raise checked
    if isinstance(places, BaseException):
        raise places
    top, common = places
    folder = _primary_checkout(common, top)
    branch = await asyncio.to_thread(RepoReader(folder).branch)
    return Project(id=project_id(common), name=folder.name, path=str(folder), branch=branch)


def project_id(common_folder: Path) -> str:
    """The id of a project, the same for all worktrees of a repository: made of its common git folder."""
    return resolved_project_id(str(common_folder.resolve()))


def resolved_project_id(common_folder: str) -> str:
    """`project_id` of a path that is known to hold no link."""
    return "prj_" + hashlib.sha256(common_folder.encode()).hexdigest()[:16]


async def start_problem(project: Project) -> str:
    """Why no chat can start in this project, "" if one can."""
    folder = Path(project.path)
    if head_commit(folder):
        return ""
    head = await Git(folder).run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", check=False)
    if head.status != 0:
        return "This repository has no commit yet. Make a first commit, then open it again."
    return ""


async def check_git(git: Git) -> None:
    """Raises CommandError when git is missing or older than 2.38 (lanes-G1)."""
    try:
        printed = (await git.run("--version")).stdout
    except GitError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            text = "git was not found. Install git 2.38 or newer and start again."
        else:
            text = f"git does not work here: {error} Try 'git --version' in a terminal."
        raise CommandError("no_git", text) from error
    numbers = re.search(r"(\d+)\.(\d+)", printed)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < OLDEST_GIT:
        found = numbers[0] if numbers else printed.strip()
        raise CommandError("old_git", f"Banksman needs git 2.38 or newer; found {found}.")


async def _places(git: Git) -> tuple[Path, Path]:
    """The top folder of the worktree, and the git folder that all worktrees share."""
    try:
        printed = (await git.run("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")).stdout
    except GitError as error:
        if "must be run in a work tree" in error.stderr:
            raise CommandError(
                "bare", f"'{git.folder}' is a bare repository. Open a clone with a working tree."
            ) from error
        if "dubious ownership" in error.stderr:
            raise CommandError("ownership", f"git refuses '{git.folder}': {one_line(error.stderr)}") from error
        if _NO_REPOSITORY not in error.stderr:
            raise CommandError(
                "git_refuses", f"git cannot use '{git.folder}': {one_line(error.stderr) or error}"
            ) from error
        raise CommandError(
            "not_a_repository",
            f"'{git.folder}' is not a git repository. Open another folder, or run 'git init' and make a first commit.",
        ) from error
    top, _, common = printed.removesuffix("\n").rpartition("\n")
    if "\n" in top:  # a line end in a name: each place alone can still be told
        top = (await git.run("rev-parse", "--path-format=absolute", "--show-toplevel")).stdout.removesuffix("\n")
        common = (await git.run("rev-parse", "--path-format=absolute", "--git-common-dir")).stdout.removesuffix("\n")
    return Path(top), Path(common)


def _primary_checkout(common: Path, top: Path) -> Path:
    return common.parent if common.name == ".git" else top
