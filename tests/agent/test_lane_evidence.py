"""What evidence is about outlives what is kept for a time only, and no longer than its chat (lanes-D23)."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from desktop.agent.engine import utc_now
from desktop.config.folders import Folders
from desktop.domain.commands import DeleteSession
from desktop.domain.permissions import PermissionMode
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
