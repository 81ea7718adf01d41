"""Tree objects made of lists of files are those that Git makes, however many changes came one after the other."""

import hashlib
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.services.git.trees.folders import FolderTrees, PathsClash
from desktop.services.git.trees.listing import EXECUTABLE, FILE, LINK, SUBMODULE, TreeEntry
from tests.agent.rig import GIT_ENVIRONMENT, git

NAMES = ["a", "a.b", "a-", "a0", "a b", "B", "\n", '"', "ü", os.fsdecode(b"\xff"), os.fsdecode(b"a\x01")]
HASHES = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}

Files = dict[str, TreeEntry]


def entries(kind: str) -> st.SearchStrategy[TreeEntry]:
    """Files, programs, links and submodules of a few contents."""
    ids = [HASHES[kind](bytes([number])).hexdigest() for number in range(3)]
    return st.builds(TreeEntry, st.sampled_from([FILE, EXECUTABLE, LINK, SUBMODULE]), st.sampled_from(ids))


def file_sets(kind: str) -> st.SearchStrategy[Files]:
    """Files in folders, no file where another one needs a folder."""
    below = st.recursive(
        entries(kind),
        lambda inner: st.dictionaries(st.sampled_from(NAMES), inner, min_size=1, max_size=4),
        max_leaves=8,
    )
    return st.dictionaries(st.sampled_from(NAMES), below, max_size=5).map(flat)


def flat(tree: dict[str, object], place: str = "") -> Files:
    """The files of nested folders by their paths."""
    found: Files = {}
    for name, one in tree.items():
        found |= {place + name: one} if isinstance(one, TreeEntry) else flat(one, f"{place}{name}/")
    return found


@pytest.fixture(scope="module", params=["sha1", "sha256"])
def repository(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp("trees")
    git(folder, "init", "-q", f"--object-format={request.param}")
    return request.param, folder


def git_tree(folder: Path, files: Files) -> str:
    """The id that `git write-tree` gives these files."""
    lines = [f"{entry.mode} {entry.oid}\t".encode() + os.fsencode(path) for path, entry in files.items()]
    environment = {**GIT_ENVIRONMENT, "GIT_INDEX_FILE": str(folder / "passing-index")}
    (folder / "passing-index").unlink(missing_ok=True)
    for arguments in (["update-index", "-z", "--index-info"], ["write-tree", "--missing-ok"]):
        done = subprocess.run(
            ["git", *arguments], cwd=folder, input=b"\0".join(lines), env=environment, check=True, capture_output=True
        )
    return done.stdout.decode().strip()


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(data=st.data())
def test_after_any_changes_the_id_is_that_of_git(repository: tuple[str, Path], data: st.DataObject) -> None:
    kind, folder = repository
    trees, known, objects = FolderTrees(HASHES[kind]), {}, set()
    for files in data.draw(st.lists(file_sets(kind), min_size=1, max_size=3)):
        goals = {path: files.get(path) for path in {*known, *files} if known.get(path) != files.get(path)}
        before = trees.root
        after, bodies = trees.changed(goals)
        assert trees.root == before
        objects |= set(bodies)
        trees, known = after, files
        assert trees.root == git_tree(folder, files) == FolderTrees(HASHES[kind]).changed(files)[0].root
    ids = {HASHES[kind](b"tree %d\0" % len(body) + body).hexdigest() for body in objects}
    listed = git(folder, "ls-tree", "-r", "-d", "-t", trees.root, "--format=%(objecttype) %(objectname)").splitlines()
    assert {line.split()[1] for line in listed if line.startswith("tree ")} | {trees.root} <= ids


def test_only_folders_with_changes_are_made_again() -> None:
    one, other = (TreeEntry(FILE, hashlib.sha1(text).hexdigest()) for text in (b"1", b"2"))
    trees, first = FolderTrees(hashlib.sha1).changed({"a/b/c": one, "a/d/e": one, "f/g": one, "h": one})
    assert len(first) == 5
    assert len(trees.changed({"a/b/c": other})[1]) == 3
    assert len(trees.changed({"h": other})[1]) == 1
    gone, made = trees.changed({"a/b/c": None, "a/d/e": None})
    assert len(made) == 1
    assert gone.root == FolderTrees(hashlib.sha1).changed({"f/g": one, "h": one})[0].root


def test_a_file_in_the_place_of_a_folder_is_no_tree() -> None:
    one = TreeEntry(FILE, hashlib.sha1(b"1").hexdigest())
    trees = FolderTrees(hashlib.sha1).changed({"a/b": one})[0]
    with pytest.raises(PathsClash):
        trees.changed({"a": one})
    with pytest.raises(PathsClash):
        FolderTrees(hashlib.sha1).changed({"x": one, "x/y/z": one})
    assert trees.changed({"a": one, "a/b": None})[0].root == FolderTrees(hashlib.sha1).changed({"a": one})[0].root
