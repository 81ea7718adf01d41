"""Everything by which a repository, its files or our environment could make git run a program, planted at once."""

import os
import subprocess
from pathlib import Path

from tests.agent.rig import GIT_ENVIRONMENT, git

HOOKS = (
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-applypatch", "post-checkout", "post-commit",
    "post-index-change", "post-merge", "post-rewrite", "pre-applypatch", "pre-auto-gc", "pre-commit",
    "pre-merge-commit", "pre-push", "pre-rebase", "prepare-commit-msg", "push-to-checkout", "reference-transaction",
    "sendemail-validate",
)  # fmt: skip
ATTRIBUTES = "*.py filter=evil diff=evil merge=evil\n*.txt filter=slow diff=evil\n*.inc filter=included\n"


class Traps:
    """Traps below a folder. Each one writes its name when it is sprung; `fired` lists them."""

    def __init__(self, root: Path) -> None:
        self._log = root / "sprung"
        self._root = root
        self._programs = root / "traps"
        self._programs.mkdir()

    def fired(self) -> list[str]:
        """What was sprung so far, oldest first."""
        return self._log.read_text(encoding="utf-8").splitlines() if self._log.exists() else []

    def forget(self) -> None:
        """As if nothing had been sprung."""
        self._log.unlink(missing_ok=True)

    def command(self, name: str) -> str:
        """A program that springs the trap of this name."""
        return self._program(self._programs, name, name)

    def settings(self) -> dict[str, str]:
        """Settings of a repository that run a program, or open the way to one."""
        run = self.command
        included, hooks, attributes = self._root / "included", self._root / "hooks", self._root / "attributes"
        included.write_text(
            f'[filter "included"]\nclean = {run("included-clean")}\nrequired = true\n', encoding="utf-8"
        )
        attributes.write_text("* diff=evil merge=evil\n", encoding="utf-8")
        self._hooks(hooks)
        return {
            "core.fsmonitor": run("fsmonitor"), "core.hooksPath": str(hooks), "core.pager": run("pager"),
            "core.editor": run("editor"), "core.sshCommand": run("ssh"), "core.askPass": run("askpass"),
            "core.gitProxy": run("proxy"), "core.attributesFile": str(attributes),
            "core.alternateRefsCommand": run("alternates"), "sequence.editor": run("sequence"),
            "filter.evil.clean": run("clean"), "filter.evil.smudge": run("smudge"), "filter.evil.required": "true",
            "filter.slow.process": run("process"), "filter.slow.required": "true", "include.path": str(included),
            "diff.external": run("external"), "diff.evil.command": run("command"),
            "diff.evil.textconv": run("textconv"), "diff.evil.cachetextconv": "true",
            "merge.evil.driver": run("driver"), "merge.default": "evil",
            "alias.st": f"!{run('alias')}", "alias.status": f"!{run('alias-status')}",
            "credential.helper": f"!{run('credential')}", "credential.https://x.org.helper": f"!{run('cred-url')}",
            "gpg.program": run("gpg"), "gpg.ssh.program": run("gpg-ssh"), "commit.gpgSign": "true",
            "tag.gpgSign": "true",
            "push.gpgSign": "if-asked", "log.showSignature": "true", "merge.verifySignatures": "true",
            "submodule.inside.update": f"!{run('submodule')}", "submodule.recurse": "true",
            "status.submoduleSummary": "true", "diff.ignoreSubmodules": "none", "diff.submodule": "log",
            "interactive.diffFilter": run("diff-filter"), "uploadpack.packObjectsHook": run("pack"),
            "init.templateDir": str(hooks.parent), "protocol.ext.allow": "always", "gc.auto": "1",
            "gc.recentObjectsHook": run("gc"), "maintenance.auto": "true", "rerere.enabled": "true",
            "rebase.autoStash": "true", "rebase.updateRefs": "true", "hook.evil.command": run("config-hook"),
            "trailer.evil.command": run("trailer"), "trailer.evil.key": "Evil", "commit.verbose": "true",
            "status.aheadBehind": "false", "status.showUntrackedFiles": "no", "color.ui": "always",
        }  # fmt: skip

    def plant(self, repository: Path) -> None:
        """Set all of them in a repository that has files for them, with a module whose own settings are traps too."""
        for name, text in (("data.txt", "data\n"), ("part.inc", "part\n"), (".gitattributes", ATTRIBUTES)):
            (repository / name).write_text(text, encoding="utf-8")
        inside = self._root / "module"
        inside.mkdir()
        git(inside, "init", "-q", "-b", "main")
        git(inside, "commit", "-q", "--allow-empty", "-m", "module")
        git(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inside), "inside")
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "-m", "files for traps")
        self._hooks(repository / ".git" / "hooks")
        (repository / ".git" / "info").mkdir(exist_ok=True)
        (repository / ".git" / "info" / "attributes").write_text("*.md filter=evil diff=evil\n", encoding="utf-8")
        for folder, settings in (
            (repository / "inside", {"core.fsmonitor": self.command("module-fsmonitor")}),
            (repository, self.settings()),
        ):
            for key, value in settings.items():
                command = ["git", "config", key, value]
                subprocess.run(command, cwd=folder, env=GIT_ENVIRONMENT, check=True, capture_output=True)
        self.forget()

    def environment(self) -> dict[str, str]:
        """Variables by which git would run a program, or look elsewhere."""
        run = self.command
        return {
            "GIT_EXTERNAL_DIFF": run("env-diff"), "GIT_PAGER": run("env-pager"), "PAGER": run("env-pager"),
            "GIT_EDITOR": run("env-editor"), "EDITOR": run("env-editor"), "VISUAL": run("env-editor"),
            "GIT_SEQUENCE_EDITOR": run("env-sequence"), "GIT_SSH_COMMAND": run("env-ssh"), "GIT_SSH": run("env-ssh"),
            "GIT_ASKPASS": run("env-askpass"), "SSH_ASKPASS": run("env-askpass"), "GIT_PROXY_COMMAND": run("env-proxy"),
            "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor={run('env-config')}'", "GIT_DIR": str(self._root / "nowhere"),
            "GIT_INDEX_FILE": str(self._root / "nobody"), "GIT_TEMPLATE_DIR": str(self._root), "GIT_DIFF_OPTS": "-u0",
        }  # fmt: skip

    def _hooks(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        for name in HOOKS:
            self._program(folder, name, f"hook-{name}")

    def _program(self, folder: Path, file: str, name: str) -> str:
        program = folder / file
        program.unlink(missing_ok=True)
        program.write_text(f'#!/bin/sh\necho "{name} $*" >> "{self._log}"\ncat 2>/dev/null\nexit 0\n', encoding="utf-8")
        program.chmod(0o755)
        return str(program)


def without_traps(folder: Path, *arguments: str) -> str:
    """Run git where traps are planted without springing one."""
    quiet = {
        "core.fsmonitor": "false", "core.hooksPath": os.devnull, "commit.gpgSign": "false", "filter.evil.clean": "",
        "filter.evil.smudge": "", "filter.evil.required": "false", "filter.slow.process": "", "diff.external": "",
        "filter.slow.required": "false", "filter.included.clean": "", "filter.included.required": "false",
        "status.submoduleSummary": "false", "submodule.recurse": "false", "log.showSignature": "false",
    }  # fmt: skip
    options = [word for key, value in quiet.items() for word in ("-c", f"{key}={value}")]
    return git(folder, *options, *arguments)
