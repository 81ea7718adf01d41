"""RepoReader on real repositories: it says what git says, mostly without git, and hands nothing of ours to a child."""

import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop.domain.core.errors import GitError
from desktop.services.files.pointers import NoRegularFile
from desktop.services.git import reader
from desktop.services.git.reader import RepoReader
from desktop.services.git.run import Git
from tests.agent.counting_git import count_git
from tests.agent.rig import git, make_repository

BELOW = ("refs/heads/", "refs/remotes/", "refs/tags/", "refs/banksman/")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes in the place of files, a shell script as git")


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    reader.load()


def usual(place: Path) -> Path:
    """Branches, a tag, a remote with its HEAD, a ref of ours, two commits."""
    repository = make_repository(place / "shop")
    for command in (
        "commit -q --allow-empty -m second", "branch topic/one HEAD~1", "branch näher", "tag -a v1 -m one", "tag v2",
        "remote add origin https://example.org/shop.git", "update-ref refs/remotes/origin/main HEAD",
        "symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main", "remote add far.one /nowhere",
        "update-ref refs/banksman/kept/ln_1/1 HEAD",
    ):  # fmt: skip
        git(repository, *command.split(" "))
    return repository


def worktree(place: Path) -> Path:
    git(usual(place), "worktree", "add", "-q", "-b", "side", str(place / "side"))
    return place / "side"


def packed(place: Path) -> Path:
    repository = usual(place)
    git(repository, "pack-refs", "--all")
    git(repository, "branch", "-f", "topic/one", "HEAD")
    return repository


def detached(place: Path) -> Path:
    repository = usual(place)
    git(repository, "checkout", "-q", "--detach")
    return repository


def unborn(place: Path) -> Path:
    repository = usual(place)
    git(repository, "checkout", "-q", "--orphan", "nothing/yet")
    return repository


def variable(place: Path) -> Path:
    return usual(place / "$HOME")


def borrowing(place: Path) -> Path:
    git(place, "clone", "-q", "--shared", str(usual(place)), "borrowing")
    return place / "borrowing"


def sha256(place: Path) -> Path:
    repository = place / "new"
    git(place, "init", "-q", "-b", "main", "--object-format=sha256", str(repository))
    git(repository, "commit", "-q", "--allow-empty", "-m", "first")
    return repository


def reftable(place: Path) -> Path:
    repository = place / "new"
    git(place, "init", "-q", "-b", "main", "--ref-format=reftable", str(repository))
    git(repository, "commit", "-q", "--allow-empty", "-m", "first")
    return repository


def linked(place: Path) -> Path:
    repository = usual(place)
    (repository / ".git" / "refs" / "heads" / "link").symlink_to(repository / ".git" / "refs" / "heads" / "main")
    return repository


def linked_folder(place: Path) -> Path:
    repository = usual(place)
    (repository / ".git" / "refs" / "heads" / "folder").symlink_to("topic")
    return repository


def named_as_a_file_of_git(place: Path) -> Path:
    repository = usual(place)
    git(repository, "branch", "topic/packed-refs")
    return repository


def dangling(place: Path) -> Path:
    repository = usual(place)
    git(repository, "update-ref", "-d", "refs/remotes/origin/main")
    return repository


def broken(place: Path) -> Path:
    repository = usual(place)
    for name, text in (("bad", "what\n"), ("empty", ""), ("zero", "0" * 40), ("main.lock", "")):
        (repository / ".git" / "refs" / "heads" / name).write_text(text)
    return repository


def including(place: Path) -> Path:
    repository = usual(place)
    (place / "more").write_text('[remote "third"]\n\turl = /nowhere\n')
    git(repository, "config", "include.path", str(place / "more"))
    return repository


def odd_remotes(place: Path) -> Path:
    repository = usual(place)
    with (repository / ".git" / "config").open("a") as settings:
        settings.write('[remote "empty"]\n[REMOTE "a b"]\n\turl = x\n[remote]\n\tpushDefault = origin\n')
    return repository


PLAIN = (usual, worktree, packed, detached, unborn, variable, borrowing)
ODD = (sha256, linked, linked_folder, named_as_a_file_of_git, dangling, broken, including, odd_remotes)
KNOWS_REFTABLE = "--ref-format" in subprocess.run(["git", "init", "-h"], capture_output=True, text=True).stdout


def said_by_git(repository: Path) -> tuple[str, list[str], list[str]]:
    """Branch, refs and remotes in git's own words."""
    names = git(repository, "for-each-ref", "--format=%(refname)", *BELOW).splitlines()
    return git(repository, "branch", "--show-current").strip(), names, git(repository, "remote").split()


def read_all(repository: Path) -> tuple[str, list[str], list[str]]:
    """The same by the reader."""
    found = RepoReader(repository)
    return found.branch(), found.ref_names(*BELOW), found.remotes()


