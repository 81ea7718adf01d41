"""The facts needed before a commit: who makes it, on which branch, and whether the last one may be amended."""

import os
from pathlib import Path

from desktop.domain.core.errors import GitError
from desktop.services.git.reads import Repository
from desktop.services.git.run import Git

COMMIT_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction")
MARK = "commit (banksman)"
"""How the reflog names a commit that Banksman made."""
NO_IDENTITY = (
    "Git does not know who you are. Set your name and e-mail, for instance in a terminal: "
    'git config --global user.name "Your Name"; git config --global user.email you@example.org'
)


def head_branch(git: Git) -> str:
    """The branch that is checked out. Raises GitError on a detached HEAD."""
    found = git.run_now("symbolic-ref", "--quiet", "HEAD", check=False).stdout.strip()
    if not found.startswith("refs/heads/"):
        raise GitError("This lane is on no branch (its HEAD is detached), so there is nothing to commit to.")
    return found.removeprefix("refs/heads/")


def head_commit_id(git: Git) -> str:
    """The last commit; "" when there is none yet."""
    return git.run_now("rev-parse", "--verify", "--quiet", "HEAD^{commit}", check=False).stdout.strip()


def person_identity(git: Git) -> dict[str, str]:
    """Variables that make a commit the person's: of their own configuration, else of the repository's.

    Raises:
        GitError: neither knows a name and an e-mail address.
    """
    for scope in (("--global", "--includes"), ("--local", "--includes")):
        name, email = (_setting(git, scope, key) for key in ("user.name", "user.email"))
        if name and email:
            return {
                "GIT_AUTHOR_NAME": name,
                "GIT_AUTHOR_EMAIL": email,
                "GIT_COMMITTER_NAME": name,
                "GIT_COMMITTER_EMAIL": email,
            }
    raise GitError(NO_IDENTITY)


def parents_and_author(git: Git, commit_id: str) -> tuple[list[str], dict[str, str]]:
    """The parents of a commit, and the variables that keep its author."""
    shown = git.run_now(
        "log", "-1", "--no-show-signature", "--encoding=UTF-8", "--date=raw", "--format=%P%n%an%n%ae%n%ad", commit_id
    ).stdout
    parents, name, email, date = shown.rstrip("\n").split("\n")
    return parents.split(), {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": email, "GIT_AUTHOR_DATE": f"@{date}"}


def check_unpushed(git: Git, head: str) -> None:
    """Raises GitError when there is no last commit, or when a remote has it already."""
    if not head:
        raise GitError("There is no commit to amend yet.")
    if not git.run_now("rev-list", "--max-count=1", head, "--not", "--remotes", "--").stdout.strip():
        raise GitError("The last commit was pushed already, so it cannot be amended. Make a new one.")


def check_amend(git: Git, repository: Repository, branch: str, head: str) -> None:
    """Raises GitError unless the last commit was made in this lane and nobody else has it.

    Raises:
        GitError: it was pushed, is on another branch or tag, or was not made here.
    """
    check_unpushed(git, head)
    others = [ref for ref in _held_by(git, head, "refs/heads", "refs/tags") if ref != f"refs/heads/{branch}"]
    in_lane = repository.git_folder.resolve() != repository.shared_folder.resolve()
    if others or not (in_lane or _made_here(git, branch)):
        raise GitError("The last commit was not made in this lane, so it cannot be amended. Make a new one.")


def hooks_present(git: Git, root: Path, repository: Repository) -> tuple[str, ...]:
    """The hooks that a commit would run if git were called by hand."""
    folder = repository.shared_folder / "hooks"
    listed = git.run_now("config", "--show-scope", "--path", "--get-all", "-z", "core.hooksPath", check=False).names
    values = [value for scope, value in zip(listed[0::2], listed[1::2], strict=False) if scope != "command"]
    if values:
        folder = root / values[-1]
    return tuple(name for name in COMMIT_HOOKS if os.access(folder / name, os.X_OK))


def person_filters(git: Git) -> frozenset[str]:
    """The filters of the person's own configuration. `lfs` counts as one: it is usually set up for the computer."""
    listed = git.run_now("config", "--global", "--includes", "--list", "--name-only", "-z", check=False).names
    return frozenset({"lfs", *(key.split(".", 1)[1].rpartition(".")[0] for key in listed if key.startswith("filter."))})


def lane_filters(git: Git, used: frozenset[str]) -> tuple[str, ...]:
    """Those of the `used` filters that the repository's settings define."""
    listed = git.run_now("config", "--list", "--name-only", "-z", check=False).names
    known = {key.split(".", 1)[1].rpartition(".")[0] for key in listed if key.startswith("filter.")}
    return tuple(sorted(used & known))


def _setting(git: Git, scope: tuple[str, ...], key: str) -> str:
    return git.run_now("config", *scope, "--get", key, check=False).stdout.strip()


def _held_by(git: Git, commit_id: str, *namespaces: str) -> list[str]:
    listed = git.run_now("for-each-ref", "--format=%(refname)", f"--contains={commit_id}", *namespaces)
    return listed.stdout.splitlines()


def _made_here(git: Git, branch: str) -> bool:
    latest = git.run_now("log", "-g", "-1", "--no-show-signature", "--format=%gs", f"refs/heads/{branch}", check=False)
    return latest.stdout.startswith(MARK)
