"""What changes in the lane of a guest that no call of it explains: noticed, shown, looked back on, taken back."""

from pathlib import Path

import pytest

from desktop.domain.chats.commands import LoadCheckpoints
from desktop.domain.chats.updates import CheckpointsListed
from desktop.domain.commands import Interrupt, MarkReviewed, RevertChange
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import InputRequested, Notice, ToolCallDecided, ToolCallFinished
from desktop.domain.gate.events import ReviewReverted
from desktop.domain.guests.events import GuestNoticed
from tests.agent.gate_rig import ONCE, REJECT
from tests.agent.guest_rig import ScriptedGuests, command, done, edit
from tests.agent.rig import Rig
from tests.agent.wholeness import follows, whole

pytestmark = [pytest.mark.asyncio, pytest.mark.promise("guests-A40")]
EDIT, PLAN, AUTO = PermissionMode.EDIT, PermissionMode.PLAN, PermissionMode.FULL_AUTO
RUN = "python3 tool.py"


async def begin(rig: Rig, guests: ScriptedGuests, *steps: dict, mode: PermissionMode = EDIT) -> str:
    guests.prompts = [list(steps)]
    return await rig.new("Do it", mode, driver="fake", without_sandbox=True)


def noticed(rig: Rig) -> list[list[str]]:
    """The files of each such row, in order; that both records of it say the same."""
    rows = [one for one in rig.events(ToolCallFinished) if one.data.get("reported") is False]
    told = [one for one in rig.events(GuestNoticed) if one.kind == "unexplained_change"]
    assert [one.data["call_id"] for one in told] == [one.call_id for one in rows]
    assert [one.data["files"] for one in told] == [[file.path for file in one.touched] for one in rows]
    return [[file.path for file in one.touched] for one in rows]


async def test_what_it_changes_without_a_word_is_one_row_with_its_difference(rig: Rig, guests: ScriptedGuests) -> None:
    steps = ({"touch": "app.py", "text": "print('silently')\n"}, {"touch": "new.py", "text": "n\n"}, {"say": "Done."})
    session_id = await begin(rig, guests, *steps)
    ended = await rig.ended()
    assert (ended.status, ended.files_changed) == ("completed", 2)
    assert noticed(rig) == [["app.py", "new.py"]]
    (row,) = rig.events(ToolCallFinished)
    assert [(one.kind, one.added, one.removed) for one in row.touched] == [("modify", 1, 1), ("create", 1, 0)]
    assert "+print('silently')" in row.blocks[0].unified
    (decided,) = rig.events(ToolCallDecided)
    assert (decided.card.title, decided.held_by) == ("Changed without a reported call: 2 files", "none")
    (review,) = rig.events(InputRequested)
    assert not review.request.blocking
    assert any("No call that it told of explains this." in line for line in review.request.warnings)
    await rig.engine.handle(MarkReviewed(session_id=session_id, input_ids=(review.input_id,)))
    assert not rig.engine.sessions.get(session_id).state.reviews
    follows(rig, session_id)
    whole(rig, session_id)


async def test_it_is_taken_back_whole_what_was_deleted_too(rig: Rig, guests: ScriptedGuests, tmp_path: Path) -> None:
    go = tmp_path / "go"
    steps = ({"say": "I tidy up."}, {"wait_file": str(go)}, {"touch": "new.py", "text": "n"})
    session_id = await begin(rig, guests, *steps)
    await rig.until(lambda _: guests.sent("session/prompt"))
    lane = rig.lane(session_id)
    was = (lane / "app.py").read_text()
    (lane / "app.py").unlink()
    go.touch()
    await rig.ended()
    assert noticed(rig) == [["app.py", "new.py"]]
    (row,) = rig.events(ToolCallFinished)
    await rig.engine.handle(RevertChange(session_id=session_id, call_id=row.call_id))
    assert not rig.failures()
    assert (lane / "app.py").read_text() == was
    assert not (lane / "new.py").exists()
    assert [file.path for file in rig.events(ReviewReverted)[0].files] == ["app.py", "new.py"]


async def test_what_calls_explain_is_no_such_row(rig: Rig, guests: ScriptedGuests) -> None:
    """A command explains what changes while it runs, a change what it names, a write by Banksman itself."""
    runs = {"ask": command(RUN), "then": [{"touch": "made.txt", "text": "m"}, done(text="it ran")]}
    edits = {"ask": edit("app.py", "new\n", key="t2"), "then": [{"touch": "app.py", "text": "new\n"}, done("t2")]}
    session_id = await begin(rig, guests, runs, {"write": "own.txt", "content": "o"}, edits, {"say": "Done."})
    await rig.answer(session_id, await rig.asked(), ONCE)
    assert (await rig.ended()).status == "completed"
    assert noticed(rig) == []
    assert len(rig.events(ToolCallFinished)) == 3
    whole(rig, session_id)


