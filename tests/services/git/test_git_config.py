"""Which settings of a repository can run a program, and whether a change of them is seen."""

import subprocess
from pathlib import Path

import pytest

from desktop.services.git.config import config_files, exec_fault, settings_sha256


def git(folder: Path, *words: str) -> None:
    """A plain git call in a folder."""
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, timeout=10)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """An empty repository."""
    git(tmp_path, "init", "-q", "r")
    return tmp_path / "r"


@pytest.mark.promise("gate-S15")
@pytest.mark.parametrize(
    "key",
    [
        "core.pager",
        "core.editor", "core.sshCommand", "core.hooksPath", "core.askPass", "core.gitProxy", "core.worktree",
        "core.attributesFile", "core.alternateRefsCommand", "diff.external", "diff.x.command", "diff.x.y.textconv",
        "filter.lfs.clean", "filter.x.process", "merge.x.driver", "alias.st", "gpg.program", "gpg.ssh.program",
        "credential.helper", "credential.https://x.helper", "include.path", "includeIf.gitdir:x.path",
        "remote.o.uploadpack", "remote.o.receivepack", "remote.o.vcs", "remote.o.proxy", "url.x.insteadOf",
        "interactive.diffFilter", "sequence.editor", "uploadpack.packObjectsHook", "submodule.x.update",
        "init.templateDir", "protocol.ext.allow", "core.fsmonitor",
    ],
)  # fmt: skip
def test_a_key_that_can_run_a_program_is_named_with_its_file(repository: Path, key: str) -> None:
    assert exec_fault(repository) == ""
    git(repository, "config", key, "/x")

    fault = exec_fault(repository)

    assert fault.casefold().startswith(key.casefold())
    assert "config" in fault


def test_settings_that_run_nothing_are_no_fault(repository: Path) -> None:
    for key, value in [
        ("core.fsmonitor", "false"),
        ("user.name", "x"),
        ("remote.origin.url", "x"),
        ("diff.renames", "1"),
    ]:
        git(repository, "config", key, value)

    assert exec_fault(repository) == ""


def test_settings_of_a_worktree_count(repository: Path) -> None:
    git(repository, "-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "--allow-empty", "-m", "x")
    git(repository, "worktree", "add", "-q", "../w")
    worktree = repository.parent / "w"
    assert exec_fault(worktree) == ""
    git(repository, "config", "extensions.worktreeConfig", "true")
    git(worktree, "config", "--worktree", "core.pager", "/x")

    assert exec_fault(worktree).startswith("core.pager")
    assert exec_fault(repository) == ""
    git(repository, "config", "core.editor", "/x")
    assert exec_fault(worktree)


def test_what_cannot_be_read_is_a_fault(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / ".git" / "config").write_text("[core\n", "utf-8")
    assert "could not be read" in exec_fault(repository)
    (repository / ".git" / "config").write_text("[core]\n", "utf-8")
    monkeypatch.setenv("PATH", str(repository))
    assert "FileNotFoundError" in exec_fault(repository)


@pytest.mark.parametrize("place", [".git/config", ".git/config.worktree", ".git/info/attributes", ".git/hooks/new"])
def test_a_change_of_settings_is_seen(repository: Path, place: str) -> None:
    before = settings_sha256(repository)
    assert settings_sha256(repository) == before
    (repository / place).parent.mkdir(exist_ok=True)
    (repository / place).write_text("x", "utf-8")

    assert settings_sha256(repository) != before


def test_a_folder_without_git_has_settings_that_are_not_there(tmp_path: Path) -> None:
    assert settings_sha256(tmp_path) == settings_sha256(tmp_path)
    assert all(not place.exists() for place in config_files(tmp_path))


def test_a_repository_inside_of_the_lane_is_a_fault_once_its_files_are_there(repository: Path) -> None:
    git(repository, "init", "-q", "sub")
    git(repository / "sub", "-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "--allow-empty", "-m", "x")
    assert exec_fault(repository) == ""
    git(repository, "-c", "advice.addEmbeddedRepo=false", "add", "sub")

    assert exec_fault(repository) == "a repository inside of it, sub"
