"""Going back in a chat: the conversation, the files, both, and back again."""

import asyncio
import os
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.chats.commands import (
    ClearContext,
    CompareCheckpoints,
    LoadCheckpoints,
    MakeCheckpoint,
    PreviewRewind,
    PutBackInContext,
    RemoveFromContext,
    RestoreCheckpoint,
    RewindSession,
    UndoRewind,
)
from desktop.domain.chats.updates import CheckpointsCompared, CheckpointsListed, RewindPreviewed
from desktop.domain.commands import OpenSession, SendMessage, SetMode
from desktop.domain.context.events import ContextCleared, MessageDeleted, Rewound
from desktop.domain.core.checkpoint_events import CheckpointMade, FilesRestored
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Envelope, InputRequested, ToolCallFinished, ToolCallStarted, TurnEnded, UserMessage
from desktop.domain.gate.pending import Answer
from desktop.domain.history.builder import RESULT_REMOVED, to_messages
from desktop.services.history.refs import half_put_back
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.services.history.test_checkpoints import tree
from tests.validity import faults

pytestmark = pytest.mark.asyncio


def log(rig: Rig, session_id: str) -> list[Envelope]:
    return rig.engine.sessions.get(session_id).log


def message(rig: Rig, session_id: str, number: int) -> Envelope:
    """The n-th message of the person."""
    own = [e for e in log(rig, session_id) if isinstance(e.event, UserMessage) and e.event.origin == "person"]
    return own[number - 1]


def before(rig: Rig, session_id: str, number: int) -> str:
    """The entry before the turn of the n-th message."""
    envelope = message(rig, session_id, number)
    events = {one.event_id: one for one in log(rig, session_id)}
    return events[envelope.parent_id].parent_id


