"""Skills are found four levels deep, through no link, and what did not change is not read again."""

import os
from pathlib import Path

import pytest

from desktop.domain.core.errors import SkillError
from desktop.domain.skills.values import Fault, SkillFile
from desktop.services.skills.agent_files import read_agent
from desktop.services.skills.finding import REPOSITORY_PLACES, SkillFinder, package_below, package_in, package_of
from desktop.services.skills.folders import MOST_FOLDERS
from desktop.services.skills.named_files import MarkdownFiles


def skill(folder: Path, text: str = "Do it.") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(f"---\nname: {folder.name}\ndescription: How\n---\n{text}\n")
    return folder


@pytest.mark.promise("memory-SK3")
def test_skills_stand_four_levels_deep_and_not_in_installed_packages_or_behind_links(tmp_path: Path) -> None:
    top = tmp_path / "skills"
    for place in ("one", "a/two", "a/b/three", "a/b/c/four", "a/b/c/d/five", "one/inside", "node_modules/p", ".git/x"):
        skill(top / place)
    skill(tmp_path / "outside")
    (top / "link").symlink_to(tmp_path / "outside")
    (top / "file").write_text("x")

    found = SkillFinder().below(top)

    assert [one.place for one in found] == ["one", "a/two", "a/b/three", "a/b/c/four"]


@pytest.mark.promise("memory-SK3")
def test_two_thousand_folders_are_looked_at_and_no_more(tmp_path: Path) -> None:
    top = tmp_path / "skills"
    skill(top / "a")
    for number in range(MOST_FOLDERS - 3):  # with the top, the skill before them and the one after them
        (top / f"b{number:04}").mkdir()
    skill(top / "c")
    assert [one.place for one in SkillFinder().below(top)] == ["a", "c"]
    (top / "b").mkdir()
    assert MOST_FOLDERS == 2_000
    assert [one.place for one in SkillFinder().below(top)] == ["a"]


@pytest.mark.promise("memory-SK3")
def test_the_places_of_a_repository_are_looked_at_in_order_and_a_link_to_one_is_no_place(tmp_path: Path) -> None:
    for place in (".claude/skills/a", ".banksman/skills/a", "elsewhere/b"):
        skill(tmp_path / place)
    (tmp_path / ".agents").mkdir()
    (tmp_path / ".agents" / "skills").symlink_to(tmp_path / "elsewhere")

    found = SkillFinder().below(tmp_path, *REPOSITORY_PLACES)

    assert [one.place for one in found] == [".banksman/skills/a", ".claude/skills/a"]


def test_a_change_is_seen_and_nothing_else_is_read_again(tmp_path: Path) -> None:
    folder = skill(tmp_path / "skills" / "notes")
    finder = SkillFinder()
    (first,) = finder.below(tmp_path / "skills")
    (again,) = finder.below(tmp_path / "skills")
    assert again is first
    assert package_of(first).sha256 == first.sha256

    (folder / "SKILL.md").chmod(0o755)
    (changed,) = finder.below(tmp_path / "skills")
    assert changed.sha256 != first.sha256
    assert package_of(first).sha256 == changed.sha256


@pytest.mark.parametrize("kind", ["link", "pipe", "many", "large"])
def test_a_folder_that_is_no_package_is_listed_with_why(tmp_path: Path, kind: str) -> None:
    folder = skill(tmp_path / "skills" / "odd")
    if kind == "link":
        (folder / "x").symlink_to("/etc/passwd")
    elif kind == "pipe":
        os.mkfifo(folder / "x")
    elif kind == "large":
        (folder / "x").write_bytes(b"x" * (5 * 1024 * 1024))
    else:
        for number in range(200):
            (folder / str(number)).write_text("x")
    skill(tmp_path / "skills" / "other")

    odd, other = SkillFinder().below(tmp_path / "skills")

    assert isinstance(odd.said, Fault)
    assert odd.sha256 == ""
    assert {"link": "is a link", "pipe": "no regular file", "many": "200 files", "large": "5 MiB"}[kind] in str(
        odd.said
    )
    assert isinstance(other.said, SkillFile)
    with pytest.raises(SkillError):
        package_in(folder)


def test_what_cannot_be_opened_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(SkillError, match="is no folder"):
        package_in(tmp_path / "file")
    with pytest.raises(SkillError, match="cannot be opened"):
        package_in(tmp_path / "nothing")
    assert SkillFinder().below(tmp_path / "nothing") == []
    (found,) = SkillFinder().below(skill(tmp_path / "s" / "a").parent)
    (tmp_path / "s" / "a").rename(tmp_path / "gone")
    (tmp_path / "s").rmdir()
    with pytest.raises(SkillError, match="is gone"):
        package_of(found)


def test_agents_are_read_once_and_never_through_a_link(tmp_path: Path) -> None:
    folder = tmp_path / "agents"
    folder.mkdir()
    (folder / "a.md").write_text("---\nname: a\ndescription: d\n---\n")
    (folder / "b.txt").write_text("x")
    (folder / "c.md").symlink_to(folder / "a.md")
    files = MarkdownFiles(read_agent)

    (first,) = files.below(tmp_path, ("agents",), ("none",))
    assert files.below(tmp_path, ("agents",)) == [first]
    (folder / "a.md").write_text("---\nname: a\ndescription: other\n---\n")
    (again,) = files.below(tmp_path, ("agents",))
    assert again.sha256 != first.sha256


@pytest.mark.promise("memory-SK3")
def test_a_folder_of_a_lane_is_reached_through_no_link(tmp_path: Path) -> None:
    skill(tmp_path / "outside" / "notes")
    lane = tmp_path / "lane"
    skill(lane / "made" / "notes")
    (lane / "link").symlink_to(tmp_path / "outside")

    assert package_below(lane, ("made", "notes")).content("SKILL.md")
    for parts in (("link", "notes"), ("link",), ("nothing",)):
        with pytest.raises(SkillError):
            package_below(lane, parts)
