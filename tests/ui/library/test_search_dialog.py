"""The search over all chats: Enter opens a hit of the words in the field, never one of what stood there before."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from desktop.domain.chats.updates import ChatsFound, SearchHit
from desktop.ui.core.requests import Requests
from desktop.ui.library.search import SearchDialog
from tests.ui.shell_samples import NOW, Recorder

ENTER = Qt.Key.Key_Return


class Place:
    def __init__(self, qtbot):
        self.sink, self.opened = Recorder(), []
        self.parent = QWidget()
        qtbot.addWidget(self.parent)
        self.dialog = SearchDialog(Requests(self.sink), lambda: NOW, lambda chat: f"lane-of-{chat}", self.parent)
        self.dialog.chosen.connect(lambda session_id, _event_id, _seq: self.opened.append(session_id))
        self.dialog.open()

    def type(self, words):
        QTest.keyClicks(self.dialog.field, words)

    def enter(self):
        QTest.keyClick(self.dialog.field, ENTER)

    def finds(self, session_id):
        """The engine answers what was asked last with one hit."""
        asked = self.sink.last()
        hit = SearchHit(session_id=session_id, event_id="evt", seq=1, title="", kind="answer", snippet="", at=NOW)
        self.dialog.hearing.take([ChatsFound(request_id=asked.request_id, query=asked.query, page=0, hits=(hit,))])


@pytest.fixture
def place(qtbot):
    return Place(qtbot)


def test_enter_opens_the_hit_that_is_marked(place):
    place.dialog.search("zebra")
    place.finds("ses_zebra")
    place.enter()
    assert place.opened == ["ses_zebra"]


def test_enter_before_the_answer_opens_the_first_hit_of_these_words_once_it_comes(place):
    place.dialog.search("zeb")
    place.finds("ses_zebu")
    place.type("ra")
    place.enter()
    assert place.opened == []
    assert place.sink.last().query == "zebra"
    place.finds("ses_zebra")
    assert place.opened == ["ses_zebra"]


def test_who_types_on_after_enter_is_left_in_the_search(place):
    place.dialog.search("zeb")
    place.enter()
    place.type("r")
    place.finds("ses_zebu")
    assert place.opened == []


def test_each_hit_says_its_lane_and_its_day(place):
    place.dialog.search("zebra")
    place.finds("ses_zebra")
    (item,) = place.dialog.list.items
    assert item.detail.startswith("lane-of-ses_zebra · today ")
