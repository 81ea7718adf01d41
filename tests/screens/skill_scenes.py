"""Scenes of skills: how they stand in the settings, one that is looked at, and one that an agent proposes."""

from collections.abc import AsyncIterator
from pathlib import Path

from desktop.agent.skills.shelf import SkillShelf
from desktop.domain.core.clock import utc_now
from desktop.domain.skills.packages import Package, PackageFile
from desktop.ui.settings.skills.fetch_dialog import FetchDialog
from desktop.ui.settings.skills.page import SkillsPage
from tests.fakes.fake_model_api import text_turn, tool_turn
from tests.screens.stage import Stage

_NOTES = """---
name: release-notes
description: How release notes are written here, from merged requests to the published page
allowed-tools: Read Bash(git log *)
requires_secrets: FORGE_TOKEN
---

# Release notes

1. List what was merged with `scripts/merged.sh`.
2. Group by what people notice; leave out what nobody sees.
"""
_SCRIPT = "#!/bin/sh\nset -eu\ngit log --merges --format='%s' \"$1..HEAD\"\n"
_DEPLOY = "---\nname: deploy\ndescription: How this shop is deployed to the test server\n---\nUse make deploy.\n"
_NEWS = "---\nname: release-notes\ndescription: How this shop tells its customers what is new\n---\nBe brief.\n"
_AGENT = """---
name: scout
description: Looks things up and answers in few words
tools: Read, Grep, Bash(git log *), Web(x)
permissionMode: bypassPermissions
hooks: {a: b}
---
You look, and change nothing.
"""


def _notes(folder: Path, text: str = _NOTES) -> Path:
    (folder / "scripts").mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(text, encoding="utf-8")
    script = folder / "scripts" / "merged.sh"
    script.write_text(_SCRIPT, encoding="utf-8")
    script.chmod(0o755)
    return folder


def _all_states(stage: Stage) -> None:
    shelf = SkillShelf(stage.folders.data, utc_now)
    for name in ("release-notes", "tidy-imports", "old-way"):
        text = _NOTES if name == "release-notes" else f"---\nname: {name}\ndescription: How to {name}\n---\nDo.\n"
        shelf.install(name, Package([PackageFile("SKILL.md", False, text.encode())]), source="/home/you/skills")
    (shelf.folder / "tidy-imports" / "SKILL.md").write_text("---\nname: tidy-imports\ndescription: Another\n---\nX\n")
    (shelf.folder / "broken").mkdir()
    (shelf.folder / "broken" / "SKILL.md").write_text("---\nname: broken\ndescription: [\n---\n")
    shelf.uninstall("old-way")
    project = stage.window.engine.project
    assert project is not None
    root = Path(project.path)
    for name, text in (("deploy", _DEPLOY), ("release-notes", _NEWS)):
        place = root / ".banksman" / "skills" / name
        place.mkdir(parents=True)
        (place / "SKILL.md").write_text(text)
    for place in (stage.folders.config / "agents", root / ".claude" / "agents"):
        place.mkdir(parents=True)
        (place / "scout.md").write_text(_AGENT)


async def settings_skills(stage: Stage) -> AsyncIterator[str]:
    """Skills in all states, agents, one that is looked at"""
    stage.window.show_settings("skills")
    await stage.find("settings_skills_no_agents")
    yield "36-settings-skills-none"
    await stage.click("settings_close")
    _all_states(stage)
    stage.window.show_settings("skills")
    await stage.find("settings_skills_trust_skills")
    page = await stage.find("settings_skills")
    assert isinstance(page, SkillsPage)
    yield "36-settings-skills"
    page.verticalScrollBar().setValue(page.verticalScrollBar().maximum() // 2)
    await stage.rest()
    yield "36-settings-skills-list"
    page.verticalScrollBar().setValue(page.verticalScrollBar().maximum())
    await stage.rest()
    yield "36-settings-skills-agents"
    await stage.click("settings_skills_fetch")
    dialog = await stage.find("skill_fetch")
    assert isinstance(dialog, FetchDialog)
    dialog.address.setText("https://github.com/acme/skills/tree/main/release-notes")
    await stage.click("skill_fetch_go")
    await stage.find("skill_fetch_host")
    await stage.rest()
    yield "36-settings-skills-address"
    await stage.click("skill_fetch_cancel")
    page.install_from(str(_notes(stage.home / "work" / "release-notes")), "folder")
    await stage.find("skill_dialog")
    await stage.rest()
    yield "36-settings-skills-review"


async def skill_card(stage: Stage) -> AsyncIterator[str]:
    """The card of a skill that an agent proposes"""
    task = "Make a skill of how we write release notes."
    chat = await stage.chat(
        task,
        tool_turn("write_file", file_path="skills/release-notes/SKILL.md", content=_NOTES),
        tool_turn("write_file", file_path="skills/release-notes/scripts/merged.sh", content=_SCRIPT),
        tool_turn("install_skill", path="skills/release-notes"),
        text_turn("The skill is there."),
        title="Release notes",
    )
    await stage.asked(chat)
    await stage.card("skill_card")
    await stage.rest(0.6)
    yield "36-skill-card"
    await stage.answer(chat)
    await stage.ended(chat)
