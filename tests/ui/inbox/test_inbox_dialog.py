"""The inbox: its list, its live card, its keys, and where the selection goes."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.domain.gate.pending import PlanReview
from desktop.domain.updates import CommandFailed
from desktop.ui.gate.cards.card import InputCard
from tests.ui.card_scenes import approval, questions
from tests.ui.inbox_place import InboxPlace, asked, closed, place
from tests.ui.shell_samples import find

CONTROL = Qt.KeyboardModifier.ControlModifier
RETURN = Qt.Key.Key_Return


@pytest.fixture
def inbox(qtbot: QtBot, tmp_path: Path) -> InboxPlace:
    made = InboxPlace(tmp_path)
    qtbot.addWidget(made.owner)
    return made


def alone(title: str, **fields: object) -> object:
    """A request that stands alone: it cannot be undone."""
    return approval(title, **{"undoable": "no", **fields})


def test_nothing_waits(inbox: InboxPlace) -> None:
    inbox.open()
    assert inbox.titles == []
    assert inbox.get("inbox_card").isVisible()
    assert not inbox.sees("inbox_go_to_chat")


def test_all_chats_are_listed_with_their_place(inbox: InboxPlace) -> None:
    inbox.places["ses_2"] = place("ses_2", "tidy", path=("Plan it", "Look at it"), chat_id="ses_1")
    inbox.places["ses_3"] = place("ses_3", "main", project_id="prj_2", project_name="till")
    inbox.hear(asked("ses_1", 1, alone("Run one")), asked("ses_2", 2, alone("Run two")))
    inbox.hear(asked("ses_3", 3, alone("Run three")))
    inbox.open()
    assert inbox.titles == ["Approve: run two", "Approve: run one", "Approve: run three"]
    where = [row.detail for row in inbox.rows]
    assert where == ["Plan it › Look at it · tidy", "Chat ses_1 · fix-login", "Chat ses_3 · main · till"]


@pytest.mark.parametrize("steps", range(8))
def test_what_comes_or_goes_while_it_opens_is_shown(inbox: InboxPlace, steps: int) -> None:
    inbox.hear(asked("ses_1", 1, alone("Run one")), asked("ses_2", 2, alone("Run two")))
    dialog = inbox.begin()
    for _ in range(steps):
        QApplication.processEvents()
    inbox.hear(asked("ses_3", 3, alone("Run three")), closed("ses_1", 1))
    dialog._opening.finish()
    inbox.settle()
    assert sorted(inbox.titles) == ["Approve: run three", "Approve: run two"]
    assert isinstance(dialog.pane.stage.card, InputCard)
    assert dialog.pane.stage.card.item.session_id == dialog.model.row_at(0).entry.session_id


def test_what_cannot_be_undone_comes_first_and_the_order_stands_still(inbox: InboxPlace) -> None:
    inbox.hear(asked("ses_1", 1, questions()), asked("ses_2", 2, alone("Run two")))
    inbox.open()
    assert inbox.titles == ["Approve: run two", "Question: Which dialect?"]
    inbox.hear(asked("ses_3", 3, approval("Drop it", irreversible=True, confirm_word="x")))
    inbox.hear(asked("ses_4", 4, PlanReview(call_id="c", plan="# Do it")))
    assert inbox.titles[2:] == ["Approve: drop it", "Plan to review"]
    assert inbox.get("inbox_sort_again").text() == "2 new · Sort again"
    inbox.click("inbox_sort_again")
    assert inbox.titles == ["Approve: drop it", "Approve: run two", "Plan to review", "Question: Which dialect?"]
    assert not inbox.sees("inbox_sort_again")


def test_keys_answer_one_after_the_other_and_the_selection_moves_on(inbox: InboxPlace) -> None:
    inbox.hear(*(asked(f"ses_{n}", n, alone(f"Run {n}")) for n in (1, 2, 3)))
    inbox.open()
    for number in (1, 2, 3):
        assert inbox.card_id == f"inp_{number}"
        if number == 1:
            inbox.key(RETURN)
        inbox.key(RETURN, CONTROL)
        assert [one.input_id for one in inbox.answers] == [f"inp_{n}" for n in range(1, number + 1)]
        inbox.hear(closed(f"ses_{number}", number))
        inbox.settle()
    assert inbox.titles == []
    assert QApplication.focusWidget() is inbox.dialog, "an empty list is not shown"
    inbox.hear(asked("ses_4", 4, alone("Run 4")))
    inbox.settle()
    assert QApplication.focusWidget() is inbox.get("inbox_list")


def test_nothing_typed_in_the_list_answers(inbox: InboxPlace) -> None:
    inbox.hear(asked("ses_1", 1, alone("Run one")))
    inbox.open()
    for key in (RETURN, Qt.Key.Key_Space, Qt.Key.Key_Y, Qt.Key.Key_1):
        inbox.get("inbox_list").setFocus()
        inbox.key(key)
    inbox.get("inbox_list").setFocus()
    inbox.key(RETURN, CONTROL)
    inbox.key(Qt.Key.Key_Backspace, CONTROL)
    assert inbox.answers == []


def test_the_guard_holds_after_the_selection_has_moved(inbox: InboxPlace) -> None:
    inbox.hear(asked("ses_1", 1, alone("Run one")), asked("ses_2", 2, alone("Run two")))
    inbox.open()
    inbox.key(RETURN)
    inbox.key(RETURN, CONTROL)
    inbox.hear(closed("ses_1", 1))
    inbox.settle()
    inbox.seconds.pass_ms(-1)
    inbox.key(RETURN, CONTROL)
    assert [one.input_id for one in inbox.answers] == ["inp_1"]
    inbox.key(RETURN, CONTROL)
    assert [one.input_id for one in inbox.answers] == ["inp_1", "inp_2"]


def test_escape_leaves_the_card_then_the_inbox(inbox: InboxPlace) -> None:
    inbox.hear(asked("ses_1", 1, alone("Run one")))
    inbox.open()
    inbox.key(RETURN)
    inbox.key(Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is inbox.get("inbox_list")
    inbox.key(Qt.Key.Key_Escape)
    assert not inbox.is_open


def test_filters_show_one_kind_and_count(inbox: InboxPlace) -> None:
    inbox.hear(asked("ses_1", 1, alone("Run one")), asked("ses_2", 2, questions()))
    inbox.open()
    names = ("all", "approvals", "questions", "plans")
    assert [inbox.get(f"inbox_filter_{one}").text() for one in names] == [
        "All 2",
        "Approvals 1",
        "Questions 1",
        "Plans",
    ]
    inbox.click("inbox_filter_questions")
    assert inbox.titles == ["Question: Which dialect?"]
    assert inbox.sees("question_card")
    inbox.click("inbox_filter_plans")
    assert inbox.titles == []


def test_going_to_the_chat_closes_the_inbox(inbox: InboxPlace) -> None:
    inbox.places["ses_2"] = place("ses_2", chat_id="ses_1", path=("One", "Two"))
    inbox.hear(asked("ses_2", 2, alone("Run two")))
    dialog = inbox.open()
    told: list[tuple[str, str]] = []
    dialog.chat_asked.connect(lambda chat, path: told.append((chat, path)))
    inbox.click("inbox_go_to_chat")
    assert told == [("ses_1", "/src/shop")]
    assert not inbox.is_open


def test_declining_all_of_a_chat_asks_once_and_answers_each(inbox: InboxPlace) -> None:
    inbox.hear(*(asked("ses_1", n, alone(f"Run {n}", digest=f"{n}" * 64)) for n in (1, 2)))
    inbox.hear(asked("ses_2", 3, alone("Run 3")))
    inbox.open()
    inbox.click("inbox_decline_all")
    assert inbox.get("inbox_decline_all_go").text() == "Decline 2 requests"
    inbox.click("inbox_decline_all_go")
    told = [(one.input_id, one.answer.outcome, one.digest[:1]) for one in inbox.answers]
    assert told == [("inp_1", "reject", "1"), ("inp_2", "reject", "2")]


def test_an_answer_that_came_too_late_is_told_and_the_card_goes(inbox: InboxPlace) -> None:
    inbox.hear(asked("ses_1", 1, alone("Run one")))
    inbox.open()
    inbox.key(RETURN)
    inbox.key(RETURN, CONTROL)
    (sent,) = inbox.answers
    inbox.hear(CommandFailed(command_id=sent.command_id, code="input_closed", text="Gone.", session_id="ses_1"))
    assert inbox.titles == []
    assert inbox.get("inbox_note").text() == "This request is no longer open."


def test_the_inbox_leads_to_the_rules_that_would_have_answered(qtbot: QtBot, inbox: InboxPlace) -> None:
    dialog = inbox.open()
    with qtbot.waitSignal(dialog.rules_asked, timeout=5_000):
        QTest.mouseClick(find(dialog, "inbox_rules"), Qt.MouseButton.LeftButton)
