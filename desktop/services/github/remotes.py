"""The repository and host that a remote's address names, and which of several remotes counts (lanes-G17)."""

import re
from collections.abc import Container
from pathlib import Path
from urllib.parse import unquote, urlsplit

from desktop.domain.core.errors import GitError
from desktop.domain.pulls.pull_request import ForgeProblem, RepositoryId
from desktop.records import dataclass
from desktop.services.git.run import Git

_SCP = re.compile(r"(?:[^@/\s]+@)?(?P<host>\[[0-9a-fA-F:]+\]|[^:/\s\[\]]{2,}):(?P<path>[^\s]*)")
_OWNER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62})")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")
_ALIASES = {"ssh.github.com": "github.com", "www.github.com": "github.com"}
_USUAL_PORTS = {"https": 443, "http": 80}
NO_REMOTE = "This repository has no remote."
OTHER_HOST = "This remote is not a GitHub host"


@dataclass(frozen=True)
class Remote:
    """A remote by name. `repository` None: its address names none that a forge could hold; `host`: "" for a path."""

    name: str
    host: str = ""
    repository: RepositoryId | None = None


def parse_remote(address: str) -> RepositoryId | None:
    """The repository that an address names: over https or ssh, or in the form `git@host:owner/name`. None: it names
    none. No name or password of the address is kept."""
    address = address.strip()
    host, path = _host_and_path(address)
    parts = path.strip("/").removesuffix(".git").split("/")
    if not host or len(parts) != 2:
        return None
    owner, name = parts
    if not _OWNER.fullmatch(owner) or not _NAME.fullmatch(name) or name in (".", ".."):
        return None
    return RepositoryId(host=_ALIASES.get(host, host), owner=owner, name=name)


def remote_host(address: str) -> str:
    """The host of an address, "" for a path on this computer."""
    host = _host_and_path(address.strip())[0]
    return _ALIASES.get(host, host)


def is_ssh(address: str) -> bool:
    """Whether git reaches this address by ssh."""
    scheme, found, _ = address.strip().partition("://")
    return "ssh" in scheme.lower() if found else bool(_host_and_path(address.strip())[0])


async def remotes_of(folder: Path) -> dict[str, Remote]:
    """The remotes of a repository by name, as git lists them, with the addresses that it would fetch from.

    Raises:
        GitError: git failed.
    """
    listed = (await Git(folder).run("remote", "-v")).stdout
    found: dict[str, Remote] = {}
    for line in listed.splitlines():
        name, _, rest = line.partition("\t")
        address, _, kind = rest.rpartition(" ")
        if name and kind == "(fetch)":
            found[name] = Remote(name, remote_host(address), parse_remote(address))
    return found


async def chosen_remote(folder: Path, branch: str, remotes: dict[str, Remote]) -> Remote | None:
    """Upstream of the branch, else origin, else the only one; None: a person has to choose."""
    if branch:
        asked = await Git(folder).run("config", "--get", f"branch.{branch}.remote", check=False)
        if (named := asked.stdout.strip()) in remotes:
            return remotes[named]
    if "origin" in remotes:
        return remotes["origin"]
    return next(iter(remotes.values())) if len(remotes) == 1 else None


async def repository_of(
    folder: Path, branch: str, hosts: Container[str], *, remote: str = ""
) -> RepositoryId | ForgeProblem:
    """The repository that requests of this branch belong to, or why there is none. `hosts`: those that are a GitHub;
    `remote`: the one that a person chose."""
    try:
        remotes = await remotes_of(folder)
        chosen = remotes.get(remote) or await chosen_remote(folder, branch, remotes)
    except GitError as error:
        return ForgeProblem(kind="no_remote", text=f"The remotes could not be read: {error}")
    if not remotes:
        return ForgeProblem(kind="no_remote", text=NO_REMOTE)
    if chosen is None:
        names = ", ".join(remotes)
        return ForgeProblem(kind="choose_remote", text=f"Choose the remote that holds the pull requests: {names}.")
    if chosen.repository is None or chosen.host not in hosts:
        shown = f": {chosen.host}" if chosen.host else ""
        return ForgeProblem(
            kind="other_host",
            text=f"{OTHER_HOST}{shown}. If it is GitHub Enterprise, add it in Settings › GitHub."
            if shown
            else f"{OTHER_HOST}. {chosen.name} is a folder.",
        )
    return chosen.repository


def _host_and_path(address: str) -> tuple[str, str]:
    if "://" not in address:
        found = _SCP.fullmatch(address)
        return (found["host"].strip("[]").lower(), found["path"]) if found else ("", "")
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return "", ""
    host = (parts.hostname or "").lower()
    scheme = parts.scheme.lower()
    if scheme in ("ssh", "git+ssh", "ssh+git", "git"):
        return host, unquote(parts.path)
    if scheme in _USUAL_PORTS:
        shown = f"[{host}]" if ":" in host else host
        return (f"{shown}:{port}" if port and port != _USUAL_PORTS[scheme] else shown), unquote(parts.path)
    return "", ""
