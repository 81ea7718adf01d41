"""The one function that runs git for the app: argument lists, a built environment, a time limit; no planted code."""

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from desktop.domain.core.errors import GitError
from desktop.records import dataclass
from desktop.services.files.plain_paths import joined
from desktop.services.files.pointers import git_places, read_pointer

READ_LIMIT_S, STATUS_LIMIT_S, DIFF_LIMIT_S, WORKTREE_LIMIT_S = 5.0, 8.0, 30.0, 60.0
INDEX_LOCK, INDEX_WAITS_S, INDEX_LOOK_S = "index.lock", 2.0, 0.05

DIFF_OPTIONS = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--ignore-submodules=dirty",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)
"""Of all our diffs: no program of the lane runs, no other repository is entered, no setting of the lane shapes them."""

_CONFIG = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.askPass": "",
    "core.sshCommand": "ssh",
    "core.alternateRefsCommand": "true",
    "credential.helper": "",
    "core.quotePath": "false",
    "diff.orderFile": os.devnull,
    "diff.autoRefreshIndex": "false",
    "protocol.ext.allow": "never",
    "log.showSignature": "false",
    "commit.gpgSign": "false",
    "push.gpgSign": "false",
    "merge.verifySignatures": "false",
    "rebase.autoStash": "false",
    "rebase.updateRefs": "false",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "push.recurseSubmodules": "no",
    "status.submoduleSummary": "false",
    "advice.detachedHead": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
_PLAIN_MERGE = "git merge-file -q --marker-size=%L -L ours -L base -L theirs %A %O %B || exit 1"
"""What takes the place of every merge driver: the merge of lines that git does itself; what it cannot do conflicts."""
NO_FETCH = {"GIT_NO_LAZY_FETCH": "1"}
MAX_PACKED_BYTES = 16 * 1024 * 1024
_NO_WINDOW = 0x08000000 if sys.platform == "win32" else 0  # CREATE_NO_WINDOW
_CALM_NICENESS = 10
_ONE_THREAD = {"core.preloadIndex": "false"}
_STARTING, _TURN_S = threading.Lock(), 0.001
"""Starting a process holds the interpreter until the system has loaded the program, some milliseconds. Calm calls start
one at a time, and the window has its turn between two of them."""
_KEPT = (
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "SYSTEMROOT",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
)


@dataclass(frozen=True)
class GitOutput:
    """The output of a call of git, undecodable bytes replaced, and its exit status. `raw`: what it printed, byte for
    byte."""

    stdout: str
    stderr: str
    status: int
    raw: bytes = b""

    @property
    def names(self) -> list[str]:
        """The parts of an output that `-z` ends with NUL, as names of files: undecodable bytes are kept."""
        return names_in(self.raw)


def git_environment(extra_config: dict[str, str] | None = None) -> dict[str, str]:
    """The environment of our git calls: built, not copied, so that no planted hook, filter or pager runs (lanes-G2)."""
    kept = {name: value for name in _KEPT if (value := os.environ.get(name)) is not None}
    return {**kept, **git_overrides(extra_config)}


def git_overrides(extra_config: dict[str, str] | None = None) -> dict[str, str]:
    """The variables that keep git from running what a repository or this computer configures."""
    config = {**_CONFIG, **(extra_config or {})}
    environment = {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "true",
        "GIT_SEQUENCE_EDITOR": "true",
        "GIT_CONFIG_COUNT": str(len(config)),
    }
    for index, (key, value) in enumerate(config.items()):
        environment |= {f"GIT_CONFIG_KEY_{index}": key, f"GIT_CONFIG_VALUE_{index}": value}
    return environment


@dataclass(frozen=True)
class GitBytes:
    """The output of a call of git, byte for byte. `cut`: there would have been more than was asked for. `words`: what
    it said besides."""

    raw: bytes
    cut: bool
    status: int
    words: str = ""