@pytest.mark.parametrize("build", [*PLAIN, *ODD, *([reftable] if KNOWS_REFTABLE else [])], ids=lambda b: b.__name__)
def test_it_says_what_git_says(build: Callable[[Path], Path], tmp_path: Path) -> None:
    repository = build(tmp_path)
    assert read_all(repository) == said_by_git(repository)


@pytest.mark.parametrize("build", PLAIN, ids=lambda build: build.__name__)
def test_names_are_read_without_git(
    build: Callable[[Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = build(tmp_path)
    starts = count_git(tmp_path, monkeypatch)
    found = RepoReader(repository)
    found.branch(), found.ref_names(*BELOW), found.remotes()
    assert starts.read_text() == ""


def test_a_pipe_in_the_place_of_a_ref_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = usual(tmp_path)
    os.mkfifo(repository / ".git" / "refs" / "heads" / "pipe")
    asked = tmp_path / "programs"
    asked.mkdir()
    (asked / "git").symlink_to("/bin/false")  # git itself would wait
    monkeypatch.setenv("PATH", str(asked))
    found = RepoReader(repository)
    assert (found.branch(), found.ref_names("refs/tags/")) == ("main", ["refs/tags/v1", "refs/tags/v2"])
    with pytest.raises(GitError, match="for-each-ref failed"):
        found.ref_names("refs/heads/")


@pytest.mark.parametrize("place", ["HEAD", "config", "packed-refs"])
def test_a_pipe_in_the_place_of_a_file_of_git_is_not_waited_for(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = usual(tmp_path)
    git(repository, "pack-refs", "--all")
    (repository / ".git" / place).unlink()
    os.mkfifo(repository / ".git" / place)
    asked = tmp_path / "programs"
    asked.mkdir()
    (asked / "git").symlink_to("/bin/false")
    monkeypatch.setenv("PATH", str(asked))
    with pytest.raises(GitError, match="for-each-ref failed"):
        RepoReader(repository).ref_names("refs/heads/")


READS: dict[str, Callable[[Any, Any], object]] = {
    "config": lambda _, repo: repo.config_reader("repository").sections(),
    "packed-refs": lambda module, repo: module.names_below(repo, "refs/heads"),
    "refs/heads/main": lambda _, repo: repo.head.reference.commit,
    "HEAD": lambda _, repo: repo.head.is_detached,
}


@pytest.mark.parametrize("place", READS)
def test_a_pipe_put_there_after_the_look_is_not_waited_for(place: str, tmp_path: Path) -> None:
    repository = usual(tmp_path)
    git(repository, "pack-refs")
    module = importlib.import_module("desktop.services.git.clean_repo")
    repo = module.CleanRepo(str(repository))
    (repository / ".git" / place).unlink()
    os.mkfifo(repository / ".git" / place)
    with pytest.raises(NoRegularFile):
        READS[place](module, repo)


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY"])
def test_a_variable_that_leads_to_another_repository_leads_nowhere(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_repository(tmp_path / "other")
    git(other, "checkout", "-q", "-b", "theirs")
    repository = usual(tmp_path)
    expected = said_by_git(repository)
    monkeypatch.setenv(name, str(other / ".git"))
    assert read_all(repository) == expected


def test_loading_asks_no_git_and_leaves_no_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    starts = count_git(tmp_path, monkeypatch)
    code = "import os; from desktop.services.git import reader; before = dict(os.environ); reader.load(); "
    code += "import sys; sys.exit(not ('git' in sys.modules and before == dict(os.environ)))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
    assert starts.read_text() == ""


def test_no_program_of_the_repository_runs(tmp_path: Path) -> None:
    repository = usual(tmp_path)
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch '{tmp_path / 'sprung'}'\n")
    trap.chmod(0o755)
    for key in (
        "core.fsmonitor", "core.pager", "core.sshCommand", "core.alternateRefsCommand", "credential.helper",
        "filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.external", "alias.cat-file", "core.editor",
    ):  # fmt: skip
        git(repository, "config", key, str(trap))
    (repository / ".git" / "hooks").mkdir(exist_ok=True)
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc"):
        (repository / ".git" / "hooks" / hook).symlink_to(trap)
    read_all(repository)
    assert not (tmp_path / "sprung").exists()


def test_the_persons_own_settings_may_name_remotes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = usual(tmp_path)
    (tmp_path / "mine").write_text('[remote "mine"]\n\turl = /nowhere\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "mine"))
    assert RepoReader(repository).remotes() == Git(repository).run_now("remote").stdout.split()


def test_a_folder_that_is_no_repository_is_told_by_git(tmp_path: Path) -> None:
    with pytest.raises(GitError):
        RepoReader(tmp_path).remotes()
