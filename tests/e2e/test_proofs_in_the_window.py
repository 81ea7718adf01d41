"""An agent shows what it did, a person looks at it, asks for more and is heard."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget, QPlainTextEdit

from desktop.services.proofs.x_windows import windows_on_screen
from desktop.ui.proofs.panel import ProofsPanel
from desktop.ui.window.inspector import Inspector
from tests.agent.proofs.test_proofs import picture
from tests.e2e.conftest import Desk
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.x_server import PROGRAM, running_x_server, x_program

Start = Callable[[], Desk]


def test_a_proof_goes_from_the_agent_to_the_person_and_back(
    start: Start, model_api: FakeModelApi, repository: Path
) -> None:
    model_api.script(text_turn("Ready."))
    desk = start()
    desk.send("Show me the page")
    desk.until(lambda: "Ready." in desk.transcript_text(), what="the turn")
    lane = Path(next(lane.worktree_path for lane in desk.window.book.lanes if lane.type == "worktree"))
    (lane / "shot.png").write_bytes(picture())
    attach = tool_turn("attach_proof", path="shot.png", title="The page")
    model_api.script(attach, text_turn("Here it is."), text_turn("I will."))
    desk.send("Go on")
    desk.until(lambda: "Here it is." in desk.transcript_text(), what="the second turn")
    inspector = desk.see("inspector")
    assert isinstance(inspector, Inspector)
    inspector.show_tab("Proofs")
    panel = inspector.of(ProofsPanel)
    desk.until(lambda: [tile.title for tile in panel.model.rows] == ["The page"], what="the proof")
    desk.until(lambda: not panel.model.thumb(panel.model.rows[0].proof_id).isNull(), what="its thumbnail")
    viewer = panel.open_viewer(panel.model.rows[0].proof_id)
    assert viewer is not None
    desk.until(lambda: viewer.picture.picture.width() == 200, what="the picture")
    desk.click("proof_needs_more")
    note = desk.see("proof_note")
    assert isinstance(note, QPlainTextEdit)
    QTest.keyClicks(note, "Larger")
    desk.click("proof_note_send")
    desk.until(lambda: panel.model.rows[0].state == "needs more", what="the review")
    viewer.reject()
    desk.until(lambda: "I will." in desk.transcript_text(), what="the agent's answer")
    assert "Larger" in desk.transcript_text()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no X11")
def test_a_program_of_the_lanes_terminal_is_captured_by_the_agent_and_by_the_person(
    start: Start, model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")
    with running_x_server() as display, x_program(display, (400, 0, 90, 90), title="Bank"):
        monkeypatch.setenv("DISPLAY", display)
        model_api.script(text_turn("Ready."))
        desk = start()
        desk.send("Show me the window")
        desk.until(lambda: "Ready." in desk.transcript_text(), what="the turn")
        desk.idle()
        desk.window.terminals.toggle()
        view = desk.see("terminal_view")
        QTest.keyClicks(view, f"{sys.executable} {PROGRAM} 0 0 200 100 title=Shop")
        QTest.keyClick(view, Qt.Key.Key_Return)
        desk.until(lambda: len(windows_on_screen(display)) == 2, what="the window")
        model_api.script(tool_turn("capture_screenshot", target="window", title="The shop"), text_turn("Here it is."))
        desk.send("Go on")
        desk.until(lambda: "Here it is." in desk.transcript_text(), what="the second turn")
        inspector = desk.see("inspector")
        assert isinstance(inspector, Inspector)
        inspector.show_tab("Proofs")
        rows = inspector.of(ProofsPanel).model
        desk.until(lambda: [tile.title for tile in rows.rows] == ["The shop"], what="the agent's proof")
        inspector.of(ProofsPanel).captures.window()
        listed = desk.see("proof_windows_list")
        assert isinstance(listed, QListWidget)
        assert [listed.item(row).text().split("  ·  ")[0] for row in range(2)] == ["Shop", "Bank"]
        assert listed.currentRow() == 0
        listed.setCurrentRow(1)
        desk.click("proof_windows_take")
        desk.click("proof_screen_keep")
        desk.until(lambda: {tile.title for tile in rows.rows} == {"The shop", "Bank"}, what="the person's proof")
        desk.close()
