"""The strip over a chat whose lane is made ready, and the links of what listens in it."""

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from desktop.ui.chats.book import ChatFacts
from desktop.ui.chats.header_chips import chips_of
from desktop.ui.lanes.setup_strip import SetupStrip
from desktop.ui.widgets.addresses import address_words, open_address, open_one_of


@pytest.fixture
def strip(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    yield SetupStrip(window)
    window.hide()


def facts(setup, **more):
    return ChatFacts(session_id="ses_1", lane_id="ln_1", setup=setup, **more)


def click(strip, name):
    QTest.mouseClick(strip.findChild(QWidget, name), Qt.MouseButton.LeftButton)


@pytest.mark.parametrize(("state", "shown"), [
    ("none", set()), ("ready", set()), ("skipped", set()),
    ("pending", {"show", "stop"}), ("running", {"show", "stop"}),
    ("failed", {"show", "close"}), ("needs_trust", {"review", "close"}),
])  # fmt: skip
def test_each_state_has_its_buttons(strip, state, shown):
    strip.show_facts(facts(state))
    assert strip.isVisible() is bool(shown)
    names = ("show", "stop", "review", "close")
    assert {name for name in names if strip.findChild(QWidget, f"setup_strip_{name}").isVisible()} == shown
    strip.show_facts(None)
    assert not strip.isVisible()


def test_clicks_ask_for_the_entry_of_the_menu(strip):
    asked = []
    strip.asked.connect(lambda *what: asked.append(what))
    strip.show_facts(facts("running"))
    click(strip, "setup_strip_show")
    click(strip, "setup_strip_stop")
    strip.show_facts(facts("needs_trust"))
    click(strip, "setup_strip_review")
    assert asked == [("setup", "ln_1"), ("stop_setup", "ln_1"), ("review_lane_file", "ln_1")]


def test_what_was_hidden_stays_hidden_until_setup_runs_again(strip):
    strip.show_facts(facts("failed"))
    click(strip, "setup_strip_close")
    assert not strip.isVisible()
    strip.show_facts(facts("failed"))
    assert not strip.isVisible()
    strip.show_facts(facts("running"))
    strip.show_facts(facts("failed"))
    assert strip.isVisible()


def test_addresses_are_a_chip_and_only_ports_of_this_computer_are_opened(qtbot, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: bool(opened.append(url)) or True)
    one = ("http://127.0.0.1:20040",)
    chips = chips_of(facts("ready", addresses=one, port_problem="Port 20041 is used by node, pid 7."), None)
    assert chips["header_addresses"].text == "127.0.0.1:20040"
    assert chips["header_ports"].sentence == "Port 20041 is used by node, pid 7."
    assert address_words((*one, "http://127.0.0.1:20041")) == "2 addresses"
    widget = QWidget()
    qtbot.addWidget(widget)
    open_one_of(one, widget)
    assert not open_address("file:///etc/passwd")
    assert not open_address("http://127.0.0.1:20040/\nx")
    assert opened == [QUrl("http://127.0.0.1:20040")]
