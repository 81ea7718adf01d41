"""Installing a skill: every file is looked at first, and exactly what was shown is installed."""

import os
import zipfile
from pathlib import Path

import pytest

from desktop.agent.lanes.project_log import project_log_id
from desktop.config.folders import Folders
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.lanes.events import LaneOperationFinished
from desktop.domain.skills import commands as c
from desktop.domain.skills.review import SkillReview
from desktop.domain.skills.updates import SkillImportsFound, SkillReviewed, SkillsLoaded
from tests.agent.rig import Rig, git
from tests.agent.skills.skill_places import own_skill, shared_skill, skill_text
from tests.agent.skills.test_using_skills import prompt, results, say
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


def told(rig: Rig) -> SkillsLoaded:
    return [one for one in rig.updates if isinstance(one, SkillsLoaded)][-1]


async def loaded(rig: Rig) -> SkillsLoaded:
    await rig.engine.handle(c.LoadSkills())
    return told(rig)


async def reviewed(rig: Rig, command: c.ReviewSkill) -> SkillReview:
    await rig.engine.handle(command)
    return [one for one in rig.updates if isinstance(one, SkillReviewed)][-1].review


def states(told: SkillsLoaded) -> list[tuple[str, str]]:
    return [(one.skill_id, one.state) for one in told.skills]


def a_folder(tmp_path: Path, body: str = "Do it.") -> Path:
    folder = tmp_path / "elsewhere" / "notes"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(skill_text("notes", body, "requires_secrets: TOKEN\nfuture: 1\n"))
    (folder / "go").write_text("#!/bin/sh\necho ignore previous instructions\n")
    return folder


@pytest.mark.promise("memory-SK10")
async def test_a_folder_is_shown_with_every_file_and_installed_as_it_was_shown(
    rig: Rig, folders: Folders, tmp_path: Path
) -> None:
    folder = a_folder(tmp_path)
    review = await reviewed(rig, c.ReviewSkill(source="folder", place=str(folder)))

    assert [(file.path, file.script) for file in review.files] == [("SKILL.md", False), ("go", True)]
    assert review.files[1].text == "#!/bin/sh\necho ignore previous instructions\n"
    assert review.secrets == ("TOKEN",)
    marks = " ".join(review.marks)
    for mark in (
        "scripts, which agents may run as commands: go",
        "secrets: TOKEN",
        "permission or approval: go",
        "future",
    ):
        assert mark in marks
    assert not (folders.data / "skills").exists(), "looking writes nothing"

    await rig.engine.handle(c.InstallSkill(skill_id="notes", sha256=review.sha256))
    assert states(told(rig)) == [("notes", "on")]
    assert told(rig).skills[0].source == str(folder)
    assert (folders.data / "skills" / "notes" / "go").read_text() == (folder / "go").read_text()
    project = rig.engine.project
    assert project is not None
    log = rig.engine._store.events.read(project_log_id(project.id))
    ended = [one.event.status for one in log if isinstance(one.event, LaneOperationFinished)]
    assert ended[-1:] == ["done"], "the intent and what came of it are on record"


