"""What can be named with an `@`, and what it brings to the model: no more than could be read without asking."""

import asyncio
import io

import pytest
from PIL import Image

from desktop.domain.chats.commands import DeleteSession, FindMentions
from desktop.domain.chats.updates import MentionsFound
from desktop.domain.children.events import ChildBegun
from desktop.domain.commands import SaveRule, SendMessage
from desktop.domain.core.ids import new_command_id
from desktop.domain.events import ToolCallDecided, UserMessage
from desktop.domain.gate.events import SessionTainted
from desktop.domain.gate.pending import Answer
from desktop.domain.gate.rules import Rule
from tests.agent.children.child_script import Cast
from tests.agent.children.test_foreground import over
from tests.agent.children.test_together import begins
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi
from tests.fakes.model_turns import text_turn, tool_turn, turn

pytestmark = pytest.mark.asyncio


async def found(rig: Rig, query: str = "", kind: str = "", session_id: str = "") -> list[str]:
    """What can be named, once the files are read."""

    async def ask() -> MentionsFound:
        command_id = new_command_id()
        command = {"command_id": command_id, "session_id": session_id, "kind": kind, "query": query}
        await rig.engine.handle(FindMentions.model_validate(command))
        return next(one for one in rig.updates if isinstance(one, MentionsFound) and one.command_id == command_id)

    answer = await ask()
    while answer.more:
        await asyncio.sleep(0)
        answer = await ask()
    return [row.text for row in answer.rows]


def files_of(rig: Rig, session_id: str):
    files = rig.engine.sessions.get(session_id).files
    assert files is not None
    return files.root


async def talked(rig: Rig, model_api: FakeModelApi, text: str = "hello") -> str:
    model_api.script(text_turn("hi"))
    session_id = await rig.new(text)
    await rig.until(lambda _: not rig.engine.sessions.get(session_id).running)
    return session_id


async def say(rig: Rig, model_api: FakeModelApi, session_id: str, text: str) -> UserMessage:
    """What became of a message."""
    ended = len(rig.events(UserMessage))
    model_api.script(text_turn("seen"))
    await rig.engine.handle(SendMessage(session_id=session_id, text=text))
    await rig.until(lambda _: not rig.engine.sessions.get(session_id).running)
    return rig.events(UserMessage)[ended]


