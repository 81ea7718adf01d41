"""Objects and refs that are written without git are those that git would write, and what is unusual is left to git."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.services.git.trees.writer import LeftToGit, ObjectWriter
from tests.agent.rig import git, make_repository

REF = "refs/banksman/checkpoints/ln_1/7"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop")


def writer(folder: Path) -> ObjectWriter:
    found = ObjectWriter(folder)
    found.require_plain()
    return found


def object_file(folder: Path, oid: str) -> Path:
    return folder / ".git/objects" / oid[:2] / oid[2:]


def commit_of(folder: Path, store: ObjectWriter) -> str:
    """A commit of one file."""
    blob = store.write("blob", b"kept\n", 40)
    tree = store.write("tree", b"100644 a\0" + bytes.fromhex(blob), 40)
    who = "A <a@example.org> 1700000000 +0000"
    return store.write("commit", f"tree {tree}\nauthor {who}\ncommitter {who}\n\nkept\n".encode(), 40)


def test_what_was_written_is_what_git_reads_and_finds_no_fault_with(repository: Path) -> None:
    store = writer(repository)
    commit = commit_of(repository, store)
    store.point(REF, commit)
    assert git(repository, "rev-parse", REF).strip() == commit
    assert git(repository, "show", f"{REF}:a") == "kept\n"
    assert git(repository, "fsck", "--strict", "--full") == ""
    assert object_file(repository, commit).stat().st_mode & 0o777 == 0o444
    assert [path.name for path in (repository / ".git/objects").iterdir() if path.is_file()] == []


def test_an_object_that_is_there_is_not_written_again_but_counts_as_new(repository: Path) -> None:
    store = writer(repository)
    oid = store.write("blob", b"once\n", 40)
    store.settle()
    file = object_file(repository, oid)
    os.utime(file, (1_000_000_000, 1_000_000_000))
    before = file.stat()
    assert store.write("blob", b"once\n", 40) == oid
    assert file.stat().st_ino == before.st_ino
    assert file.stat().st_mtime > 1_700_000_000
    git(repository, "prune", "--expire=1.hour.ago")
    assert file.exists()


def test_an_object_that_a_crash_left_empty_is_written_anew(repository: Path) -> None:
    store = writer(repository)
    oid = store.write("blob", b"whole\n", 40)
    store.settle()
    object_file(repository, oid).unlink()
    object_file(repository, oid).touch()
    assert not store.holds(oid)
    store.write("blob", b"whole\n", 40)
    store.settle()
    assert git(repository, "cat-file", "blob", oid) == "whole\n"


def test_as_many_objects_as_one_likes_are_there_in_the_end_and_those_that_were_dropped_are_not(
    repository: Path,
) -> None:
    store = writer(repository)
    several = [store.write("blob", f"{number % 150}".encode(), 40) for number in range(200)]
    store.settle()
    assert all(object_file(repository, oid).exists() for oid in several)
    files = len(list((repository / ".git/objects").rglob("*")))
    oid = store.write("blob", b"not needed", 40)
    store.drop()
    assert not object_file(repository, oid).exists()
    assert len(list((repository / ".git/objects").rglob("*"))) == files
    assert git(repository, "fsck", "--strict", "--no-dangling") == ""


def test_a_ref_that_is_there_or_is_locked_is_left_to_git(repository: Path) -> None:
    store = writer(repository)
    commit = commit_of(repository, store)
    store.point(REF, commit)
    with pytest.raises(LeftToGit):
        store.point(REF, git(repository, "rev-parse", "HEAD").strip())
    assert git(repository, "rev-parse", REF).strip() == commit
    other = REF.replace("/7", "/8")
    (repository / f".git/{other}.lock").touch()
    with pytest.raises(LeftToGit, match="locked"):
        store.point(other, commit)
    with pytest.raises(LeftToGit):
        store.point(f"{REF}/below", commit)
    with pytest.raises(LeftToGit):
        store.point(REF.rpartition("/")[0], commit)
    assert git(repository, "for-each-ref", "--format=%(refname)", "refs/banksman").split() == [REF]


@pytest.mark.parametrize(
    "settings",
    [
        "[extensions]\n\trefStorage = reftable\n",
        "[extensions]\n\tobjectFormat = sha1\n\tpartialClone = origin\n",
        "[extensions] refStorage = reftable\n",
        "[ExtensionS]\n\tcompatObjectFormat = sha256\n",
        '[extensions]\n\tobjectFormat = sha1\\\n[core]\n\trefStorage = "reftable"\n',
        "\ufeff[extensions]\n\trefStorage = reftable\n",
        '[extensions "x"]\n\ty = z\n',
        '[remote "origin"]\n\tpromisor = true\n',
        "[core]\n\tsharedRepository = group\n",
        "#" * 1024 * 1024,
    ],
)
def test_a_repository_whose_settings_are_unusual_is_left_to_git(repository: Path, settings: str) -> None:
    config = repository / ".git/config"
    store = writer(repository)
    usual = config.read_text()
    config.write_text(usual + settings)
    with pytest.raises(LeftToGit):
        store.require_plain()
    config.write_text(settings + usual)
    with pytest.raises(LeftToGit):
        store.require_plain()
    config.write_text(usual + "[extensions]\n\t# of two worktrees\n\tworktreeConfig = true\n")
    store.require_plain()


def test_a_pointer_that_leads_to_another_repository_is_followed_at_once(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "lane"))
    store = writer(tmp_path / "lane")
    first = store.write("blob", b"1", 40)
    store.settle()
    assert object_file(repository, first).exists()
    other = make_repository(tmp_path / "other")
    (tmp_path / "lane/.git").write_text(f"gitdir: {other}/.git\n")
    store.require_plain()
    second = store.write("blob", b"2", 40)
    store.settle()
    assert object_file(other, second).exists()
    (tmp_path / "lane/.git").unlink()
    with pytest.raises(LeftToGit):
        store.require_plain()


def test_what_cannot_get_its_place_is_left_to_git_and_taken_away(repository: Path) -> None:
    store = writer(repository)
    oid = store.write("blob", b"1", 40)
    object_file(repository, oid).parent.write_text("in the way")
    with pytest.raises(LeftToGit):
        store.settle()
    store.drop()
    assert not list((repository / ".git/objects").glob("tmp_obj_*"))
    (repository / ".git/refs/banksman").write_text("in the way")
    with pytest.raises(LeftToGit):
        store.point(REF, git(repository, "rev-parse", "HEAD").strip())
    assert not list((repository / ".git/objects").glob("tmp_obj_*"))
    (repository / ".git/objects").rename(repository / ".git/gone")
    with pytest.raises(LeftToGit):
        store.write("blob", b"2", 40)


def test_a_folder_without_a_repository_is_left_to_git(tmp_path: Path) -> None:
    with pytest.raises(LeftToGit):
        writer(tmp_path)


KILLED = """
import os, signal, sys
from pathlib import Path
from desktop.services.git.trees.writer import ObjectWriter
sys.addaudithook(lambda name, arguments: name == sys.argv[2] and os.kill(os.getpid(), signal.SIGKILL))
store = ObjectWriter(Path(sys.argv[1]))
store.require_plain()
store.point("{ref}", store.write("blob", os.urandom(16), 40))
"""


@pytest.mark.parametrize("moment", ["os.rename", "os.link", "os.remove"])
def test_what_a_kill_leaves_hinders_nobody_and_git_takes_it_away(repository: Path, moment: str) -> None:
    command = [sys.executable, "-c", KILLED.format(ref=REF), str(repository), moment]
    assert subprocess.run(command, check=False).returncode == -9
    objects = repository / ".git/objects"
    assert {path.name[:8] for path in objects.iterdir() if path.is_file()} == {"tmp_obj_"}
    git(repository, "fsck", "--strict")
    git(repository, "prune", "--expire=now")
    assert [path for path in objects.iterdir() if path.is_file()] == []
    if moment != "os.remove":
        store = writer(repository)
        store.point(REF, commit_of(repository, store))
    assert git(repository, "rev-parse", REF)
