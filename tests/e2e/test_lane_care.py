"""A lane is made ready while a person watches: the file reviewed, setup waited for, run, and its address opened."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPlainTextEdit

from tests.e2e.conftest import Desk
from tests.fakes.fake_model_api import FakeModelApi, text_turn

FILE = """[setup]
command = "echo installing; until [ -e go ]; do sleep 0.05; done; exit 7"
network = true

[run]
command = "echo serving; exec python3 -m http.server $PORT --bind 127.0.0.1"
"""


@pytest.mark.timeout(150)
@pytest.mark.usefixtures("lane_ports")
def test_a_lane_is_reviewed_made_ready_and_run(
    start: Callable[[], Desk], repository: Path, model_api: FakeModelApi
) -> None:
    (repository / ".banksman").mkdir()
    (repository / ".banksman" / "lane.toml").write_text(FILE)
    model_api.script(text_turn("First."), text_turn("Second."))
    desk = start()
    desk.send("one")
    desk.idle()
    desk.click("setup_strip_review")
    desk.see("lane_file_network")
    text = desk.see("lane_file_text")
    assert isinstance(text, QPlainTextEdit)
    assert text.toPlainText() == FILE
    desk.until(lambda: desk.window.book.facts(desk.window.page.session_id).setup == "needs_trust")
    desk.click("lane_file_trust")
    desk.gone("lane_file_dialog")
    desk.until(lambda: desk.window.book.facts(desk.window.page.session_id).setup == "running")
    desk.click("setup_strip_stop")
    desk.until(lambda: desk.window.book.facts(desk.window.page.session_id).setup == "failed")

    desk.window.new_chat()
    desk.send("two")
    desk.see("queue_paused")
    desk.until(
        lambda: desk.window.book.facts(desk.window.page.session_id).queue_held == "setup", what="setup waited for"
    )
    facts = desk.window.book.facts(desk.window.page.session_id)
    assert not facts.turn_running
    desk.click("setup_strip_show")
    log = desk.see("lane_setup_log")
    assert isinstance(log, QPlainTextEdit)
    desk.until(lambda: "installing" in log.toPlainText(), what="the log")
    desk.click("queue_resume")
    desk.until(lambda: "Second." in desk.transcript_text(), what="the turn")
    lane = desk.window.book.lane_book.lane(facts.lane_id)
    assert lane is not None
    (Path(lane.worktree_path) / "go").touch()
    desk.see("lane_setup_retry")
    desk.click("lane_setup_close")
    desk.gone("lane_setup_dialog")

    desk.window.lane_host.act("run", lane.id)
    desk.see("lane_run_address")
    desk.until(lambda: desk.find("header_addresses") is not None)
    desk.click("lane_run_stop")
    desk.gone("lane_run_address")
    desk.see("lane_run_start")
    desk.gone("header_addresses")
