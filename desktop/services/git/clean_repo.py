"""GitPython that starts nothing and waits for nothing. Slow to import: `reader.py` does, late, on a worker thread."""

from functools import partial
from typing import Any

import git.config
import git.refs.symbolic
import git.repo.base
import git.repo.fun
from git import Reference, Repo
from git.cmd import Git as PlainGit

from desktop.domain.core.errors import GitError
from desktop.services.files.pointers import open_regular

# GitPython opens files by name. A pipe that was put in the place of one would hold the thread for ever.
for _module in (git.config, git.refs.symbolic, git.repo.base, git.repo.fun):
    vars(_module)["open"] = partial(open, opener=open_regular)


class CleanGit(PlainGit):
    """Starts git for nothing, so that it never gets the environment of this process."""

    def execute(self, command: Any, *_: Any, **_options: Any) -> Any:
        """Raises GitError: every command that GitPython would run comes here, and none is run."""
        raise GitError(f"git {' '.join(command[1:2])} is not for GitPython.")


class CleanRepo(Repo):
    """A repository whose git is the clean one."""

    GitCommandWrapperType = CleanGit


def names_below(repo: CleanRepo, folder: str) -> set[str]:
    """The full names of the refs below a folder of refs and of those beside it that begin alike, loose and packed."""
    return {str(ref.path) for ref in Reference.iter_items(repo, folder)}
