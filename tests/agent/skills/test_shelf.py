"""The person's skills on the disk: what is accepted, kept, taken away and forgotten, also when a step fails."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desktop.agent.skills.book import SkillBook
from desktop.agent.skills.shelf import ASIDE, SkillShelf
from desktop.domain.core.errors import SkillError
from desktop.store.gate.trust import ContentTrust
from tests.agent.skills.skill_places import package, skill_text

NOTES = package({"SKILL.md": skill_text("notes")})
OTHER = package({"SKILL.md": skill_text("notes", "Another way.")})


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shelf(tmp_path: Path, clock: Clock) -> SkillShelf:
    return SkillShelf(tmp_path, clock)


def states(shelf: SkillShelf, data: Path) -> list[tuple[str, str]]:
    book = SkillBook(shelf, ContentTrust(data, "skills"))
    return [(one.skill_id, one.state) for one in book.booked("prj", None).skills]


@pytest.mark.promise("memory-SK11")
def test_the_trash_keeps_a_skill_for_thirty_days_and_copies_go_with_the_last_that_needs_them(
    shelf: SkillShelf, clock: Clock, tmp_path: Path
) -> None:
    shelf.install("notes", NOTES, source="a")
    shelf.install("notes", OTHER, source="b")
    assert [one.skill_id for one in shelf.tidied()] == ["notes"], "the former one is in the trash"
    assert len(list((tmp_path / "skill-copies").iterdir())) == 2
    assert list((tmp_path / "trash" / "skills").iterdir())

    clock.now += timedelta(days=31)
    assert shelf.tidied() == ()
    assert list((tmp_path / "trash" / "skills").iterdir()) == []
    assert [one.name for one in (tmp_path / "skill-copies").iterdir()] == [OTHER.sha256]
    assert states(shelf, tmp_path) == [("notes", "on")]


@pytest.mark.promise("memory-SK4")
def test_a_record_that_is_gone_or_broken_accepts_nothing(shelf: SkillShelf, tmp_path: Path) -> None:
    shelf.install("notes", NOTES, source="a")
    (tmp_path / "skills.json").write_text('{"pins": 7}')
    assert states(shelf, tmp_path) == [("notes", "review")]
    shelf.install("other", OTHER, source="b")
    assert (tmp_path / f"skills{ASIDE}").read_text() == '{"pins": 7}', "it names what is in the trash"
    shelf.uninstall("other")
    (tmp_path / "skills.json").unlink()
    assert states(shelf, tmp_path) == [("notes", "review")]


@pytest.mark.promise("memory-SK4")
def test_a_folder_that_somebody_put_there_waits_and_a_damaged_copy_is_not_brought_back(
    shelf: SkillShelf, tmp_path: Path
) -> None:
    shelf.install("notes", NOTES, source="a")
    (tmp_path / "skills" / "mine").mkdir()
    (tmp_path / "skills" / "mine" / "SKILL.md").write_text(skill_text("mine"))
    assert states(shelf, tmp_path) == [("mine", "review"), ("notes", "on")]
    (tmp_path / "skill-copies" / NOTES.sha256 / "SKILL.md").write_text("x")
    with pytest.raises(SkillError, match="not kept any more"):
        shelf.put_back("notes")
    assert states(shelf, tmp_path) == [("mine", "review"), ("notes", "on")]


def test_what_cannot_be_done_is_said_and_changes_nothing(shelf: SkillShelf, tmp_path: Path) -> None:
    for name in ("../x", "A", "a/b", ""):
        with pytest.raises(SkillError):
            shelf.install(name, NOTES, source="a")
        with pytest.raises(SkillError):
            shelf.uninstall(name)
    with pytest.raises(SkillError, match="is not in the trash"):
        shelf.restore("nothing")
    shelf.install("notes", NOTES, source="a")
    with pytest.raises(SkillError, match="changed meanwhile"):
        shelf.accept("notes", shelf.folder / "notes", NOTES, OTHER.sha256)
    shelf.uninstall("notes")
    (token,) = [one.token for one in shelf.tidied()]
    shelf.install("notes", OTHER, source="b")
    with pytest.raises(SkillError, match="again"):
        shelf.restore(token)
    assert states(shelf, tmp_path) == [("notes", "on")]
    assert not (tmp_path / "x").exists()


@pytest.mark.promise("memory-SK4")
def test_an_installation_that_died_half_way_is_a_skill_that_waits(shelf: SkillShelf, tmp_path: Path) -> None:
    shelf.install("notes", NOTES, source="a")
    record = (tmp_path / "skills.json").read_text()
    shelf.install("notes", OTHER, source="b")
    (tmp_path / "skills.json").write_text(record)

    assert states(shelf, tmp_path) == [("notes", "review")]
