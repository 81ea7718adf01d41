"""Which words are listened to: those of a message itself, also of one that waited, and no file that goes along."""

from pathlib import Path

import pytest

from desktop.agent.boundaries import keeper
from desktop.domain.boundaries.values import MOST_READ
from desktop.domain.chats.commands import AddAttachment
from desktop.domain.chats.updates import AttachmentReady
from desktop.domain.commands import SendMessage
from desktop.domain.events import Notice, ToolCallFinished
from desktop.domain.gate.pending import Answer
from tests.agent.boundaries.test_boundaries import FREE, boundaries, results
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


@pytest.mark.promise("memory-SB1")
async def test_words_that_waited_hold_before_the_request_that_brings_them(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("ask_user", question="Which one?"),
        tool_turn("bash", command="git push", outside_sandbox=True),
        text_turn("no"),
    )
    session_id = await rig.new("Mend it", **FREE)
    asked = await rig.asked()
    await rig.engine.handle(SendMessage(session_id=session_id, text="The first. And never push."))
    assert boundaries(rig, session_id) == (), "it waits"
    await rig.answer(session_id, asked, Answer(outcome="reject"))
    await rig.ended()
    log = [envelope.kind for envelope in rig.engine.sessions.get(session_id).log]
    at = log.index("boundary_proposed")
    assert log[:at].count("assistant_message") == 1
    assert "“never push”" in results(rig)[1]


@pytest.mark.promise("memory-SB1")
async def test_a_file_that_goes_along_forbids_nothing(rig: Rig, model_api: FakeModelApi, tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text("Never commit.\nDon't touch app.py.\n")
    await rig.engine.handle(AddAttachment(request_id="1", path=str(tmp_path / "rules.txt")))
    await rig.until(lambda updates: [one for one in updates if isinstance(one, AttachmentReady)])
    model_api.script(
        tool_turn("read_file", file_path="attachments:rules.txt"),
        tool_turn("write_file", file_path="made.txt", content="x\n"),
        text_turn("done"),
    )
    session_id = await rig.new("Read this. Never push.", attachments=("rules.txt",), **FREE)
    await rig.ended()
    assert [one.quote for one in boundaries(rig, session_id)] == ["Never push"]
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["ok", "ok"]


@pytest.mark.promise("memory-SB8")
async def test_a_message_that_was_not_read_to_its_end_says_so(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("noted"))
    session_id = await rig.new(f"Never push.\n{'word ' * (MOST_READ // 5)}\nNever commit.", **FREE)
    await rig.ended()
    assert [one.quote for one in boundaries(rig, session_id)] == ["Never push"]
    assert [event.text for event in rig.events(Notice) if event.kind == "boundaries"] == [keeper.CUT]
