"""Fetching what a lane begins at: only remote-tracking refs move, and nothing that the repository configures runs."""

import os
import shlex
from pathlib import Path

from desktop.domain.core.errors import GitError, git_reason
from desktop.services.git.login import Login, login_settings, no_login
from desktop.services.git.run import Git

FETCH_LIMIT_S = 60.0
MAX_OUTPUT_BYTES = 1 << 20
_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_CONFIG = (
    "core.alternateRefsCommand=true",
    "protocol.git.allow=never",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=20",
    "gc.auto=0",
    "maintenance.auto=false",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
)
_OPTIONS = (
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
    "--quiet",
    "--upload-pack=git-upload-pack",
    "--no-prune",
)


async def fetch(
    folder: Path,
    remote: str,
    branch: str = "",
    *,
    spec: str = "",
    limit_s: float = FETCH_LIMIT_S,
    login: Login = no_login,
) -> str:
    """Bring the remote-tracking branches of a remote up to date, or only that of `branch`, or what `spec` says in git's
    words. Why it could not be done, "" when it was. Nobody is asked for a password: the token of a connected host,
    git's own helpers and the agent of ssh are all that is used."""
    git = Git(folder)
    try:
        remotes = (await git.run("remote")).stdout.splitlines()
        if remote not in remotes:
            return f"There is no remote {remote}."
        one = spec or (f"+{_HEADS}{branch}:{_REMOTES}{remote}/{branch}" if branch else "")
        specs = [one] if one else await _specs(git, remote)
        if not specs:
            return f"{remote} is not fetched: its settings name no remote-tracking branches."
        config = [word for entry in (*_CONFIG, *await person_credentials(git)) for word in ("-c", entry)]
        signed = await login_settings(git, remote, login)
        await Git(folder, await person_ssh(git), config=signed).read(
            *config,
            "fetch",
            *_OPTIONS,
            "--end-of-options",
            remote,
            *specs,
            limit_s=limit_s,
            max_bytes=MAX_OUTPUT_BYTES,
        )
    except GitError as error:
        said = git_reason(error.stderr)
        why = said or (f"it took longer than {limit_s:g} s" if error.status is None else str(error))
        return f"{remote} could not be fetched: {why}"
    return ""


async def person_credentials(git: Git) -> list[str]:
    """Settings (`key=value`) by which only the helpers of the person's own configuration are asked for passwords."""
    listed = await git.run("config", "--global", "--includes", "--null", "--get-regexp", r"^credential\.", check=False)
    entries = [entry.partition("\n") for entry in listed.stdout.split("\0") if entry]
    return ["credential.helper=", *(f"{key}={value}" for key, _, value in entries)]


async def person_ssh(git: Git) -> dict[str, str]:
    """The variables by which git calls ssh as the person's own configuration says, with the keys of their agent and
    without ever asking at a terminal."""
    asked = await git.run("config", "--global", "--includes", "--get", "core.sshCommand", check=False)
    command = asked.stdout.strip() or "ssh"
    try:
        program = Path(shlex.split(command)[0]).name.lower()
    except (ValueError, IndexError):
        program = ""
    if program in ("ssh", "ssh.exe"):
        command += " -oBatchMode=yes -oConnectTimeout=15"
    agent = os.environ.get("SSH_AUTH_SOCK")
    return {"GIT_SSH_COMMAND": command, **({"SSH_AUTH_SOCK": agent} if agent else {})}


async def _specs(git: Git, remote: str) -> list[str]:
    """What is fetched by the remote's settings, as far as it goes to remote-tracking branches alone."""
    listed = await git.run("config", "--get-all", f"remote.{remote}.fetch", check=False)
    specs = [spec.strip() for spec in listed.stdout.splitlines()]
    return [spec for spec in specs if spec.partition(":")[2].startswith(f"{_REMOTES}{remote}/")]
