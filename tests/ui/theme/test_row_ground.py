"""A chosen row is told from the others: by its tint, and by a line around it where lines tell what tints tell."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QListWidget, QStyle, QStyleOptionViewItem

from desktop.ui.theme.contrast import contrast
from desktop.ui.theme.row_ground import paint_row_ground
from desktop.ui.theme.theme import theme

_State = QStyle.StateFlag


@pytest.fixture(autouse=True)
def _former() -> Iterator[None]:
    former = theme().choice
    yield
    theme().choose(former)


def edge_and_middle(state: QStyle.StateFlag) -> tuple[QColor, QColor]:
    image = QImage(60, 30, QImage.Format.Format_RGB32)
    image.fill(theme().color("surface"))
    option = QStyleOptionViewItem()
    option.state = state
    painter = QPainter(image)
    paint_row_ground(painter, option, QRectF(0, 0, 60, 30))
    painter.end()
    return image.pixelColor(30, 0), image.pixelColor(30, 15)


@pytest.mark.parametrize("name", ["high-contrast-light", "high-contrast-dark"])
def test_a_chosen_row_has_a_line_around_it_in_high_contrast(qapp, name):
    theme().choose(name)
    edge, middle = edge_and_middle(_State.State_Selected)
    assert middle == theme().color("selection")
    assert contrast(edge, theme().color("surface")) >= 3
    assert contrast(edge, middle) >= 3
    assert edge_and_middle(_State.State_MouseOver)[0] == theme().color("sunken")


def test_elsewhere_its_tint_is_enough_and_the_focus_rings_it(qapp):
    theme().choose("light")
    assert edge_and_middle(_State.State_Selected) == (theme().color("selection"), theme().color("selection"))
    assert edge_and_middle(_State.State_Selected | _State.State_HasFocus)[0] == theme().color("accent")


def test_rows_of_plain_lists_have_the_line_too(qtbot):
    theme().choose("high-contrast-light")
    rows = QListWidget()
    qtbot.addWidget(rows)
    rows.setProperty("kind", "rows")
    rows.addItem("Row")
    rows.item(0).setSelected(True)
    rows.resize(120, 60)
    rows.show()
    place = rows.visualItemRect(rows.item(0))
    shown = rows.viewport().grab().toImage()
    column = [shown.pixelColor(place.center().x(), y) for y in range(place.top(), place.top() + 3)]
    assert theme().color("control") in column
