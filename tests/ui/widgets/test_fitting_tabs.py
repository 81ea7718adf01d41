"""Tabs that have no room are in a menu, and are shown all the same when they are wanted."""

import pytest
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from desktop.ui.widgets.layouts.fitting_tabs import FittingTabs

NAMES = ("Changes 1", "PR", "Proofs", "Todos", "Audit", "Timeline")


@pytest.fixture
def frame(qtbot):
    frame = QWidget()
    qtbot.addWidget(frame)
    return frame


@pytest.fixture
def tabs(qtbot, frame):
    tabs = FittingTabs("tabs", "more", frame)
    for name in NAMES:
        tabs.addTab(QLabel(name), name)
    frame.resize(250, 300)
    tabs.resize(250, 300)
    frame.show()
    qtbot.waitUntil(lambda: not tabs.isTabVisible(5))
    return tabs


def test_a_tab_of_the_menu_is_shown_when_it_is_wanted_and_stays(qtbot, tabs):
    tabs.setCurrentIndex(5)
    tabs.set_label(0, "Changes 12")
    qtbot.waitUntil(lambda: [action.text() for action in _menu(tabs)][:1] == ["Proofs"])
    assert tabs.tabBar().tabRect(0).left() >= 0, "the first tab is not cut"
    assert (tabs.currentIndex(), tabs.currentWidget().text(), tabs.isTabVisible(5)) == (5, "Timeline", True)
    _menu(tabs)[0].trigger()
    qtbot.waitUntil(lambda: not tabs.isTabVisible(5))
    assert tabs.currentWidget().text() == "Proofs"


def _menu(tabs):
    return tabs.findChild(QToolButton, "more").menu().actions()
