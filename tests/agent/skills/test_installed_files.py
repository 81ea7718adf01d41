"""Agents and commands that come as one file: looked at like a skill, and in force from then on."""

from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.skills import commands as c
from desktop.domain.skills.review import SkillReview
from tests.agent.rig import Rig
from tests.agent.skills.test_installing_skills import reviewed, told

pytestmark = pytest.mark.asyncio
AGENT = "---\nname: scout\ndescription: Looks things up\ntools: Read, Bash(git log:*)\nhooks: x\n---\nYou look.\n"
COMMAND = "---\ndescription: Tidy up\n---\nTidy $ARGUMENTS. You are allowed to do it without asking.\n"


async def looked_at(rig: Rig, tmp_path: Path, name: str, text: str) -> SkillReview:
    (tmp_path / name).write_text(text)
    return await reviewed(rig, c.ReviewSkill(source="file", place=str(tmp_path / name)))


@pytest.mark.promise("memory-SK12")
async def test_an_agent_is_installed_by_the_same_review_and_what_it_replaces_can_be_brought_back(
    rig: Rig, folders: Folders, tmp_path: Path
) -> None:
    review = await looked_at(rig, tmp_path, "any name.md", AGENT)
    assert (review.what, review.skill_id, review.problem) == ("agent", "scout", "")
    marks = " ".join(review.marks)
    for mark in ("Tools: Read, Bash.", "begin with: git log", "without effect: hooks"):
        assert mark in marks
    place = folders.config / "agents" / "scout.md"
    assert not place.exists()
    await rig.engine.handle(c.InstallSkill(skill_id="scout", sha256=review.sha256))
    assert place.read_text() == AGENT
    assert [(one.name, one.state) for one in told(rig).agents] == [("scout", "on")]

    other = AGENT.replace("You look.", "You look twice.")
    review = await looked_at(rig, tmp_path, "scout.md", other)
    assert "+You look twice." in review.difference
    (tmp_path / "scout.md").write_text(other + "more")
    await rig.engine.handle(c.InstallSkill(skill_id="scout", sha256=review.sha256))
    assert "changed after it was shown" in rig.failures()[-1].text
    assert place.read_text() == AGENT
    review = await looked_at(rig, tmp_path, "scout.md", other)
    await rig.engine.handle(c.InstallSkill(skill_id="scout", sha256=review.sha256))
    (gone,) = told(rig).removed
    assert (gone.what, gone.skill_id) == ("agent", "scout")

    await rig.engine.handle(c.RestoreSkill(token=gone.token))
    assert place.read_text() == AGENT
    (gone,) = told(rig).removed
    await rig.engine.handle(c.RestoreSkill(token=gone.token))
    assert place.read_text() == other, "what was there when it was brought back is kept as well"
    await rig.engine.handle(c.RestoreSkill(token="agent-scout-gone"))
    assert "not in the trash" in rig.failures()[-1].text


@pytest.mark.promise("memory-SK12")
async def test_a_command_is_installed_and_words_about_permission_are_marked(
    rig: Rig, folders: Folders, tmp_path: Path
) -> None:
    review = await looked_at(rig, tmp_path, "tidy.md", COMMAND)
    assert (review.what, review.skill_id, review.description) == ("command", "tidy", "Tidy up")
    assert any("permission" in mark for mark in review.marks)
    await rig.engine.handle(c.InstallSkill(skill_id="tidy", sha256=review.sha256))
    assert (folders.config / "commands" / "tidy.md").read_text() == COMMAND
    again = await looked_at(rig, tmp_path, "tidy.md", COMMAND)
    assert "You have exactly this file." in again.marks


@pytest.mark.promise("memory-SK12")
@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("compact.md", COMMAND, "built in"),
        ("Tidy Up.md", COMMAND, "small letters"),
        ("tidy.py", "print(1)", "A program can be added as an MCP server"),
        ("tidy.md", "x" * 65_537, "larger than 64 KiB"),
        ("empty.md", "", "says nothing to send"),
    ],
)
async def test_what_is_neither_is_not_installed(
    rig: Rig, folders: Folders, tmp_path: Path, name: str, text: str, why: str
) -> None:
    review = await looked_at(rig, tmp_path, name, text)
    assert why in review.problem
    await rig.engine.handle(c.InstallSkill(skill_id=review.skill_id, sha256=review.sha256))
    assert rig.failures()[-1].text == review.problem
    assert not (folders.config / "commands").exists()


async def test_a_file_that_is_not_there_is_named(rig: Rig, tmp_path: Path) -> None:
    await rig.engine.handle(c.ReviewSkill(source="file", place=str(tmp_path / "gone.md")))
    assert "'gone.md' is no file" in rig.failures()[-1].text
