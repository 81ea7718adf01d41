"""The menu of a lane: its entries, what the first of them do, and dialogs that are told what happens."""

import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QAction, QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog, QMenu, QWidget

from desktop.domain.lanes.commands import RefreshLanes
from desktop.domain.lanes.lane import LaneFinding, LaneStatus
from desktop.domain.lanes.updates import LanesChanged, LaneStatusChanged
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.lane_book import LaneBook
from desktop.ui.core.requests import Requests
from desktop.ui.lanes.menu import GROUPS, LANE_ACTIONS, fill_lane_menu, offered
from desktop.ui.lanes.window import WindowLanes
from tests.ui.shell_samples import LANE, NOW, Recorder, make_lane


@pytest.fixture
def host(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    book, sink = LaneBook(), Recorder()
    book.hearing.take([LanesChanged(lanes=(LANE,))])
    host = WindowLanes(book, ChatCommands(Requests(sink), window), lambda _chat: "", window)
    host.notes, host.sink = [], sink
    host.noted.connect(lambda text, error: host.notes.append((text, error)))
    window.show()
    return host


class Opener(QObject):
    """Stands where the system's file manager begins."""

    def __init__(self):
        super().__init__()
        self.opened = []

    @Slot(QUrl)
    def open(self, url):
        self.opened.append(url.toLocalFile())


def choose(host, name):
    menu = QMenu(host.window)
    assert fill_lane_menu(menu, host, LANE.id)
    menu.findChild(QAction, f"lane_menu_{name}").trigger()


def test_ids_differ_and_every_entry_has_a_group():
    assert len({entry.id for entry in LANE_ACTIONS}) == len(LANE_ACTIONS)
    assert {entry.group for entry in LANE_ACTIONS} <= set(GROUPS)


def test_path_and_branch_go_to_the_clipboard(host):
    choose(host, "copy_path")
    assert QGuiApplication.clipboard().text() == LANE.worktree_path
    choose(host, "copy_branch")
    assert QGuiApplication.clipboard().text() == LANE.branch
    assert host.notes == [("Path copied", False), ("Branch name copied", False)]


def test_the_folder_is_shown_by_the_system(host):
    opener = Opener()
    QDesktopServices.setUrlHandler("file", opener, "open")
    choose(host, "open_folder")
    QDesktopServices.unsetUrlHandler("file")
    assert opener.opened == [LANE.worktree_path]
    assert host.notes == []


def test_entries_that_a_lane_cannot_have_are_left_out():
    detached = LANE.model_copy(update={"branch": ""})
    assert "copy_branch" not in {entry.id for entry in offered(detached, None)}
    freed = LANE.model_copy(update={"freed": True, "state": "archived"})
    assert "open_folder" not in {entry.id for entry in offered(freed, None)}


def test_a_lane_that_is_gone_has_no_menu(host):
    menu = QMenu(host.window)
    assert not fill_lane_menu(menu, host, "ln_gone")
    assert menu.isEmpty()


def test_a_dialog_is_told_what_happens_until_it_is_closed(host, qtbot):
    told = []
    dialog = QDialog(host.window)
    host.show(dialog, Hearing().on(LanesChanged, told.append))
    update = LanesChanged(lanes=())
    host.requests.deliver([update], host.hearing)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    host.requests.deliver([update], host.hearing)
    assert told == [update]


def test_commands_are_sent(host):
    host.send(RefreshLanes())
    assert host.sink.kinds() == ["refresh_lanes"]


def test_the_book_forgets_what_it_knew_of_lanes_that_are_gone():
    book, other = LaneBook(), make_lane(2, "second")
    finding = LaneFinding(lane_id=other.id, kind="missing", text="The folder is gone.")
    book.hearing.take([LanesChanged(lanes=(LANE, other), findings=(finding,))])
    book.hearing.take([LaneStatusChanged(statuses=(LaneStatus(lane_id=LANE.id, read_at=NOW, ahead=2),))])
    book.hearing.take([LaneStatusChanged(statuses=(LaneStatus(lane_id=other.id, read_at=NOW),))])
    assert book.status(LANE.id).ahead == 2
    assert book.finding(other.id) == finding
    book.hearing.take([LanesChanged(lanes=(LANE,))])
    assert book.lane(other.id) is book.status(other.id) is book.finding(other.id) is None
    assert book.status(LANE.id) is not None
