"""The header where it is narrow: what gives way, and that nothing is cut."""

from datetime import UTC, datetime

import pytest
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from desktop.ui.chats.book import ChatFacts
from desktop.ui.chats.header import Header
from tests.ui.transcript_log import look

AT_1024 = 480
TITLES = ("Session expiry", "Look up how the router expires sessions and write down what was found there")
READ = (("untrusted",), ("secret",), ("secret", "outside", "untrusted"))


@pytest.fixture
def header(qtbot, qapp):
    look(qapp)
    around = QWidget()
    qtbot.addWidget(around)
    around.resize(900, 60)
    header = Header(lambda: datetime(2026, 11, 21, tzinfo=UTC), around)
    around.show()
    yield header  # noqa: PT022  # what it stands in lives as long


@pytest.mark.parametrize("reasons", READ)
@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("width", [AT_1024, 520, 640])
def test_no_chip_is_cut_beside_a_title(header, title, reasons, width):
    for reviews in (0, 3):
        for at_vendor in (False, True):
            facts = ChatFacts(
                session_id="s", title=title, lane_name="look-up-how", waiting=1, reviews=reviews,
                tainted=("x",), taint_reasons=reasons,
            )  # fmt: skip
            header.resize(width, 48)
            header.show_facts(facts, at_vendor=at_vendor)
            header.layout().activate()
            chips = [one for one in header.findChildren(QAbstractButton) if one.property("kind") == "chip"]
            shown = [one for one in chips if one.isVisible() and one.objectName() != "header_lane"]
            assert shown
            assert [one.text() for one in shown if one.width() < one.sizeHint().width()] == []
            assert header.findChild(QAbstractButton, "header_menu").geometry().right() < width


def test_chips_keep_words_that_tell_what_they_are_about(header):
    facts = ChatFacts(session_id="s", title=TITLES[1], reviews=1, tainted=("x",), taint_reasons=("secret",))
    for width, words in ((900, ["Has read secrets", "1 to review"]), (380, ["Read secrets", "1 review"])):
        header.resize(width, 48)
        header.show_facts(facts)
        chips = [header.findChild(QAbstractButton, name) for name in ("header_taint", "header_review")]
        assert [chip.text() for chip in chips] == words


def test_words_of_the_state_give_way_last_and_its_icon_says_them(header):
    facts = ChatFacts(session_id="s", title=TITLES[1], waiting=1, reviews=3, tainted=("x",), taint_reasons=READ[0])
    state = header.findChild(QLabel, "header_state")
    for width, seen in ((900, True), (AT_1024, False), (900, True)):
        header.resize(width, 48)
        header.show_facts(facts, at_vendor=True)
        assert state.isVisible() is seen
    icon = next(one for one in header.findChildren(QLabel) if one.accessibleName() == "State: waiting for you")
    assert icon.isVisible()
    assert icon.toolTip() == "waiting for you"
