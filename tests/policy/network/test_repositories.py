"""Addresses of repositories as people copy them."""

import pytest

from desktop.policy.network.hosts import Refused
from desktop.policy.network.repositories import Repository, check_repository


def found(text: str, branch: str = "", folder: str = "") -> Repository:
    repository = check_repository(text, branch, folder)
    assert isinstance(repository, Repository), repository
    return repository


def refused(text: str, branch: str = "", folder: str = "") -> str:
    repository = check_repository(text, branch, folder)
    assert isinstance(repository, Refused)
    return repository.reason


@pytest.mark.promise("memory-SK9")
def test_an_address_has_one_spelling_and_a_name():
    one = found(" https://Git.Example:8443/some/skills.git/ ", " v1.0/x ", "/a//b/")
    assert (one.address, one.host.name, one.port) == ("https://git.example:8443/some/skills.git", "git.example", 8443)
    assert (one.branch, one.folder, one.name) == ("v1.0/x", "a/b", "skills")


@pytest.mark.promise("memory-SK9")
def test_the_page_of_a_folder_says_its_branch_and_folder_unless_a_person_does():
    page = "https://github.com/some/skills/tree/main/one/two"
    assert (found(page).branch, found(page).folder) == ("main", "one/two")
    assert (found(page, "v2", "three").branch, found(page, "v2", "three").folder) == ("v2", "three")
    assert found("https://github.com/some/skills/tree/main").folder == ""
    assert found("https://other.example/some/skills/tree/main").branch == ""


@pytest.mark.promise("memory-SK9")
@pytest.mark.parametrize(
    ("text", "branch", "folder", "why"),
    [
        ("http://git.example/x", "", "", "over https alone"),
        ("git@git.example:x", "", "", "begin with"),
        ("https://git.example/x?y", "", "", "question mark"),
        ("https://git.example/x", "-x", "", "no name of a branch"),
        ("https://git.example/x", "a..b", "", "no name of a branch"),
        ("https://git.example/x", "a" * 201, "", "no name of a branch"),
        ("https://git.example/x", "", "a/../b", "none of a repository"),
        ("https://git.example/x", "", "a" * 301, "none of a repository"),
    ],
)
def test_what_is_no_repository_is_refused_with_the_reason(text, branch, folder, why):
    assert why in refused(text, branch, folder)