async def test_what_changes_beside_the_files_that_a_call_names_is_a_row_of_its_own(
    rig: Rig, guests: ScriptedGuests
) -> None:
    both = [{"touch": "app.py", "text": "new\n"}, {"touch": "beside.txt", "text": "b"}, done()]
    session_id = await begin(rig, guests, {"ask": edit("app.py", "new\n"), "then": both})
    await rig.ended()
    assert noticed(rig) == [["beside.txt"]]
    named, beside = rig.events(ToolCallFinished)
    assert [one.path for one in named.touched] == ["app.py"]
    assert beside.touched[0].kind == "create"
    whole(rig, session_id)


async def test_what_it_changes_while_its_card_is_open_is_a_row_of_its_own(rig: Rig, guests: ScriptedGuests) -> None:
    asks = {"ask": command(RUN), "then": [{"touch": "made.txt", "text": "m"}, done(text="it ran")]}
    session_id = await begin(rig, guests, {"both": [[asks], [{"touch": "app.py", "text": "meanwhile"}]]})
    asked = await rig.asked()
    app = rig.lane(session_id) / "app.py"
    await rig.until(lambda _: app.read_text() == "meanwhile")
    await rig.answer(session_id, asked, ONCE)
    assert (await rig.ended()).status == "completed"
    assert noticed(rig) == [["app.py"]]
    whole(rig, session_id)


async def test_what_it_does_in_spite_of_a_no_is_seen(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, {"ask": edit(".mcp.json", "{}"), "else": [{"touch": "app.py", "text": "so"}]})
    await rig.answer(session_id, await rig.asked(), REJECT)
    await rig.ended()
    assert noticed(rig) == [["app.py"]]


async def test_a_change_that_is_told_of_and_not_asked_for_is_its_own_row(rig: Rig, guests: ScriptedGuests) -> None:
    told = {"sessionUpdate": "tool_call", "status": "completed", **edit("app.py", "new\n", "print('hello')\n")}
    steps = ({"touch": "app.py", "text": "new\n"}, {"touch": "other.txt", "text": "o"}, {"update": told})
    session_id = await begin(rig, guests, *steps, {"say": "Done."})
    await rig.ended()
    row, other = sorted(rig.events(ToolCallFinished), key=lambda one: "reported" in one.data)
    assert [one.path for one in row.touched] == ["app.py"]
    assert "+new" in row.blocks[0].unified
    assert [one.path for one in other.touched] == ["other.txt"]
    assert noticed(rig) == [["other.txt"]]
    whole(rig, session_id)


async def test_a_command_that_was_not_asked_for_shows_what_it_did_and_can_be_taken_back(
    rig: Rig, guests: ScriptedGuests
) -> None:
    told = {"sessionUpdate": "tool_call", "status": "completed", **command(RUN)}
    session_id = await begin(rig, guests, {"touch": "made.txt", "text": "m"}, {"update": told}, {"say": "Done."})
    await rig.ended()
    (row,) = rig.events(ToolCallFinished)
    assert [(one.path, one.kind) for one in row.touched] == [("made.txt", "create")]
    assert noticed(rig) == []
    await rig.engine.handle(RevertChange(session_id=session_id, call_id=row.call_id))
    assert not (rig.lane(session_id) / "made.txt").exists()


async def test_plan_says_that_it_allows_no_change(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, {"touch": "app.py", "text": "planned"}, mode=PLAN)
    await rig.ended()
    (decided,) = rig.events(ToolCallDecided)
    assert decided.verdict is Verdict.DENY
    (told,) = [one for one in rig.events(GuestNoticed) if one.kind == "unexplained_change"]
    assert told.data["files"] == ["app.py"]
    await rig.engine.handle(LoadCheckpoints(session_id=session_id))
    listed = await rig.until(lambda updates: [one for one in updates if isinstance(one, CheckpointsListed)])
    assert "turn_start" in {one.reason for one in listed[-1].checkpoints}
    whole(rig, session_id)


async def test_what_it_plants_in_a_protected_place_is_moved_aside_and_no_such_row(
    rig: Rig, guests: ScriptedGuests
) -> None:
    session_id = await begin(rig, guests, {"touch": ".envrc", "text": "export X=1"}, {"say": "Done."})
    await rig.ended()
    planted = [one.text for one in rig.events(Notice) if one.kind == "lane_planted"]
    assert len(planted) == 1
    assert ".envrc" in planted[0]
    assert not (rig.lane(session_id) / ".envrc").exists()
    assert noticed(rig) == []


async def test_a_stop_leaves_nothing_unseen(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, {"touch": "app.py", "text": "half"}, {"say": "I am at it."}, {"hold": True})
    await rig.until(lambda _: (rig.lane(session_id) / "app.py").read_text() == "half")
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended()
    assert noticed(rig) == [["app.py"]]
    whole(rig, session_id)


async def test_a_reading_guest_leaves_no_trace_of_looks(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, {"say": "It is app.py."})
    await rig.ended()
    assert noticed(rig) == []
    assert rig.events(ToolCallDecided) == []
    whole(rig, session_id)
