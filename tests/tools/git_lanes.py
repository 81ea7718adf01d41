"""Real repositories for the tools that use Git, and traps that tell when something of the lane was run."""

import os
import subprocess
from pathlib import Path

ENVIRONMENT = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Anna",
    "GIT_AUTHOR_EMAIL": "anna@example.org",
    "GIT_COMMITTER_NAME": "Anna",
    "GIT_COMMITTER_EMAIL": "anna@example.org",
}


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    """Run the system's git and give what it printed."""
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=ENVIRONMENT, check=check, capture_output=True, text=True, timeout=20
    )
    return done.stdout


def commit_all(folder: Path, message: str = "first") -> str:
    """Commit everything there is; the commit's id."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD").strip()


class Trap:
    """A program that leaves a trace when it is run. `command` names it."""

    def __init__(self, folder: Path) -> None:
        self._traces = folder / "traces"
        self._traces.mkdir(parents=True)
        self._script = folder / "trap.sh"
        self._script.write_text(f"#!/bin/sh\n: > '{self._traces}'/run-$$\ncat 2>/dev/null\nexit 0\n")
        self._script.chmod(0o755)

    @property
    def command(self) -> str:
        """The program."""
        return str(self._script)

    @property
    def sprung(self) -> bool:
        """Whether it was run."""
        return any(self._traces.iterdir())

    def reset(self) -> None:
        """Forget the traces."""
        for trace in self._traces.iterdir():
            trace.unlink()

    def plant_everywhere(self, lane: Path) -> None:
        """In every place of a repository that can make Git run a program."""
        for key in (
            "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy",
            "core.alternateRefsCommand", "diff.external", "diff.trap.command", "diff.trap.textconv",
            "filter.trap.clean", "filter.trap.smudge", "filter.trap.process", "merge.trap.driver", "gpg.program",
            "credential.helper", "interactive.diffFilter", "sequence.editor", "pager.diff", "pager.log", "pager.status",
        ):  # fmt: skip
            git(lane, "config", key, self.command)
        for name in ("status", "diff", "log", "add", "commit", "update-index", "rev-parse"):
            git(lane, "config", f"alias.{name}", f"!{self.command}")
        git(lane, "config", "filter.trap.required", "true")
        git(lane, "config", "commit.gpgSign", "true")
        git(lane, "config", "log.showSignature", "true")
        common = Path(git(lane, "rev-parse", "--path-format=absolute", "--git-common-dir").strip())
        (common / "info").mkdir(exist_ok=True)
        (common / "info" / "attributes").write_text("* diff=trap filter=trap merge=trap\n")
        self.plant_hooks(common / "hooks")

    def plant_hooks(self, folder: Path) -> None:
        """As every hook there is."""
        folder.mkdir(exist_ok=True)
        for name in (
            "pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "reference-transaction",
            "post-index-change", "post-checkout", "fsmonitor-watchman", "pre-auto-gc",
        ):  # fmt: skip
            (folder / name).write_text(f"#!/bin/sh\n{self.command}\n")
            (folder / name).chmod(0o755)