class Git:
    """git in one folder. Every method runs on a worker thread and may be awaited from the engine.

    `environment`: variables for these calls, in addition to those of all calls. `calm`: they give way to everything
    else that the computer does. `config`: settings for these calls, in no argument list.
    """

    def __init__(
        self,
        folder: Path,
        environment: dict[str, str] | None = None,
        *,
        calm: bool = False,
        config: dict[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self._place = folder
        self._config = {**(_ONE_THREAD if calm else {}), **(config or {})}
        self._calm = calm
        self._environment = environment or {}
        self._keys: tuple[str, ...] | None = None

    def also(self, environment: dict[str, str]) -> "Git":
        """A git like this one with more variables. What was listed of the configuration is not listed again."""
        other = Git(self.folder, {**self._environment, **environment}, calm=self._calm, config=self._config)
        other._keys = self._keys
        return other

    def standing_in(self, place: Path, git_folder: Path, config: dict[str, str]) -> "Git":
        """A git like this one, with these settings too, which takes the files of `place` for those of its worktree,
        whose git folder is `git_folder`. `folder` is still the worktree."""
        other = self.also({"GIT_DIR": str(git_folder), "GIT_WORK_TREE": str(place)})
        other._place = place
        other._config = {**other._config, **config}
        return other

    @property
    def has_drivers(self) -> bool:
        """Whether the configuration names merge drivers. Blocking until it was listed once."""
        return any(key.startswith("merge.") for key in self.emptied_filters())

    async def read(self, *arguments: str, limit_s: float, max_bytes: int, check: bool = True) -> GitBytes:
        """At most `max_bytes` of what git prints, then it is ended, as it is when the task is cancelled. As with
        `run_on_files` no filter runs, and no missing object is fetched.

        Raises:
            GitError: git is missing, was ended by its limit or a signal, or (with `check`) failed.
        """
        config = await asyncio.to_thread(self.emptied_filters)
        environment = {**git_environment({**config, **self._config}), **NO_FETCH, **self._environment}
        try:
            process = await asyncio.create_subprocess_exec(
                "git",
                *arguments,
                cwd=self._place,
                env=environment,
                creationflags=_NO_WINDOW,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except (OSError, ValueError) as error:
            raise _not_run(self.folder, error) from error
        if self._calm:
            _give_way(process.pid)
        assert process.stdout is not None
        assert process.stderr is not None
        words = asyncio.create_task(process.stderr.read())
        try:
            async with asyncio.timeout(limit_s):
                raw = await _up_to(process.stdout, max_bytes + 1)
                if len(raw) > max_bytes:
                    return GitBytes(raw[:max_bytes], True, 0)
                said = _text(await words).strip()
                status = await process.wait()
        except TimeoutError as error:
            raise GitError(f"git {arguments[0]} was stopped after {limit_s:g} s in '{self.folder}'.") from error
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
            await asyncio.shield(process.wait())
            words.cancel()
        if status < 0 or (check and status != 0):
            raise GitError(f"git {arguments[0]} failed: {said or f'exit status {status}'}", stderr=said, status=status)
        return GitBytes(raw, False, status, said)

    async def run(self, *arguments: str, limit_s: float = READ_LIMIT_S, check: bool = True) -> GitOutput:
        """Run git with these arguments.

        Raises:
            GitError: git is missing, ended by its limit or a signal, or (with `check`) gave a status other than 0.
        """
        return await asyncio.to_thread(self.run_now, *arguments, limit_s=limit_s, check=check)

    async def run_on_files(self, *arguments: str, limit_s: float = WORKTREE_LIMIT_S) -> GitOutput:
        """As `run`, for calls that touch the working tree: filters of the configuration are emptied (lanes-G3)."""
        return await asyncio.to_thread(self.run_on_files_now, *arguments, limit_s=limit_s)

    def run_on_files_now(self, *arguments: str, limit_s: float = WORKTREE_LIMIT_S, given: bytes = b"") -> GitOutput:
        """As `run_on_files`, on the thread that calls it. A call that found the index held by another git has done
        nothing, so it is made again, for a moment.

        Raises:
            GitError: as `run`; or another git still holds the index after that moment.
        """
        config, end = self.emptied_filters(), time.monotonic() + INDEX_WAITS_S
        while True:
            try:
                return self.run_now(*arguments, limit_s=limit_s, config=config, given=given)
            except GitError as error:
                if INDEX_LOCK not in error.stderr:
                    raise
                if time.monotonic() >= end:
                    said = f"Another git holds the {INDEX_LOCK} of '{self.folder}', so nothing was done."
                    raise GitError(
                        f"{said} Try again when it ended.", stderr=error.stderr, status=error.status
                    ) from error
            time.sleep(INDEX_LOOK_S)

    def run_now(
        self,
        *arguments: str,
        limit_s: float = READ_LIMIT_S,
        check: bool = True,
        config: dict[str, str] | None = None,
        given: bytes = b"",
    ) -> GitOutput:
        """As `run`, on the thread that calls it. `given`: what git reads from its standard input."""
        try:
            environment = {**git_environment({**(config or {}), **self._config}), **self._environment}
            done = self._finished(arguments, environment, given, limit_s)
        except subprocess.TimeoutExpired as error:
            raise GitError(f"git {arguments[0]} was stopped after {limit_s:g} s in '{self.folder}'.") from error
        except (OSError, ValueError) as error:
            raise _not_run(self.folder, error) from error
        output = GitOutput(_text(done.stdout), _text(done.stderr), done.returncode, done.stdout)
        if output.status < 0 or (check and output.status != 0):
            words = output.stderr.strip() or f"exit status {output.status}"
            raise GitError(f"git {arguments[0]} failed: {words}", stderr=output.stderr, status=output.status)
        return output

    def _finished(
        self, arguments: tuple[str, ...], environment: dict[str, str], given: bytes, limit_s: float
    ) -> subprocess.CompletedProcess[bytes]:
        """As `subprocess.run`, which does not tell the process before it has ended."""
        with _STARTING if self._calm else contextlib.nullcontext():
            started = subprocess.Popen(
                ["git", *arguments],
                cwd=self._place,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                creationflags=_NO_WINDOW,
            )
            if self._calm:
                _give_way(started.pid)
                time.sleep(_TURN_S)
        with started as process:
            try:
                printed, said = process.communicate(given, timeout=limit_s)
            except BaseException:
                process.kill()
                raise
            return subprocess.CompletedProcess(process.args, process.returncode, printed, said)

    def emptied_filters(self) -> dict[str, str]:
        """The settings that keep every filter, merge driver and hook of the configuration from running. Blocking."""
        emptied: dict[str, str] = {}
        for key in self._set():
            emptied |= _disarmed(key)
        return emptied

    def sets(self, key: str) -> bool:
        """Whether the configuration says anything of this key, in lower case. Blocking."""
        return key in self._set()

    def _set(self) -> tuple[str, ...]:
        """The keys of the configuration, listed once."""
        if self._keys is None:
            listed = self.run_now("config", "--list", "--name-only", "-z", check=False).stdout
            self._keys = tuple(key for key in listed.split("\0") if key)
        return self._keys


def _disarmed(key: str) -> dict[str, str]:
    """What takes the place of the settings beside this key, where git would run one of them as a program. An empty
    merge driver would count as a merge that took one side."""
    section, _, rest = key.partition(".")
    name, dot, _ = rest.rpartition(".")
    if not dot:
        return {}
    if section == "filter":
        place = f"filter.{name}"
        return {f"{place}.clean": "", f"{place}.smudge": "", f"{place}.process": "", f"{place}.required": "false"}
    if section == "merge":
        return {f"merge.{name}.driver": _PLAIN_MERGE}
    if section == "hook":
        return {f"hook.{name}.command": "", f"hook.{name}.enabled": "false"}
    return {}


def head_commit(folder: Path) -> str:
    """The commit that HEAD of this worktree names, read from git's files without starting git; "" if there is none."""
    try:
        git_folder, common = git_places(str(folder))
        head = read_pointer(joined(git_folder, "HEAD"))
        if not head.startswith("ref:"):
            return head
        ref = head.removeprefix("ref:").strip()
        found = read_pointer(joined(git_folder, ref)) or read_pointer(joined(common, ref))
        return found or _packed(joined(common, "packed-refs"), ref)
    except (OSError, ValueError):
        return ""


def _packed(path: str, ref: str) -> str:
    lines = read_pointer(path, MAX_PACKED_BYTES).splitlines()
    return next((line.split(" ", 1)[0] for line in lines if line.endswith(f" {ref}")), "")


def names_in(raw: bytes) -> list[str]:
    """The parts of a text that are ended with NUL, as the system's names of files."""
    return [os.fsdecode(part) for part in raw.split(b"\0") if part]


def _not_run(folder: Path, error: OSError | ValueError) -> GitError:
    if not folder.is_dir():
        return GitError(f"The folder '{folder}' is gone.")
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return GitError(f"git could not be run in '{folder}': {words}.")


def _give_way(pid: int) -> None:
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, pid, _CALM_NICENESS)


async def _up_to(stream: asyncio.StreamReader, size: int) -> bytes:
    gathered = bytearray()
    while len(gathered) < size and (chunk := await stream.read(min(size - len(gathered), 1 << 18))):
        gathered += chunk
    return bytes(gathered)


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace")
