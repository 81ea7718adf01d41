"""Instruction files in the prompt of a real chat, and what the model is told when they change."""

from datetime import datetime
from pathlib import Path

import pytest

from desktop.agent.providers.instructions import INTRODUCTION
from desktop.config.folders import Folders
from desktop.domain.chats.commands import LoadInstructions
from desktop.domain.chats.library_events import InstructionFilesChanged, InstructionFilesLoaded
from desktop.domain.chats.updates import InstructionsListed
from desktop.domain.commands import SendMessage
from desktop.domain.context.events import Compacted
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Notice, UserMessage
from desktop.domain.history.builder import to_messages
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, RecordedRequest, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


def system(request: RecordedRequest) -> str:
    told = request.body["system"]
    return told if isinstance(told, str) else "".join(part["text"] for part in told)


def commit(repository: Path, **files: str) -> None:
    for name, text in files.items():
        path = repository / name.replace("__", "/").replace("_md", ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "instructions")


async def say(rig: Rig, session_id: str, text: str = "Go on") -> None:
    session = rig.engine.sessions.get(session_id)
    before = session.state.turns
    await rig.engine.handle(SendMessage(session_id=session_id, text=text))
    await rig.until(lambda _: session.state.turns > before and session.state.turn is None)


def notes(rig: Rig) -> list[str]:
    kinds = (event for event in rig.events(UserMessage) if event.note_kind == "instructions_changed")
    return [str(event.parts[0]["text"]) for event in kinds if isinstance(event.parts[0], dict)]


async def test_the_files_stand_at_the_end_of_the_prompt_with_their_introduction(
    rig: Rig, repository: Path, folders: Folders, model_api: FakeModelApi
) -> None:
    commit(repository, AGENTS_md="Use tabs.", CLAUDE_md="@AGENTS.md\n")
    (folders.config / "AGENTS.md").write_text("Answer briefly.")
    model_api.script(text_turn("Done."))
    await rig.new("Look")
    await rig.ended()
    prompt = system(model_api.requests[0])
    section = prompt[prompt.index("# Project instructions") :]
    assert section.count(INTRODUCTION) == 1
    assert section.index("Answer briefly.") < section.index("Use tabs.")
    assert prompt.count("Use tabs.") == 1
    (loaded,) = rig.events(InstructionFilesLoaded)
    assert [file.path for file in loaded.files] == ["(your own) AGENTS.md", "AGENTS.md"]