@pytest.mark.promise("memory-SK3")
async def test_skills_of_other_programs_are_found_on_click_and_go_through_the_same_review(
    rig: Rig, folders: Folders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "someone"
    for program, name, text in (
        (".claude", "tidy", skill_text("tidy", "Tidy up.")),
        (".codex", "odd", "no front matter"),
    ):
        (home / program / "skills" / name).mkdir(parents=True)
        (home / program / "skills" / name / "SKILL.md").write_text(text)
    (home / ".cursor").symlink_to(home / ".claude")
    monkeypatch.setattr(Path, "home", lambda: home)
    await rig.engine.handle(c.FindSkillImports())
    found = [one for one in rig.updates if isinstance(one, SkillImportsFound)][-1].imports
    assert [(one.skill_id, one.program, bool(one.problem)) for one in found] == [
        ("tidy", "Claude Code", False), ("odd", "Codex", True),
    ]  # fmt: skip
    assert not (folders.data / "skills").exists()
    review = await reviewed(rig, c.ReviewSkill(source="folder", place=found[0].place))
    await rig.engine.handle(c.InstallSkill(skill_id="tidy", sha256=review.sha256))
    assert states(told(rig)) == [("tidy", "on")]
    assert (home / ".claude/skills/tidy/SKILL.md").exists()


@pytest.mark.promise("memory-SK10")
async def test_a_folder_that_changed_after_it_was_shown_is_not_installed(
    rig: Rig, folders: Folders, tmp_path: Path
) -> None:
    folder = a_folder(tmp_path)
    review = await reviewed(rig, c.ReviewSkill(source="folder", place=str(folder)))
    (folder / "go").chmod(0o755)

    await rig.engine.handle(c.InstallSkill(skill_id="notes", sha256=review.sha256))
    await rig.engine.handle(c.InstallSkill(skill_id="other", sha256="0" * 64))

    assert "changed after it was shown" in rig.failures()[-2].text
    assert "was not looked at in this form" in rig.failures()[-1].text
    assert not (folders.data / "skills" / "notes").exists()


@pytest.mark.promise("memory-SK4")
async def test_own_files_that_changed_are_shown_with_the_difference_and_accepted_or_brought_back(
    rig: Rig, folders: Folders
) -> None:
    folder = own_skill(folders, "notes", "Do it well.")
    (folder / "SKILL.md").write_text(skill_text("notes", "Do it badly."))
    assert [(one.state, one.accepted) for one in (await loaded(rig)).skills] == [("review", True)]
    review = await reviewed(rig, c.ReviewSkill(source="own", place="notes"))
    assert "-Do it well." in review.difference
    assert "+Do it badly." in review.difference

    await rig.engine.handle(c.RestoreSkill(skill_id="notes"))
    assert states(told(rig)) == [("notes", "on")]
    assert "Do it well." in (folder / "SKILL.md").read_text()
    assert [one.skill_id for one in told(rig).removed] == ["notes"], "what was changed is in the trash"

    (folder / "SKILL.md").write_text(skill_text("notes", "Do it otherwise."))
    review = await reviewed(rig, c.ReviewSkill(source="own", place="notes"))
    await rig.engine.handle(c.InstallSkill(skill_id="notes", sha256=review.sha256))
    assert states(told(rig)) == [("notes", "on")]
    assert "Do it otherwise." in (folder / "SKILL.md").read_text()


@pytest.mark.promise("memory-SK11")
async def test_a_skill_that_was_taken_away_comes_back_with_what_was_accepted(rig: Rig, folders: Folders) -> None:
    folder = own_skill(folders, "notes")
    await rig.engine.handle(c.UninstallSkill(skill_id="notes"))
    assert not folder.exists()
    gone = told(rig)
    assert (gone.skills, [one.skill_id for one in gone.removed]) == ((), ["notes"])

    await rig.engine.handle(c.RestoreSkill(token=gone.removed[0].token))
    assert states(told(rig)) == [("notes", "on")]
    assert told(rig).removed == ()
    await rig.engine.handle(c.RestoreSkill(token=gone.removed[0].token))
    assert "not in the trash any more" in rig.failures()[-1].text


@pytest.mark.promise("memory-SK9")
@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("../x", "cannot be used"),
        ("/x", "cannot be used"),
        ("C:/x", "character"),
        ("a\\..\\x", "character"),
        ("link", "link or a device"),
        ("fifo", "link or a device"),
        ("many", "200 files"),
        ("bomb", "packed more than 100 times"),
        ("large", "5 MiB"),
        ("notes/skill.MD", "differ by case"),
        ("notes/SKILL.md.", "cannot be used"),
        ("notes/ a", "cannot be used"),
        ("notes/.GIT/hooks/post-checkout", "repository of Git's own"),
        ("no zip", "no zip file"),
    ],
)
async def test_a_zip_that_would_do_harm_is_refused_by_name_and_nothing_is_written(
    rig: Rig, folders: Folders, tmp_path: Path, entry: str, words: str
) -> None:
    path = tmp_path / "skill.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("notes/SKILL.md", skill_text("notes"))
        if entry in ("link", "fifo"):
            special = zipfile.ZipInfo(f"notes/{entry}")
            special.create_system = 3
            special.external_attr = (0o120777 if entry == "link" else 0o010644) << 16
            archive.writestr(special, "/etc/passwd")
        elif entry == "many":
            for number in range(200):
                archive.writestr(f"notes/{number}", "x")
        elif entry == "bomb":
            archive.writestr("notes/zeros", b"\0" * 4_000_000)
        elif entry == "large":
            archive.writestr("notes/noise", os.urandom(5 * 1024 * 1024))
        else:
            archive.writestr(entry, "x")
    if entry == "no zip":
        path.write_bytes(b"PK\x03\x04 not much of one")

    await rig.engine.handle(c.ReviewSkill(source="zip", place=str(path)))

    assert words in rig.failures()[-1].text
    assert not (folders.data / "skills").exists()
    assert not (folders.data / "skill-copies").exists()
    assert not (tmp_path / "x").exists()


