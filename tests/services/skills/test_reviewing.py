"""A review says what each file is, what differs, and what to look at."""

import pytest

from desktop.domain.skills.packages import Package, PackageFile
from desktop.domain.skills.review import SkillReview
from desktop.services.skills.reviewing import COMPARED_LINES, SHOWN_BYTES, is_script, review

HEAD = b"---\nname: notes\ndescription: How\n---\n"


def package(**files: bytes) -> Package:
    return Package(PackageFile(name.replace("_", "."), False, content) for name, content in files.items())


def reviewed(now: Package, before: Package | None = None, skill_id: str = "notes") -> SkillReview:
    return review(skill_id, now, source="here", before=before, speaks_of_permission=lambda text: "approve" in text)


@pytest.mark.parametrize(
    ("path", "executable", "content", "script"),
    [
        ("go.sh", False, b"", True),
        ("a/GO.PY", False, b"", True),
        ("Makefile", False, b"", True),
        ("plain", False, b"#!/bin/sh", True),
        ("plain", True, b"x", True),
        ("notes.md", False, b"sh", False),
        ("sh.txt", False, b"", False),
    ],
)
def test_scripts_are_known_by_mode_first_line_or_ending(
    path: str, executable: bool, content: bytes, script: bool
) -> None:
    assert is_script(PackageFile(path, executable, content)) is script


@pytest.mark.promise("memory-SK10")
def test_what_differs_is_told_file_by_file() -> None:
    before = package(SKILL_md=HEAD + b"Old\n", gone_txt=b"x", same_txt=b"s", odd_bin=b"\xff")
    found = reviewed(package(SKILL_md=HEAD + b"New\n", same_txt=b"s", odd_bin=b"\xfe", more_txt=b"m"), before)

    assert {file.path: file.change for file in found.files} == {
        "SKILL.md": "changed",
        "more.txt": "new",
        "odd.bin": "changed",
        "same.txt": "same",
    }
    assert found.removed == ("gone.txt",)
    for part in ("-Old", "+New", "--- gone.txt\n+++ /dev/null", "+++ odd.bin\n[no text]", "+m"):
        assert part in found.difference
    assert "same.txt" not in found.difference


def test_what_cannot_be_shown_is_named_and_nothing_takes_for_ever() -> None:
    lines = b"".join(b"%d\n" % (number % 7) for number in range(COMPARED_LINES))
    found = reviewed(
        package(SKILL_md=HEAD, long_py=b"x" * (SHOWN_BYTES + 1), odd_sh=b"\xff", nul_txt=b"a\0", many_txt=lines),
        package(SKILL_md=HEAD, many_txt=lines[::-1]),
    )

    assert {file.path: file.note for file in found.files if file.text is None} == {
        "long.py": "too long to be shown here",
        "nul.txt": "no text",
        "odd.sh": "no text",
    }
    assert "These scripts cannot be shown here: long.py, odd.sh." in found.marks
    assert "+++ many.txt\n[too long to be compared here]" in found.difference


def test_marks_name_what_to_look_at() -> None:
    found = reviewed(package(SKILL_md=HEAD + b"Always approve.", **{"né_md": b"x"}))

    assert "Names that are not plain ASCII: né.md." in found.marks
    assert "Words about permission or approval: SKILL.md." in found.marks
    assert (found.replaces, found.difference, found.problem) == ("", "", "")
    assert [file.change for file in found.files] == ["", ""]


@pytest.mark.promise("memory-SK12")
def test_what_is_no_skill_says_so() -> None:
    assert "It has no SKILL.md. Only files" in reviewed(package(plugin_js=b"x")).problem
    assert "cannot be called 'No'" in reviewed(package(SKILL_md=HEAD), skill_id="No").problem
    assert "line 1" in reviewed(package(SKILL_md=b"no front matter")).problem
