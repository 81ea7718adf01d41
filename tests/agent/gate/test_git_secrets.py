"""Files that usually hold secrets and that Git shows without their names in the command, in the real engine."""

from pathlib import Path

import pytest

from desktop.domain.events import InputRequested
from desktop.domain.gate.events import SessionTainted
from tests.agent.gate_rig import ONCE, approval
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


async def test_a_commit_with_a_secret_file_is_shown_after_a_question_and_marks_the_chat(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    (repository / "plain.txt").write_text("x\n")
    git(repository, "add", "plain.txt")
    git(repository, "commit", "-q", "-m", "plain")
    (repository / ".env").write_text("KEY=1\n")
    git(repository, "add", "-f", ".env")
    git(repository, "commit", "-q", "-m", "env")
    model_api.script(
        tool_turn("bash", command="git show HEAD~1"),
        tool_turn("bash", command="git show HEAD"),
        text_turn("done"),
    )
    session_id = await rig.new("Show")
    card = await rig.asked(1)
    assert approval(card).tainted == ()
    assert rig.events(SessionTainted) == []
    await rig.answer(session_id, card, ONCE)
    await rig.ended()
    assert [event.source for event in rig.events(SessionTainted)] == [".env"]
    assert len(rig.events(InputRequested)) == 1
