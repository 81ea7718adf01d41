"""Lists and texts in boxes of their own are as high as promised and fade where there is more of them."""

import pytest

from desktop.ui.widgets.box_list import BoxList
from desktop.ui.widgets.layouts.edge_fade import EdgeFade
from desktop.ui.widgets.text_box import TextBox


@pytest.mark.parametrize("rows", [1, 3, 9])
def test_a_list_is_as_high_as_its_rows_up_to_the_most(qtbot, rows):
    box = BoxList("box", "Things", None)
    qtbot.addWidget(box)
    box.addItems([f"Thing {row}" for row in range(rows)])
    box.fit(4)
    with qtbot.waitExposed(box):
        box.show()
    shown = min(rows, 4)
    assert box.visualItemRect(box.item(shown - 1)).bottom() == box.viewport().height() - 1
    assert box.findChild(EdgeFade).isVisible() == (rows > shown)


def test_a_text_fades_only_where_it_goes_on(qtbot):
    box = TextBox("box", "A text", None)
    qtbot.addWidget(box)
    box.resize(300, 100)
    with qtbot.waitExposed(box):
        box.show()
    box.setPlainText("One line")
    assert box.isReadOnly()
    assert not box.findChild(EdgeFade).isVisible()
    box.setPlainText("A line\n" * 40)
    qtbot.waitUntil(box.findChild(EdgeFade).isVisible)
