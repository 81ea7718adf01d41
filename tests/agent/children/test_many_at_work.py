"""A whole day of children: readers beside one that writes in a lane of its own, a stop, and the end of the process."""

import os
import signal
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.children.events import ChildBegun, ChildEnded
from desktop.domain.commands import ContinueTurn, Interrupt, SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Envelope, InputRequested, ToolCallFinished, TurnEnded, UserMessage
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.updates import SessionsChanged
from desktop.store.core.verify_audit import verify
from tests.agent.children.child_script import Cast
from tests.agent.children.test_crashes import ROOT
from tests.agent.children.test_foreground import over
from tests.agent.children.test_together import begins
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.model_turns import Answer as ModelAnswer
from tests.fakes.model_turns import Turn, turn
from tests.forking import fork

pytestmark = pytest.mark.asyncio

SLEEPS = str(31_000_000 + os.getpid())
READS: list[ModelAnswer] = [tool_turn("grep", pattern="hello"), Turn(text="far too slow", delay_s=60)]


async def card_of(rig: Rig, words: str) -> tuple[str, InputRequested]:
    """The child whose open card says so, as the window hears of it."""

    def find(_updates: object) -> tuple[str, InputRequested] | None:
        asked = ((one.session_id, one.event) for one in rig.updates if isinstance(one, Envelope))
        for session_id, event in asked:
            if isinstance(event, InputRequested) and words in str(event.request):
                return session_id, event
        return None

    return await rig.until(find)