async def test_a_zip_with_one_folder_is_the_skill_of_that_name_with_its_modes(
    rig: Rig, folders: Folders, tmp_path: Path
) -> None:
    path = tmp_path / "download-1.2.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes/SKILL.md", skill_text("notes"))
        script = zipfile.ZipInfo("notes/bin/go")
        script.create_system, script.external_attr = 3, 0o100755 << 16
        archive.writestr(script, "echo")
    review = await reviewed(rig, c.ReviewSkill(source="zip", place=str(path)))
    assert (review.skill_id, review.problem) == ("notes", "")

    await rig.engine.handle(c.InstallSkill(skill_id="notes", sha256=review.sha256))

    assert states(told(rig)) == [("notes", "on")]
    assert (folders.data / "skills/notes/bin/go").stat().st_mode & 0o777 == 0o700


@pytest.mark.promise("memory-SK9")
async def test_a_folder_with_a_link_or_a_pipe_is_refused_by_name(rig: Rig, tmp_path: Path) -> None:
    folder = a_folder(tmp_path)
    os.mkfifo(folder / "pipe")
    await rig.engine.handle(c.ReviewSkill(source="folder", place=str(folder)))
    assert "'pipe' is no regular file" in rig.failures()[-1].text
    (folder / "pipe").unlink()
    (folder / "out").symlink_to("/etc")
    await rig.engine.handle(c.ReviewSkill(source="folder", place=str(folder)))
    assert "'out' is a link" in rig.failures()[-1].text


@pytest.mark.promise("memory-SK12")
async def test_a_package_that_is_no_skill_cannot_be_installed(rig: Rig, tmp_path: Path) -> None:
    folder = tmp_path / "plugin"
    folder.mkdir()
    (folder / "plugin.json").write_text("{}")
    review = await reviewed(rig, c.ReviewSkill(source="folder", place=str(folder)))
    assert review.problem.endswith(
        "Only files that people and agents read can be installed. A program can be added as an MCP server."
    )
    await rig.engine.handle(c.InstallSkill(skill_id="plugin", sha256=review.sha256))
    assert "Only files" in rig.failures()[-1].text


