"""GitPython with our own way of starting git. Slow to import: `reader.py` does, late and on a worker thread."""

import subprocess
import sys
from typing import Any

from git import Commit, Reference, Repo
from git.cmd import Git as PlainGit

from desktop.domain.core.errors import GitError
from desktop.services.git.run import NO_FETCH, git_environment

ONLY = ["cat-file", "--batch"]
_NO_WINDOW = 0x08000000 if sys.platform == "win32" else 0  # CREATE_NO_WINDOW


class CleanGit(PlainGit):
    """Starts git for one thing only, to read objects by id, and never with the environment of this process."""

    def execute(self, command: Any, *_: Any, **_options: Any) -> Any:
        """Every call of GitPython comes here. Raises GitError for all but the one that reads objects."""
        if list(command[1:]) != ONLY:
            raise GitError(f"git {' '.join(command[1:2])} is not for GitPython.")
        started = subprocess.Popen(
            ["git", *ONLY],
            cwd=self.working_dir,
            env={**git_environment(), **NO_FETCH},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=_NO_WINDOW,
        )
        return self.AutoInterrupt(started, command)


class CleanRepo(Repo):
    """A repository whose git is the clean one."""

    GitCommandWrapperType = CleanGit


def names_below(repo: CleanRepo, folder: str) -> set[str]:
    """The full names of the refs below a folder of refs and of those beside it that begin alike, loose and packed."""
    return {str(ref.path) for ref in Reference.iter_items(repo, folder)}


def commit_in(repo: CleanRepo, oid: str) -> Commit | None:
    """The commit of this full id; None: the object of that id is none, or its message is not in UTF-8, which GitPython
    cannot always tell."""
    stream = repo.odb.stream(bytes.fromhex(oid))
    raw: bytes = stream.read()  # to its end: the next answer of the same git stands behind it
    head, _, message = raw.partition(b"\n\n")
    if stream.type != b"commit" or b"\nencoding " in head or "\ufffd" in message.decode("utf-8", "replace"):
        return None
    return Commit(repo, bytes.fromhex(oid))
