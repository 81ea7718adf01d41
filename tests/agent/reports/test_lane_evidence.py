"""What was proved of a lane's files is marked in its timeline, and keeps them as long as its chat (lanes-D21,
lanes-D23)."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from desktop.config.folders import Folders
from desktop.domain.chats.commands import DeleteSession, MakeCheckpoint
from desktop.domain.chats.updates import CheckpointsListed
from desktop.domain.core.clock import utc_now
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.proofs.commands import AddProof
from tests.agent.rig import Rig, git, make_repository
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio

TESTS = "sh suite.sh"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", {"suite.sh": "echo '2 passed'\n", "app.txt": "1\n"})


def write(number: int) -> Any:
    return tool_turn("bash", command=f"echo {number} > app.txt")


def kept(repository: Path) -> list[str]:
    """What app.txt holds in each checkpoint that is kept, the oldest first."""
    refs = git(repository, "for-each-ref", "--sort=version:refname", "--format=%(refname)", "refs/banksman/checkpoints")
    return [git(repository, "show", f"{ref}:app.txt").strip() for ref in refs.split()]


@pytest.mark.promise("lanes-D21")
async def test_the_timeline_says_what_was_proved_of_which_files(rig: Rig, model_api: FakeModelApi) -> None:
    claims = [
        {"text": "tests pass", "kind": "command", "command": TESTS},
        {"text": "no 9", "kind": "command", "command": "grep 9 app.txt", "expected_exit": 1},
    ]
    model_api.script(
        write(2), tool_turn("bash", command=TESTS), tool_turn("bash", command="ls"), write(3),
        tool_turn("report_completion", summary="Done.", status="completed", claims=claims), text_turn("done"),
    )  # fmt: skip
    session_id = await rig.new("Fix it", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    (rig.lane(session_id) / "app.txt").write_text("seen\n")
    lane_id = rig.engine.sessions.get(session_id).state.lane_id
    await rig.engine.handle(AddProof(lane_id=lane_id, data=b"seen", name="seen.txt", title="Seen"))
    await rig.engine.handle(MakeCheckpoint(session_id=session_id, name="mine"))
    listed = [update for update in rig.updates if isinstance(update, CheckpointsListed)][-1].checkpoints
    marks = [[(mark.kind, mark.text) for mark in one.marks] for one in reversed(listed)]
    assert marks == [
        [], [("passed", "sh suite.sh (2 passed)")],
        [("passed", "sh suite.sh (2 passed)"), ("passed", "grep 9 app.txt")], [("proof", "Seen")],
    ]  # fmt: skip


@pytest.mark.promise("lanes-D23")
async def test_checkpoints_of_claimed_runs_are_kept_until_their_chat_is_deleted(
    rig: Rig, model_api: FakeModelApi, folders: Folders, repository: Path
) -> None:
    claim = {"text": "tests pass", "kind": "command", "command": TESTS, "run": False}
    model_api.script(
        write(2),
        tool_turn("bash", command=TESTS),
        write(3),
        write(4),
        tool_turn("report_completion", summary="Done.", status="completed", claims=[claim]),
        text_turn("done"),
    )
    reporting = await rig.new("Fix it", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    lane, lane_id = rig.lane(reporting), rig.engine.sessions.get(reporting).state.lane_id
    await rig.engine.stop()
    assert kept(repository) == ["1", "2", "3", "4"]

    async def after(months: int, number: int, delete: str = "") -> list[str]:
        """What is kept once a new chat of the lane began with this in its file, months later."""
        later = await Rig(folders, clock=lambda: utc_now() + timedelta(days=31 * months)).open(repository)
        (lane / "app.txt").write_text(f"{number}\n")
        model_api.script(text_turn("done"))
        await later.new("Go on", lane_id=lane_id)
        await later.ended()
        if delete:
            await later.engine.handle(DeleteSession(session_id=delete))
        await later.engine.stop()
        return kept(repository)

    assert await after(1, 5) == ["2", "5"]  # what the claimed run was about, and the newest
    assert await after(2, 6, delete=reporting) == ["2", "6"]
    assert await after(3, 7) == ["7"]
