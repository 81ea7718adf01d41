"""A commit message by the chat's model: asked once, bounded, without protected files, and its cost is recorded."""

import pytest

from desktop.domain.changes.commands import SuggestMessage
from desktop.domain.changes.updates import MessageSuggested
from desktop.domain.changes.values import Picked
from desktop.domain.context.events import SideAnswered
from desktop.domain.events import UserMessage
from desktop.services.changes.commit_prompt import message_in
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn
from tests.fakes.model_turns import HttpFailure

pytestmark = pytest.mark.asyncio


async def asked(rig: Rig, lane_id: str, *paths: str) -> MessageSuggested:
    picked = tuple(Picked(path=path) for path in paths)
    await rig.engine.handle(SuggestMessage(lane_id=lane_id, picked=picked))
    return [update for update in rig.updates if isinstance(update, MessageSuggested)][-1]


async def test_the_model_is_asked_once_and_its_cost_is_recorded(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hello"), text_turn("```\nSay goodbye\n\nIt was time.\n```"))
    session_id = await rig.new("Hello")
    await rig.ended()
    root, session = rig.lane(session_id), rig.engine.sessions.get(session_id)
    (root / "app.py").write_text("print('bye')\n" + "x = 1\n" * 20_000)
    (root / ".env").write_text("KEY=hunter2\n")
    messages = session.history.messages()
    found = await asked(rig, session.state.lane_id, "app.py", ".env")
    assert (found.text, found.problem) == ("Say goodbye\n\nIt was time.", "")
    sent = model_api.requests[-1].body
    prompt = str(sent["messages"])
    assert sent["max_tokens"] <= 600
    assert "tools" not in sent
    assert "-print('hello')" in prompt
    assert ".env: content withheld" in prompt
    assert "hunter2" not in prompt
    assert len(prompt) < 30_000
    (recorded,) = rig.events(SideAnswered)
    assert (recorded.purpose, recorded.usage.output) == ("commit_message", 20)
    assert session.state.usage.output == 40
    assert session.history.messages() == messages
    assert [event.origin for event in rig.events(UserMessage)] == ["person"]


async def test_a_failure_is_told_and_not_tried_again(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hello"), HttpFailure(529, "overloaded_error"), text_turn("  "))
    session_id = await rig.new("Hello")
    await rig.ended()
    lane_id = rig.engine.sessions.get(session_id).state.lane_id
    (rig.lane(session_id) / "app.py").write_text("print('bye')\n")
    assert (await asked(rig, lane_id)).problem == "Nothing is ticked."
    failed = await asked(rig, lane_id, "app.py")
    assert failed.problem
    assert len(model_api.requests) == 2
    assert "gave no message" in (await asked(rig, lane_id, "app.py")).problem


async def test_a_message_is_taken_out_of_what_a_model_wraps_it_in() -> None:
    assert message_in('"Fix it"') == "Fix it"
    assert message_in("```text\nFix it\n```") == "Fix it"
    assert message_in("Fix\x1b[1m it\r\n\r\nwhy") == "Fix[1m it\n\nwhy"
    assert len(message_in("x" * 5000)) == 2000
