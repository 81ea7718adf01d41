"""Pushing a lane's branch: one branch to one remote, replacing there only what was last seen (lanes-G12)."""

import hashlib
import re
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from desktop.domain.core.errors import GitError, git_reason
from desktop.records import dataclass
from desktop.services.git.commit_facts import head_branch, head_commit_id
from desktop.services.git.login import Login, login_settings, no_login
from desktop.services.git.run import Git
from desktop.services.git.trees.merge import commit_id
from desktop.services.lanes.making.fetch import person_credentials, person_ssh

PUSH_LIMIT_S = 120.0
MAX_OUTPUT_BYTES = 1 << 20
NO_REMOTE = "This repository has no remote to push to. Add one in a terminal: git remote add origin <address>."
REWRITTEN = (
    "{remote} has commits on {branch} that this lane does not have any more. Push with “replace”, or bring them into "
    "the lane first."
)
_CONFIG = (
    "protocol.allow=never",
    "protocol.https.allow=always",
    "protocol.http.allow=always",
    "protocol.ssh.allow=always",
    "protocol.file.allow=always",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=30",
)
_OPTIONS = ("--porcelain", "--no-progress", "--no-signed", "--no-verify", "--no-follow-tags", "--no-force-if-includes")
_POINTERS = re.compile(rb"^[^#\n]*\bfilter=lfs\b", re.MULTILINE)


@dataclass(frozen=True)
class PushPlan:
    """The plan of pushing a branch. `seen`: the commit that the remote had last, "" when it never had the branch;
    `rewritten`: that commit is no longer part of the branch. `ahead`: commits the remote lacks, None when it has no
    such branch; `commits`: how many it lacks on all its branches; `replaced`: how many of the remote's a rewritten
    branch drops. `tracked`: its upstream is not to be set."""

    branch: str
    head: str
    remote: str
    address: str
    seen: str = ""
    rewritten: bool = False
    ahead: int | None = None
    tracked: bool = False
    pointers: bool = False
    commits: int = 0
    replaced: int = 0

    @property
    def digest(self) -> str:
        """The digest of what a person agrees to: this commit on this branch of this remote, in the place of what was
        seen there."""
        facts = "\0".join((self.branch, self.head, self.remote, self.address, self.seen))
        return hashlib.sha256(facts.encode()).hexdigest()

    @property
    def place(self) -> "PushPlace":
        """The place that the branch goes to."""
        return PushPlace(self.branch, self.remote, self.address)

    @property
    def needed(self) -> bool:
        """Whether the remote was last seen without something of the branch."""
        return self.ahead is None or self.ahead > 0 or self.rewritten


@dataclass(frozen=True)
class PushPlace:
    """The place that a push goes to. `address` without a password in it."""

    branch: str
    remote: str
    address: str


def push_place(git: Git, remote: str = "") -> PushPlace:
    """The place to which a push of the branch that is checked out goes. Blocking; asks git three times.

    Raises:
        GitError: there is no branch, or no remote.
    """
    branch = head_branch(git)
    remote = remote or _remote(git, branch)
    address = git.run_now("remote", "get-url", "--push", "--", remote).stdout.strip()
    return PushPlace(branch, remote, shown_address(address))


def plan_push(git: Git, remote: str = "", branch: str = "") -> PushPlan:
    """The plan of pushing the branch that is checked out, or `branch`. Nothing is asked of the remote. Blocking.
    `remote`: where to, "" for the one that the settings name.

    Raises:
        GitError: there is no branch, no commit, or no remote.
    """
    other = bool(branch)
    head = commit_id(git, f"refs/heads/{branch}") if other else head_commit_id(git)
    branch = branch or head_branch(git)
    if not head:
        raise GitError("There is no commit to push yet.")
    remote = remote or _remote(git, branch)
    tracking = f"refs/remotes/{remote}/{branch}"
    seen = git.run_now("rev-parse", "--verify", "--quiet", f"{tracking}^{{commit}}", check=False).stdout.strip()
    ahead, replaced = None, 0
    if seen:
        counted = git.run_now("rev-list", "--count", "--left-right", f"{seen}...{head}").stdout.split()
        replaced, ahead = int(counted[0]), int(counted[1])
    upstream = git.run_now("for-each-ref", "--format=%(upstream)", f"refs/heads/{branch}").stdout.strip()
    lacks = ("rev-list", "--count", head, "--not", f"--remotes={remote}", "--")
    commits = ahead if ahead is not None else int(git.run_now(*lacks).stdout)
    attributes = git.run_now("cat-file", "blob", f"{head}:.gitattributes", check=False).raw
    address = git.run_now("remote", "get-url", "--push", "--", remote).stdout.strip()
    if _is_inside(address, git.folder):
        raise GitError(f"{remote} lies inside this lane, where agents write, so nothing is pushed to it.")
    return PushPlan(
        branch,
        head,
        remote,
        shown_address(address),
        seen,
        replaced > 0,
        ahead,
        tracked=other or upstream == tracking,
        pointers=bool(_POINTERS.search(attributes)),
        commits=commits,
        replaced=replaced,
    )