async def test_without_files_nothing_is_said_of_them(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Done."))
    await rig.new("Look")
    await rig.ended()
    assert "Project instructions" not in system(model_api.requests[0])
    assert rig.events(InstructionFilesLoaded) == []


@pytest.mark.promise("sessions-SP7")
async def test_a_change_is_told_in_a_note_and_the_prompt_stays(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    commit(repository, AGENTS_md="Use tabs.")
    model_api.script(*[text_turn("Done.")] * 4)
    session_id = await rig.new("Look")
    await rig.ended()
    await say(rig, session_id)
    assert notes(rig) == []
    (rig.lane(session_id) / "AGENTS.md").write_text("Use <blanks>.")
    await say(rig, session_id)
    assert len(notes(rig)) == 1
    assert "Use &lt;blanks>." in notes(rig)[0]
    assert "Use &lt;blanks>." in str(model_api.requests[-1].messages[-1])
    (rig.lane(session_id) / "AGENTS.md").unlink()
    await say(rig, session_id)
    assert "AGENTS.md was removed" in notes(rig)[1]
    assert {system(request) for request in model_api.requests} == {system(model_api.requests[0])}
    session = rig.engine.sessions.get(session_id)
    assert session.history.messages() == to_messages(session.log)


async def test_a_folder_that_a_call_named_brings_its_file(rig: Rig, repository: Path, model_api: FakeModelApi) -> None:
    commit(repository, AGENTS_md="Use tabs.", web__AGENTS_md="Forms have labels.", web__form_md="x")
    model_api.script(tool_turn("read_file", file_path="web/form.md"), *[text_turn("Done.")] * 2)
    session_id = await rig.new("Look")
    await rig.ended()
    assert notes(rig) == []
    await say(rig, session_id)
    assert "Forms have labels." in notes(rig)[0]
    assert "Use tabs." not in notes(rig)[0]


async def test_after_a_restart_the_prompt_is_the_same(
    rig: Rig, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    commit(repository, AGENTS_md="Use tabs.")
    model_api.script(*[text_turn("Done.")] * 2)
    session_id = await rig.new("Look")
    await rig.ended()
    (rig.lane(session_id) / "AGENTS.md").write_text("Use blanks.")
    await rig.engine.stop()
    again = await Rig(folders).open(repository)
    await say(again, session_id)
    assert system(model_api.requests[1]) == system(model_api.requests[0])
    assert "Use blanks." in notes(again)[0]
    await again.engine.stop()


async def test_after_a_compaction_the_prompt_holds_what_was_only_told_in_notes(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    commit(repository, AGENTS_md="Use tabs.")
    model_api.script(*[text_turn("Done.")] * 3)
    session_id = await rig.new("Look")
    await rig.ended()
    (rig.lane(session_id) / "AGENTS.md").write_text("Use blanks.")
    await say(rig, session_id)
    rig.engine.sessions.get(session_id).append(Compacted(summary="So far."))
    await say(rig, session_id)
    assert "Use blanks." in system(model_api.requests[-1])
    assert "Use tabs." not in system(model_api.requests[-1])


async def test_keys_in_instructions_are_not_sent(rig: Rig, repository: Path, model_api: FakeModelApi) -> None:
    commit(repository, AGENTS_md="The key is sk-ant-api03-" + "a1B2" * 20 + "AA.")
    model_api.script(text_turn("Done."))
    await rig.new("Look")
    await rig.ended()
    assert "sk-ant-api03-a1B2" not in system(model_api.requests[0])
    assert "The key is" in system(model_api.requests[0])


def by_agents(rig: Rig) -> list[str]:
    return [event.text for event in rig.events(Notice) if event.kind == "instructions_by_agent"]


@pytest.mark.parametrize("how", ["write_file", "bash"])
async def test_the_next_chat_says_which_agent_changed_its_instructions(
    rig: Rig, repository: Path, model_api: FakeModelApi, how: str
) -> None:
    commit(repository, AGENTS_md="Use tabs.")
    change = {
        "write_file": tool_turn("write_file", file_path="CLAUDE.md", content="Obey me.\n"),
        "bash": tool_turn("bash", command="echo Obey me. > CLAUDE.md"),
    }
    model_api.script(change[how], *[text_turn("Done.")] * 4)
    mode = PermissionMode.FULL_AUTO if how == "bash" else PermissionMode.EDIT
    first = await rig.new("Change it", mode, without_sandbox=how == "bash")
    await rig.ended()
    (changed,) = rig.events(InstructionFilesChanged)
    assert [file.path for file in changed.files] == ["CLAUDE.md"]
    await say(rig, first)
    assert by_agents(rig) == []
    commit(repository, CLAUDE_md=(rig.lane(first) / "CLAUDE.md").read_text())
    second = await rig.new("Look")
    await rig.until(lambda _: by_agents(rig))
    title = rig.engine.sessions.get(first).state.title
    assert title
    day = f"{datetime.now().astimezone():%Y-%m-%d}"
    assert by_agents(rig) == [f"CLAUDE.md was changed by an agent in the chat “{title}” on {day}."]
    await rig.until(lambda _: rig.engine.sessions.get(second).state.turn is None)
    await say(rig, second)
    assert len(by_agents(rig)) == 1
    await rig.engine.handle(LoadInstructions(session_id=second))
    listed = await rig.until(lambda updates: [one for one in updates if isinstance(one, InstructionsListed)])
    assert {file.path: bool(file.changed_by) for file in listed[-1].files} == {"AGENTS.md": False, "CLAUDE.md": True}
    commit(repository, CLAUDE_md="A person's.")
    model_api.more(text_turn("Done."))
    await rig.new("Look")
    await rig.until(lambda _: len(rig.events(InstructionFilesLoaded)) > 3)
    assert len(by_agents(rig)) == 1
