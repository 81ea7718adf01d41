"""Items side by side that go on in the next line: how a fair layout shares the last two lines."""

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.widgets.layouts.flow_layout import FlowLayout

GAP, HIGH = 10, 20


def lines(owner: QWidget, widths: list[int], width: int, *, fair: bool) -> list[list[int]]:
    """The widths of the items in each line."""
    flow = FlowLayout(owner, gap_x=GAP, gap_y=GAP, fair=fair)
    items = [QWidget(owner) for _ in widths]
    for item, wide in zip(items, widths, strict=True):
        item.setFixedSize(wide, HIGH)
        item.show()
        flow.addWidget(item)
    flow.setGeometry(QRect(0, 0, width, 200))
    found: dict[int, list[QWidget]] = {}
    for item in items:
        found.setdefault(item.y(), []).append(item)
    assert all(line == sorted(line, key=lambda item: item.x()) for line in found.values())
    assert flow.heightForWidth(width) == len(found) * (HIGH + GAP) - GAP
    return [[item.width() for item in found[y]] for y in sorted(found)]


@pytest.mark.parametrize(
    ("widths", "width", "shared"),
    [
        ([80, 120, 100, 60, 82], 400, [[80, 120, 100], [60, 82]]),
        ([50, 50, 50, 50, 50, 50], 290, [[50, 50, 50], [50, 50, 50]]),
        ([50] * 9, 230, [[50] * 4, [50] * 3, [50] * 2]),
        ([80, 80, 80], 170, [[80, 80], [80]]),
        ([80, 80], 100, [[80], [80]]),
        ([60, 60, 160, 200], 300, [[60, 60, 160], [200]]),
        ([80, 80, 80], 400, [[80, 80, 80]]),
    ],
    ids=["no_one_alone", "even", "the_last_two_of_three", "two_and_one", "one_each", "no_room", "one_line"],
)
def test_the_last_two_lines_share_their_items_where_there_is_room(
    qtbot: QtBot, widths: list[int], width: int, shared: list[list[int]]
) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    assert lines(owner, widths, width, fair=True) == shared


def test_a_line_is_full_before_the_next_begins_where_nobody_asks_for_shares(qtbot: QtBot) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    assert lines(owner, [80, 120, 100, 60, 82], 400, fair=False) == [[80, 120, 100, 60], [82]]
