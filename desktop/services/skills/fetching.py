"""SkillFetcher: one commit of a repository at an address, fetched by git in the sandbox and read without a checkout, so
that nothing of it runs (memory-SK9)."""

import asyncio
import contextlib
import os
import shlex
import shutil
import tempfile
import uuid
from collections.abc import Mapping
from pathlib import Path

from desktop.domain.core.errors import SkillError
from desktop.policy.network.hosts import AllowedHost
from desktop.policy.network.repositories import Repository
from desktop.records import dataclass
from desktop.services.egress.egress import Egress, Way
from desktop.services.files.leftovers import passing_prefix
from desktop.services.git.run import git_overrides
from desktop.services.processes.around import Given, Place, ProcessError
from desktop.services.processes.given_secrets import LaidOut
from desktop.services.processes.running import Completed, LaunchFailed
from desktop.services.processes.sandbox.sandbox import Sandbox
from desktop.services.processes.starting import CommandStarts
from desktop.services.skills.commits import CommitSkill, read_blobs, skills_in

LIMIT_S = 60.0
MOST_FETCHED_KIB = 20 * 1024
MOST_MEMORY_KIB = 1536 * 1024
MOST_SAID = 300
NO_SANDBOX = "A repository is fetched in bubblewrap, which keeps git from everything else, and there is none here."
_CERTIFICATES = ("GIT_SSL_CAINFO", "SSL_CERT_FILE")
_CONFIG = {
    "protocol.allow": "never",
    "protocol.https.allow": "always",
    "core.bigFileThreshold": "1m",
    "pack.threads": "1",
    "fetch.unpackLimit": "1",
    "http.lowSpeedLimit": "1",
    "http.lowSpeedTime": "20",
}
"""One way in, and nothing unpacked into memory as a whole."""
_LIMITS = f"set -eu; ulimit -f {MOST_FETCHED_KIB}; ulimit -v {MOST_MEMORY_KIB}"
_REF = "refs/banksman/fetched"
_FETCH = (
    "git fetch -q --depth=1 --no-tags --no-recurse-submodules --no-write-fetch-head --no-auto-maintenance "
    "--end-of-options"
)


@dataclass(frozen=True)
class FetchedSkills:
    """What a commit holds: its skills in the order of their folders, those at fault too."""

    commit: str
    skills: tuple[CommitSkill, ...]


class SkillFetcher:
    """On the engine's loop; files are read on worker threads. `env`: the person's environment, of which git gets what
    commands get, and the file of certificates that it names."""

    def __init__(self, sandbox: Sandbox, env: Mapping[str, str], egress: Egress) -> None:
        self._sandbox = sandbox
        self._env = env
        self._egress = egress

    async def fetch(self, repository: Repository, owner: str) -> FetchedSkills:
        """The skills of the commit that is meant. `owner`: whose record the traffic belongs to.

        Raises:
            SkillError: it cannot be had within the limits; nothing of it is left.
        """
        if (await self._sandbox.ready()).tier != "bwrap":
            raise SkillError(NO_SANDBOX)
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix=passing_prefix()))
        try:
            return await self._fetched(repository, owner, folder)
        except (ProcessError, OSError) as error:
            raise SkillError(f"{repository.address} could not be fetched: {error}") from error
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, True)

    async def _fetched(self, repository: Repository, owner: str, folder: Path) -> FetchedSkills:
        variables = await asyncio.to_thread(self._variables, folder)
        given = Given(variables=lambda reading: variables)
        starts = CommandStarts(f"skills-{uuid.uuid4().hex}", self._env, folder, self._sandbox, given)
        host = AllowedHost(repository.host.name, (repository.port,))
        try:
            async with asyncio.timeout(LIMIT_S):
                with self._egress.client("web", "skills", (host,), owner=owner) as way:
                    await _run(starts, folder, _fetch_lines(repository), repository, way, (host,))
                commit = (await asyncio.to_thread(_kept, folder / "commit")).decode("ascii", "replace").strip()
                tree = await asyncio.to_thread(_kept, folder / "tree")
                skills, wanted = await asyncio.to_thread(skills_in, tree, repository)
                (folder / "wanted").write_text("".join(f"{name}\n" for name in wanted), encoding="ascii")
                await _run(starts, folder, "git -C repository cat-file --batch < wanted > blobs", repository)
                blobs = await asyncio.to_thread(_kept, folder / "blobs")
                read = await asyncio.to_thread(read_blobs, blobs, wanted)
        except TimeoutError as error:
            raise SkillError(f"{repository.address} was not fetched within {LIMIT_S:g} s.") from error
        finally:
            await starts.close()
        return FetchedSkills(commit, tuple(one.with_contents(read) for one in skills))

    def _variables(self, folder: Path) -> dict[str, str]:
        """What git is given: nothing of the person's configuration, no login, no file to run. Blocking."""
        variables = {**git_overrides(_CONFIG), "GIT_CONFIG_GLOBAL": os.devnull, "HOME": str(folder)}
        named = next((self._env[name] for name in _CERTIFICATES if self._env.get(name)), "")
        if named:
            shutil.copyfile(named, folder / "certificates")
            variables["GIT_SSL_CAINFO"] = str(folder / "certificates")
        return variables


def _fetch_lines(repository: Repository) -> str:
    address, ref = shlex.quote(repository.address), shlex.quote(f"+{repository.branch or 'HEAD'}:{_REF}")
    return "\n".join(
        (
            "git init -q --bare --template= repository",
            "cd repository",
            f"{_FETCH} {address} {ref}",
            f"git rev-parse --verify '{_REF}^{{commit}}' > ../commit",
            f"git ls-tree -r -l -z --full-tree {_REF} > ../tree",
        )
    )


async def _run(
    starts: CommandStarts,
    folder: Path,
    lines: str,
    repository: Repository,
    way: Way | None = None,
    hosts: tuple[AllowedHost, ...] = (),
) -> None:
    """Let git do this in the sandbox. Raises SkillError."""
    place = Place(sandboxed=True, hosts=hosts)
    running = await starts.start(f"{_LIMITS}\n{lines}", folder, place, LaidOut({}, None, way))
    try:
        completed = await running.finish(LIMIT_S)
    except LaunchFailed as error:
        raise starts.lost(error) from error
    finally:
        running.close()
    try:
        if completed.ending != "exited" or completed.exit_code != 0 or completed.limit:
            raise SkillError(f"{repository.address} could not be fetched: {_why(completed, folder, way)}")
    finally:
        completed.output.discard()


def _why(completed: Completed, folder: Path, way: Way | None) -> str:
    said = completed.output.read(0, 20_000).decode("utf-8", "replace")
    if completed.ending == "timed_out":
        return f"it took longer than {LIMIT_S:g} s."
    if any(path.lstat().st_size >= MOST_FETCHED_KIB * 1024 for path in folder.rglob("*")):
        return "it is larger than 20 MiB."
    if completed.limit or "emory" in said:
        return "it takes more memory to unpack than any skill needs."
    if way is not None and way.kept_out:
        return f"it leads to another host, {way.kept_out[0]}."
    lines = [line.removeprefix("fatal: ").removeprefix("error: ") for line in said.splitlines() if line.strip()]
    return " ".join(" ".join(lines).split())[:MOST_SAID] or f"git ended with {completed.exit_code}."


def _kept(path: Path) -> bytes:
    """A file that git wrote; whatever else might stand in its place is not read. Raises OSError."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with contextlib.closing(os.fdopen(os.open(path, flags), "rb")) as file:
        return file.read(MOST_FETCHED_KIB * 1024)
