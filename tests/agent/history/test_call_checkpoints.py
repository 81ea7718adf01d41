"""The lane's files are kept around turns and before calls that can change them, and nothing waits for it needlessly."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.commands import SendMessage
from desktop.domain.core.checkpoint_events import CheckpointMade, CheckpointSkipped
from desktop.domain.core.clock import utc_now
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import ToolCallFinished, ToolCallStarted, TurnEnded
from desktop.domain.gate.pending import Answer
from tests.agent.rig import Rig, events, git, write_settings
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


def kept(rig: Rig) -> list[tuple[str, str]]:
    """Reason and call of every checkpoint that was recorded."""
    return [(event.reason, event.call_id) for event in rig.events(CheckpointMade)]


def files_of(rig: Rig, session_id: str, checkpoint: CheckpointMade) -> dict[str, str]:
    """The files that a checkpoint holds."""
    lane = rig.lane(session_id)
    names = git(lane, "ls-tree", "-r", "--name-only", checkpoint.commit).splitlines()
    return {name: git(lane, "show", f"{checkpoint.commit}:{name}") for name in names}


@pytest.mark.promise("sessions-SC1")
async def test_a_write_is_preceded_by_a_checkpoint_that_its_start_names(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("write_file", file_path="a.txt", content="one"),
        tool_turn("write_file", file_path="a.txt", content="two"),
        text_turn("done"),
    )
    session_id = await rig.new("Write twice")
    await rig.ended()
    first, second = rig.events(ToolCallStarted)
    made = {event.call_id: event for event in rig.events(CheckpointMade) if event.reason == "call"}
    assert first.checkpoint_id == made[first.call_id].checkpoint_id
    assert second.checkpoint_id == made[second.call_id].checkpoint_id != first.checkpoint_id
    assert "a.txt" not in files_of(rig, session_id, made[first.call_id])
    assert files_of(rig, session_id, made[second.call_id])["a.txt"] == "one"
    order = [type(event).__name__ for event in events(rig.updates) if getattr(event, "call_id", "") == first.call_id]
    assert order == ["ToolCallDecided", "CheckpointMade", "ToolCallStarted", "ToolCallFinished"]
    ends = [event for event in rig.events(CheckpointMade) if event.reason == "turn_end"]
    assert files_of(rig, session_id, ends[0])["a.txt"] == "two"
    whole(rig, session_id)


async def test_a_turn_that_only_reads_keeps_the_files_at_its_start_alone(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("read_file", file_path="app.py"), tool_turn("bash", command="ls"), text_turn("done"))
    session_id = await rig.new("Look")
    await rig.ended()
    assert kept(rig) == [("turn_start", "")]
    assert [event.checkpoint_id for event in rig.events(ToolCallStarted)] == ["", ""]
    whole(rig, session_id)


async def test_a_command_that_may_write_is_preceded_by_one_and_a_refused_one_is_not(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch x"), tool_turn("bash", command="touch y"), text_turn("done"))
    await rig.new("Touch")
    await rig.answer(rig.engine.sessions.opened()[0].session_id, await rig.asked(), Answer(outcome="allow_once"))
    await rig.answer(rig.engine.sessions.opened()[0].session_id, await rig.asked(2), Answer(outcome="reject"))
    await rig.ended()
    started = rig.events(ToolCallStarted)
    assert [event.tool for event in started] == ["bash"]
    assert kept(rig) == [("turn_start", ""), ("call", started[0].call_id), ("turn_end", "")]


async def test_a_turn_says_how_many_files_differ_when_a_command_changed_some(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("write_file", file_path="a.txt", content="one"),
        tool_turn("bash", command="echo 1 > made.txt; echo 2 > too.txt; rm app.py"),
        text_turn("done"),
    )
    session_id = await rig.new("Write and make")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_once"))
    ended = await rig.ended()
    assert ended.files_changed == 4
    kinds = [type(event).__name__ for event in events(rig.updates)]
    assert kinds.index("TurnEnded") > len(kinds) - 1 - kinds[::-1].index("CheckpointMade")
    whole(rig, session_id)


async def test_a_turn_without_a_command_compares_nothing_at_its_end(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("write_file", file_path="a.txt", content="one"), text_turn("done"))
    await rig.new("Write")
    assert (await rig.ended()).files_changed is None


async def test_a_command_that_changed_nothing_counts_no_file_and_nor_does_the_turn_before(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch x"), text_turn("done"))
    session_id = await rig.new("Touch")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_once"))
    assert (await rig.ended()).files_changed == 1
    model_api.script(tool_turn("bash", command="rm -f nothing-there"), text_turn("done"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Again"))
    await rig.answer(session_id, await rig.asked(2), Answer(outcome="allow_once"))
    assert (await rig.ended(2)).files_changed == 0


@pytest.mark.promise("sessions-SL24")
async def test_plan_mode_makes_no_checkpoint_and_touches_nothing(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("write_file", file_path="a.txt", content="a"), text_turn("done"))
    session_id = await rig.new("Plan", PermissionMode.PLAN)
    await rig.ended()
    assert kept(rig) == []
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["refused"]
    assert "banksman" not in git(rig.lane(session_id), "for-each-ref", "--format=%(refname)")


async def test_the_first_request_does_not_wait_for_the_checkpoint(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hi"))
    await rig.new("Hi")
    await rig.ended()
    kinds = [type(event).__name__ for event in events(rig.updates)]
    assert kinds.index("CheckpointMade") > kinds.index("PromptChanged")
    assert kinds.index("CheckpointMade") < kinds.index("TurnEnded")


@pytest.mark.promise("sessions-SC2")
async def test_a_lane_that_cannot_be_kept_says_so_and_the_call_still_runs(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("write_file", file_path="a.txt", content="a"), text_turn("done"))
    session_id = await rig.new("Break", PermissionMode.PLAN)
    await rig.ended()
    break_the_hidden_refs(rig, session_id)
    model_api.script(tool_turn("write_file", file_path="a.txt", content="a"), text_turn("done"))
    session_id = await rig.new("Write")
    await rig.ended(2)
    skipped = rig.events(CheckpointSkipped)
    assert skipped[0].reason.startswith("The checkpoint could not be written")
    assert skipped[1].call_id == rig.events(ToolCallStarted)[0].call_id
    assert rig.events(ToolCallStarted)[0].checkpoint_id == ""
    assert (rig.lane(session_id) / "a.txt").read_text() == "a"


@pytest.mark.promise("sessions-SC2")
async def test_with_a_checkpoint_required_the_call_is_refused_with_the_reason(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    write_settings(folders, model_api.url, require_checkpoint=True)
    rig = await Rig(folders).open(repository)
    try:
        model_api.script(text_turn("hi"))
        break_the_hidden_refs(rig, await rig.new("Break", PermissionMode.PLAN))
        await rig.ended()
        model_api.script(tool_turn("write_file", file_path="a.txt", content="a"), text_turn("done"))
        session_id = await rig.new("Write")
        await rig.ended(2)
        finished = rig.events(ToolCallFinished)
        assert [event.outcome for event in finished] == ["refused"]
        assert "no complete checkpoint" in str(finished[0].content)
        assert not rig.events(ToolCallStarted)
        assert not (rig.lane(session_id) / "a.txt").exists()
    finally:
        await rig.engine.stop()


def break_the_hidden_refs(rig: Rig, session_id: str) -> None:
    """A file stands where the folder of the hidden refs would be."""
    common = Path(git(rig.lane(session_id), "rev-parse", "--path-format=absolute", "--git-common-dir").strip())
    (common / "refs/banksman").write_text("in the way\n")


async def test_files_changed_while_a_turn_starts_are_in_no_wrong_checkpoint(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("write_file", file_path="a.txt", content="a"), text_turn("done"))
    session_id = await rig.new("Write")
    await rig.ended()
    model_api.script(tool_turn("write_file", file_path="b.txt", content="b"), text_turn("done"))
    (rig.lane(session_id) / "mine.txt").write_text("mine\n")
    await rig.engine.handle(SendMessage(session_id=session_id, text="more"))
    await rig.ended(2)
    starts = [event for event in rig.events(CheckpointMade) if event.reason == "turn_start"]
    assert "mine.txt" not in files_of(rig, session_id, starts[0])
    assert files_of(rig, session_id, starts[1])["mine.txt"] == "mine\n"
    assert "b.txt" not in files_of(rig, session_id, starts[1])
    assert [event.status for event in rig.events(TurnEnded)] == ["completed", "completed"]


@pytest.mark.promise("lanes-D23")
async def test_checkpoints_are_thinned_while_a_chat_lives(
    folders: Folders, repository: Path, model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop.agent.lanes.keeper.PRUNE_EVERY", 3)
    later = timedelta()

    def clock() -> datetime:
        return utc_now() + later

    rig = await Rig(folders, clock=clock).open(repository)

    async def write(*names: str) -> None:
        """A turn that writes these files."""
        writes = [tool_turn("write_file", file_path=name, content=name) for name in names]
        model_api.script(*writes, text_turn("done"))
        ended = len(rig.events(TurnEnded)) + 1
        await rig.engine.handle(SendMessage(session_id=session_id, text="Write"))
        await rig.ended(ended)

    def numbers() -> list[int]:
        refs = git(rig.lane(session_id), "for-each-ref", "--format=%(refname)", "refs/banksman/checkpoints")
        return sorted(int(ref.rpartition("/")[2]) for ref in refs.split())

    try:
        model_api.script(text_turn("hi"))
        session_id = await rig.new("Hi", PermissionMode.FULL_AUTO, without_sandbox=True)
        await rig.ended()
        await write("a", "b", "c", "d")
        assert numbers() == [1, 2, 3, 4, 5]
        later = timedelta(days=200)
        await write("e", "f", "g", "h")
        await rig.until(lambda _: numbers()[0] > 5)
        assert numbers()[-1] == 9
    finally:
        await rig.engine.stop()
