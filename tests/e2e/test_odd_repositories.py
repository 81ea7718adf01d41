"""Lanes and review through the window, on repositories as real ones are; the person's checkout stays as it is."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPlainTextEdit, QRadioButton, QWidget

from desktop.domain.lanes.lane import Lane
from desktop.ui.changes.tab import ChangesTab
from desktop.ui.window.inspector import Inspector
from tests.agent.rig import git
from tests.e2e.conftest import WAIT_MS, Desk
from tests.e2e.odd_repository import ABOUT, HUGE_BYTES, NO_END, WINDOWS, change_all, contents, make_odd_repository
from tests.fakes.fake_model_api import FakeModelApi, text_turn
from tests.services.merge_place import checkout_hash

Start = Callable[[], Desk]
LIMIT_S = 240  # Git reads and writes a file of 51 MB again and again: 16 s of work, shared with other processes


@pytest.fixture
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """With a remote, or as the test says."""
    return make_odd_repository(tmp_path, remote=getattr(request, "param", True))


def press(desk: Desk, name: str) -> None:
    """Click a button once it is on."""
    desk.until(lambda: isinstance(one := desk.find(name), QAbstractButton) and one.isEnabled(), name)
    button = desk.see(name)
    assert isinstance(button, QAbstractButton)
    button.click()


def new_lane(desk: Desk, name: str) -> Lane:
    """Make a lane by the dialog."""
    action = desk.window.findChild(QAction, "action_new_lane")
    assert isinstance(action, QAction)
    action.trigger()
    typed(desk, "lane_name", name)
    press(desk, "lane_create")
    desk.gone("lane_dialog")

    def made() -> Lane | None:
        lanes = desk.window.lane_host.lanes()
        return next((one for one in lanes if one.name == name and one.state != "creating"), None)

    desk.until(lambda: made() is not None, what="the lane")
    lane = made()
    assert lane is not None
    return lane


def typed(desk: Desk, name: str, words: str) -> None:
    """Write words into a field as an input method does: keys of the test library are ASCII."""
    field = desk.see(name)
    event = QInputMethodEvent()
    event.setCommitString(words)
    QApplication.sendEvent(field, event)


def inspector_of(desk: Desk) -> Inspector:
    found = desk.window.findChild(Inspector)
    assert isinstance(found, Inspector)
    return found


def panel_of(desk: Desk) -> ChangesTab:
    return inspector_of(desk).of(ChangesTab)


def chat_in(desk: Desk, lane: Lane, model_api: FakeModelApi) -> None:
    """A chat in the lane, which says hello."""
    model_api.script(text_turn("Hello."))
    desk.until(lambda: text(desk, "composer_place_existing") == f"In {lane.name}", what="the page of a chat in it")
    desk.send("Say hello")
    desk.until(lambda: "Hello." in desk.transcript_text(), what="the answer")
    desk.idle()
    facts = desk.window.page.facts
    assert facts is not None
    assert facts.lane_id == lane.id


def commit_all(desk: Desk, lane: Lane, message: str, *, filtered: str = "") -> None:
    """Commit everything, in the Changes tab. `filtered`: a file that only a filter of Git's could store, which is named
    and left out."""
    panel = panel_of(desk)
    press(desk, "commit_open")
    desk.until(lambda: panel.is_committing, what="ticks")
    field = desk.see("commit_message")
    assert isinstance(field, QPlainTextEdit)
    field.setPlainText(message)
    press(desk, "commit_button")
    if filtered:
        desk.until(lambda: f"{filtered} goes through the Git filter" in toasts(desk), what="the refusal")
        for path in (filtered, "huge.dat"):  # takes the one tick away, and gives the one that is not given unasked
            panel.choose_file(path)
            panel.files.setFocus()
            QTest.keyClick(panel.files, Qt.Key.Key_Space)
        press(desk, "commit_button")
        press(desk, "commit_held_go")
    desk.until(lambda: "Committed" in toasts(desk), what=f"the commit: {toasts(desk)}")
    assert subject(lane) == message


def toasts(desk: Desk) -> str:
    return "\n".join(one.accessibleName() for one in desk.window.findChildren(QWidget, "toast") if one.isVisible())


def subject(lane: Lane) -> str:
    return git(Path(lane.worktree_path), "log", "-1", "--format=%s").strip()


@pytest.mark.timeout(LIMIT_S)
def test_every_kind_of_file_is_changed_reverted_committed_pushed_and_kept(
    start: Start, model_api: FakeModelApi, repository: Path
) -> None:
    before = checkout_hash(repository)
    desk = start()
    lane = new_lane(desk, "Grüße & mehr")
    folder = Path(lane.worktree_path)
    chat_in(desk, lane, model_api)
    panel = panel_of(desk)
    held = change_all(folder)
    panel.load()
    changed = {"win.txt", ABOUT, NO_END, "art/logo.psd", "new ünd \u202eneu.txt", "huge.dat"}
    desk.until(lambda: set(panel.tree.paths()) == changed, what=f"the changes: {panel.tree.paths()}")
    for path in sorted(changed):
        panel.choose_file(path)
        desk.until(lambda one=path: panel.chosen.shown is not None and panel.chosen.shown.path == one, what=path)

    # one of two changes with Windows line ends goes, byte for byte, and comes back
    panel.choose_file("win.txt")
    desk.until(lambda: (one := panel.chosen.named) is not None and len(one.hunks) == 2, what="two changes")
    view = panel.pane.view
    view.go_to(0)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_N)
    QTest.keyClick(view, Qt.Key.Key_R)
    press(desk, "changes_revert_go")
    desk.until(lambda: (folder / "win.txt").read_bytes() != held["win.txt"], what="the revert")
    assert (folder / "win.txt").read_bytes() in (
        WINDOWS.replace(b"line 1\r", b"first\r"), WINDOWS.replace(b"line 15", b"fifteenth"),
    )  # fmt: skip
    with desk.qtbot.waitSignal(inspector_of(desk).of(ChangesTab).review.noted, timeout=WAIT_MS):
        press(desk, "toast_action")
    assert (folder / "win.txt").read_bytes() == held["win.txt"]

    stands = git(folder, "status", "--porcelain")
    # archived without its folder, brought back, deleted, restored: the same bytes, still not committed
    desk.window.lane_host.act("archive", lane.id)
    free = desk.see("lane_archive_free")
    assert isinstance(free, QRadioButton)
    free.setChecked(True)
    press(desk, "lane_archive_go")
    desk.until(lambda: not folder.exists(), what="the folder to go")
    desk.until(lambda: state_of(desk, lane) == "archived", what="the archive")
    desk.window.lane_host.act("unarchive", lane.id)
    desk.until(lambda: state_of(desk, lane) == "active", what="the lane to be back")
    assert contents(folder) == held
    assert git(folder, "status", "--porcelain") == stands
    desk.window.lane_host.act("delete", lane.id)
    typed(desk, "lane_delete_confirm", lane.name)
    press(desk, "lane_delete")
    desk.gone("lane_delete_dialog")
    assert not folder.exists()
    desk.window.lane_host.act("trash", lane.id)
    press(desk, "lane_restore")
    desk.until(lambda: "is back" in text(desk, "lane_trash_state"), what="the lane to be back")
    assert contents(folder) == held
    assert git(folder, "status", "--porcelain") == stands
    assert checkout_hash(repository) == before
    press(desk, "lane_trash_close")

    # committed and pushed
    panel.load()
    desk.until(lambda: set(panel.tree.paths()) == changed, what="the changes again")
    commit_all(desk, lane, "All kinds of files", filtered="art/logo.psd")
    committed = subprocess.run(["git", "show", "HEAD:win.txt"], cwd=folder, capture_output=True, check=True).stdout
    assert committed == held["win.txt"]
    assert git(folder, "cat-file", "-s", "HEAD:huge.dat").strip() == str(HUGE_BYTES + 3)
    press(desk, "commit_push")
    branch = git(folder, "branch", "--show-current").strip()
    remote = repository.parent / "origin.git"
    desk.until(lambda: branch in git(remote, "branch", "--list", "--format=%(refname:short)"), what="the push")
    assert git(remote, "rev-parse", branch) == git(folder, "rev-parse", "HEAD")
    assert git(repository, "stash", "list") == ""


def state_of(desk: Desk, lane: Lane) -> str:
    found = desk.window.lane_host.lane(lane.id)
    return found.state if found is not None else ""


def text(desk: Desk, name: str) -> str:
    found = desk.find(name)
    return found.text() if isinstance(found, QLabel | QAbstractButton) else ""


@pytest.mark.parametrize("repository", [False], indirect=True, ids=["without remote"])
def test_without_a_remote_and_with_a_detached_head_lanes_work_and_merge_beside_the_checkout(
    start: Start, model_api: FakeModelApi, repository: Path
) -> None:
    git(repository, "switch", "-q", "--detach")
    before = checkout_hash(repository)
    desk = start()
    lane = new_lane(desk, "No remote")
    folder = Path(lane.worktree_path)
    chat_in(desk, lane, model_api)
    panel = panel_of(desk)
    (folder / ABOUT).write_text("# Über uns\n\nGrüße aus Köln\n", encoding="utf-8")
    panel.load()
    desk.until(lambda: panel.tree.paths() == [ABOUT], what="the change")
    commit_all(desk, lane, "Say where we are")
    assert desk.find("commit_push") is None
    desk.window.lane_host.act("merge", lane.id)
    press(desk, "lane_merge_go")
    desk.until(lambda: git(repository, "log", "-1", "--format=%s", "main").strip() != "odd things", what="the merge")
    assert git(repository, "show", f"main:{ABOUT}") == "# Über uns\n\nGrüße aus Köln\n"
    assert checkout_hash(repository) == before
    assert git(repository, "stash", "list") == ""
