"""A person reviews what the agent changed: comments on a line, sends it, reverts a change and undoes that, commits."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit, QPushButton

from desktop.ui.changes.tab import ChangesTab
from desktop.ui.window.inspector import Inspector
from tests.agent.rig import git
from tests.e2e.conftest import WAIT_MS, Desk
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn, turn

Start = Callable[[], Desk]
GAP = "".join(f"# {n}\n" for n in range(20))
APP = f"def total():\n    return 41\n\n\n{GAP}\ndef name():\n    return 'shop'\n"
NEW = APP.replace("41", "42").replace("'shop'", "'Shop'")


def edit(old: str, new: str) -> tuple[str, dict[str, str]]:
    return "edit_file", {"file_path": "app.py", "old_string": old, "new_string": new}


def inspector_of(desk: Desk) -> Inspector:
    found = desk.window.findChild(Inspector)
    assert isinstance(found, Inspector)
    return found


def panel_of(desk: Desk) -> ChangesTab:
    return inspector_of(desk).of(ChangesTab)


def last(desk: Desk, kind: type[QPushButton] | type[QPlainTextEdit], name: str) -> QPushButton | QPlainTextEdit:
    desk.until(lambda: any(w.isVisible() for w in desk.window.findChildren(kind, name)), what=name)
    return [w for w in desk.window.findChildren(kind, name) if w.isVisible()][-1]


def test_comment_send_revert_undo_and_commit(start: Start, model_api: FakeModelApi, repository: Path) -> None:
    (repository / "app.py").write_text(APP)
    git(repository, "commit", "-qam", "more")
    model_api.script(
        tool_turn("read_file", file_path="app.py"),
        turn("I edit.", [edit("return 41", "return 42"), edit("'shop'", "'Shop'")]),
        text_turn("Done."),
    )
    desk = start()
    desk.send("Put the total right")
    desk.until(lambda: "Done." in desk.transcript_text(), what="the turn")
    panel = panel_of(desk)
    view = panel.pane.view
    desk.until(lambda: panel.chosen.shown is not None and len(panel.chosen.shown.hunks) == 2, what="the diff")
    lane = Path(next(lane.worktree_path for lane in desk.window.book.lanes if lane.type == "worktree"))
    assert (lane / "app.py").read_text() == NEW

    # a comment on the new line goes to the agent as one message
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_N)
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_C)
    field = last(desk, QPlainTextEdit, "changes_comment_field")
    QTest.keyClicks(field, "why 42?")
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    desk.until(lambda: panel.notes.drafts == 1, what="the draft")
    model_api.script(text_turn("Because of the tax."))
    desk.click("changes_comments_send")
    desk.until(lambda: "Because of the tax." in desk.transcript_text(), what="the answer")
    assert "1. app.py:2 (new)" in str(model_api.requests[-1].messages[-1])
    desk.idle()
    desk.until(lambda: [comment.state for comment in panel.notes.comments] == ["sent"], what="the sent comment")

    # one change is reverted and brought back
    desk.until(lambda: view.shape_of.can_revert and panel.chosen.named is not None, what="the diff again")
    view.go_to(len(view.rows) - 2)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_R)
    last(desk, QPushButton, "changes_revert_go").click()
    desk.until(lambda: (lane / "app.py").read_text() == APP.replace("41", "42"), what="the revert")
    undo = last(desk, QPushButton, "toast_action")
    with desk.qtbot.waitSignal(inspector_of(desk).of(ChangesTab).review.noted, timeout=WAIT_MS):
        undo.click()
    assert (lane / "app.py").read_text() == NEW

    # one of two changes is committed, the other stays
    desk.click("commit_open")
    desk.until(
        lambda: view.shape_of.can_tick and (one := panel.chosen.named) is not None and len(one.hunks) == 2, "ticks"
    )
    view.go_to(0)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Space)
    desk.until(lambda: panel.tree.rows[0].tick == 1, what="a tick in part")
    message = last(desk, QPlainTextEdit, "commit_message")
    QTest.keyClicks(message, "name: say it with a capital")
    button = last(desk, QPushButton, "commit_button")
    desk.until(button.isEnabled, what=f"the button: {button.toolTip()}")
    button.click()
    desk.until(
        lambda: git(lane, "log", "-1", "--format=%s").strip() == "name: say it with a capital", what="the commit"
    )
    assert git(lane, "show", "HEAD:app.py") == APP.replace("'shop'", "'Shop'")
    assert (lane / "app.py").read_text() == NEW
    desk.until(lambda: panel.chosen.shown is not None and len(panel.chosen.shown.hunks) == 1, what="what is left")
    assert git(repository, "status", "--porcelain") == ""
    desk.close()
