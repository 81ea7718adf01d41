"""A secret in a person's own words: taken out by the engine wherever it comes from, the chat marked, people told."""

import pytest
from pydantic import SecretStr

from desktop.agent.gate.own_words import SOURCE
from desktop.domain.changes.commands import SaveComment, SendComments
from desktop.domain.changes.values import ReviewComment
from desktop.domain.chats.commands import EditQueued
from desktop.domain.chats.queue_events import MessageQueued, QueuedMessageEdited
from desktop.domain.commands import CheckEdit, SendMessage
from desktop.domain.credentials.commands import StoreCredential
from desktop.domain.credentials.events import CredentialStored
from desktop.domain.credentials.updates import CredentialsChanged
from desktop.domain.events import InputResolved, Notice, ToolCallFinished, UserMessage
from desktop.domain.gate.events import SessionTainted
from desktop.domain.gate.pending import Answer
from desktop.domain.updates import EditChecked
from tests.agent.credential_rig import VALUE
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.model_turns import Turn

pytestmark = pytest.mark.asyncio
KEY = "ghp_9bR2xKq7LmZt4VwYc8Hd1NfJs6PaGe3UoTi0"


def told(rig: Rig) -> list[str]:
    return [notice.text for notice in rig.events(Notice) if notice.kind == "secret"]


@pytest.mark.promise("memory-CR10")
async def test_a_secret_in_a_message_is_on_no_record_and_marks_the_chat_once(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("one"), text_turn("two"))
    session_id = await rig.new(f"Use {KEY} to push")
    await rig.ended()
    await rig.engine.handle(SendMessage(session_id=session_id, text=f"Again {KEY}"))
    await rig.ended(2)
    assert [tainted.source for tainted in rig.events(SessionTainted)] == [SOURCE]
    assert told(rig) == ["Taken out of your message: GitHub token."] * 2
    assert all(KEY not in event.model_dump_json() for event in rig.events(UserMessage))
    assert all(KEY not in request.raw.decode() for request in model_api.requests)
    assert KEY not in rig.engine.sessions.get(session_id).state.title
    files = [path for path in rig.folders.store.parent.rglob("*") if path.is_file()]
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


async def test_what_waits_and_what_was_entrusted_before_are_cleaned_too(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(Turn(text="slow", delay_s=1.5), text_turn("done"))
    session_id = await rig.new("Take your time")
    entrusted = StoreCredential(session_id=session_id, value=SecretStr(VALUE), provider="Shop", kept="month")
    await rig.engine.handle(entrusted)
    (stored,) = rig.events(CredentialStored)
    assert (stored.provider, stored.input_id, stored.call_id, stored.place) == ("Shop", "", "", "keyring")
    (record,) = next(u for u in reversed(rig.updates) if isinstance(u, CredentialsChanged)).credentials
    assert record.project_id == rig.engine.sessions.get(session_id).state.project_id
    await rig.engine.handle(SendMessage(session_id=session_id, text=f"Then use {VALUE}"))
    (waiting,) = rig.events(MessageQueued)
    assert VALUE.splitlines()[0] not in waiting.model_dump_json()
    await rig.engine.handle(EditQueued(session_id=session_id, queue_id=waiting.queue_id, text=f"Or {KEY}"))
    assert KEY not in rig.events(QueuedMessageEdited)[0].model_dump_json()
    await rig.ended(2)
    assert told(rig) == ["Taken out of your message: GitHub token."]


async def test_a_chat_without_a_secret_is_not_marked(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("one"))
    await rig.new("The password field is called passwd in the form")
    await rig.ended()
    assert (told(rig), rig.events(SessionTainted)) == ([], [])


@pytest.mark.promise("memory-CR10")
async def test_a_secret_in_the_note_of_a_refusal_is_on_no_record_and_not_sent(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch x"), text_turn("done"))
    session_id = await rig.new("Do it")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="reject", note=f"Use {KEY}"))
    await rig.ended()
    (resolved,), (finished,) = rig.events(InputResolved), rig.events(ToolCallFinished)
    assert "Use [secret " in str(resolved)
    assert KEY not in f"{resolved}{finished}{model_api.requests}"
    assert told(rig) == ["Taken out of your answer: GitHub token."]
    assert [tainted.source for tainted in rig.events(SessionTainted)] == [SOURCE]


@pytest.mark.promise("memory-CR10")
async def test_a_secret_typed_as_an_answer_is_taken_out_and_an_offered_choice_stays(
    rig: Rig, model_api: FakeModelApi
) -> None:
    questions = [
        {"id": "way", "question": "Which?", "options": [{"label": "Sample", "value": KEY}, {"label": "Other"}]},
        {"id": "more", "question": "What else?"},
    ]
    model_api.script(tool_turn("ask_user", questions=questions), text_turn("done"))
    session_id = await rig.new("Ask me")
    choices = {"way": (KEY,), "more": (f"take {KEY[::-1]} or ghp_{KEY[4:][::-1]}",)}
    await rig.answer(session_id, await rig.asked(), Answer(outcome="answered", choices=choices))
    await rig.ended()
    (resolved,) = rig.events(InputResolved)
    assert resolved.answer.choices["way"] == (KEY,)
    assert "[secret GitHub token" in resolved.answer.choices["more"][0]
    assert f"ghp_{KEY[4:][::-1]}" not in f"{resolved}{[one.raw for one in model_api.requests]}"
    assert told(rig) == ["Taken out of your answer: GitHub token."]


@pytest.mark.promise("memory-CR10")
async def test_a_changed_call_with_a_secret_goes_back_to_the_person(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch x"), text_turn("done"))
    session_id = await rig.new("Do it")
    asked = await rig.asked()
    for command, problem in ((f"touch {KEY}", True), ("touch y", False)):
        edited = {"command": command}
        await rig.engine.handle(CheckEdit(session_id=session_id, input_id=asked.input_id, edited_input=edited))
        checked = next(one for one in reversed(rig.updates) if isinstance(one, EditChecked))
        assert ("holds a secret" in checked.problem, checked.request is None) == (problem, problem)
    await rig.answer(session_id, asked, Answer(outcome="reject"))
    await rig.ended()
    files = [path for path in rig.folders.store.parent.rglob("*") if path.is_file()]
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


@pytest.mark.promise("memory-CR10")
async def test_a_secret_in_a_comment_on_a_line_is_not_kept(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("one"), text_turn("two"))
    session_id = await rig.new("Say hello")
    await rig.ended()
    lane_id = rig.engine.sessions.get(session_id).state.lane_id
    comment = ReviewComment(comment_id="c1", path="app.py", first=1, last=1, text=f"Use {KEY}", quoted=("x",))
    await rig.engine.handle(SaveComment(lane_id=lane_id, comment=comment))
    await rig.engine.handle(SendComments(lane_id=lane_id, session_id=session_id))
    await rig.ended(2)
    assert "[secret GitHub token" in str(model_api.requests[-1].messages)
    assert told(rig) == ["Taken out of your message: GitHub token."]
    files = [path for path in rig.folders.store.parent.rglob("*") if path.is_file()]
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
