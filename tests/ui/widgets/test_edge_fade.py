"""What scrolls fades at the edge behind which there is more of it, and nowhere else."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop.ui.pulls.parts import PullList
from desktop.ui.pulls.rows import PullRow, PullRows
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.layouts.edge_fade import EdgeFade


@pytest.fixture
def area(qtbot):
    area = QScrollArea()
    qtbot.addWidget(area)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    contents = QWidget()
    QVBoxLayout(contents).addWidget(QPushButton("Try", contents))
    ink = QLabel(contents)
    ink.setAutoFillBackground(True)
    ink.setPalette(Qt.GlobalColor.black)
    ink.setFixedSize(200, 400)
    contents.layout().addWidget(ink)
    area.setWidget(contents)
    EdgeFade(area, "surface")
    area.resize(300, 200)
    with qtbot.waitExposed(area):
        area.show()
    return area


def test_only_an_edge_with_more_behind_it_fades(area):
    bar, fade = area.verticalScrollBar(), area.findChild(EdgeFade)
    assert fade.isVisible()

    def at_edges() -> tuple[bool, bool]:
        shown, ground = area.grab().toImage(), theme().color("surface")
        return shown.pixelColor(100, 0) == ground, shown.pixelColor(100, area.viewport().height() - 1) == ground

    bar.setValue((bar.minimum() + bar.maximum()) // 2)
    assert at_edges() == (True, True)
    bar.setValue(bar.minimum())
    assert at_edges()[1] is True
    assert area.grab().toImage().pixelColor(100, 40) != theme().color("surface")


def test_it_goes_where_all_fits_and_takes_no_press(area, qtbot):
    fade, pressed = area.findChild(EdgeFade), []
    button = area.findChild(QPushButton)
    button.clicked.connect(lambda: pressed.append(1))
    at = button.mapTo(area.viewport(), QPoint(button.width() // 2, 4))
    qtbot.mouseClick(area.window().childAt(area.viewport().mapTo(area, at)), Qt.MouseButton.LeftButton)
    assert pressed == [1]
    area.resize(300, 900)
    qtbot.waitUntil(lambda: not fade.isVisible())


def test_a_list_that_is_too_low_for_its_rows_fades(qtbot):
    model = PullRows()
    rows = PullList(model, "rows", "Rows", None)
    qtbot.addWidget(rows)
    model.set_rows([PullRow(str(number), "Row") for number in range(50)])
    rows.resize(200, 100)
    with qtbot.waitExposed(rows):
        rows.show()
    assert rows.findChild(EdgeFade).isVisible()
    rows.resize(200, 9000)
    qtbot.waitUntil(lambda: not rows.findChild(EdgeFade).isVisible())


def test_the_chosen_row_does_not_fade(qtbot):
    model = PullRows()
    rows = PullList(model, "rows", "Rows", None)
    qtbot.addWidget(rows)
    model.set_rows([PullRow(str(number), "Row") for number in range(50)])
    rows.resize(200, 5 * rows.sizeHintForRow(0))
    with qtbot.waitExposed(rows):
        rows.show()

    def last() -> QColor:
        shown = rows.viewport().mapTo(rows, rows.visualRect(model.index(4, 0)).bottomLeft() + QPoint(100, -3))
        return rows.grab().toImage().pixelColor(shown)

    rows.setCurrentIndex(model.index(0, 0))
    assert last() == theme().color("canvas")
    rows.setCurrentIndex(model.index(4, 0))
    assert last() == theme().color("selection")
    assert rows.verticalScrollBar().value() == 0
