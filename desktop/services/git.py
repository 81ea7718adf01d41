"""The one function that runs git for the app: argument lists, a built environment, a time limit; no planted code."""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")

from git.cmd import Git as GitCommand

from desktop.domain.errors import GitError

READ_LIMIT_S, STATUS_LIMIT_S, DIFF_LIMIT_S, WORKTREE_LIMIT_S = 5.0, 8.0, 30.0, 60.0

_CONFIG = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.askPass": "",
    "protocol.ext.allow": "never",
    "log.showSignature": "false",
    "commit.gpgSign": "false",
    "rebase.autoStash": "false",
    "rebase.updateRefs": "false",
    "advice.detachedHead": "false",
}
_KEPT = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "SSH_AUTH_SOCK")


@dataclass(frozen=True)
class GitOutput:
    """What a call printed, undecodable bytes replaced, and its exit status."""

    stdout: str
    stderr: str
    status: int


def git_environment(extra_config: dict[str, str] | None = None) -> dict[str, str]:
    """The environment of our git calls: built, not copied, so that no planted hook, filter or pager runs (lanes-G2)."""
    config = {**_CONFIG, **(extra_config or {})}
    environment = {name: value for name in _KEPT if (value := os.environ.get(name)) is not None}
    environment |= {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "true",
        "GIT_SEQUENCE_EDITOR": "true",
        "GIT_CONFIG_COUNT": str(len(config)),
    }
    for index, (key, value) in enumerate(config.items()):
        environment |= {f"GIT_CONFIG_KEY_{index}": key, f"GIT_CONFIG_VALUE_{index}": value}
    return environment


class Git:
    """git in one folder. Every method runs on a worker thread and may be awaited from the engine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filters: dict[str, str] | None = None

    async def run(self, *arguments: str, limit_s: float = READ_LIMIT_S, check: bool = True) -> GitOutput:
        """Run git with these arguments.

        Raises:
            GitError: git is missing, ended by its limit or a signal, or (with `check`) gave a status other than 0.
        """
        return await asyncio.to_thread(self.run_now, *arguments, limit_s=limit_s, check=check)

    async def run_on_files(self, *arguments: str, limit_s: float = WORKTREE_LIMIT_S) -> GitOutput:
        """As `run`, for calls that touch the working tree: filters of the configuration are emptied (lanes-G3)."""
        return await asyncio.to_thread(self.run_on_files_now, *arguments, limit_s=limit_s)

    def run_on_files_now(self, *arguments: str, limit_s: float = WORKTREE_LIMIT_S) -> GitOutput:
        """As `run_on_files`, on the thread that calls it."""
        if self._filters is None:
            self._filters = self._emptied_filters()
        return self.run_now(*arguments, limit_s=limit_s, config=self._filters)

    def run_now(
        self, *arguments: str, limit_s: float = READ_LIMIT_S, check: bool = True, config: dict[str, str] | None = None
    ) -> GitOutput:
        """As `run`, on the thread that calls it."""
        try:
            status, stdout, stderr = GitCommand(str(self.folder)).execute(
                ["git", *arguments],
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                kill_after_timeout=limit_s,
                env=git_environment(config),
            )
        except (OSError, ValueError) as error:
            raise GitError(f"git could not be run in '{self.folder}': {error}.") from error
        except Exception as error:
            raise GitError(f"git could not be run: {error}") from error
        output = GitOutput(_text(stdout), _text(stderr), int(status))
        if output.status < 0 or (check and output.status != 0):
            words = output.stderr.strip() or f"exit status {output.status}"
            raise GitError(f"git {arguments[0]} failed: {words}", stderr=output.stderr, status=output.status)
        return output

    def _emptied_filters(self) -> dict[str, str]:
        listed = self.run_now("config", "--list", "--name-only", "-z", check=False).stdout
        emptied: dict[str, str] = {}
        for key in listed.split("\0"):
            if key.startswith("filter.") and key.count(".") >= 2:
                name = key.rpartition(".")[0]
                emptied |= {
                    f"{name}.clean": "",
                    f"{name}.smudge": "",
                    f"{name}.process": "",
                    f"{name}.required": "false",
                }
        return emptied


def head_commit(folder: Path) -> str:
    """The commit that HEAD of this worktree names, read from git's files without starting git; "" if there is none."""
    try:
        git_folder = folder / ".git"
        if git_folder.is_file():
            git_folder = folder / git_folder.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        head = (git_folder / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref:"):
            return head
        ref = head.removeprefix("ref:").strip()
        common = git_folder
        if (git_folder / "commondir").is_file():
            common = git_folder / (git_folder / "commondir").read_text(encoding="utf-8").strip()
        return _loose(git_folder / ref) or _loose(common / ref) or _packed(common / "packed-refs", ref)
    except (OSError, UnicodeDecodeError):
        return ""


def _loose(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip() if path.is_file() else ""


def _packed(path: Path, ref: str) -> str:
    if not path.is_file():
        return ""
    lines = path.read_text(encoding="utf-8").splitlines()
    return next((line.split(" ", 1)[0] for line in lines if line.endswith(f" {ref}")), "")


def _text(output: bytes | str) -> str:
    return output.decode("utf-8", "replace") if isinstance(output, bytes) else output
