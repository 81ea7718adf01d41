"""Bringing an edit to files that may have changed: exactly, or not at all, whatever the files are."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import Git
from desktop.services.history.tree_fit import RawLane, merge_texts
from tests.agent.rig import make_repository

NAMES = ("a", "a/b", "a/b/c", "d.txt", "ü \n.md", "-x", "e/f.bin")
TEXTS = st.sampled_from(
    [b"", b"1\n2\n3\n4\n", b"one\n2\n3\n4\n", b"1\n2\n3\nfour\n", b"\0\1", b"1\r\n2\r\n", b"no end"]
)
Files = Mapping[str, bytes]


@st.composite
def trees(draw: st.DrawFn) -> dict[str, bytes]:
    """Files of which none stands where a folder of another must be."""
    files: dict[str, bytes] = {}
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=5)):
        if not any(name.startswith(f"{one}/") or one.startswith(f"{name}/") for one in files):
            files[name] = draw(TEXTS)
    return files


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("fit") / "repo", {".gitignore": "ignored\n"})


def lay_out(folder: Path, files: Files) -> None:
    """These files, and the ignore file."""
    for path in folder.iterdir():
        if path.name not in (".git", ".gitignore"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def found(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.relative_to(folder).parts)
    named = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    return {name: data for name, data in named.items() if name != ".gitignore"}


@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(base=trees(), edited=trees(), now=st.none() | trees())
def test_an_edit_comes_whole_or_nothing_is_changed(folder: Path, base: Files, edited: Files, now: Files | None) -> None:
    raw = RawLane(LaneFiles(folder, name="fit"), "ln_0123456789ab")
    before: Files = base if now is None else now
    lay_out(folder, base)
    first = raw.keep(raw.look(), "refs/banksman/test/base", reason="test")
    lay_out(folder, edited)
    second = raw.keep(raw.look(), "refs/banksman/test/edited", reason="test")
    lay_out(folder, before)
    done = raw.bring(raw.refs.tree_of(first), raw.refs.tree_of(second))
    after = found(folder)
    if now is None:
        assert done.conflicts == ()
        assert after == edited
    elif done.conflicts:
        assert after == before
    else:
        for name in {*base, *edited, *before}:
            if base.get(name) == edited.get(name):
                assert after.get(name) == before.get(name), name
            elif base.get(name) == before.get(name):
                assert after.get(name) == edited.get(name), name


def test_lines_of_both_are_kept_and_what_is_no_text_does_not_go_together(folder: Path) -> None:
    git, base = Git(folder), b"1\n2\n3\n4\n"
    assert merge_texts(git, b"one\n2\n3\n4\n", base, b"1\n2\n3\nfour\n") == b"one\n2\n3\nfour\n"
    assert merge_texts(git, b"one\n2\n3\n4\n", base, b"uno\n2\n3\n4\n") is None
    assert merge_texts(git, b"\0", base, base) is None
