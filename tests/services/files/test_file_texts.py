"""Encodings, diffs, patterns and picture headers."""

import subprocess
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.services.files.glob import expand_braces, glob_matcher
from desktop.services.files.line_diff import line_diff
from desktop.services.files.text_files import count_lines, decode, line_ends, sniff, with_crlf
from desktop.services.pictures.header import ImageHeader, kind_of, read_header


@pytest.mark.promise("tools-T57")
@given(st.binary(max_size=300))
def test_what_is_decoded_comes_back_byte_for_byte(raw: bytes) -> None:
    file = decode(raw)
    assert file is None or file.encode(file.text) == raw


@given(st.text(alphabet="ab\r\n", max_size=60))
def test_with_crlf_leaves_no_bare_line_end(text: str) -> None:
    assert line_ends(with_crlf(text)) in ("CRLF", "none")
    assert with_crlf(with_crlf(text)) == with_crlf(text)


def test_a_nul_makes_a_file_binary_and_a_mark_decides_first() -> None:
    assert sniff(b"a\0b") is None
    assert decode("a".encode("utf-16")).encoding.name == "utf-16-le"
    assert decode("a".encode("utf-32")).encoding.name == "utf-32-le"
    assert decode(b"\xe4").encoding.name == "latin-1"
    assert sniff("ä".encode()[:1]).name == "utf-8"
    assert [count_lines(t) for t in ("", "a", "a\n", "a\nb")] == [0, 1, 1, 2]


LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d"]), max_size=25)


@settings(max_examples=25, deadline=None)
@given(LINES, LINES)
def test_git_applies_our_diffs(tmp_path_factory: pytest.TempPathFactory, old: list[str], new: list[str]) -> None:
    before = "\n".join(line.strip() for line in old) + ("\n" if old[-1:] == ["a\n"] else "")
    after = "\n".join(line.strip() for line in new) + ("\n" if new[-1:] == ["a\n"] else "")
    folder = tmp_path_factory.mktemp("diff")
    diff = line_diff(before, after)
    if not before or not after:
        return
    (folder / "f").write_bytes(before.encode())
    (folder / "p").write_bytes(f"--- a/f\n+++ b/f\n{diff.unified}".encode())
    if diff.unified:
        subprocess.run(["git", "apply", "--unidiff-zero", "p"], cwd=folder, check=True)
    assert (folder / "f").read_bytes() == after.encode()


def test_a_diff_counts_lines_and_gives_up_drawing_long_ones() -> None:
    assert line_diff("a\n", "a\n").unified == ""
    diff = line_diff("", "x\n" * 50_000)
    assert (diff.added, diff.removed, diff.too_large) == (50_000, 0, True)
    crlf = line_diff("a\r\nb\r\n", "a\r\nc\r\n")
    assert crlf.unified == "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("**/*.py", "a.py", True), ("**/*.py", "x/y/a.py", True), ("*.py", "x/a.py", False), ("[!a]*", "b", True),
        ("[!a]*", "ab", False), ("{a,b}.txt", "b.txt", True), ("src/**", "src/x/y", True), ("src/**", "src", False),
        ("a**b", "a/b", False), ("\\*", "*", True), ("\\*", "x", False), ("{a,{b,c}}/x", "c/x", True),
        ("{a}", "{a}", True), ("a/**/b", "a/b", True),
        ("*", ".hid", True), ("[a-z]", "/", False), ("[]a]", "]", True), ("[", "[", True),
        ("a.c", "abc", False), ("?", "ab", False),
    ],
)  # fmt: skip
def test_glob_patterns_match_as_in_a_shell(pattern: str, path: str, matches: bool) -> None:
    assert glob_matcher(pattern)(path) is matches


def test_many_groups_do_not_explode() -> None:
    assert len(expand_braces("{a,b}" * 30)) == 200


@given(st.text(alphabet="ab*?[]{},!/\\", max_size=20), st.text(alphabet="ab/*", max_size=10))
def test_no_pattern_crashes(pattern: str, path: str) -> None:
    glob_matcher(pattern)(path)


def test_no_pattern_is_slow() -> None:
    started = time.monotonic()
    assert not glob_matcher("*a" * 40 + "b")("a" * 255)
    assert not glob_matcher("**/" * 60 + "x")("y/" * 200 + "y")
    expand_braces("{" * 1000 + "," * 20)
    assert time.monotonic() - started < 2


def test_picture_headers() -> None:
    gif = b"GIF89a" + (10).to_bytes(2, "little") + (20).to_bytes(2, "little")
    assert read_header(gif) == ImageHeader("GIF", "image/gif", 10, 20)
    jpeg = b"\xff\xd8\xff\xe0\x00\x04ab" + b"\xff\xc0\x00\x11\x08\x00\x1e\x00\x28" + b"\0" * 12
    assert read_header(jpeg) == ImageHeader("JPEG", "image/jpeg", 40, 30)
    webp = b"RIFF\0\0\0\0WEBPVP8X" + b"\0" * 8 + (99).to_bytes(3, "little") + (49).to_bytes(3, "little") + b"\0" * 4
    assert read_header(webp) == ImageHeader("WebP", "image/webp", 100, 50)
    assert not read_header(b"\x89PNG\r\n\x1a\n").fits
    assert read_header(b"plain") is None
    assert kind_of(b"PK\x03\x04...") == "zip archive"
