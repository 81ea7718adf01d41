"""The frame of three regions: narrowing, overlays, and the way back to the widths a person chose."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop.ui.theme.theme import theme
from desktop.ui.window.front.frame import Frame
from tests.ui.shell_samples import find


@pytest.fixture
def frame(qtbot):
    host = QWidget()
    qtbot.addWidget(host)
    regions = {name: QWidget() for name in ("sidebar", "centre", "inspector")}
    frame = Frame(*regions.values(), host)
    frame.regions = regions
    frame.resize(1360, 800)
    host.resize(1360, 800)
    host.show()
    yield frame
    theme().choose("light")


def widths(frame):
    return {name: widget.width() for name, widget in frame.regions.items() if widget.isVisible()}


def test_at_the_size_of_the_pictures_the_regions_have_their_widths(frame):
    assert widths(frame) == {"sidebar": 270, "centre": 728, "inspector": 360}


def test_as_it_shrinks_the_inspector_gives_way_first_then_the_sidebar(frame):
    frame.resize(1070, 800)
    assert widths(frame)["inspector"] == pytest.approx(318, abs=2)
    assert widths(frame)["sidebar"] == 270
    frame.resize(1024, 800)
    assert widths(frame)["inspector"] == 300
    assert widths(frame)["sidebar"] == pytest.approx(242, abs=2)
    assert widths(frame)["centre"] >= 480


def test_below_1000_the_inspector_lies_over_the_centre_and_comes_back_docked(frame, qtbot):
    frame.resize(900, 800)
    assert set(widths(frame)) == {"sidebar", "centre"}
    frame.toggle("inspector")
    inspector = frame.regions["inspector"]
    assert inspector.isVisible()
    assert inspector.geometry().right() == 899
    qtbot.keyClick(frame, Qt.Key.Key_Escape)
    assert not inspector.isVisible()
    frame.resize(1360, 800)
    assert widths(frame) == {"sidebar": 270, "centre": 728, "inspector": 360}


def test_the_zoom_counts_as_less_room(frame):
    theme().choose("light", 150)
    assert set(widths(frame)) == {"sidebar", "centre"}


def test_keys_move_a_line_within_its_limits_and_a_double_click_resets_it(frame, qtbot):
    right = find(frame, "splitter_right")
    qtbot.keyClick(right, Qt.Key.Key_Left)
    assert widths(frame)["inspector"] == 376
    qtbot.keyClick(right, Qt.Key.Key_End)
    assert widths(frame)["inspector"] == 300
    qtbot.mouseDClick(right, Qt.MouseButton.LeftButton)
    assert widths(frame)["inspector"] == 360


def test_a_hidden_region_comes_back_with_its_width(frame):
    frame.set_width("sidebar", 320)
    frame.toggle("sidebar")
    assert "sidebar" not in widths(frame)
    frame.toggle("sidebar")
    assert widths(frame)["sidebar"] == 320


def test_without_an_inspector_there_are_two_regions(qtbot):
    host = QWidget()
    qtbot.addWidget(host)
    frame = Frame(QWidget(), QWidget(), None, host)
    frame.resize(800, 600)
    assert host.findChild(QWidget, "splitter_right") is None
