"""Judging a path from its text and from the facts of a walk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.policy.paths import WalkFacts, assess_path, screen_path, workspace_verdict

OPS = ["read", "list", "write", "delete"]


def screen(raw: str, *, windows: bool = False):
    return screen_path(raw, "read", windows=windows)


@pytest.mark.promise("gate-P2")
@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("a\0b", "U+0000"),
        ("a\nb", "U+000A"),
        ("a\tb", "U+0009"),
        ("a\u200bb", "U+200B"),
        ("a\u202eb", "U+202E"),
        ("a\u2028b", "U+2028"),
        ("a\u2029b", "U+2029"),
        ("a\ud800b", "U+D800"),
        ("x" * 256, "255 bytes"),
        ("é" * 128, "255 bytes"),
        ("a/" * 2049, "4095 bytes"),
        ("file:///etc/passwd", "address"),
        ("FILE://x", "address"),
        ("a\u200b/.git\u200b/config", "U+200B"),
        (".git\u200b/\x01", "U+200B"),
    ],
)
def test_text_that_is_no_path_is_invalid_without_a_look_at_the_disk(raw: str, why: str) -> None:
    facts = screen(raw)
    assert facts is not None
    assert (facts.verdict, facts.deny, facts.exists) == ("invalid", True, False)
    assert why in facts.reason


@pytest.mark.parametrize("raw", ["~", "~/x", "~root/.ssh", "~backup"])
def test_a_tilde_means_a_home_folder(raw: str) -> None:
    facts = screen(raw)
    assert facts is not None
    assert (facts.verdict, facts.deny) == ("outside", True)


@pytest.mark.parametrize(
    "raw",
    ["a", "a/~", "-rf", "a b", ".", "..", "/x", "$HOME", "é" * 127, "x" * 255, "C:\\x", "nul", "a:b", ".g\u200bit/x"],
)
def test_other_text_is_walked(raw: str) -> None:
    assert screen(raw) is None


@pytest.mark.parametrize(
    "raw", ["nul", "a/NUL.txt", "con .x", "COM1", "lpt9.log", "com¹", "a/b:stream", "a/...", "c:/x:y", "ab:c"]
)
def test_windows_knows_more_unusable_names(raw: str) -> None:
    facts = screen(raw, windows=True)
    assert facts is not None
    assert facts.verdict == "invalid"


@pytest.mark.parametrize("raw", ["\\\\host\\share", "//host/share", "\\\\.\\pipe"])
def test_windows_names_of_other_computers_are_outside(raw: str) -> None:
    facts = screen(raw, windows=True)
    assert facts is not None
    assert facts.verdict == "outside"


@pytest.mark.parametrize("raw", ["C:\\x\\y", "..\\a", "console.txt", "a/./b"])
def test_windows_walks_the_rest(raw: str) -> None:
    assert screen(raw, windows=True) is None


@given(st.text(), st.sampled_from(OPS), st.booleans())
def test_screening_never_raises(raw, op, windows) -> None:
    facts = screen_path(raw, op, windows=windows)
    assert facts is None or (facts.deny and not facts.ask and facts.reason)


def walk(**facts) -> WalkFacts:
    return WalkFacts(**{"rel": "a", "names": (("a",),), "kind": "file", "nlink": 1, **facts})


@pytest.mark.parametrize(
    ("op", "facts", "verdict", "effect"),
    [
        ("read", {}, "inside", ""),
        ("write", {}, "inside", ""),
        ("write", {"kind": "missing"}, "inside", ""),
        ("delete", {"kind": "dir"}, "inside", ""),
        ("list", {"kind": "dir", "rel": "."}, "inside", ""),
        ("delete", {"kind": "dir", "rel": "."}, "invalid", "deny"),
        ("write", {"kind": "dir"}, "invalid", "deny"),
        ("read", {"kind": "other"}, "invalid", "deny"),
        ("write", {"kind": "other"}, "invalid", "deny"),
        ("read", {"nlink": 2}, "inside", ""),
        ("write", {"nlink": 2}, "inside", "ask"),
        ("delete", {"nlink": 2}, "inside", "ask"),
        ("read", {"other_device": True}, "inside", ""),
        ("write", {"other_device": True}, "inside", "deny"),
        ("read", {"fault": "no"}, "invalid", "deny"),
        ("read", {"place": "outside"}, "outside", "ask"),
        ("list", {"place": "outside"}, "outside", "ask"),
        ("write", {"place": "outside"}, "outside", "deny"),
        ("delete", {"place": "outside"}, "outside", "deny"),
        ("read", {"place": "outside", "system": True}, "outside", "deny"),
        ("read", {"place": "outside", "product_folder": True}, "outside", "deny"),
        ("read", {"place": "outside", "kind": "other"}, "outside", "deny"),
        ("read", {"place": "outside", "via_symlink": "a → /b"}, "outside", "ask"),
        ("read", {"place": "reference"}, "reference", ""),
        ("write", {"place": "reference"}, "outside", "deny"),
        ("read", {"place": "reference", "names": ((".env",),)}, "protected", "ask"),
        ("read", {"place": "reference", "kind": "other"}, "invalid", "deny"),
        ("read", {"names": ((".env",),)}, "protected", "ask"),
        ("read", {"names": (("x",), (".env",))}, "protected", "ask"),
        ("write", {"names": ((".env",),)}, "protected", "ask"),
        ("read", {"names": ((".git", "HEAD"),)}, "inside", ""),
        ("read", {"names": ((".git", "config"),)}, "protected", "ask"),
        ("write", {"names": ((".git", "config"),)}, "protected", "deny"),
        ("read", {"git_folder": True}, "inside", ""),
        ("write", {"git_folder": True}, "protected", "deny"),
        ("write", {"names": ((".mcp.json",),)}, "protected", "ask"),
        ("read", {"names": ((".mcp.json",),)}, "inside", ""),
        ("read", {"names": ((".banksman", "x"),)}, "inside", ""),
        ("write", {"names": ((".banksman", "x"),)}, "protected", "deny"),
        ("read", {"product_folder": True}, "protected", "deny"),
        ("write", {"names": ((".husky", ".env"),)}, "protected", "ask"),
        ("write", {"names": ((".git", "id_rsa"),)}, "protected", "deny"),
        ("read", {"names": ((".git", "id_rsa"),)}, "protected", "ask"),
    ],
)
def test_each_finding_has_its_verdict(op, facts, verdict, effect) -> None:
    found = assess_path("a", op, walk(**facts))
    assert (found.verdict, "ask" if found.ask else "deny" if found.deny else "") == (verdict, effect), found.reason
    assert bool(found.reason) == bool(effect)


def test_the_strictest_class_names_the_verdict() -> None:
    assert assess_path("a", "write", walk(names=((".git", "id_rsa"),))).class_ == "git"
    assert assess_path("a", "read", walk(names=((".git", "id_rsa"),))).class_ == "secret"
    assert assess_path("a", "read", walk(names=((".git", "HEAD"),))).class_ == "git"


@pytest.mark.promise("gate-P1")
def test_invalid_comes_before_outside_and_outside_before_protected() -> None:
    both = {"place": "outside", "names": ((".git",),)}
    assert assess_path("a", "write", walk(fault="no", **both)).verdict == "invalid"
    assert assess_path("a", "write", walk(**both)).verdict == "outside"
    assert assess_path("a", "write", walk(names=((".git",),), kind="dir")).verdict == "protected"


def test_a_link_out_of_the_lane_says_so() -> None:
    assert "link" in assess_path("a", "read", walk(place="outside", via_symlink="a → /b")).reason


def test_the_check_command_takes_for_outside_what_it_cannot_tell_from_it() -> None:
    assert workspace_verdict(assess_path("a", "write", walk(nlink=3)))[0] == "outside"
    assert workspace_verdict(assess_path("a", "write", walk(other_device=True)))[0] == "outside"
    assert workspace_verdict(assess_path("a", "write", walk()))[0] == "inside"
    assert workspace_verdict(assess_path("a", "write", walk(kind="other")))[0] == "invalid"
    assert workspace_verdict(assess_path("a", "read", walk(names=((".env",),))))[0] == "protected"