async def push(
    folder: Path, plan: PushPlan, *, force: bool, limit_s: float = PUSH_LIMIT_S, login: Login = no_login
) -> str:
    """Push the branch as planned; a sentence about it. `login` gives tokens of connected hosts.

    Raises:
        GitError: it was refused, or nobody answered; with what to do.
    """
    if plan.rewritten and not force:
        raise GitError(REWRITTEN.format(remote=plan.remote, branch=plan.branch))
    git = Git(folder)
    lease = [f"--force-with-lease={plan.branch}:{plan.seen}"] if plan.rewritten else []
    first = [] if plan.tracked else ["--set-upstream"]
    config = [word for entry in (*_CONFIG, *await person_credentials(git)) for word in ("-c", entry)]
    signed = await login_settings(git, plan.remote, login, push=True)
    done = await Git(folder, await person_ssh(git), config=signed).read(
        *config,
        "push",
        *_OPTIONS,
        "--receive-pack=git-receive-pack",
        *lease,
        *first,
        "--end-of-options",
        plan.remote,
        f"refs/heads/{plan.branch}:refs/heads/{plan.branch}",
        limit_s=limit_s,
        max_bytes=MAX_OUTPUT_BYTES,
        check=False,
    )
    if done.status != 0:
        printed = done.raw.decode("utf-8", "replace")
        raise GitError(_refusal(plan, printed, done.words), stderr=done.words, status=done.status)
    text = f"{plan.remote}/{plan.branch} is at {plan.head[:7]} now."
    large = " Large files of Git LFS were not uploaded; run “git lfs push” in a terminal." if plan.pointers else ""
    return text + large


async def delete_pushed(
    folder: Path, remote: str, branch: str, seen: str, *, limit_s: float = PUSH_LIMIT_S, login: Login = no_login
) -> None:
    """The remote has the branch no more, if it was what was last seen there. One that is gone already is done.

    Raises:
        GitError: it was refused, has other commits by now, or nobody answered; the branch is still there.
    """
    git = Git(folder)
    config = [word for entry in (*_CONFIG, *await person_credentials(git)) for word in ("-c", entry)]
    signed = await login_settings(git, remote, login, push=True)
    theirs = Git(folder, await person_ssh(git), config=signed)
    ref = f"refs/heads/{branch}"
    done = await theirs.read(
        *config,
        "push",
        *_OPTIONS,
        "--receive-pack=git-receive-pack",
        f"--force-with-lease={branch}:{seen}",
        "--end-of-options",
        remote,
        f":{ref}",
        limit_s=limit_s,
        max_bytes=MAX_OUTPUT_BYTES,
        check=False,
    )
    if done.status != 0:
        stale = b"stale info" in done.raw
        listed = await theirs.read(
            *config,
            "ls-remote",
            "--heads",
            "--upload-pack=git-upload-pack",
            "--end-of-options",
            remote,
            ref,
            limit_s=limit_s,
            max_bytes=MAX_OUTPUT_BYTES,
            check=False,
        )
        if listed.status != 0 or listed.raw.strip():
            reason = "it has other commits by now" if stale else git_reason(done.words)
            raise GitError(f'The branch "{branch}" was not deleted on {remote}: {reason}.', stderr=done.words)
    tracking = f"refs/remotes/{remote}/{branch}"
    await git.run("update-ref", "-d", tracking, seen, check=False)


def shown_address(address: str) -> str:
    """The address of a remote without a password in it."""
    parts = urlsplit(address) if "://" in address else None
    if parts is None or "@" not in parts.netloc:
        return address
    user, _, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}@{host}" if parts.scheme == "ssh" else host))


def _is_inside(address: str, folder: Path) -> bool:
    """Whether the address is a path on this computer that lies in the folder. As git, `host:path` is none."""
    path = address.removeprefix("file://")
    if path == address and ("://" in address or ":" in address.partition("/")[0]):
        return False
    return (folder / path).resolve().is_relative_to(folder.resolve())


def _remote(git: Git, branch: str) -> str:
    """The remote that the settings name for this branch, else origin, else the only one."""
    listed = [entry.partition("\n") for entry in git.run_now("config", "--list", "-z").stdout.split("\0")]
    settings = {key: value for key, _, value in listed}
    remotes = git.run_now("remote").stdout.splitlines()
    for key in (f"branch.{branch}.pushremote", "remote.pushdefault", f"branch.{branch}.remote"):
        if settings.get(key) in remotes:
            return settings[key]
    if "origin" in remotes:
        return "origin"
    if len(remotes) == 1:
        return remotes[0]
    raise GitError(
        "There are several remotes and none is named origin. Set one in a terminal: git config "
        "remote.pushDefault <name>."
        if remotes
        else NO_REMOTE
    )


def _refusal(plan: PushPlan, printed: str, words: str) -> str:
    line = next((line for line in printed.splitlines() if line.startswith("!")), "")
    why = line.rpartition("\t")[2]
    if "remote rejected" in why:
        return f"{plan.remote} refused the push: {why.partition('(')[2].rstrip(')') or why}."
    if "stale info" in why:
        return (
            f"{plan.remote}/{plan.branch} changed since it was last seen here, so nothing was replaced. Fetch, look at "
            "what is new there, and try again."
        )
    if "fetch first" in why or "non-fast-forward" in why:
        return f"{plan.remote}/{plan.branch} has commits that this lane does not have. Fetch and rebase, then push."
    low = words.lower()
    if any(mark in low for mark in ("could not read username", "authentication failed", "permission denied")):
        return (
            f"{plan.remote} did not accept your login. Push once in a terminal, so that Git's credential helper or "
            "your ssh agent knows it."
        )
    return f"The push failed: {git_reason(words) or why or 'git said nothing'}"
