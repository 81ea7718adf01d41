"""Agents from files: the person's, and the repository's once they are trusted, and which of them count."""

import json
import threading
from pathlib import Path

import pytest

from desktop.agent.skills import agents, book
from desktop.config.folders import Folders
from desktop.domain.children.events import AgentGiven
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.skills import commands as c
from desktop.domain.skills.packages import Package
from desktop.services.skills.finding import FoundSkill, package_of
from tests.agent.children.child_script import Cast
from tests.agent.rig import Rig, git
from tests.agent.skills.skill_places import own_skill
from tests.agent.skills.test_installing_skills import loaded, told
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


def agent_text(name: str, more: str = "", body: str = "You look with care.") -> str:
    return f"---\nname: {name}\ndescription: Looks at {name}\n{more}---\n{body}\n"


def own_agent(folders: Folders, name: str, text: str) -> None:
    (folders.config / "agents").mkdir(parents=True, exist_ok=True)
    (folders.config / "agents" / f"{name}.md").write_text(text)


def shared_agent(repository: Path, name: str, text: str, place: str = ".banksman") -> None:
    folder = repository / place / "agents"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(text)
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "agents")


@pytest.mark.promise("memory-SU20")
async def test_an_agent_of_the_person_is_told_of_and_begun_by_its_name(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    own_skill(folders, "notes", "Note it down.")
    more = "tools: Grep, Write\npermissionMode: plan\nskills: notes, gone, notes\n"
    own_agent(folders, "scout", agent_text("scout", more))
    cast = Cast(
        Parent=[tool_turn("task", description="look", prompt="Child: look", agent="scout"), text_turn("Done.")],
        Child=[text_turn("Nothing there.")],
    )
    model_api.answer_with(cast)
    await rig.new("Parent: look")
    await rig.ended(2)

    assert "- scout: Looks at scout" in json.dumps(cast.asked["Parent"][0].body["system"])
    asked = cast.asked["Child"][0].body
    system = str(asked["system"])
    assert "You look with care." in system
    assert system.count("Note it down.") == 1
    assert "The skill gone was not given" in system
    assert "# Skills" not in system, "it cannot load any: what is not offered is named nowhere"
    assert "- notes: How" in str(cast.asked["Parent"][0].body["system"])
    assert [tool["name"] for tool in asked["tools"]] == ["grep"], "nothing that writes, in plan"
    given = rig.events(AgentGiven)[0].agent
    assert (given.name, given.cap, given.tools) == ("scout", PermissionMode.PLAN, ("grep", "write_file"))


@pytest.mark.promise("memory-SU20")
async def test_agents_of_a_repository_count_once_they_are_trusted_and_hide_no_others(
    rig: Rig, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    shared_agent(repository, "scout", agent_text("scout", body="Theirs."), ".claude")
    shared_agent(repository, "guide", agent_text("guide", "tools: Grep, Teleport\nhooks: {a: b}\n"))
    own_agent(folders, "scout", agent_text("scout", body="Mine."))
    own_agent(folders, "broken", "---\nname: [\n---\n")
    own_agent(folders, "large", agent_text("large", body="x" * 100_000))
    rows = await loaded(rig)

    assert [(one.name, one.state) for one in rows.agents] == [
        ("broken", "fault"),
        ("large", "fault"),
        ("scout", "on"),
        ("guide", "review"),
        ("scout", "hidden"),
    ]
    assert "broken.md, line 3" in rows.agents[0].why
    assert "64 KiB" in rows.agents[1].why
    assert rows.agents[4].why == "Hidden by agents/scout.md."
    notes = " ".join(rows.agents[3].notes)
    assert "Unknown tools, ignored: Teleport." in notes
    assert "Keys without effect: hooks." in notes
    (waiting,) = rows.waiting
    assert waiting.what == "agents"
    assert "You look with care." in waiting.texts[0], "all that it says is shown before it is trusted"

    cast = Cast(Parent=[tool_turn("task", description="a", prompt="Child", agent="guide"), text_turn("No.")])
    model_api.answer_with(cast)
    await rig.new("Parent: look")
    await rig.ended()
    assert 'There is no agent \\"guide\\"' in json.dumps(cast.asked["Parent"][1].messages)

    await rig.engine.handle(c.TrustSkills(sha256=waiting.sha256, what="agents"))
    assert [one.state for one in told(rig).agents] == ["fault", "fault", "on", "on", "hidden"]
    assert told(rig).waiting == ()


async def test_the_skills_of_an_agent_are_read_away_from_the_loop_and_only_when_it_is_begun(
    rig: Rig, folders: Folders, model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_skill(folders, "notes", "Note it down.")
    for name in ("scout", "guide"):
        own_agent(folders, name, agent_text(name, "skills: notes\n"))
    threads: list[int] = []

    def noted(found: FoundSkill) -> Package:
        threads.append(threading.get_ident())
        return package_of(found)

    monkeypatch.setattr(book, "package_of", noted)
    cast = Cast(
        Parent=[tool_turn("task", description="look", prompt="Child: look", agent="scout"), text_turn("Done.")],
        Child=[text_turn("Nothing there.")],
    )
    model_api.answer_with(cast)
    await rig.new("Parent: look")
    await rig.ended(2)
    assert "Note it down." in rig.events(AgentGiven)[0].agent.text
    assert (len(threads), threading.get_ident() in threads) == (1, False)


async def test_agents_of_a_repository_that_nobody_can_read_are_not_offered_for_trust(
    rig: Rig, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agents, "MOST_TEXT", 40)
    for name in ("guide", "scout"):
        shared_agent(repository, name, agent_text(name, body="x" * 30))
    rows = await loaded(rig)
    assert [(one.name, one.state) for one in rows.agents] == [("guide", "fault"), ("scout", "fault")]
    assert "more together than anybody can look at" in rows.agents[0].why
    assert rows.waiting == ()
