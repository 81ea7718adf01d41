"""What is put off, and what needs a second look."""

from datetime import timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from desktop.domain.events import Envelope
from desktop.domain.gate.events import InputRevised
from desktop.domain.updates import SessionsChanged
from desktop.ui.inbox.marks import InboxMarks
from tests.ui.card_scenes import approval
from tests.ui.inbox_place import InboxPlace, asked, closed, envelope
from tests.ui.shell_samples import make_chat

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def alone(number: int, **fields: object):
    return approval(f"Run {number}", **{"undoable": "no", **fields})


@pytest.fixture
def inbox(qtbot: QtBot, tmp_path: Path) -> InboxPlace:
    made = InboxPlace(tmp_path)
    qtbot.addWidget(made.owner)
    made.hear(*(asked(f"ses_{n}", n, alone(n)) for n in (1, 2, 3)))
    return made


def snooze(inbox: InboxPlace, how: str) -> None:
    """Choose from the menu that its key opens."""
    inbox.get("inbox_list").setFocus()
    inbox.key(Qt.Key.Key_S)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    next(one for one in menu.actions() if one.objectName() == f"inbox_snooze_{how}").trigger()
    menu.close()
    inbox.settle()


def told(inbox: InboxPlace) -> list[str]:
    due: list[str] = []
    inbox.marks.due.connect(due.append)
    return due


def test_what_is_put_off_still_waits_is_counted_and_the_selection_moves_on(inbox: InboxPlace) -> None:
    inbox.open()
    snooze(inbox, "15")
    assert inbox.card_id == "inp_2"
    assert inbox.inputs.count == 3
    words = [inbox.get(f"inbox_filter_{name}").text() for name in ("all", "snoozed")]
    assert words == ["All 3", "Snoozed 1"]
    (row,) = [row for row in inbox.rows if row.muted]
    assert row.entry.inputs[0].input_id == "inp_1"
    assert "snoozed until" in row.last
    inbox.click("inbox_filter_snoozed")
    assert inbox.card_id == "inp_1"
    snooze(inbox, "wake")
    assert inbox.rows == ()


def test_it_stands_last_when_the_inbox_opens_again(inbox: InboxPlace) -> None:
    dialog = inbox.open()
    snooze(inbox, "60")
    dialog.close()
    inbox.open()
    assert [row.entry.inputs[0].input_id for row in inbox.rows] == ["inp_2", "inp_3", "inp_1"]


def test_it_is_told_when_its_time_has_come_once(qtbot: QtBot, inbox: InboxPlace) -> None:
    due = told(inbox)
    inbox.open()
    snooze(inbox, "15")
    inbox.now += timedelta(minutes=14)
    inbox.hear(asked("ses_9", 9, alone(9)))
    assert due == []
    inbox.now += timedelta(minutes=1)
    inbox.hear(asked("ses_9", 10, alone(10)))
    inbox.hear(asked("ses_9", 11, alone(11)))
    assert due == ["inp_1"]
    assert not any(row.muted for row in inbox.rows)


def test_until_something_changes_ends_with_another_text_or_another_request_of_the_chat(inbox: InboxPlace) -> None:
    due = told(inbox)
    inbox.open()
    snooze(inbox, "change")
    snooze(inbox, "change")
    inbox.hear(asked("ses_9", 9, alone(9)))
    assert due == []
    revised: Envelope = envelope("ses_1", 60, InputRevised(input_id="inp_1", request=alone(1, reason="Another rule.")))
    inbox.hear(revised)
    assert due == ["inp_1"]
    inbox.hear(asked("ses_2", 20, alone(20)))
    assert due == ["inp_1", "inp_2"]


def test_marks_survive_a_restart_and_leave_with_the_answer(inbox: InboxPlace, qtbot: QtBot) -> None:
    inbox.open()
    snooze(inbox, "60")
    inbox.get("inbox_list").setFocus()
    inbox.key(Qt.Key.Key_L)
    (row,) = [row for row in inbox.rows if "second look" in row.last]
    assert row.entry.inputs[0].input_id == "inp_2"
    owner = QWidget()
    qtbot.addWidget(owner)
    again = InboxMarks(inbox.settings, lambda: inbox.now, inbox.inputs, owner)
    entries = {row.entry.inputs[0].input_id: row.entry for row in inbox.rows}
    assert again.snoozed(entries["inp_1"]).startswith("snoozed until")
    assert again.marked(entries["inp_2"])
    inbox.hear(closed("ses_1", 1), closed("ses_2", 2))
    assert not again.snoozed(entries["inp_1"])
    assert not again.marked(entries["inp_2"])


def test_a_chat_that_a_restart_cut_off_stays_put_off(inbox: InboxPlace) -> None:
    inbox.open()
    snooze(inbox, "60")
    session_id = "ses_1"
    cut = make_chat(1, "One", interrupted=True).model_copy(update={"session_id": session_id})
    inbox.hear(closed(session_id, 1, outcome="cancelled", reason="restart"), SessionsChanged(sessions=(cut,)))
    (row,) = [row for row in inbox.rows if row.entry.kind == "interrupted"]
    assert row.muted


def test_what_cannot_be_read_of_the_marks_is_no_mark(inbox: InboxPlace) -> None:
    inbox.settings.setValue("inbox/marks", "{broken")
    inbox.open()
    assert not any(row.muted for row in inbox.rows)