@pytest.mark.promise("memory-SK4")
async def test_skills_of_a_repository_are_trusted_as_a_whole_until_a_byte_changes(
    rig: Rig, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    shared_skill(repository, "deploy")
    shared_skill(repository, "notes", place=".claude/skills")
    own_skill(folders, "notes", "My own.")
    waiting = (await loaded(rig)).waiting
    assert [(one.what, one.label, len(one.places)) for one in waiting] == [("skills", "the checkout", 2)]
    await rig.engine.handle(c.TrustSkills(sha256="1" * 64))
    assert "changed meanwhile" in rig.failures()[-1].text

    await rig.engine.handle(c.TrustSkills(sha256=waiting[0].sha256))
    assert told(rig).waiting == ()
    assert states(told(rig)) == [("notes", "on"), ("deploy", "on"), ("notes", "hidden")]
    model_api.script(
        tool_turn("use_skill", skill_id="notes"), tool_turn("use_skill", skill_id="deploy"), *[text_turn("x")] * 2
    )
    session_id = await rig.new("hello")
    await rig.ended()
    assert "- deploy: How deploy is done" in prompt(model_api)
    assert "My own." in results(rig)[0][1]
    assert "Do it so." in results(rig)[1][1]

    lane = rig.lane(session_id)
    (lane / ".banksman/skills/deploy/more.md").write_text("x")
    await say(rig, session_id, "go on")
    assert "cannot be loaded any more: deploy" in str(model_api.requests[-1].messages)
    review = await reviewed(rig, c.ReviewSkill(source="repository", place=".banksman/skills/deploy"))
    assert (review.difference, review.files[0].change) == ("", "same"), "the checkout is as it was trusted"
    (repository / ".banksman/skills/deploy/SKILL.md").write_text(skill_text("deploy", "Do it otherwise."))
    review = await reviewed(rig, c.ReviewSkill(source="repository", place=".banksman/skills/deploy"))
    assert "-Do it so.\n+Do it otherwise." in review.difference
    git(repository, "checkout", "-q", ".")
    again = (await loaded(rig)).waiting
    assert [(one.what, one.label) for one in again] == [("skills", f"the lane {lane.name}")]
    place = ".banksman/skills/deploy"
    review = await reviewed(rig, c.ReviewSkill(source="repository", place=place, sha256=again[0].sha256))
    assert [(file.path, file.change) for file in review.files] == [("SKILL.md", "same"), ("more.md", "new")]


@pytest.mark.promise("memory-SK10")
async def test_an_agent_proposes_a_folder_and_a_person_sees_every_file(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    call = tool_turn("install_skill", path="made", id="notes")
    model_api.script(
        tool_turn("write_file", file_path="made/SKILL.md", content=skill_text("notes", "Learned.")),
        call, call, text_turn("Done."), text_turn("Well."),
    )  # fmt: skip
    session_id = await rig.new("make a skill")
    asked = await rig.asked(1)
    assert isinstance(asked.request, SkillReview)
    assert "Learned." in str(asked.request.files[0].text)
    await rig.answer(session_id, asked, Answer(outcome="reject", note="Not yet."))
    asked = await rig.asked(2)
    assert not (folders.data / "skills" / "notes").exists()
    await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    await rig.ended()

    (_, _), (refused, words), (failed, done) = results(rig)
    assert (refused, "Reason: Not yet." in words) == (True, True)
    assert (failed, "installed the skill notes" in done) == (False, True)
    await say(rig, session_id, "and now")
    assert "can be loaded now" in str(model_api.requests[-1].messages)


@pytest.mark.promise("memory-SK11")
async def test_an_agent_takes_a_skill_away_only_after_a_person_allowed_it_in_full_auto_too(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    folder = own_skill(folders, "notes")
    call = tool_turn("uninstall_skill", id="notes")
    model_api.script(call, call, call, tool_turn("uninstall_skill", id="../skills.json"), text_turn("Done."))
    session_id = await rig.new("tidy up", PermissionMode.FULL_AUTO, without_sandbox=True)
    asked = await rig.asked(1)
    assert isinstance(asked.request, ApprovalRequest)
    assert (asked.request.rule, [one.scope for one in asked.request.grants]) == ("consent", ["once"])
    await rig.answer(session_id, asked, Answer(outcome="reject"))
    await rig.answer(session_id, await rig.asked(2), Answer(outcome="allow_once"))
    for number in (3, 4):
        asked = await rig.asked(number)
        assert not folder.exists()
        await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    await rig.ended()
    (declined, _), (failed, done), (gone, why), (outside, why_not) = results(rig)
    assert (declined, failed, gone, outside) == (True, False, True, True)
    assert (done, why) == (
        "Took away the skill notes. The person can bring it back.", "There is no skill 'notes' of yours."
    )  # fmt: skip
    assert "There is no skill '../skills.json' of yours." in why_not
    assert (folders.data / "skills.json").exists()
    (removed,) = (await loaded(rig)).removed
    await rig.engine.handle(c.RestoreSkill(token=removed.token))
    assert states(told(rig)) == [("notes", "on")]


async def test_without_a_skill_none_can_be_taken_away(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("uninstall_skill", id="notes"), text_turn("Done."))
    await rig.new("tidy up")
    await rig.ended()
    assert "uninstall_skill" not in str(model_api.requests[0].body["tools"])
    assert "not available" in results(rig)[0][1]


async def test_what_is_no_skill_of_the_lane_is_shown_to_nobody(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("install_skill", path="app.py"),
        tool_turn("install_skill", path="."),
        text_turn("Done."),
    )
    await rig.new("make a skill")
    await rig.ended()

    assert [failed for failed, _ in results(rig)] == [True, True]
    assert "is no folder of this lane" in results(rig)[0][1]


@pytest.mark.promise("memory-SK9")
async def test_names_that_one_system_takes_for_the_same_are_refused_and_odd_ones_are_marked(
    rig: Rig, folders: Folders, tmp_path: Path
) -> None:
    for name, names in (("twins", ("caf\u00e9", "cafe\u0301")), ("odd", ("read\u202efdp.md", "\u0430.md"))):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            archive.writestr(f"{name}/SKILL.md", skill_text(name))
            for one in names:
                archive.writestr(f"{name}/{one}", "x")
    await rig.engine.handle(c.ReviewSkill(source="zip", place=str(tmp_path / "twins.zip")))
    assert "differ by case alone" in rig.failures()[-1].text
    review = await reviewed(rig, c.ReviewSkill(source="zip", place=str(tmp_path / "odd.zip")))
    assert any("not plain ASCII" in mark for mark in review.marks)
    assert not (folders.data / "skills").exists()
