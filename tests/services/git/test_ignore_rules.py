"""What the quick look says is not ignored Git does not ignore, whatever stands in the ignore files."""

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.services.git.trees import ignore_rules
from desktop.services.git.trees.ignore_rules import IgnoreRules
from tests.services.git.lane_changes import run_git

PIECES = [
    "a",
    "b",
    "A",
    ".log",
    "*",
    "**",
    "?",
    "/",
    "//",
    "[ab]",
    "[!a]",
    "[/]",
    "[a",
    "\\",
    "!",
    "#",
    " ",
    "\r",
    "ü",
    "\t",
]
LINES = st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join), min_size=1, max_size=4)
NAMES = st.lists(
    st.sampled_from(["a", "b", "A", "ab", "a.log", "b.log", "*", "ü", "x y", "a "]), min_size=1, max_size=3
)


def ignored_by_git(lane: Path, paths: list[str]) -> set[str]:
    """Those that Git ignores."""
    given = "".join(f"./{path}\0" for path in paths).encode()
    asked = ["git", "check-ignore", "--no-index", "-z", "--stdin"]
    done = subprocess.run(asked, cwd=lane, input=given, capture_output=True, check=False, timeout=20)
    return {name[2:] for name in done.stdout.decode().split("\0") if name}


@settings(max_examples=60, deadline=None)
@given(lines=LINES, paths=st.lists(NAMES.map("/".join), min_size=20, max_size=20), fold=st.booleans())
def test_what_git_ignores_is_never_said_to_be_free(lines: list[str], paths: list[str], fold: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run_git(Path(folder), "init", "-q")
        run_git(Path(folder), "config", "core.ignoreCase", str(fold).lower())
        content = "\n".join(lines).encode()
        (Path(folder) / ".gitignore").write_bytes(content)
        rules = IgnoreRules([content])
        for path in ignored_by_git(Path(folder), paths):
            assert rules.may_cover(path.encode()), (lines, path)


@pytest.mark.parametrize(
    ("line", "free", "covered"),
    [
        ("*.py[cod]", ["a.txt", "pyc"], ["a.pyc", "in/a.pyo"]),
        ("build/", ["builder", "rebuild/x"], ["build", "in/build/x"]),
        ("/docs/_build/**", ["docs/a"], ["docs/_build/a"]),
        ("!kept", ["kept"], []),
        ("# words", ["words", "# words"], []),
        ("", ["a"], []),
        ("*", [], ["a"]),
        ("\\#odd", [], ["#odd"]),
        ("**/x", ["y"], ["x", "a/x"]),
        ("/**", [], ["a", "a/b"]),
        ("/**/**", [], ["a", "a/b"]),
    ],
)
def test_most_names_are_told_to_be_free(line: str, free: list[str], covered: list[str]) -> None:
    rules = IgnoreRules([line.encode()])
    assert [path for path in free if rules.may_cover(path.encode())] == []
    assert [path for path in covered if not rules.may_cover(path.encode())] == []


def test_patterns_that_take_long_and_files_that_are_long_are_left_to_git(monkeypatch: pytest.MonkeyPatch) -> None:
    assert IgnoreRules([b"*a" * 40 + b"b"]).may_cover(b"a" * 250)
    assert not IgnoreRules([b"rare"]).may_cover(b"a")
    monkeypatch.setattr(ignore_rules, "MAX_BYTES", 3)
    assert IgnoreRules([b"rare"]).may_cover(b"a")
