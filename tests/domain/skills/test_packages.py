"""A package is exact bytes under safe names; its digest changes with each of them."""

import pytest

from desktop.domain.core.errors import SkillError
from desktop.domain.skills.packages import MOST_BYTES, Package, PackageFile, check_count, check_paths
from desktop.domain.skills.values import Fault


def package(**files: bytes) -> Package:
    return Package(PackageFile(name, False, content) for name, content in files.items())


def test_the_digest_binds_paths_modes_and_contents_in_any_order() -> None:
    a, b = PackageFile("a", False, b"1"), PackageFile("b", True, b"2")
    known = Package([a, b]).sha256

    assert Package([b, a]).sha256 == known
    for other in (
        [a],
        [a, PackageFile("b", False, b"2")],
        [a, PackageFile("b", True, b"3")],
        [a, PackageFile("c", True, b"2")],
        [PackageFile("a", False, b"1b"), PackageFile("", True, b"2")][:1],
    ):
        assert Package(other).sha256 != known


def test_a_package_gives_its_files_by_path() -> None:
    found = package(b=b"22", a=b"1")

    assert [file.path for file in found.files] == ["a", "b"]
    assert (found.size, found.content("b"), found.content("c")) == (3, b"22", None)
    assert found.files[0].sha256.startswith("6b86b2")


@pytest.mark.promise("memory-SK9")
@pytest.mark.parametrize(
    "path",
    ["../x", "/x", "a//b", "a/./b", "a/../b", "", "a\\b", "C:x", "a\0b", "a\nb", " a", "a/b ", ".git/config",
     "x/.GIT/hooks", "\ud800", "a\u2028b", "x" * 301],
)  # fmt: skip
def test_a_name_that_leads_elsewhere_is_refused(path: str) -> None:
    with pytest.raises(SkillError):
        check_paths([path])


@pytest.mark.promise("memory-SK9")
@pytest.mark.parametrize(("one", "two"), [("a", "A"), ("d/x", "D/y"), ("é", "e\u0301")])
def test_two_names_that_some_system_takes_for_one_are_refused(one: str, two: str) -> None:
    with pytest.raises(SkillError, match="differ by case"):
        check_paths([one, two])
    check_paths([one, one + "2"])


def test_more_than_a_package_may_have_is_refused() -> None:
    check_count(200, MOST_BYTES)
    with pytest.raises(SkillError, match="200 files"):
        check_count(201, 0)
    with pytest.raises(SkillError, match="5 MiB"):
        check_count(1, MOST_BYTES + 1)


def test_a_fault_of_a_whole_file_names_no_line() -> None:
    assert str(Fault("a.md", 0, "No.")) == "a.md: No."
    assert str(Fault("a.md", 3, "No.")) == "a.md, line 3: No."
