"""Gaps of layouts: they follow the zoom while they are on screen, and end with their layout."""

from PySide6.QtCore import QMargins
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.ui.theme.theme import theme
from desktop.ui.widgets.layouts.gaps import set_gaps


def test_margins_and_spacing_follow_the_zoom(qtbot):
    box = QWidget()
    qtbot.addWidget(box)
    layout = QHBoxLayout(box)
    set_gaps(layout, (4, 8, 12, 16), 8)
    try:
        theme().choose("light", 200)
        assert (layout.contentsMargins(), layout.spacing()) == (QMargins(8, 16, 24, 32), 16)
    finally:
        theme().choose("light", 100)
    assert (layout.contentsMargins(), layout.spacing()) == (QMargins(4, 8, 12, 16), 8)


def test_a_layout_that_is_gone_is_not_written_to(qapp):
    box = QWidget()
    set_gaps(QHBoxLayout(box), spacing=8)
    box.deleteLater()
    qapp.sendPostedEvents(None, 0)
    qapp.processEvents()
    del box
    theme().choose("light", 100)
