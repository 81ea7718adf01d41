"""Looking back through the real engine: a call that ran unasked is marked, told to the agent, or taken back."""

import pytest

from desktop.domain.commands import MarkReviewed, RevertChange, SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import InputRequested, ToolCallFinished, UserMessage
from desktop.domain.gate.events import ReviewFlagged, ReviewReverted
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio
BEFORE = "print('hello')\n"


async def full_auto(rig: Rig, model_api: FakeModelApi, *turns: object) -> str:
    """A chat in full auto whose first turn has ended."""
    model_api.script(*turns, text_turn("done"))
    session_id = await rig.new("Change it", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    return session_id


def wrote() -> tuple[object, ...]:
    return (
        tool_turn("read_file", file_path="app.py"),
        tool_turn("write_file", file_path="app.py", content="print(2)\n"),
    )


def reviews(rig: Rig) -> list[InputRequested]:
    return [event for event in rig.events(InputRequested) if not event.request.blocking]


@pytest.mark.promise("gate-F3")
async def test_a_write_in_full_auto_is_taken_back(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await full_auto(rig, model_api, *wrote())
    file = rig.lane(session_id) / "app.py"
    assert file.read_text() == "print(2)\n"
    (record,) = reviews(rig)
    await rig.engine.handle(RevertChange(session_id=session_id, call_id=record.call_id))
    assert rig.failures() == []
    assert file.read_text() == BEFORE
    (reverted,) = rig.events(ReviewReverted)
    assert (reverted.by, [done.path for done in reverted.files]) == ("person", ["app.py"])
    assert rig.engine.sessions.get(session_id).state.reviews == {}


@pytest.mark.promise("gate-F4")
async def test_a_file_that_was_changed_since_is_not_taken_back(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await full_auto(rig, model_api, *wrote())
    file = rig.lane(session_id) / "app.py"
    file.write_text("print(3)\n")
    (record,) = reviews(rig)
    await rig.engine.handle(RevertChange(session_id=session_id, call_id=record.call_id))
    (failed,) = rig.failures()
    assert failed.code == "not_reverted"
    assert "app.py was changed after this call" in failed.text
    assert file.read_text() == "print(3)\n"
    assert rig.events(ReviewReverted) == []
    assert len(rig.engine.sessions.get(session_id).state.reviews) == 1


@pytest.mark.promise("gate-F4")
async def test_an_earlier_write_is_not_taken_back_over_a_later_one(rig: Rig, model_api: FakeModelApi) -> None:
    later = tool_turn("write_file", file_path="app.py", content="print(4)\n")
    session_id = await full_auto(rig, model_api, *wrote(), later)
    first, second = reviews(rig)
    await rig.engine.handle(RevertChange(session_id=session_id, call_id=first.call_id))
    assert len(rig.failures()) == 1
    for record in (second, first):
        await rig.engine.handle(RevertChange(session_id=session_id, call_id=record.call_id))
    assert len(rig.failures()) == 1
    assert (rig.lane(session_id) / "app.py").read_text() == BEFORE
    await rig.engine.handle(RevertChange(session_id=session_id, call_id=first.call_id))
    assert rig.failures()[-1].text == "This was reverted already."


async def test_a_created_file_goes_away_again_unless_it_was_changed(rig: Rig, model_api: FakeModelApi) -> None:
    made = (tool_turn("write_file", file_path=f"new/{name}.txt", content="x\n") for name in "ab")
    session_id = await full_auto(rig, model_api, *made)
    lane = rig.lane(session_id)
    (lane / "new" / "b.txt").write_text("mine\n")
    for record in reviews(rig):
        await rig.engine.handle(RevertChange(session_id=session_id, call_id=record.call_id))
    assert not (lane / "new" / "a.txt").exists()
    assert (lane / "new" / "b.txt").read_text() == "mine\n"
    assert [file.sha256 for event in rig.events(ReviewReverted) for file in event.files] == [None]


async def test_a_file_that_is_gone_or_a_folder_now_is_not_put_back(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await full_auto(rig, model_api, *wrote())
    file = rig.lane(session_id) / "app.py"
    (record,) = reviews(rig)
    file.unlink()
    await rig.engine.handle(RevertChange(session_id=session_id, call_id=record.call_id))
    file.mkdir()
    await rig.engine.handle(RevertChange(session_id=session_id, call_id=record.call_id))
    assert [failed.code for failed in rig.failures()] == ["not_reverted"] * 2
    assert file.is_dir()


@pytest.mark.promise("gate-F3")
async def test_what_a_command_did_cannot_be_taken_back_and_says_so(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await full_auto(rig, model_api, tool_turn("bash", command="touch made.txt"))
    (record,) = reviews(rig)
    await rig.engine.handle(RevertChange(session_id=session_id, call_id=record.call_id))
    assert "not recorded file by file" in rig.failures()[0].text
    await rig.engine.handle(RevertChange(session_id=session_id, call_id="call_none"))
    assert [failed.code for failed in rig.failures()] == ["not_reverted"] * 2


@pytest.mark.promise("gate-F2")
async def test_notes_and_what_was_taken_back_go_to_the_agent_once(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await full_auto(rig, model_api, *wrote(), tool_turn("bash", command="touch made.txt"))
    first, second = reviews(rig)
    await rig.engine.handle(RevertChange(session_id=session_id, call_id=first.call_id))
    await rig.engine.handle(
        MarkReviewed(session_id=session_id, input_ids=(second.input_id,), note=" Keep files in src. ")
    )
    assert rig.engine.sessions.get(session_id).state.reviews == {}
    model_api.script(text_turn("Understood."), text_turn("Again."))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    await rig.ended(2)
    await rig.engine.handle(SendMessage(session_id=session_id, text="And more"))
    await rig.ended(3)
    notes = [str(event.parts) for event in rig.events(UserMessage) if event.note_kind == "review"]
    assert len(notes) == 1
    assert "took back your change to app.py" in notes[0]
    assert "Keep files in src." in notes[0]
    assert "Keep files in src." in str(model_api.requests[-2].body["messages"])
    assert rig.engine.sessions.get(session_id).state.review_note == ""


async def test_marking_again_is_refused_and_records_nothing(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await full_auto(rig, model_api, *wrote())
    (record,) = reviews(rig)
    command = MarkReviewed(session_id=session_id, input_ids=(record.input_id,))
    await rig.engine.handle(command)
    await rig.engine.handle(command)
    assert [failed.code for failed in rig.failures()] == ["nothing_to_review"]
    assert len(rig.events(ReviewFlagged)) == 1


async def test_what_a_write_replaced_is_kept_with_its_result(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await full_auto(rig, model_api, *wrote())
    (touched,) = [file for event in rig.events(ToolCallFinished) for file in event.touched]
    assert touched.before is not None
    assert touched.before.sha256 == touched.before_sha256
    blobs = rig.engine.sessions.get(session_id)
    assert touched.before.sha256 not in blobs.blob_ids, "the agent reads files, not what they held before"
