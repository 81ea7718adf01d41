"""The transcript as a screen reader finds it."""

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.domain.core.content import CodeBlock
from desktop.ui.chats.transcript.view import TranscriptView
from tests.ui.transcript_log import SESSION, Log, look

NAME, IDENTIFIER = QAccessible.Text.Name, QAccessible.Text.Identifier


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> TranscriptView:
    look(qapp)
    view = TranscriptView()
    qtbot.addWidget(view)
    view.resize(728, 500)
    view.open(SESSION)
    view.show()
    log = Log()
    log.user("hello")
    log.call("c1", "Edit a.py", summary="+6 −2", evidence=(CodeBlock(language="python", text="x"),))
    view.hearing.take([log.opened()])
    return view


def test_it_is_a_list_of_named_rows(view: TranscriptView) -> None:
    found = QAccessible.queryAccessibleInterface(view)
    assert (found.role(), found.text(NAME), found.text(IDENTIFIER)) == (
        QAccessible.Role.List, "Messages", "transcript_view",
    )  # fmt: skip
    assert found.childCount() == 2
    rows = [found.child(number) for number in range(2)]
    assert [row.role() for row in rows] == [QAccessible.Role.ListItem] * 2
    assert [row.text(IDENTIFIER) for row in rows] == ["row:0", "row:1"]
    assert rows[0].text(NAME).endswith(", hello")
    assert rows[1].text(NAME).endswith(", Edit a.py, +6 −2 · 4 ms")
    assert [found.indexOfChild(row) for row in rows] == [0, 1]
    assert not rows[0].rect().intersects(rows[1].rect())


def test_what_can_be_clicked_is_a_named_button_of_its_row(view: TranscriptView) -> None:
    view.set_expanded("row:1", True)
    row = QAccessible.queryAccessibleInterface(view).child(1)
    buttons = [row.child(number) for number in range(row.childCount())]
    assert [(button.role(), button.text(IDENTIFIER), button.text(NAME)) for button in buttons] == [
        (QAccessible.Role.Button, "row_toggle", "Close Edit a.py"), (QAccessible.Role.Button, "code_copy", "Copy"),
    ]  # fmt: skip
    target = view.target("row:1", "code_copy")
    assert target is not None
    assert buttons[1].rect().size() == target.size()
    assert row.indexOfChild(buttons[1]) == 1


def test_rows_that_went_are_not_valid(view: TranscriptView) -> None:
    row = QAccessible.queryAccessibleInterface(view).child(1)
    view.open("ses_2")
    assert not row.isValid()
    assert QAccessible.queryAccessibleInterface(view).childCount() == 0


def test_the_current_row_has_the_focus(view: TranscriptView) -> None:
    found = QAccessible.queryAccessibleInterface(view)
    view.current_row = "row:1"
    assert found.focusChild().text(IDENTIFIER) == "row:1"
    assert found.childAt(*found.child(0).rect().center().toTuple()).text(IDENTIFIER) == "row:0"
