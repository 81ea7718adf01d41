"""Notifications of pull requests: once each, a toast in another chat, a message of the system where nobody looks."""

from datetime import timedelta

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from desktop.domain.pr_updates import PullTransition
from desktop.ui.notifications import Notifications
from tests.ui.card_scenes import NOW

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


class Window:
    """A window as notifications see it."""

    def __init__(self, qtbot, shown_lane=""):
        self.widget, self.shown_lane = QWidget(), shown_lane
        qtbot.addWidget(self.widget)
        self.offered, self.opened = [], []

    def lane_title(self, lane_id):
        return {"lan_1": "fix-login", "lan_2": "bump"}.get(lane_id, "")

    def show_pull(self, lane_id):
        self.opened.append(lane_id)

    def offer_pull(self, text, lane_id):
        self.offered.append((text, lane_id))


class Place:
    """One window and what the system was asked to show."""

    def __init__(self, qtbot, shown_lane):
        self.window, self.parent, self.sent = Window(qtbot, shown_lane), QObject(), []
        self.notices = Notifications(lambda: [self.window], self.parent)
        self.notices.send = lambda title, text: self.sent.append((title, text))

    def tell(self, kind="checks_failed", lane_id="lan_1", number=214, notify=True, minutes=0):
        at = NOW + timedelta(minutes=minutes)
        self.notices.apply([PullTransition(lane_id=lane_id, number=number, kind=kind, text="x", notify=notify, at=at)])


@pytest.fixture
def place(qtbot):
    return Place(qtbot, "lan_2")


def activate(qtbot, place):
    place.window.widget.show()
    place.window.widget.activateWindow()
    qtbot.waitUntil(place.window.widget.isActiveWindow)


def test_in_an_active_window_with_another_chat_a_note_offers_to_open_it(qtbot, place):
    activate(qtbot, place)
    place.tell()
    place.tell()
    assert place.window.offered == [("PR #214: checks failed · fix-login", "lan_1")]
    assert not place.sent


def test_nothing_is_said_of_the_lane_on_screen_and_of_what_is_no_news(qtbot, place):
    activate(qtbot, place)
    place.tell(lane_id="lan_2")
    place.tell("checks_passed", notify=False)
    assert (place.window.offered, place.sent) == ([], [])


def test_where_nobody_looks_what_comes_together_is_one_message_that_leads_there(place):
    place.tell()
    place.tell("ready_to_merge", "lan_2", 9)
    assert not place.sent
    assert place.notices.gather.isActive()
    place.notices.gather.timeout.emit()
    assert place.sent == [("2 pull requests need a look", "fix-login, bump")]
    place.notices.clicked()
    assert place.window.opened == ["lan_2"]
    assert place.window.widget.isVisible()
    place.notices.clicked()
    assert place.window.opened == ["lan_2"]


def test_one_message_says_what_and_where_and_each_change_is_told_once(place):
    place.tell("changes_requested")
    place.notices.gather.timeout.emit()
    place.tell("changes_requested")
    place.tell("changes_requested", minutes=5)
    place.notices.gather.timeout.emit()
    assert place.sent == [("PR #214: changes requested", "fix-login")] * 2


def test_a_person_who_came_back_meanwhile_gets_a_note(qtbot, place):
    place.tell()
    activate(qtbot, place)
    place.notices.gather.timeout.emit()
    assert (len(place.window.offered), place.sent) == (1, [])
