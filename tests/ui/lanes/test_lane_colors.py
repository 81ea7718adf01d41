"""The colours of a lane: those that other lanes have are seen in every theme."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QAbstractButton, QWidget

from desktop.ui.lanes.dialogs.edit import ColorRow
from desktop.ui.theme.contrast import contrast
from desktop.ui.theme.theme import theme
from tests.ui.shell_samples import LANE


@pytest.fixture(autouse=True)
def _former() -> Iterator[None]:
    former = theme().choice
    yield
    theme().choose(former)


@pytest.mark.parametrize("name", ["high-contrast-light", "high-contrast-dark"])
def test_a_colour_that_another_lane_has_keeps_its_edge_in_high_contrast(qtbot, name):
    theme().choose(name)
    host = QWidget()
    qtbot.addWidget(host)
    row = ColorRow(LANE, {"green": "other"}, host)
    row.setFixedSize(row.sizeHint())
    swatch = row.findChild(QAbstractButton, "lane_edit_color_green")
    shown = swatch.grab().toImage()
    line = [shown.pixelColor(x, shown.height() // 2) for x in range(shown.width())]
    ground = theme().color("surface")
    assert max(contrast(one, ground) for one in line) >= 3
    assert contrast(line[len(line) // 2], ground) < 3