def left_running() -> list[str]:
    """The commands of the test that still run anywhere."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            found += [entry.name] if [b"sleep", SLEEPS.encode()] == words[:2] else []
    return found


@pytest.mark.promise("memory-SU7")
@pytest.mark.promise("memory-SU8")
@pytest.mark.promise("memory-SU10")
async def test_four_read_while_one_writes_apart_and_a_stop_ends_all_that_runs(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    writer = begins(3, "implementer", lane="own")
    runner = begins(4, "implementer", lane="own", background=True)
    cast = Cast(
        Parent=[
            turn(calls=[begins(1, background=True), begins(2, background=True), runner, writer]),
            tool_turn("take_task_changes", task_id="t4"),
            turn(calls=[begins(5, background=True), begins(6, background=True)]),
            text_turn("they read"),
        ],
        **{
            **{f"Child {number}": [*READS] for number in (1, 2, 5, 6)},
            "Child 3": [
                tool_turn("bash", command="echo made > made.txt"),
                tool_turn("commit_changes", message="Make it"),
                text_turn("it is made"),
            ],
            "Child 4": [tool_turn("bash", command=f"touch ran; sleep {SLEEPS}")],
        },
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: all", mode=PermissionMode.EDIT)
    child, asked = await card_of(rig, "echo made")
    assert isinstance(asked.request, ApprovalRequest)
    assert asked.request.asker == "implementer (Parent: all › part 3)"
    waiting = await rig.until(
        lambda updates: next(
            (
                one.sessions[0]
                for one in reversed(updates)
                if isinstance(one, SessionsChanged) and one.sessions and one.sessions[0].waiting
            ),
            None,
        )
    )
    assert waiting.session_id == session_id, "the chat itself waits for the person"
    await rig.answer(child, asked, Answer(outcome="allow_once"))
    runs, also = await card_of(rig, f"sleep {SLEEPS}")
    await rig.answer(runs, also, Answer(outcome="allow_once"))
    mine = rig.lane(session_id)
    await rig.until(lambda _: (rig.lane(runs) / "ran").exists())
    many = await rig.until(
        lambda _: next(
            (
                one
                for one in rig.events(InputRequested)
                if isinstance(one.request, ApprovalRequest) and one.request.rule == "many_children"
            ),
            None,
        )
    )
    assert (mine / "made.txt").read_text() == "made\n"
    assert len({mine, rig.lane(child), rig.lane(runs)}) == 3
    taken = [e for e in rig.events(ToolCallFinished) if str(e.content).startswith("Took")]
    assert [str(one.content) for one in taken] == ["Took 1 commit of t4: 1 file."]
    assert git(mine, "log", "-1", "--format=%s").strip() == "Take t4: part 3"
    await rig.answer(session_id, many, Answer(outcome="allow_once"))
    await over(rig, session_id)
    await rig.until(lambda _: len(cast.asked["Child 5"]) == 2)
    begun = {e.child_id for e in rig.events(ChildBegun)}
    assert len(begun) == 6
    assert len(rig.engine.sessions.running()) == 4, "the sixth waits for room"
    assert left_running()
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.until(lambda _: len(rig.events(ChildEnded)) == 6)
    ends = {e.task_id: e.outcome for e in rig.events(ChildEnded)}
    assert ends == {"t4": "completed", "t6": "not_begun", **dict.fromkeys(("t1", "t2", "t3", "t5"), "stopped")}
    assert not rig.engine.sessions.running()
    assert left_running() == []
    await rig.engine.stop()
    assert verify(folders.store).findings == []


@pytest.mark.promise("memory-SU11")
async def test_three_open_children_are_told_of_after_a_kill_and_one_goes_on(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    calls = [begins(number, background=True) for number in (1, 2, 3)]
    cast = Cast(
        Parent=[turn(calls=calls), Turn(text="they run", delay_s=0.6)],
        **{f"Child {number}": [*READS] for number in (1, 2, 3)},
    )
    model_api.answer_with(cast)
    words = [str(folders.config.parent), str(repository), "parent", "turn_ended"]
    process = fork("tests.agent.children.victim", words, ROOT, dict(os.environ), session=True)
    with process:
        assert process.stdout is not None
        session_id = process.stdout.readline().decode().strip()
        assert all(len(cast.asked[f"Child {number}"]) == 2 for number in (1, 2, 3)), "all three are at work"
        os.killpg(process.pid, signal.SIGKILL)
        process.stdout.read()
    asked = len(model_api.requests)
    rig = await Rig(folders).open(repository)
    try:
        store = rig.engine._store.events
        ends = [e.event for e in store.read(session_id) if isinstance(e.event, ChildEnded)]
        assert [end.outcome for end in ends] == ["interrupted"] * 3
        assert all(row.open_children == 0 for row in store.rows(None))
        assert not rig.engine.sessions.running()
        assert len(model_api.requests) == asked, "nothing runs again"
        first, second = ends[0].child_id, ends[1].child_id
        resumed = tool_turn("task", description="go on", prompt="Child 2: go on", resume="t2", background=False)
        cast = Cast(
            Parent=[resumed, text_turn("I see")],
            **{f"Child {number}": [text_turn(f"seen by {number}")] for number in (1, 2, 3)},
        )
        model_api.answer_with(cast)
        await rig.engine.handle(ContinueTurn(session_id=first))
        await rig.until(lambda _: rig.events(ChildEnded))
        await rig.engine.handle(SendMessage(session_id=session_id, text="what now?"))
        await rig.until(lambda _: any(e.status == "completed" for e in rig.events(TurnEnded)))
        session = rig.engine.sessions.get(session_id)
        await rig.until(lambda _: session.state.turns == 2 and not session.running)
        log = [e.event for e in store.read(session_id)]
        notes = [str(e.parts) for e in log if isinstance(e, UserMessage) and e.note_kind == "subagent_result"]
        assert [word in "".join(notes) for word in ("t1 (explorer) done", "t2 (explorer) interrupted")] == [True] * 2
        assert len(notes) == 3
        result = [e for e in log if isinstance(e, ToolCallFinished)][-1]
        assert "seen by 2" in str(result.content)
        assert [e.again for e in log if isinstance(e, ChildBegun)] == [False] * 3 + [True] * 2
        assert not cast.asked["Child 3"], "it stays as it was left"
        assert {e.child_id for e in log if isinstance(e, ChildEnded)} == {one.child_id for one in ends}
        assert second in session.state.children
    finally:
        await rig.engine.stop()
    assert verify(folders.store).findings == []
