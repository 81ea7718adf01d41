"""A person works in the window: the whole path from a typed task to a finished one, and everything again afterwards."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from desktop.domain.history.builder import to_messages
from desktop.store.database import open_store
from tests.agent.rig import git
from tests.e2e.conftest import Desk
from tests.fakes.fake_model_api import FakeModelApi, http_failure, text_turn, tool_turn, turn
from tests.validity import faults

Start = Callable[[], Desk]
QUESTION = {
    "question": "Which number is right?",
    "options": [{"label": "42", "recommended": True}, {"label": "43"}],
}


def script_the_task(model_api: FakeModelApi) -> None:
    model_api.script(
        turn("I look first.", [("read_file", {"file_path": "app.py"}), ("grep", {"pattern": "total"})]),
        tool_turn("ask_user", questions=[QUESTION]),
        tool_turn("edit_file", file_path="app.py", old_string="41", new_string="42"),
        tool_turn("bash", command="python3 -c 'import app; print(app.total())' > out.txt; cat out.txt"),
        text_turn("The total is **42** now."),
    )


def test_a_task_from_the_first_word_to_the_last_and_again_after_a_restart(
    start: Start, model_api: FakeModelApi, repository: Path
) -> None:
    script_the_task(model_api)
    desk = start()
    desk.send("Put the total right")
    desk.see("question_card")
    desk.answer("question_option_1")
    desk.answer("question_send")
    desk.see("approval_card")
    lane = Path(next(lane.worktree_path for lane in desk.window.book.lanes if lane.type == "worktree"))
    assert (lane / "app.py").read_text() == "def total():\n    return 42\n"
    assert not (lane / "out.txt").exists()
    desk.answer("approval_allow_once")
    desk.gone("approval_card")
    desk.until(lambda: "The total is" in desk.transcript_text())
    desk.idle()
    assert (lane / "out.txt").read_text() == "42\n"
    assert git(repository, "status", "--porcelain") == ""
    before = desk.transcript_text()
    assert "Put the total right" in before
    desk.close()

    again = start()
    again.until(lambda: again.window.page.session_id != "" and again.transcript_text() == before, "the same rows")
    model_api.script(text_turn("Still 42."))
    again.send("And now?")
    again.until(lambda: "Still 42." in again.transcript_text())
    assert not faults(model_api.requests[-1].messages)
    assert "Put the total right" in str(model_api.requests[-1].messages[0])
    again.close()
    check_store(again)


def check_store(desk: Desk) -> None:
    store = open_store(desk.folders.store)
    try:
        for session_id in store.events.session_ids():
            assert not store.events.verify(session_id)
            assert not faults(to_messages(store.events.path(session_id)))
    finally:
        store.close()


def test_a_declined_command_is_told_to_the_model_and_never_runs(start: Start, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch never"), text_turn("Then not."))
    desk = start()
    desk.send("Touch it")
    desk.answer("approval_decline")
    reason = desk.see("approval_decline_reason")
    reason.setFocus()
    desk.qtbot.keyClicks(reason, "not today")
    desk.answer("approval_decline_confirm")
    desk.until(lambda: "Then not." in desk.transcript_text())
    assert "not today" in str(model_api.requests[-1].messages[-1])
    lane = Path(next(lane.worktree_path for lane in desk.window.book.lanes if lane.type == "worktree"))
    assert not (lane / "never").exists()


def test_closing_with_a_card_open_keeps_the_chat_and_nothing_ran(start: Start, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch never"))
    desk = start()
    desk.send("Touch it")
    desk.see("approval_card")
    desk.close()
    again = start()
    again.until(lambda: "Touch it" in again.transcript_text())
    assert again.find("approval_allow_once") is None
    again.close()
    check_store(again)


def test_stop_ends_the_turn_and_leaves_the_composer_alone(start: Start, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch never"))
    desk = start()
    desk.send("Touch it")
    desk.see("approval_card")
    field = desk.see("composer_text")
    field.setFocus()
    desk.qtbot.keyClicks(field, "my next thought")
    desk.click("composer_stop")
    desk.idle()
    desk.gone("approval_card")
    assert field.toPlainText() == "my next thought"


def test_a_refused_key_says_so_in_the_transcript(start: Start, model_api: FakeModelApi) -> None:
    model_api.script(http_failure(401, "authentication_error"))
    desk = start()
    desk.send("Hello")
    desk.idle()
    desk.until(lambda: "key was refused" in desk.transcript_text())


def test_a_run_without_a_window_is_found_in_the_window(
    start: Start, model_api: FakeModelApi, repository: Path, tmp_path: Path
) -> None:
    model_api.script(
        tool_turn("read_file", file_path="app.py"),
        tool_turn("edit_file", file_path="app.py", old_string="41", new_string="42"),
        text_turn("The run is done."),
    )
    done = subprocess.run(
        [sys.executable, "-m", "desktop", "run", "Put it right", "--repo", str(repository), "--mode", "full-auto"],
        env={**os.environ, "BANKSMAN_HOME": str(tmp_path / "home")},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "The run is done." in done.stdout
    desk = start()
    desk.until(lambda: len(desk.window.book.chats) == 1)
    desk.window.open_chat(desk.window.book.chats[0].session_id)
    desk.until(lambda: "The run is done." in desk.transcript_text())
    assert "Edit app.py" in desk.transcript_text()
