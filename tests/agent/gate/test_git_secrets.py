"""Files that usually hold secrets and that Git shows without their names in the command, in the real engine."""

from pathlib import Path

import pytest

from desktop.domain.events import InputRequested
from desktop.domain.gate.events import SessionTainted
from desktop.policy.shell.read.git_shown import secrets_in_output
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


async def test_what_git_printed_tells_the_files_it_showed() -> None:
    shown = """commit 1
diff --git a/src/a.py b/src/a.py
+++ b/src/a.py
diff --git a/config/credentials.json b/config/credentials.json
--- /dev/null
+++ "b/old secrets/server.pem"
diff --cc deploy/.env
HEAD~3:keys/id_rsa:1:x
    -:  ------- > 1:  abc add
     ## app/.env.local (new) ##
text about .env
"""
    found = secrets_in_output(shown)
    assert found == [
        "config/credentials.json", "old secrets/server.pem", "deploy/.env", "keys/id_rsa", "app/.env.local",
    ]  # fmt: skip
    assert secrets_in_output("x\n" * 30_000) == []
