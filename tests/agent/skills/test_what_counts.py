"""Which skills count beside others, and what a proposal of an agent binds."""

import hashlib
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.chats.commands import LoadInstructions
from desktop.domain.chats.updates import InstructionsListed
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import InputRequested
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.skills import commands as c
from desktop.domain.skills.review import SkillReview
from tests.agent.rig import Rig
from tests.agent.skills.skill_places import own_skill, shared_skill, skill_text
from tests.agent.skills.test_installing_skills import a_folder, loaded, reviewed, told
from tests.agent.skills.test_using_skills import prompt, results
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


@pytest.mark.promise("memory-SK2")
async def test_a_malformed_skill_is_listed_with_its_file_and_line_and_the_others_load(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    odd = own_skill(folders, "odd")
    (odd / "SKILL.md").write_text("---\nname: odd\ndescription: &x How\n---\nDo it.\n")
    blank = own_skill(folders, "blank")
    (blank / "SKILL.md").write_text("---\nname: blank\ndescription: '  '\n---\nDo it.\n")
    own_skill(folders, "notes", "Write it down.")
    rows = {one.skill_id: one for one in (await loaded(rig)).skills}
    assert {name: row.state for name, row in rows.items()} == {"blank": "fault", "notes": "on", "odd": "fault"}
    assert rows["odd"].why.startswith("odd/SKILL.md, line 3: ")
    assert "description" in rows["blank"].why

    model_api.script(tool_turn("use_skill", skill_id="odd"), tool_turn("use_skill", skill_id="notes"), text_turn("x"))
    await rig.new("hello")
    await rig.ended()
    assert "- notes:" in prompt(model_api, 0)
    assert "- odd" not in prompt(model_api, 0)
    (no_odd, why), (no_notes, text) = results(rig)
    assert (no_odd, "cannot be loaded" in why, no_notes) == (True, True, False)
    assert '<skill id="notes">\nWrite it down.\n</skill>' in text


@pytest.mark.promise("memory-SK3")
async def test_the_row_of_a_hidden_skill_says_which_one_stands_before_it(
    rig: Rig, folders: Folders, repository: Path
) -> None:
    shared_skill(repository, "notes", place=".claude/skills")
    shared_skill(repository, "plans", place=".banksman/skills")
    shared_skill(repository, "plans", place=".agents/skills")
    own_skill(folders, "notes")
    await rig.engine.handle(c.TrustSkills(sha256=(await loaded(rig)).waiting[0].sha256))
    assert [(one.place, one.state, one.why) for one in told(rig).skills] == [
        ("notes", "on", ""),
        (".banksman/skills/plans", "on", ""),
        (".agents/skills/plans", "hidden", "Hidden by that of .banksman/skills/plans."),
        (".claude/skills/notes", "hidden", "Hidden by your own."),
    ]


@pytest.mark.promise("memory-SK8")
async def test_a_command_of_a_file_keeps_its_name_and_the_list_says_so(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    (folders.config / "commands").mkdir(parents=True)
    (folders.config / "commands" / "notes.md").write_text("Note by the command.\n")
    own_skill(folders, "notes", "Note by the skill.")
    model_api.script(text_turn("Done."))
    session_id = await rig.new("/notes")
    await rig.ended()
    assert "Note by the command." in str(model_api.requests[0].messages)
    assert "Note by the skill." not in str(model_api.requests[0].messages)
    await rig.engine.handle(LoadInstructions(session_id=session_id))
    listed = [one for one in rig.updates if isinstance(one, InstructionsListed)][-1]
    assert [(one.name, one.source) for one in listed.commands] == [("notes", "user")]
    (problem,) = listed.problems
    assert problem.endswith("commands/notes.md, so it is no slash command.")


@pytest.mark.promise("memory-SK10")
async def test_a_review_names_each_file_with_its_size_and_hash(rig: Rig, tmp_path: Path) -> None:
    folder = a_folder(tmp_path)
    review = await reviewed(rig, c.ReviewSkill(source="folder", place=str(folder)))
    assert (review.skill_id, review.source) == ("notes", str(folder))
    for file in review.files:
        content = (folder / file.path).read_bytes()
        assert (file.size, file.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert review.files[0].text == (folder / "SKILL.md").read_text(), "all of it"


@pytest.mark.promise("memory-SK10")
async def test_what_changed_while_its_card_was_open_is_not_installed_and_full_auto_asks_too(
    rig: Rig, folders: Folders, model_api: FakeModelApi, tmp_path: Path
) -> None:
    a_folder(tmp_path)
    outside = str(tmp_path / "elsewhere" / "notes")
    model_api.script(
        tool_turn("write_file", file_path="made/SKILL.md", content=skill_text("made", "As it was shown.")),
        tool_turn("install_skill", path="made"),
        tool_turn("install_skill", path="made"),
        tool_turn("install_skill", path=outside),
        text_turn("Done."),
    )
    session_id = await rig.new("make a skill", PermissionMode.FULL_AUTO, without_sandbox=True)
    asked = await rig.asked(1)
    assert isinstance(asked.request, SkillReview)
    (rig.lane(session_id) / "made" / "go.sh").write_text("#!/bin/sh\n")
    await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    asked = await rig.asked(2)
    assert isinstance(asked.request, SkillReview)
    assert not (folders.data / "skills" / "made").exists()
    assert [file.path for file in asked.request.files] == ["SKILL.md", "go.sh"]
    await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    asked = await rig.asked(3)
    assert isinstance(asked.request, ApprovalRequest), "whether it may look there at all"
    await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    await rig.ended()
    _, (first, changed), (second, _), (third, why) = results(rig)
    assert (first, second, third) == (True, False, True)
    assert "changed after it was shown" in changed
    assert (folders.data / "skills" / "made" / "go.sh").exists()
    assert "is no folder of this lane" in why
    assert not (folders.data / "skills" / "notes").exists(), "an agent proposes folders of its lane alone"
    reviews = [one for one in rig.events(InputRequested) if isinstance(one.request, SkillReview)]
    assert len(reviews) == 2, "no card shows what is outside"
