"""Two hundred requests of fifty chats: the list is what the log says, and each batch costs no more than its rows."""

from pathlib import Path
from random import Random

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.domain.events import Envelope
from desktop.domain.gate.pending import PlanReview
from desktop.domain.history.state_of import SessionState, fold
from desktop.ui.widgets.empty_state import EmptyState
from tests.ui.card_scenes import approval, questions
from tests.ui.inbox_place import InboxPlace, asked, closed

CHATS, INPUTS = 50, 200


@pytest.fixture
def inbox(qtbot: QtBot, tmp_path: Path) -> InboxPlace:
    made = InboxPlace(tmp_path)
    qtbot.addWidget(made.owner)
    return made


def story(seed: int) -> list[Envelope]:
    """Requests of all kinds, asked and closed in a random order."""
    random, found, opened = Random(seed), list[Envelope](), list[tuple[str, int]]()
    for number in range(INPUTS):
        chat = f"ses_{random.randrange(CHATS)}"
        plan = PlanReview(call_id="c", plan="# Do it")
        same = approval("Run the tests", risk="low", lane=f"lane-{chat}")
        own = approval(f"Run {number}", undoable=random.choice(["no", "partly", "yes"]))
        found.append(asked(chat, number, random.choice([plan, same, own, questions()])))
        opened.append((chat, number))
        if opened and random.random() < 0.4:
            gone = opened.pop(random.randrange(len(opened)))
            found.append(closed(*gone, outcome=random.choice(["allow_once", "reject"])))
    return found


def in_the_log(events: list[Envelope]) -> set[str]:
    """What is open, as the fold of each chat says, which is what the store keeps."""
    states: dict[str, SessionState] = {}
    for one in events:
        states[one.session_id] = fold(states.get(one.session_id, SessionState.begin(one.session_id)), one)
    return {input_id for state in states.values() for input_id in state.open_inputs}


def listed(inbox: InboxPlace) -> set[str]:
    return {item.input_id for row in inbox.rows for item in row.entry.inputs}


@pytest.mark.promise("gate-N2")
def test_the_list_equals_the_open_inputs_at_every_moment(inbox: InboxPlace) -> None:
    events = story(7)
    inbox.open()
    for at, event in enumerate(events):
        inbox.hear(event)
        if at % 9 == 0 or at == len(events) - 1:
            assert listed(inbox) == in_the_log(events[: at + 1])
    assert inbox.inputs.count == sum(row.entry.number for row in inbox.rows)


def test_a_batch_makes_one_card_at_most_and_nothing_where_it_tells_of_other_things(inbox: InboxPlace) -> None:
    inbox.hear(*(asked(f"ses_{n % CHATS}", n, approval(f"Run {n}", undoable="no")) for n in range(INPUTS)))
    dialog = inbox.open()
    made: list[QWidget | None] = []
    dialog.pane.stage.shown.connect(lambda: made.append(dialog.pane.stage.card))
    inbox.hear(asked("ses_1", INPUTS + 1, approval("Run more", undoable="no")))
    assert made == [], "the card on screen stays as it is"
    changed: list[int] = []
    dialog.model.dataChanged.connect(lambda first, last: changed.append(last.row() - first.row() + 1))
    inbox.hear(asked("ses_2", INPUTS + 2, approval("Run most", undoable="no")))
    assert changed == [], "no row that was there is painted anew"
    inbox.hear(closed("ses_0", 0))
    assert len(made) == 1


def test_the_inbox_opens_in_steps_and_says_at_none_that_nothing_waits(inbox: InboxPlace) -> None:
    inbox.hear(*(asked(f"ses_{n % CHATS}", n, approval(f"Run {n}", undoable="no")) for n in range(INPUTS)))
    dialog = inbox.begin()
    assert (inbox.titles, inbox.card_id) == ([], ""), "neither is made before the window shows"
    inbox.hear(asked("ses_1", INPUTS + 1, approval("Run more", undoable="no")), closed("ses_0", 0))
    listed_first: list[int] = []
    dialog.pane.stage.shown.connect(lambda: listed_first.append(len(inbox.rows)))
    nothing = [one for one in dialog.findChildren(EmptyState) if one.isVisible()]
    while not inbox.card_id:
        QApplication.processEvents()
        nothing += [one for one in dialog.findChildren(EmptyState) if one.isVisible()]
    assert (listed_first, nothing) == ([INPUTS], [])
    assert listed(inbox) == {item.input_id for item in inbox.inputs.items()}
    assert not inbox.sees("inbox_sort_again"), "what came meanwhile stands in its place"


def test_a_key_that_comes_while_the_inbox_opens_is_heard(inbox: InboxPlace) -> None:
    inbox.hear(*(asked(f"ses_{n % CHATS}", n, approval(f"Run {n}", undoable="no")) for n in range(INPUTS)))
    dialog = inbox.begin()
    QTest.keyClick(inbox.get("inbox_list"), Qt.Key.Key_Return)
    assert inbox.card_id
    assert dialog.focusWidget() is dialog.pane.stage.card
    assert inbox.answers == []
