"""Deleting a lane in the window, and taking it back, with the real engine."""

from pathlib import Path

from PySide6.QtTest import QTest

from desktop.ui.lanes.ends import delete_lane, show_trash
from tests.agent.lane_ground import with_lanes
from tests.agent.rig import folders_below, git


def test_deleting_a_lane_with_commits_of_its_own_asks_for_its_name_and_can_be_undone(start, tmp_path, repository):
    (lane,) = with_lanes(folders_below(tmp_path / "home"), repository, "fix-login")
    folder = Path(lane.worktree_path)
    for n in (1, 2):
        (folder / "app.py").write_text(f"print({n})\n")
        git(folder, "commit", "-qam", f"step {n}")
    desk = start()
    desk.until(lambda: desk.window.lane_host.lane(lane.id) is not None, what="the lane")
    delete_lane(desk.window.lane_host, lane.id)
    desk.see("lane_delete_losses")
    assert "2 commits are on no other branch." in desk.see("lane_delete_losses").accessibleDescription()
    assert not desk.see("lane_delete").isEnabled()
    QTest.keyClicks(desk.see("lane_delete_confirm"), "fix-login")
    desk.see("lane_delete_branch").setChecked(True)
    desk.click("lane_delete")
    desk.gone("lane_delete_dialog")
    assert not folder.exists()
    assert "lane/fix-login" not in git(repository, "branch", "--list")
    desk.until(lambda: desk.window.lane_host.lane(lane.id) is None, what="the lane to leave the list")
    show_trash(desk.window.lane_host)
    desk.until(lambda: len(desk.see("lane_trash_list").items) == 1, what="the deleted lane")
    desk.click("lane_restore")
    state = desk.see("lane_trash_state")
    desk.until(lambda: "is back" in state.text(), what="the lane to be back")
    assert git(folder, "log", "-1", "--format=%s").strip() == "step 2"
    assert (folder / "app.py").read_text() == "print(2)\n"
