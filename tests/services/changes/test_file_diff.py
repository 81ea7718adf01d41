"""The diff of one file from its bytes: lines, their ends, and what stands beside them."""

from pathlib import Path

import pytest

from desktop.domain.changes.values import FileDiff
from desktop.services.changes.file_diff import Lines, diff_of, hunks_of, patch_of
from desktop.services.changes.sides import FileState

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03"


def state(data: bytes, mode: str = "100644") -> FileState:
    return FileState(mode, len(data), data)


def drawn(diff: FileDiff) -> list[str]:
    return [f"{line.kind}{line.text!r}{line.ends!r}" for hunk in diff.hunks for line in hunk.lines]


def test_lines_keep_their_ends_and_numbers() -> None:
    diff = diff_of(state(b"a\r\nb\nlast"), state(b"a\r\nc\r\nlast\n"), "x.txt")
    assert [tuple(line) for line in diff.hunks[0].lines] == [
        (" ", 1, 1, "a", "\r\n"),
        ("-", 2, 0, "b", "\n"),
        ("-", 3, 0, "last", ""),
        ("+", 0, 2, "c", "\r\n"),
        ("+", 0, 3, "last", "\n"),
    ]
    assert diff.changed_lines == 4
    assert diff.base_sha256 != diff.sha256


def test_content_that_looks_like_a_header_is_content() -> None:
    old = b"-- a/x\n@@ -1,2 +1,2 @@\n\\ No newline at end of file\ndiff --git a/x b/x\n"
    new = b"++ b/x\n@@ -1,2 +1,2 @@\n\\ No newline at end of file\ndiff --git a/x b/x\n+++ b\n"
    diff = diff_of(state(old), state(new), "x")
    assert [(line.kind, line.text) for line in diff.hunks[0].lines] == [
        ("-", "-- a/x"), ("+", "++ b/x"), (" ", "@@ -1,2 +1,2 @@"), (" ", "\\ No newline at end of file"),
        (" ", "diff --git a/x b/x"), ("+", "+++ b"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        (b"a\nb\n", b"a\r\nb\r\n", "Only the line ends changed: LF → CRLF."),
        (b"a\r\nb\r\n", b"a\r\nc\n", "Line ends changed: CRLF → mixed."),
        (b"a\n", b"b\n", ""),
    ],
)
def test_changed_line_ends_are_told(old: bytes, new: bytes, note: str) -> None:
    assert diff_of(state(old), state(new), "x").note == note


def test_mode_type_and_new_programs_are_told() -> None:
    run = state(b"true\n", "100755")
    assert diff_of(state(b"true\n"), run, "x").note == "Mode 100644 → 100755."
    assert diff_of(state(b"a"), state(b"target", "120000"), "x").note == "Was a file, is a link."
    assert diff_of(None, run, "x").note == "New program, mode 100755."


def test_a_submodule_is_two_commits_and_no_lines() -> None:
    old, new = (FileState("160000", 0, b"", oid * 40) for oid in "ab")
    diff = diff_of(old, new, "sub")
    assert (diff.note, diff.hunks, diff.sha256) == ("Submodule aaaaaaaaaaaa → bbbbbbbbbbbb.", (), "")


def test_binary_files_show_sizes_and_pictures_their_bytes() -> None:
    diff = diff_of(state(b"a\0b"), state(PNG), "x.png")
    assert (diff.binary, diff.hunks, diff.note) == (True, (), "Binary: 3 bytes → 24 bytes.")
    assert diff_of(None, state(b"a\0b"), "x").note == "Binary: 3 bytes."
    assert diff_of(None, state(b"\0" * 3_000), "x").note == "Binary: 3 KB."
    assert diff_of(None, state(b"\0" * 1_250_000), "x").note == "Binary: 1.2 MB."
    assert diff.old_image is None
    assert diff.new_image is not None
    assert (diff.new_image.data, diff.new_image.size) == (PNG, 24)


def test_a_large_file_pointer_says_so() -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 5\n"
    assert diff_of(state(pointer), state(b"hello\n"), "x").note.startswith("Stored by Git LFS")


def test_a_file_that_was_not_read_has_no_lines() -> None:
    diff = diff_of(None, FileState("100644", 70 * 1024 * 1024, None), "x.bin")
    assert (diff.binary, diff.sha256) == (True, "")
    assert "73.4 MB is too large" in diff.note


def test_a_long_diff_waits_for_a_person() -> None:
    old = b"".join(b"line %d\n" % number for number in range(300_000))
    new = old.replace(b"line", b"row")
    diff = diff_of(state(old), state(new), "x")
    assert (diff.large, diff.changed_lines, diff.hunks) == (True, 600_000, ())
    few = diff_of(state(old[:70_000]), state(new[:70_000]), "x", lines=Lines(anyway=True))
    assert few.hunks
    assert not few.large


def test_context_and_white_space_are_as_asked() -> None:
    old = b"".join(b"%d\n" % number for number in range(40))
    new = old.replace(b"20\n", b"20 \n").replace(b"30\n", b"thirty\n")
    assert len(diff_of(state(old), state(new), "x").hunks) == 2
    assert len(diff_of(state(old), state(new), "x", lines=Lines(10)).hunks) == 1
    whole = diff_of(state(old), state(new), "x", lines=Lines(-1))
    assert len(whole.hunks[0].lines) == 42
    spaces = diff_of(state(old), state(new), "x", lines=Lines(ignore_space=True))
    assert drawn(spaces)[3:5] == ["-'30''\\n'", "+'thirty''\\n'"]


def test_bytes_that_are_no_text_are_replaced_and_bidi_stays() -> None:
    diff = diff_of(state(b"\xff\n"), state("\u202ea\u2028b\x0cc\n".encode()), "x")
    assert [line.text for line in diff.hunks[0].lines] == ["\ufffd", "\u202ea\u2028b\x0cc"]


def test_no_setting_of_the_person_shapes_a_diff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "gitconfig"
    config.write_text(
        "[diff]\nsuppressBlankEmpty=true\nnoprefix=true\ncontext=0\nexternal=false\n[core]\nautocrlf=true\n"
        "[color]\nui=always\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    patch = patch_of(b"a\n\nb\r\nc\n", b"a\n\nb\nc\n", Lines())
    (hunk,) = hunks_of(patch)
    assert [(line.kind, line.text, line.ends) for line in hunk.lines] == [
        (" ", "a", "\n"), (" ", "", "\n"), ("-", "b", "\r\n"), ("+", "b", "\n"), (" ", "c", "\n"),
    ]  # fmt: skip
