"""The undo ledger and the handover of a chat that really ran: approved, declined, refused, taken back."""

import pytest

from desktop.domain.commands import RevertChange
from desktop.domain.core.clock import utc_now
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import SessionStarted, ToolCallFinished
from desktop.domain.handover.fold import handover
from desktop.domain.ledger.commands import LoadLedger
from desktop.domain.ledger.fold import effects
from desktop.domain.ledger.updates import LedgerLoaded
from desktop.store.readings import readings_at
from tests.agent.gate_rig import ONCE, REJECT
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


@pytest.mark.promise("memory-UL1")
async def test_each_effect_stands_in_the_ledger_and_the_page_fits_the_record(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("write_file", path="a.txt", content="one\n"),
        tool_turn("bash", command="python3 -c 'print(1)'"),
        tool_turn("bash", command="python3 -c 'print(2)'"),
        tool_turn("write_file", path="../outside.txt", content="x"),
        tool_turn("bash", command="cat a.txt"),
        text_turn("I would look at b next."),
    )
    session_id = await rig.new("Make a file", PermissionMode.EDIT)
    await rig.answer(session_id, await rig.asked(1), ONCE)
    await rig.answer(session_id, await rig.asked(2), REJECT)
    await rig.ended()
    written = rig.events(ToolCallFinished)[0]
    await rig.engine.handle(RevertChange(session_id=session_id, call_id=written.call_id))
    assert not (rig.lane(session_id) / "a.txt").exists()

    await rig.engine.handle(LoadLedger(session_id=session_id))
    (loaded,) = (update for update in rig.updates if isinstance(update, LedgerLoaded))
    assert [effect.kind for effect in loaded.effects] == ["command", "files"]

    project_id = rig.events(SessionStarted)[0].project_id
    logs = [log for log in readings_at(rig.folders.store).logs(project_id, None) if log.state.kind != "project"]
    (log,) = logs
    command, file = effects(log.events)
    assert (command.kind, command.undoable, command.state) == ("command", "no", "cannot")
    assert command.not_covered.startswith("It changed no file")
    assert command.checkpoint_id
    assert (file.kind, file.what, file.state) == ("files", "Write a.txt", "undone")
    assert [touched.path for touched in file.files] == ["a.txt"]

    page = handover(logs, None, utc_now())
    assert page.difference == 0
    assert (page.decided.calls, page.decided.people, page.decided.refused) == (5, 2, 1)
    words = {section.title: [line.text for line in section.lines] for section in page.sections}
    assert words["Asked"] == ["Make a file"]
    assert words["Decided"] == ["Declined: python3 -c 'print(2)'"]
    assert len(words["Changed"]) == 2
    assert words["Undone"] == ["Taken back: a.txt"]
    assert words["Next"] == ["The agent's last words: I would look at b next."]
