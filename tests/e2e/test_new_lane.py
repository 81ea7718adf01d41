"""A new lane in the real window: it appears, a chat works in it, another one begins beside it."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest

from desktop.services.lanes.making import spare
from tests.agent.rig import git
from tests.fakes.fake_model_api import text_turn, tool_turn


def act(desk, name):
    desk.window.findChild(QAction, f"action_{name}").trigger()


def lane_of(desk, name):
    return next((lane for lane in desk.window.lane_host.lanes() if lane.name == name), None)


def test_a_lane_is_made_with_the_changes_of_the_checkout_and_two_chats_work_in_it(start, model_api, repository):
    (repository / "app.py").write_text("def total():\n    return 40\n")
    before = git(repository, "status", "--porcelain")
    desk = start()
    act(desk, "new_lane")
    name = desk.see("lane_name")
    QTest.keyClicks(name, "CON")
    desk.until(lambda: desk.see("lane_branch").text() == "Branch lane/lane-con", what="the branch")
    desk.click("lane_start_changes")
    desk.until(lambda: desk.see("lane_changes").count() == 1, what="the list of changes")
    desk.ready("lane_create")
    QTest.keyClick(name, Qt.Key.Key_Return)
    desk.gone("lane_dialog")
    desk.until(lambda: lane_of(desk, "CON") is not None, what="the lane")
    lane = lane_of(desk, "CON")
    desk.until(lambda: desk.see("composer_place_existing").text() == "In CON", what="the place")
    model_api.script(tool_turn("write_file", file_path="made.txt", content="made\n"), text_turn("Made it."))
    desk.send("Make it")
    desk.until(lambda: "Made it." in desk.transcript_text())
    assert desk.window.page.facts.lane_id == lane.id
    assert (Path(lane.worktree_path) / "made.txt").read_text() == "made\n"
    assert (Path(lane.worktree_path) / "app.py").read_text() == "def total():\n    return 40\n"
    assert git(repository, "status", "--porcelain") == before
    desk.idle()
    desk.window.lane_host.act("new_chat", lane.id)
    desk.until(lambda: desk.see("composer_place_existing").text() == "In CON", what="the place")
    model_api.script(text_turn("Looked at it."))
    desk.send("Look at it")
    desk.until(lambda: "Looked at it." in desk.transcript_text())
    desk.until(lambda: [chat.lane_id for chat in desk.window.book.chats] == [lane.id, lane.id], what="both chats")
    act(desk, "new_lane")
    QTest.keyClicks(desk.see("lane_name"), "con")
    desk.click("lane_create")
    desk.until(lambda: "named" in desk.see("lane_error").text(), what="the engine's sentence")
    assert desk.see("lane_error").text() == 'There is a lane named "con" already. Choose another name.'
    desk.click("lane_dialog_cancel")
    desk.gone("lane_dialog")


def test_the_files_of_a_lane_are_there_before_the_first_message_is_sent(start, model_api, repository, monkeypatch):
    monkeypatch.setattr(spare, "WORTH_BYTES", 0)
    desk = start()
    lanes = desk.folders.lanes
    QTest.keyClick(desk.see("composer_text"), "L")
    desk.until(lambda: any(lanes.glob("banksman-passing-*/files/readme.md")), what="the files")
    assert [lane for lane in desk.window.lane_host.lanes() if lane.type != "primary"] == []
    (files,) = lanes.glob("banksman-passing-*/files")
    inode = files.stat().st_ino
    model_api.script(text_turn("Looked at it."))
    desk.send("ook at it")
    desk.until(lambda: "Looked at it." in desk.transcript_text())
    (lane,) = (lane for lane in desk.window.lane_host.lanes() if lane.type != "primary")
    assert Path(lane.worktree_path).stat().st_ino == inode
    assert git(Path(lane.worktree_path), "status", "--porcelain", "--ignored") == ""
    assert not list(lanes.glob("banksman-passing-*"))
    QTest.keyClick(desk.see("composer_text"), "n")
    assert not list(lanes.glob("banksman-passing-*"))
