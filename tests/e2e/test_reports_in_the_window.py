"""A report in the real window: checked by Banksman, stale after an edit, checked again by a click, done in the row."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from desktop.domain.reports.commands import LookAtReports
from desktop.ui.sidebar.tree_model import DETAIL_ROLE
from tests.e2e.conftest import Desk
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

TESTS = "python3 -c 'print(\"3 passed\")'"


def test_a_claim_is_proved_goes_stale_and_is_proved_again_by_one_click(
    start: Callable[[], Desk], model_api: FakeModelApi
) -> None:
    desk = start()
    claims = [{"text": "all tests pass", "kind": "command", "command": TESTS}]
    model_api.script(
        tool_turn("report_completion", summary="The total is right.", status="completed", claims=claims),
        text_turn("Done."),
    )
    desk.send("Fix the total")
    desk.answer("approval_allow_once")
    desk.idle()
    desk.until(lambda: "all tests pass: proved, exit 0" in desk.transcript_text(), "the proof")
    desk.until(lambda: "Completed · 1 of 1 claim proved" in desk.transcript_text(), "what is claimed")
    lane = desk.window.book.lanes[-1]
    desk.until(lambda: _second_line(desk, lane.id).startswith("done"), "done")
    (Path(lane.worktree_path) / "app.py").write_text("def total():\n    return 42\n")
    desk.bridge.send(LookAtReports(session_id=desk.window.page.session_id))
    desk.until(lambda: "all tests pass: stale" in desk.transcript_text(), "the stale claim")
    desk.until(lambda: not _second_line(desk, lane.id).startswith("done"), "not done")
    view = desk.window.page.transcript
    row = next(row for row in view.model.rows if row.kind == "report")
    desk.until(lambda: view.target(row.key, "report_check_again") is not None, "the button")
    rect = view.target(row.key, "report_check_again")
    assert rect is not None
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    desk.until(lambda: "all tests pass: proved" in desk.transcript_text(), "the new proof")
    desk.until(lambda: _second_line(desk, lane.id).startswith("done"), "done again")
    assert desk.find("approval_card") is None
    assert view.activate(row.key, "report_claim")
    assert view.activate(row.key, "report_output")
    desk.see("output_viewer")


def _second_line(desk: Desk, lane_id: str) -> str:
    """The second line of the lane's row."""
    return str(desk.window.sidebar.model.find(f"lane:{lane_id}").data(DETAIL_ROLE))
