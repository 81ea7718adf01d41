"""One task given to several: figures of each, one result kept, that taken back, and all of it after a restart."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from desktop.config.folders import Folders
from desktop.domain.changes.commands import LoadDiff, LoadLaneChanges
from desktop.domain.changes.updates import DiffLoaded, LaneChangesLoaded
from desktop.domain.changes.values import ChangeScope
from desktop.domain.commands import NewSession
from desktop.domain.compared.commands import KeepResult, LoadComparisons, UndoKeepResult
from desktop.domain.compared.updates import ComparisonsLoaded, ResultKept
from desktop.domain.compared.values import Comparison
from desktop.domain.core.errors import CommandError
from desktop.domain.core.ids import new_lane_id, new_session_id
from desktop.domain.events import TurnEnded
from desktop.domain.gate.pending import Answer
from desktop.domain.history.state_of import SessionState
from desktop.domain.lanes.commands import CreateLanesForModels, LaneSlot
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, RecordedRequest, text_turn, tool_turn
from tests.fakes.model_turns import Answer as ModelAnswer

pytestmark = pytest.mark.asyncio
T = TypeVar("T")


def last(rig: Rig, kind: type[T]) -> T:
    return [update for update in rig.updates if isinstance(update, kind)][-1]


def answering(**answers: list[ModelAnswer]) -> Callable[[RecordedRequest], ModelAnswer]:
    """Each model says its own, one after the other."""

    def answer(request: RecordedRequest) -> ModelAnswer:
        return answers[request.body["model"]].pop(0)

    return answer


async def launch(rig: Rig, *models: str) -> list[LaneSlot]:
    slots = [
        LaneSlot(lane_id=new_lane_id(), session_id=new_session_id(), name=f"try {one}", endpoint_id="fake", model=one)
        for one in models
    ]
    await rig.engine.handle(CreateLanesForModels(slots=tuple(slots), text="Write the notes"))
    return slots


async def compared(rig: Rig) -> Comparison:
    await rig.engine.handle(LoadComparisons())
    return last(rig, ComparisonsLoaded).comparisons[0]


def write(text: str) -> list[ModelAnswer]:
    return [tool_turn("write_file", path="result.md", content=text), text_turn("Done.")]


def state(rig: Rig, session_id: str) -> SessionState:
    return rig.engine.parts.sessions.get(session_id).state


def lane_state(rig: Rig, slot: LaneSlot) -> str:
    lane = rig.engine.parts.base.ground.lanes.get(slot.lane_id)
    assert lane is not None
    return lane.state


async def both(rig: Rig, model_api: FakeModelApi) -> list[LaneSlot]:
    model_api.answer_with(answering(a=write("one\n"), b=write("two\n")))
    slots = await launch(rig, "a", "b")
    await rig.ended(2)
    return slots


async def test_each_is_told_with_what_it_did(rig: Rig, model_api: FakeModelApi) -> None:
    slots = await both(rig, model_api)
    one = await compared(rig)
    assert one.text == "Write the notes"
    assert [run.slot for run in one.runs] == slots
    ends = {envelope.steps for envelope in rig.events(TurnEnded)}
    assert {run.figures.steps for run in one.runs} == ends == {2}
    assert all(run.figures.status == "completed" and run.figures.worked_ms > 0 for run in one.runs)


async def test_one_that_waits_counts_the_time_of_nobody(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.answer_with(answering(a=write("one\n"), b=[tool_turn("bash", command="./run it")]))
    await launch(rig, "a", "b")
    await rig.ended()
    await rig.asked()
    waits = (await compared(rig)).runs[1].figures
    assert (waits.steps, waits.worked_ms, waits.status) == (1, 0, "")


async def test_one_whose_call_was_declined_says_so_until_its_next_turn(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.answer_with(answering(a=write("one\n"), b=[tool_turn("bash", command="./run it")]))
    slots = await launch(rig, "a", "b")
    await rig.ended()
    await rig.answer(slots[1].session_id, await rig.asked(), Answer(outcome="reject", note="no"))
    await rig.ended(2)
    assert [run.figures.declined for run in (await compared(rig)).runs] == [0, 1]


async def test_keeping_one_archives_the_others_and_is_on_record(rig: Rig, model_api: FakeModelApi) -> None:
    slots = await both(rig, model_api)
    one = await compared(rig)
    await rig.engine.handle(KeepResult(comparison_id=one.id, session_id=slots[0].session_id))
    assert last(rig, ResultKept).text == "Kept try a. 1 other was archived."
    assert [state(rig, slot.session_id).archived for slot in slots] == [False, True]
    assert [lane_state(rig, slot) for slot in slots] == ["active", "archived"]
    kept = (await compared(rig)).kept
    assert kept is not None
    assert (kept.session_id, kept.chats, kept.lanes) == (
        slots[0].session_id,
        (slots[1].session_id,),
        (slots[1].lane_id,),
    )
    log = rig.engine.parts.base.acts.log.history("keep_result")
    assert [(type(begun), type(ended)) for begun, ended in log] == [(LaneOperationStarted, LaneOperationFinished)]


async def test_what_was_archived_comes_back(rig: Rig, model_api: FakeModelApi) -> None:
    slots = await both(rig, model_api)
    one = await compared(rig)
    await rig.engine.handle(KeepResult(comparison_id=one.id, session_id=slots[1].session_id))
    await rig.engine.handle(UndoKeepResult(comparison_id=one.id))
    assert last(rig, ResultKept).session_id == ""
    assert [state(rig, slot.session_id).archived for slot in slots] == [False, False]
    assert [lane_state(rig, slot) for slot in slots] == ["active", "active"]
    assert (await compared(rig)).kept is None
    with pytest.raises(CommandError, match="nothing to bring back"):
        await rig.engine.parts.themes.handlers[UndoKeepResult](UndoKeepResult(comparison_id=one.id))


async def test_one_that_waits_is_stopped_when_another_is_kept(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.answer_with(answering(a=write("one\n"), b=[tool_turn("bash", command="./run it")]))
    slots = await launch(rig, "a", "b")
    await rig.ended()
    await rig.asked()
    await rig.engine.handle(KeepResult(comparison_id=(await compared(rig)).id, session_id=slots[0].session_id))
    stopped = state(rig, slots[1].session_id)
    assert stopped.archived
    assert stopped.turn is None
    assert not stopped.open_inputs


async def test_a_lane_in_which_another_chat_works_stays(rig: Rig, model_api: FakeModelApi) -> None:
    slots = await both(rig, model_api)
    model_api.answer_with(answering(a=[text_turn("Yes.")]))
    more = NewSession(session_id=new_session_id(), lane_id=slots[1].lane_id, text="And?", endpoint_id="fake", model="a")
    await rig.engine.handle(more)
    await rig.ended(3)
    await rig.engine.handle(KeepResult(comparison_id=(await compared(rig)).id, session_id=slots[0].session_id))
    assert "The lane of try b stays: another chat works there." in last(rig, ResultKept).text
    assert lane_state(rig, slots[1]) == "active"


async def test_what_is_none_of_the_results_is_not_kept(rig: Rig, model_api: FakeModelApi) -> None:
    await both(rig, model_api)
    one = await compared(rig)
    handlers = rig.engine.parts.themes.handlers
    with pytest.raises(CommandError, match="not one of these"):
        await handlers[KeepResult](KeepResult(comparison_id=one.id, session_id="ses_x"))
    with pytest.raises(CommandError, match="no such comparison"):
        await handlers[KeepResult](KeepResult(comparison_id="op_x", session_id="ses_x"))


async def test_it_is_all_there_after_a_restart(folders: Folders, repository: Path, model_api: FakeModelApi) -> None:
    rig = await Rig(folders).open(repository)
    await rig.engine.handle(LoadComparisons())
    assert last(rig, ComparisonsLoaded).comparisons == ()
    slots = await both(rig, model_api)
    before = await compared(rig)
    await rig.engine.handle(KeepResult(comparison_id=before.id, session_id=slots[0].session_id))
    kept = await compared(rig)
    await rig.engine.stop()
    rig = await Rig(folders).open(repository)
    try:
        assert await compared(rig) == kept
        await rig.engine.handle(UndoKeepResult(comparison_id=before.id))
        assert await compared(rig) == before
    finally:
        await rig.engine.stop()


async def test_two_results_are_compared_file_by_file(rig: Rig, model_api: FakeModelApi) -> None:
    slots = await both(rig, model_api)
    scope = ChangeScope(kind="other_lane", reference=slots[1].lane_id)
    await rig.engine.handle(LoadLaneChanges(lane_id=slots[0].lane_id, scope=scope))
    listed = last(rig, LaneChangesLoaded)
    assert (listed.problem, listed.base) == ("", "try b")
    assert [(file.path, file.status) for file in listed.files] == [("result.md", "modified")]
    await rig.engine.handle(LoadDiff(lane_id=slots[0].lane_id, scope=scope, path="result.md"))
    diff = last(rig, DiffLoaded).diff
    assert [line.text for hunk in diff.hunks for line in hunk.lines] == ["two", "one"]