@pytest.mark.promise("ui-U123")
async def test_files_and_folders_are_found_and_ignored_ones_are_not(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await talked(rig, model_api)
    root = files_of(rig, session_id)
    (root / "auth").mkdir()
    (root / "auth" / "middleware.py").write_text("x = 1\n")
    (root / ".gitignore").write_text("*.log\n")
    (root / ".env").write_text("TOKEN=x\n")
    (root / "auth" / "middle.log").write_text("secret\n")
    assert (await found(rig, "aumi", session_id=session_id))[0] == "@auth/middleware.py"
    assert "@auth/" in await found(rig, "auth", "folder", session_id)
    assert await found(rig, "middle.log", "file", session_id) == []
    (root / "auth" / "middleman.py").write_text("x = 1\n")
    assert "@notes.md" in await found(rig, "note", session_id=session_id)
    offered = await found(rig, session_id=session_id)
    files = [one for one in offered if not one.startswith("@lane:")]
    assert set(files[-2:]) == {"@.gitignore", "@.env"}
    assert (await found(rig, ".e", session_id=session_id))[0] == "@.env"


async def test_a_named_file_goes_along_and_counts_as_read(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await talked(rig, model_api)
    (files_of(rig, session_id) / "a b.txt").write_text("thyme is it\n")
    message = await say(rig, model_api, session_id, 'What is it? @"a b.txt" @nothing-of-it a@b.com')
    assert [(one.written, one.given) for one in message.mentions] == [('@"a b.txt"', True)]
    assert "thyme is it" in str(model_api.requests[-1].messages)
    assert rig.engine.sessions.get(session_id).reads.sha256.keys() == {"a b.txt"}


@pytest.mark.promise("ui-U123")
async def test_a_file_of_secrets_is_only_named_until_a_card_lets_it_be_read(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await talked(rig, model_api)
    (files_of(rig, session_id) / ".env").write_text("TOKEN=hunter2hunter2\n")
    message = await say(rig, model_api, session_id, "Use @.env and @/etc/hostname")
    assert [one.given for one in message.mentions] == [False, False]
    assert "hunter2" not in str(model_api.requests[-1].messages)
    assert rig.events(SessionTainted) == []


async def test_a_picture_a_folder_and_a_symbol_are_given(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await talked(rig, model_api)
    root = files_of(rig, session_id)
    out = io.BytesIO()
    Image.new("RGB", (40, 20), "red").save(out, "PNG")
    (root / "shot.png").write_bytes(out.getvalue())
    (root / "src").mkdir()
    (root / "src" / "deep.py").write_text("x = 1\n" * 30 + "class Login:\n    kept = 'here'\n")
    message = await say(
        rig, model_api, session_id, "@shot.png @src/ @symbol:src/deep.py#Login @symbol:src/deep.py#Gone"
    )
    words = {one.written: (one.words, one.given) for one in message.mentions}
    assert words["@src/"] == ("1 file", True)
    assert words["@symbol:src/deep.py#Login"] == ("src/deep.py:31", True)
    assert words["@symbol:src/deep.py#Gone"][1] is False
    sent = model_api.requests[-1].messages[-1]["content"]
    assert any(part["type"] == "image" for part in sent)
    assert "kept = 'here'" in str(sent)
    assert "src/deep.py" in str(sent)
    assert await found(rig, "login", "symbol", session_id) == ["@symbol:src/deep.py#Login"]


async def test_a_folder_that_a_rule_keeps_away_is_only_named(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await talked(rig, model_api)
    root = files_of(rig, session_id)
    for name in ("kept", "asked"):
        (root / name).mkdir()
        (root / name / "customer-list.txt").write_text("names\n")
    for decision, glob in (("deny", "kept/**"), ("ask", "asked/**")):
        rule = {"id": "", "decision": decision, "kind": "path", "scope": "user", "glob": glob, "created_by": "settings"}
        await rig.engine.handle(SaveRule(rule=Rule.model_validate(rule)))
    assert rig.failures() == []
    message = await say(rig, model_api, session_id, "@kept/ @asked/")
    assert [(one.written, one.given) for one in message.mentions] == [("@kept/", False), ("@asked/", False)]
    assert "customer-list" not in str(model_api.requests[-1].messages)


@pytest.mark.parametrize("gone", [False, True])
async def test_a_proof_of_a_chat_that_read_from_outside_marks_the_chat_that_names_it(
    rig: Rig, model_api: FakeModelApi, gone: bool
) -> None:
    model_api.script(tool_turn("attach_proof", path="notes.md", title="Log"), text_turn("done"))
    other = await rig.new("Show it")
    await rig.ended()
    lane = rig.engine.sessions.get(other).lane
    assert lane is not None
    rig.engine.sessions.get(other).append(SessionTainted(reason="untrusted", source="https://example.org/page"))
    model_api.script(text_turn("hi"))
    here = await rig.new("another", lane_id=lane.id)
    await rig.ended(2)
    if gone:
        await rig.engine.handle(DeleteSession(session_id=other))
    (name,) = await found(rig, "", "proof", here)
    message = await say(rig, model_api, here, f"Look at {name}")
    assert [one.given for one in message.mentions] == [True]
    state = rig.engine.sessions.get(here).state
    assert (state.taint_reasons, state.tainted) == (("untrusted",), (name.removeprefix("@"),))


async def test_another_chat_is_given_as_words_of_others_with_what_it_has_read(
    rig: Rig, model_api: FakeModelApi
) -> None:
    other = await talked(rig, model_api, "Find out why the login loops")
    rig.engine.sessions.get(other).append(SessionTainted(reason="untrusted", source="https://example.org/page"))
    here = await talked(rig, model_api, "another")
    (name,) = await found(rig, "login", "chat", here)
    message = await say(rig, model_api, here, f"Go on from {name}")
    assert [(one.written, one.title) for one in message.mentions] == [(name, "Find out why the login loops")]
    sent = str(model_api.requests[-1].messages)
    assert "<untrusted source=" in sent
    assert "Find out why the login loops" in sent
    assert rig.engine.sessions.get(here).state.taint_reasons == ("untrusted",)
    assert await found(rig, "", "chat", here) == [name]


async def test_a_lane_is_given_with_its_branch(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await talked(rig, model_api)
    (name,) = await found(rig, "", "lane", session_id)
    lane = rig.engine.sessions.get(session_id).lane
    assert lane is not None
    message = await say(rig, model_api, session_id, f"How far is {name}?")
    assert message.mentions[0].words == f"branch {lane.branch}"
    assert lane.branch in str(model_api.requests[-1].messages[-1])


async def test_what_a_waiting_message_names_is_read_when_it_is_delivered(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch made"), text_turn("done"), text_turn("read"))
    session_id = await rig.new("make it")
    asked = await rig.asked()
    (files_of(rig, session_id) / "late.txt").write_text("before\n")
    await rig.engine.handle(SendMessage(session_id=session_id, text="and @late.txt"))
    (files_of(rig, session_id) / "late.txt").write_text("afterwards\n")
    await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    await rig.until(lambda _: any(one.origin == "queued" for one in rig.events(UserMessage)))
    queued = next(one for one in rig.events(UserMessage) if one.origin == "queued")
    assert "afterwards" in str(queued.parts)
    assert [one.written for one in queued.mentions] == ["@late.txt"]
    assert len(rig.events(ToolCallDecided)) == 1


async def test_an_agent_is_named_and_begun_by_the_model_alone(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await talked(rig, model_api)
    assert await found(rig, "expl", session_id=session_id) == ["@agent:explorer"]
    assert "@agent:implementer" in await found(rig, kind="agent", session_id=session_id)
    for written in ("@explorer", "@agent:explorer"):
        message = await say(rig, model_api, session_id, f"Have {written} look, not @nobody")
        assert [(one.written, one.words, one.given) for one in message.mentions] == [(written, "the sub-agent", True)]
        assert 'begin it with task, agent "explorer".' in str(message.parts)
    assert rig.events(ChildBegun) == []
    (files_of(rig, session_id) / "explorer").write_text("a file\n")
    message = await say(rig, model_api, session_id, "Read @explorer")
    assert "a file" in str(message.parts)
    assert "task" not in str(message.parts)


async def test_in_a_chat_that_begins_no_agents_one_is_only_named(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.answer_with(Cast(Parent=[turn(calls=[begins(1)]), text_turn("done")], Child=[text_turn("seen")] * 2))
    await over(rig, await rig.new("Parent: go"))
    child_id = rig.events(ChildBegun)[0].child_id
    await rig.engine.handle(SendMessage(session_id=child_id, text="Let @planner do it"))
    await rig.until(lambda _: [one for one in rig.events(UserMessage) if one.mentions])
    (given,) = next(one for one in rig.events(UserMessage) if one.mentions).mentions
    assert (given.written, given.given) == ("@planner", False)