async def two_turns(rig: Rig, api: FakeModelApi) -> str:
    """A chat whose second turn changes files in every way."""
    command = "rm app.py; echo new > made.txt; chmod +x notes.md; ln -s notes.md link; echo x > skip.log"
    api.script(tool_turn("write_file", file_path=".gitignore", content="*.log\n"), text_turn("one"))
    session_id = await rig.new("First", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    api.script(tool_turn("bash", command=command), text_turn("two"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Second"))
    await rig.ended(2)
    return session_id


async def test_files_and_conversation_go_back_and_come_back(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await two_turns(rig, model_api)
    lane, after = rig.lane(session_id), tree(rig.lane(session_id))
    target = before(rig, session_id, 2)
    then = to_messages(log(rig, session_id), at=target)
    await rig.engine.handle(RewindSession(session_id=session_id, to_event_id=target, restore_files=True))
    assert not rig.failures()
    assert sorted(tree(lane)) == [".gitignore", "app.py", "notes.md", "skip.log"]
    assert not os.access(lane / "notes.md", os.X_OK)
    assert rig.engine.sessions.get(session_id).history.messages() == then
    restored = rig.events(FilesRestored)[0]
    assert set(restored.removed) == {"link", "made.txt"}
    assert {e.checkpoint_id for e in rig.events(CheckpointMade)} >= {restored.safety_checkpoint_id}
    call = next(e for e in rig.events(CheckpointMade) if e.reason == "call" and e.call_id == bash_call(rig))
    assert git(lane, "rev-parse", f"{call.commit}^{{tree}}") == git(lane, "rev-parse", made_now(rig, session_id))
    rewound = next(e for e in log(rig, session_id) if isinstance(e.event, Rewound))
    undo = UndoRewind(session_id=session_id, rewound_event_id=rewound.event_id, restore_files=True)
    await rig.engine.handle(undo)
    assert tree(lane) == after
    assert not faults(rig.engine.sessions.get(session_id).history.messages())
    assert "two" in str(rig.engine.sessions.get(session_id).history.messages())
    await rig.engine.handle(undo)
    assert rig.failures()[-1].code == "brought_back"
    assert not rig.engine._store.events.verify(session_id)


def bash_call(rig: Rig) -> str:
    return next(e.call_id for e in rig.events(ToolCallStarted) if e.tool == "bash")


def made_now(rig: Rig, session_id: str) -> str:
    """The tree of the checkpoint that the files are equal to now."""
    return rig.events(FilesRestored)[-1].to_checkpoint_id.join(("refs/banksman/checkpoints/", "^{tree}"))


@pytest.mark.promise("sessions-SF9")
async def test_going_back_without_the_files_tells_the_model_which_differ(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await two_turns(rig, model_api)
    after = tree(rig.lane(session_id))
    model_api.script(text_turn("again"))
    target = before(rig, session_id, 2)
    await rig.engine.handle(RewindSession(session_id=session_id, to_event_id=target, text="Second, but better"))
    await rig.ended(3)
    assert tree(rig.lane(session_id)) == after
    request = str(model_api.requests[-1].messages)
    assert 'kind="files_not_restored"' in request
    assert "app.py, link, made.txt, notes.md" in request
    assert "Second, but better" in request
    assert "rm app.py" not in request
    assert not faults(model_api.requests[-1].messages)


async def test_equal_files_need_no_note(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("one"))
    session_id = await rig.new("First")
    await rig.ended()
    model_api.script(text_turn("two"), text_turn("three"))
    target = before(rig, session_id, 1)
    await rig.engine.handle(RewindSession(session_id=session_id, to_event_id=target, text="Instead"))
    await rig.ended(2)
    assert "files_not_restored" not in str(model_api.requests[-1].messages)
    assert "First" not in str(model_api.requests[-1].messages)


@pytest.mark.promise("sessions-SF6")
async def test_the_preview_says_what_leaves_and_what_stays_done(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await two_turns(rig, model_api)
    lane = rig.lane(session_id)
    git(lane, "add", "made.txt")
    git(lane, "commit", "-qm", "keep made.txt")
    (lane / "mine.txt").write_text("mine\n")
    target = before(rig, session_id, 2)
    await rig.engine.handle(PreviewRewind(session_id=session_id, to_event_id=target))
    shown = [update for update in rig.updates if isinstance(update, RewindPreviewed)][-1]
    assert (shown.turns, shown.messages, shown.problem) == (1, 2, "")
    assert {(file.path, file.status) for file in shown.files} == {
        ("app.py", "added"), ("link", "deleted"), ("made.txt", "deleted"), ("mine.txt", "deleted"),
        ("notes.md", "modified"),
    }  # fmt: skip
    assert shown.outside == ("mine.txt",)
    assert [commit.split(" ", 1)[1] for commit in shown.commits] == ["keep made.txt"]
    assert len(shown.not_undone) == (0 if sandboxed(rig) else 1)
    assert not any(isinstance(e.event, Rewound) for e in log(rig, session_id))


async def test_commands_with_network_are_named_as_not_undone(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch out", network=True), text_turn("done"))
    session_id = await rig.new("Out")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_once"))
    await rig.ended()
    await rig.engine.handle(PreviewRewind(session_id=session_id, to_event_id=before(rig, session_id, 1)))
    shown = [update for update in rig.updates if isinstance(update, RewindPreviewed)][-1]
    started = next(e for e in log(rig, session_id) if isinstance(e.event, ToolCallStarted))
    assert [effect.event_id for effect in shown.not_undone] == [started.event_id]
    assert "touch out" in shown.not_undone[0].title


def sandboxed(rig: Rig) -> bool:
    """Whether commands run without the network here."""
    return rig.engine.sandbox.level != "none"


@pytest.mark.promise("sessions-SF8")
async def test_a_restore_that_fails_leaves_files_and_conversation(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await two_turns(rig, model_api)
    lane = rig.lane(session_id)
    (lane / "app.py").mkdir()
    (lane / "app.py/kept.log").write_text("ignored, so it cannot give way\n")
    now, messages = tree(lane), rig.engine.sessions.get(session_id).history.messages()
    target = before(rig, session_id, 2)
    await rig.engine.handle(RewindSession(session_id=session_id, to_event_id=target, restore_files=True))
    failure = rig.failures()[-1]
    assert failure.code == "not_restored"
    assert "app.py could not be put back" in failure.text
    assert tree(lane) == now
    assert rig.engine.sessions.get(session_id).history.messages() == messages
    assert not rig.events(Rewound)
    assert rig.events(FilesRestored)[0].failed == ("app.py",)


async def test_a_running_turn_is_stopped_first(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="sleep 600; touch late", timeout_ms=600_000), text_turn("never"))
    session_id = await rig.new("Wait", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.until(lambda updates: rig.events(ToolCallStarted))
    target = before(rig, session_id, 1)
    async with asyncio.timeout(25):
        await rig.engine.handle(RewindSession(session_id=session_id, to_event_id=target))
    assert [event.status for event in rig.events(TurnEnded)] == ["interrupted"]
    assert rig.engine.sessions.get(session_id).history.messages() == []
    assert not rig.engine.sessions.get(session_id).running


async def test_two_at_once_and_unknown_entries_are_refused(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await two_turns(rig, model_api)
    target = before(rig, session_id, 2)
    command = RewindSession(session_id=session_id, to_event_id=target, restore_files=True)
    await asyncio.gather(rig.engine.handle(command), rig.engine.handle(command))
    assert [failure.code for failure in rig.failures()] == ["rewinding"]
    await rig.engine.handle(RewindSession(session_id=session_id, to_event_id="evt_x"))
    assert rig.failures()[-1].code == "unknown_event"
    async with rig.engine.sessions.get(session_id).write_lock:
        await rig.engine.handle(command)
    assert rig.failures()[-1].code == "lane_busy"


async def test_the_mode_stays_and_what_was_allowed_ends(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch d"), text_turn("one"))
    session_id = await rig.new("Touch")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_always", scope="session"))
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    assert session.rules
    await rig.engine.handle(SetMode(session_id=session_id, mode=PermissionMode.PLAN))
    await rig.engine.handle(RewindSession(session_id=session_id, to_event_id=before(rig, session_id, 1)))
    assert session.state.mode is PermissionMode.PLAN
    assert not session.rules
    await rig.engine.handle(SetMode(session_id=session_id, mode=PermissionMode.EDIT))
    model_api.script(tool_turn("bash", command="touch d"), text_turn("two"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Touch again"))
    await rig.answer(session_id, await rig.asked(2), Answer(outcome="reject"))
    await rig.ended(2)


async def test_a_rule_of_the_project_still_holds_after_going_back(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch d"), text_turn("one"))
    session_id = await rig.new("Touch")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_always", scope="project"))
    await rig.ended()
    assert not rig.failures()
    model_api.script(tool_turn("bash", command="touch d"), text_turn("two"))
    target = before(rig, session_id, 1)
    await rig.engine.handle(RewindSession(session_id=session_id, to_event_id=target, text="Touch again"))
    await rig.ended(2)
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["ok", "ok"]
    with pytest.raises(TimeoutError):
        await rig.until(lambda updates: rig.events(InputRequested)[1:], timeout_s=0.05)


async def test_a_restore_that_a_crash_cut_off_is_taken_back_when_the_lane_is_used_again(
    rig: Rig, model_api: FakeModelApi
) -> None:
    session_id = await two_turns(rig, model_api)
    lane = rig.lane(session_id)
    last = rig.events(CheckpointMade)[-1]
    git(lane, "update-ref", f"refs/banksman/restoring/{rig.engine.sessions.get(session_id).state.lane_id}", last.commit)
    (lane / "app.py").write_text("one of the files that were to come back\n")
    rig.engine.parts.base.contents.keeper._lanes.clear()  # as in the next process
    await rig.engine.handle(LoadCheckpoints(session_id=session_id))
    assert not (lane / "app.py").exists()
    assert "restore_cut_off" in [getattr(e.event, "kind", "") for e in log(rig, session_id)]


async def test_a_restore_that_a_crash_cut_off_is_taken_back_by_the_next_start_and_its_chat_is_told(
    rig: Rig, model_api: FakeModelApi, folders: Folders, repository: Path
) -> None:
    session_id = await two_turns(rig, model_api)
    lane, last = rig.lane(session_id), rig.events(CheckpointMade)[-1]
    mark = f"refs/banksman/restoring/{rig.engine.sessions.get(session_id).state.lane_id}"
    await rig.engine.stop()
    git(lane, "update-ref", mark, last.commit)
    (lane / "app.py").write_text("one of the files that were to come back\n")
    again = await Rig(folders).open(repository)
    await again.until(lambda _: not half_put_back(repository))
    assert not (lane / "app.py").exists()
    await again.engine.handle(OpenSession(session_id=session_id))
    await again.engine.handle(LoadCheckpoints(session_id=session_id))

    def told() -> int:
        return [getattr(e.event, "kind", "") for e in log(again, session_id)].count("restore_cut_off")

    await again.until(lambda _: told())
    await again.engine.stop()
    assert told() == 1


async def test_the_todos_go_back_and_come_back(rig: Rig, model_api: FakeModelApi) -> None:
    def todos(*texts: str) -> object:
        return tool_turn("todo_write", todos=[{"content": text, "status": "completed"} for text in texts])

    model_api.script(todos("a"), text_turn("one"))
    session_id = await rig.new("First")
    await rig.ended()
    model_api.script(todos("a", "b"), text_turn("two"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Second"))
    await rig.ended(2)
    session = rig.engine.sessions.get(session_id)
    await rig.engine.handle(RewindSession(session_id=session_id, to_event_id=before(rig, session_id, 2)))
    assert [todo.content for todo in session.state.todos] == ["a"]
    rewound = session.log[-1]
    assert isinstance(rewound.event, Rewound)
    await rig.engine.handle(UndoRewind(session_id=session_id, rewound_event_id=rewound.event_id))
    assert [todo.content for todo in session.state.todos] == ["a", "b"]


async def test_a_rewind_to_every_entry_gives_the_list_of_that_entry(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await two_turns(rig, model_api)
    session = rig.engine.sessions.get(session_id)
    for envelope in list(session.log):
        then = to_messages(session.log, at=envelope.event_id)
        await rig.engine.handle(RewindSession(session_id=session_id, to_event_id=envelope.event_id))
        own = [m for m in session.history.messages() if "files_not_restored" not in str(m)]
        assert to_messages(session.log, at=envelope.event_id) == then
        assert own[: len(then)] == then or "files_not_restored" in str(session.history.messages()[len(then) - 1])
        assert not faults(session.history.messages())
    assert not rig.failures()


# The timeline


@pytest.mark.promise("lanes-D21")
async def test_the_timeline_lists_compares_and_puts_back(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await two_turns(rig, model_api)
    lane = rig.lane(session_id)
    await rig.engine.handle(MakeCheckpoint(session_id=session_id, name="before lunch"))
    listed = [update for update in rig.updates if isinstance(update, CheckpointsListed)][-1].checkpoints
    assert (listed[0].reason, listed[0].name) == ("manual", "before lunch")
    numbers = [int(info.checkpoint_id.rpartition("/")[2]) for info in listed]
    assert numbers == sorted(numbers, reverse=True)
    first = listed[-1]
    assert (first.reason, first.turn) == ("turn_start", 1)
    await rig.engine.handle(CompareCheckpoints(session_id=session_id, checkpoint_id=first.checkpoint_id))
    compared = [update for update in rig.updates if isinstance(update, CheckpointsCompared)][-1]
    assert {file.path for file in compared.files} == {".gitignore", "app.py", "link", "made.txt", "notes.md"}
    await rig.engine.handle(
        RestoreCheckpoint(session_id=session_id, checkpoint_id=first.checkpoint_id, paths=("app.py",))
    )
    assert (lane / "app.py").exists()
    assert (lane / "made.txt").exists()
    model_api.script(text_turn("ok"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="go on"))
    await rig.ended(3)
    assert "The user put files back to an earlier state: app.py" in str(model_api.requests[-1].messages)
    await rig.engine.handle(RestoreCheckpoint(session_id=session_id, checkpoint_id="ln_0/99"))
    assert "not kept any more" in rig.failures()[-1].text


async def test_files_are_not_put_back_while_a_turn_runs(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="sleep 20; touch x"))
    session_id = await rig.new("Wait", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.until(lambda updates: rig.events(ToolCallStarted))
    made = rig.events(CheckpointMade)[0]
    await rig.engine.handle(RestoreCheckpoint(session_id=session_id, checkpoint_id=made.checkpoint_id))
    assert rig.failures()[-1].code == "running"


async def test_a_chat_without_its_lane_says_why_there_are_no_checkpoints(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hi"))
    session_id = await rig.new("Hi")
    await rig.ended()
    rig.engine.sessions.get(session_id).lane = None
    await rig.engine.handle(LoadCheckpoints(session_id=session_id))
    listed = [update for update in rig.updates if isinstance(update, CheckpointsListed)][-1]
    assert (listed.checkpoints, listed.problem) == ((), "This chat has no lane whose files could be kept.")


# The context


@pytest.mark.promise("sessions-SF12")
async def test_messages_and_results_leave_the_context_and_come_back(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await two_turns(rig, model_api)
    session = rig.engine.sessions.get(session_id)
    was = session.history.messages()
    result = [e for e in session.log if isinstance(e.event, ToolCallFinished)][-1]
    await rig.engine.handle(RemoveFromContext(session_id=session_id, target_id=result.event_id))
    assert RESULT_REMOVED in str(session.history.messages())
    await rig.engine.handle(RemoveFromContext(session_id=session_id, target_id=result.event_id))
    assert rig.failures()[-1].code == "removed"
    await rig.engine.handle(PutBackInContext(session_id=session_id, target_id=result.event_id))
    assert session.history.messages() == was
    await rig.engine.handle(PutBackInContext(session_id=session_id, target_id=result.event_id))
    assert rig.failures()[-1].code == "not_removed"


async def test_other_entries_and_those_that_left_cannot_be_removed(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await two_turns(rig, model_api)
    second = message(rig, session_id, 2).event_id
    await rig.engine.handle(RewindSession(session_id=session_id, to_event_id=before(rig, session_id, 2)))
    await rig.engine.handle(RemoveFromContext(session_id=session_id, target_id=second))
    assert rig.failures()[-1].code == "off_path"
    await rig.engine.handle(RemoveFromContext(session_id=session_id, target_id=log(rig, session_id)[0].event_id))
    assert rig.failures()[-1].code == "not_removable"
    assert not rig.events(MessageDeleted)


async def test_a_cleared_context_starts_over_and_keeps_everything_else(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await two_turns(rig, model_api)
    await rig.engine.handle(ClearContext(session_id=session_id))
    assert rig.events(ContextCleared)[0].tokens_before > 0
    session = rig.engine.sessions.get(session_id)
    assert session.history.messages() == []
    assert session.state.mode is PermissionMode.FULL_AUTO
    model_api.script(text_turn("fresh"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Anew"))
    await rig.ended(3)
    assert [m["role"] for m in model_api.requests[-1].messages] == ["user"]
