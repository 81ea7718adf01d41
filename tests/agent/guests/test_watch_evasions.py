"""What a guest may try so that a change of the lane is not seen."""

import asyncio
from pathlib import Path

import pytest

from desktop.agent.guests.calls.lane_watch import MEANWHILE
from desktop.domain.commands import SendMessage
from desktop.domain.core.checkpoint_events import CheckpointMade
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Notice, ToolCallFinished, TurnEnded
from tests.agent.gate_rig import of_session
from tests.agent.guest_rig import ScriptedGuests, done, edit
from tests.agent.guests.test_bridge import call
from tests.agent.guests.test_unexplained_changes import begin, noticed
from tests.agent.rig import Rig, git
from tests.agent.wholeness import whole

pytestmark = [pytest.mark.asyncio, pytest.mark.promise("guests-A40")]
DARK = "cannot be told"


def told(rig: Rig) -> list[str]:
    return [one.text for one in rig.events(Notice) if one.kind == "guest"]


async def test_a_name_that_is_no_text_is_told(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, {"touch": "\udcff.py", "text": "e"}, {"touch": "ok.py", "text": "e"})
    assert (await rig.ended()).status == "completed"
    assert len(noticed(rig)[0]) == 2
    whole(rig, session_id)


async def test_a_moment_in_which_nothing_could_be_kept_hides_nothing(
    rig: Rig, guests: ScriptedGuests, tmp_path: Path
) -> None:
    go, began = tmp_path / "go", tmp_path / "began"
    wait = {"wait_file": str(go)}
    asks = {"ask": edit("app.py", "new\n"), "then": [done()], "else": []}
    session_id = await begin(
        rig, guests, {"wait_file": str(began)}, asks, {"touch": "hidden.py", "text": "h"}, {"say": "I did."}, wait
    )
    await rig.until(lambda _: guests.sent("session/prompt"))
    index = Path(git(rig.lane(session_id), "rev-parse", "--path-format=absolute", "--git-path", "index").strip())
    kept = index.read_bytes()
    index.write_bytes(b"no index")
    began.touch()
    await rig.until(lambda _: (rig.lane(session_id) / "hidden.py").exists())
    await rig.until(lambda _: rig.events(ToolCallFinished))
    index.write_bytes(kept)
    go.touch()
    await rig.ended()
    assert noticed(rig) == [["hidden.py"]]
    whole(rig, session_id)


async def test_it_is_said_where_nothing_can_be_told_at_the_end(
    rig: Rig, guests: ScriptedGuests, tmp_path: Path
) -> None:
    session_id = await begin(rig, guests, {"wait_file": str(tmp_path / "go")}, {"touch": "hidden.py", "text": "h"})
    await rig.until(lambda _: guests.sent("session/prompt"))
    index = Path(git(rig.lane(session_id), "rev-parse", "--path-format=absolute", "--git-path", "index").strip())
    index.write_bytes(b"no index")
    (tmp_path / "go").touch()
    await rig.ended()
    assert any(DARK in text for text in told(rig))
    whole(rig, session_id)


async def test_what_changes_while_it_waits_for_the_next_prompt_is_told(
    rig: Rig, guests: ScriptedGuests, tmp_path: Path
) -> None:
    late = [{"wait_file": str(tmp_path / "go")}, {"touch": "late.py", "text": "l"}]
    guests.prompts = [[{"aside": late}, {"say": "Done."}], [{"say": "More."}]]
    session_id = await rig.new("Do it", PermissionMode.EDIT, driver="fake", without_sandbox=True)
    await rig.ended()
    (tmp_path / "go").touch()
    await rig.until(lambda _: (rig.lane(session_id) / "late.py").exists())
    await rig.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    await rig.ended(2)
    assert told(rig) == [MEANWHILE.format(label="Fake Agent", names="late.py")]
    assert noticed(rig) == []
    whole(rig, session_id)


async def test_what_a_sub_agent_changed_is_no_doing_of_the_guest_that_began_it(
    rig: Rig, guests: ScriptedGuests, tmp_path: Path
) -> None:
    work = call("task", description="Work", prompt="Paint it.", agent="implementer")
    guests.prompts = [[{"wait_file": str(tmp_path / "go")}, work, {"say": "Done."}]]
    session_id = await rig.new("Do it", PermissionMode.EDIT, driver="fake", without_sandbox=True)
    await rig.until(lambda _: guests.started)
    guests.prompts = [[{"write": "own.txt", "content": "o"}, {"touch": "unsaid.txt", "text": "u"}]]
    (tmp_path / "go").touch()
    await rig.until(lambda _: of_session(rig, session_id, TurnEnded))
    rows = [one for one in rig.events(ToolCallFinished) if one.data.get("reported") is False]
    assert [[file.path for file in one.touched] for one in rows] == [["unsaid.txt"]]
    assert not [one for one in of_session(rig, session_id, ToolCallFinished) if one in rows]
    whole(rig, session_id)


async def test_a_call_that_is_taken_back_explains_nothing_afterwards(
    rig: Rig, guests: ScriptedGuests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call hangs in the middle of what it does, until it is cancelled. What changed meanwhile is its doing."""
    began = asyncio.Event()

    async def hangs(*_: object) -> None:
        began.set()
        await asyncio.Event().wait()

    monkeypatch.setattr("desktop.agent.gate.calls.caller.ToolCaller._run_now", hangs)
    back = {"mcp": "notifications/cancelled", "params": {"requestId": 2}, "tell": True}
    begins = [call("commit_changes", leave=True, message="Add it"), {"wait_file": str(tmp_path / "go")}]
    steps = [*begins, {"touch": "during.py", "text": "d"}, back]
    rest = [{"wait_file": str(tmp_path / "on")}, {"touch": "after.py", "text": "a"}, {"say": "Done."}]
    session_id = await begin(rig, guests, *steps, *rest)
    await asyncio.wait_for(began.wait(), 20)
    (tmp_path / "go").touch()
    await rig.until(lambda _: [one for one in rig.events(CheckpointMade) if one.parent_checkpoint_id])
    (tmp_path / "on").touch()
    await rig.ended()
    assert noticed(rig) == [["after.py"]]
    whole(rig, session_id)
