"""One answer for the same request in several lanes."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Envelope
from desktop.domain.gate.events import InputRevised
from desktop.domain.gate.pending import ApprovalRequest
from desktop.domain.updates import CommandFailed
from tests.ui.card_scenes import approval
from tests.ui.inbox_place import InboxPlace, asked, closed, envelope, place

CONTROL, RETURN = Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_Return


def same(number: int, **fields: object) -> ApprovalRequest:
    """The same command, in a lane of its own."""
    values = {"lane": f"lane-{number}", "digest": f"{number}" * 64, "risk": "medium", "undoable": "partly"}
    return approval(**{**values, **fields})


@pytest.fixture
def inbox(qtbot: QtBot, tmp_path: Path) -> InboxPlace:
    made = InboxPlace(tmp_path)
    qtbot.addWidget(made.owner)
    made.hear(*(asked(f"ses_{n}", n, same(n)) for n in (1, 2, 3)))
    made.open()
    return made


def tick(inbox: InboxPlace) -> None:
    inbox.get("inbox_same_tick").setChecked(True)
    inbox.settle()


def test_equal_requests_are_one_row_which_counts_all_of_them(inbox: InboxPlace) -> None:
    assert [row.detail for row in inbox.rows] == ["3 lanes: lane-1, lane-2, lane-3"]
    assert inbox.get("inbox_filter_all").text() == "All 3"
    assert inbox.get("inbox_same_lanes").text() == "lane-2, lane-3"


def test_without_the_tick_one_alone_is_answered(inbox: InboxPlace) -> None:
    inbox.key(RETURN)
    inbox.key(RETURN, CONTROL)
    assert [one.input_id for one in inbox.answers] == ["inp_1"]


@pytest.mark.promise("gate-N4")
def test_each_lane_gets_its_own_command_with_its_own_digest(inbox: InboxPlace) -> None:
    tick(inbox)
    inbox.key(RETURN)
    inbox.key(RETURN, CONTROL)
    told = [(one.session_id, one.input_id, one.digest[:1]) for one in inbox.answers]
    assert told == [("ses_1", "inp_1", "1"), ("ses_2", "inp_2", "2"), ("ses_3", "inp_3", "3")]
    assert len({one.command_id for one in inbox.answers}) == 3


@pytest.mark.promise("gate-N4")
def test_the_reason_of_a_no_goes_to_all_as_is_said_before(inbox: InboxPlace) -> None:
    assert "reason" not in inbox.get("inbox_same_lanes").text()
    tick(inbox)
    words = "lane-2, lane-3. With Decline, your reason goes to all 3 chats."
    assert inbox.get("inbox_same_lanes").text() == words
    assert inbox.get("inbox_same_tick").accessibleDescription() == words
    inbox.click("approval_decline")
    inbox.get("approval_decline_reason").setText("not on a Friday")
    inbox.click("approval_decline_confirm")
    answers = [(one.input_id, one.answer.outcome, one.answer.note) for one in inbox.answers]
    assert answers == [(name, "reject", "not on a Friday") for name in ("inp_1", "inp_2", "inp_3")]


def test_ticking_restarts_the_guard(inbox: InboxPlace) -> None:
    inbox.key(RETURN)
    inbox.get("inbox_same_tick").setChecked(True)
    inbox.settle()
    inbox.seconds.pass_ms(-1)
    inbox.key(RETURN, CONTROL)
    assert inbox.answers == []


def test_what_changed_meanwhile_is_left_open_and_named(inbox: InboxPlace) -> None:
    tick(inbox)
    inbox.key(RETURN)
    inbox.key(RETURN, CONTROL)
    third = inbox.answers[2]
    inbox.hear(closed("ses_1", 1), closed("ses_2", 2))
    inbox.hear(
        CommandFailed(command_id=third.command_id, code="digest_differs", text="It changed.", session_id="ses_3")
    )
    assert "lane-3" in inbox.get("inbox_note").text()
    assert [row.entry.session_id for row in inbox.rows] == ["ses_3"]


def test_a_lane_that_comes_clears_the_tick(inbox: InboxPlace) -> None:
    tick(inbox)
    inbox.hear(asked("ses_4", 4, same(4)))
    assert not inbox.get("inbox_same_tick").isChecked()
    assert inbox.get("inbox_same_lanes").text() == "lane-2, lane-3, lane-4"


@pytest.mark.promise("gate-N4")
def test_a_lane_of_another_repository_stands_apart(inbox: InboxPlace) -> None:
    inbox.places["ses_4"] = place("ses_4", "lane-4", project_id="prj_2", project_name="till")
    inbox.hear(asked("ses_4", 4, same(4)))
    assert [row.entry.number for row in inbox.rows] == [3, 1]
    assert inbox.get("inbox_same_lanes").text() == "lane-2, lane-3"


def test_one_that_is_revised_stands_apart(inbox: InboxPlace) -> None:
    tick(inbox)
    now = same(2, mode=PermissionMode.FULL_AUTO)
    revised: Envelope = envelope("ses_2", 60, InputRevised(input_id="inp_2", request=now))
    inbox.hear(revised)
    assert [row.entry.number for row in inbox.rows] == [2, 1]
    assert not inbox.get("inbox_same_tick").isChecked()


def test_a_grant_and_an_edit_count_for_one_lane_alone(inbox: InboxPlace) -> None:
    tick(inbox)
    inbox.click("approval_allow_session")
    assert [one.input_id for one in inbox.answers] == ["inp_1"]


def test_a_no_counts_for_all(inbox: InboxPlace) -> None:
    tick(inbox)
    inbox.key(RETURN)
    inbox.key(Qt.Key.Key_Backspace, CONTROL)
    assert [one.answer.outcome for one in inbox.answers] == ["reject"] * 3
