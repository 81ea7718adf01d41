"""Slash commands from Markdown files: listed, trusted by content, expanded where they are sent."""

import asyncio
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.chats.commands import LoadInstructions, TrustCommands
from desktop.domain.chats.updates import InstructionsListed
from desktop.domain.commands import SendMessage
from desktop.domain.events import UserMessage
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn

pytestmark = pytest.mark.asyncio


async def say(rig: Rig, session_id: str, text: str) -> None:
    session = rig.engine.sessions.get(session_id)
    before = session.state.turns
    await rig.engine.handle(SendMessage(session_id=session_id, text=text))
    await rig.until(lambda _: session.state.turns > before and session.state.turn is None)


async def listed(rig: Rig, session_id: str) -> InstructionsListed:
    await rig.engine.handle(LoadInstructions(session_id=session_id))
    return [update for update in rig.updates if isinstance(update, InstructionsListed)][-1]


def own_command(folders: Folders, name: str, text: str) -> None:
    folder = folders.config / "commands"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(text)


def shared_command(repository: Path, name: str, text: str) -> None:
    folder = repository / ".banksman" / "commands"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(text)
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "commands")


def last_words(api: FakeModelApi) -> str:
    return str(api.requests[-1].messages[-1]["content"][-1]["text"])


async def test_a_command_of_the_person_is_sent_as_its_text_and_shown_as_it_was_typed(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    own_command(folders, "review", "---\ndescription: Look\n---\nReview $1 with care.")
    model_api.script(*[text_turn("Done.")] * 3)
    session_id = await rig.new("/review login")
    await rig.ended()
    assert last_words(model_api) == "Review login with care."
    message = rig.events(UserMessage)[0]
    assert message.display == "/review login"
    await say(rig, session_id, "/review logout")
    assert last_words(model_api) == "Review logout with care."
    await say(rig, session_id, "/unknown logout")
    assert last_words(model_api) == "/unknown logout"
    assert rig.events(UserMessage)[-1].display == ""


async def test_a_message_that_waits_is_expanded_when_it_is_delivered(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    own_command(folders, "review", "Review $1 with care.")
    model_api.script(text_turn("Hello there.", fault="hold"), text_turn("Done."))
    session_id = await rig.new("Look")
    await asyncio.to_thread(model_api.wait_for_requests, 1)
    await rig.engine.handle(SendMessage(session_id=session_id, text="/review login"))
    model_api.go_on()
    session = rig.engine.sessions.get(session_id)
    await rig.until(lambda _: len(model_api.requests) == 2 and session.state.turn is None)
    assert last_words(model_api) == "Review login with care."
    queued = [message for message in rig.events(UserMessage) if message.origin == "queued"]
    assert [message.display for message in queued] == ["/review login"]


async def test_commands_of_the_repository_wait_for_trust_in_their_content(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    shared_command(repository, "ship", "Ship it.")
    model_api.script(*[text_turn("Done.")] * 3)
    session_id = await rig.new("Look")
    await rig.ended()
    first = await listed(rig, session_id)
    assert [(one.name, one.source, one.usable) for one in first.commands] == [("ship", "repository", False)]
    assert first.untrusted_sha256
    await rig.engine.handle(SendMessage(session_id=session_id, text="/ship"))
    assert rig.failures()[-1].code == "untrusted_command"
    await rig.engine.handle(TrustCommands(session_id=session_id, sha256="0" * 64))
    assert rig.failures()[-1].code == "commands_changed"
    await rig.engine.handle(TrustCommands(session_id=session_id, sha256=first.untrusted_sha256))
    assert (await listed(rig, session_id)).untrusted_sha256 == ""
    await say(rig, session_id, "/ship")
    assert last_words(model_api) == "Ship it."
    (rig.lane(session_id) / ".banksman" / "commands" / "ship.md").write_text("Push to main.")
    await rig.engine.handle(SendMessage(session_id=session_id, text="/ship"))
    assert rig.failures()[-1].code == "untrusted_command"
    assert len(model_api.requests) == 2


async def test_names_that_are_taken_are_told_and_not_replaced(
    rig: Rig, repository: Path, folders: Folders, model_api: FakeModelApi
) -> None:
    own_command(folders, "review", "Mine.")
    own_command(folders, "clear", "Something else.")
    shared_command(repository, "review", "Theirs.")
    shared_command(repository, "compact", "Theirs.")
    model_api.script(*[text_turn("Done.")] * 2)
    session_id = await rig.new("/review")
    await rig.ended()
    assert last_words(model_api) == "Mine."
    found = await listed(rig, session_id)
    assert [one.name for one in found.commands] == ["review"]
    assert len(found.problems) == 3
    assert found.untrusted_sha256 == ""


async def test_instruction_files_are_listed_nearest_last(
    rig: Rig, repository: Path, folders: Folders, model_api: FakeModelApi
) -> None:
    (folders.config / "AGENTS.md").write_text("Answer briefly.")
    (repository / "AGENTS.md").write_text("Use tabs.")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "instructions")
    model_api.script(text_turn("Done."))
    session_id = await rig.new("Look")
    await rig.ended()
    found = await listed(rig, session_id)
    assert [file.path for file in found.files] == ["(your own) AGENTS.md", "AGENTS.md"]
