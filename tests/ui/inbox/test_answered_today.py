"""What was answered today, and the way to take back what it led to."""

from datetime import UTC
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.domain.core.update import Update
from desktop.domain.gate.pending import Answer
from desktop.domain.inbox.answered import AnsweredCard
from desktop.domain.inbox.commands import LoadAnswered
from desktop.domain.inbox.updates import AnsweredLoaded
from desktop.domain.ledger.commands import LoadLedger, PlanUndo, RunUndo
from desktop.domain.ledger.effects import Effect
from desktop.domain.ledger.updates import LedgerLoaded, PlannedEntry, UndoPlanned
from desktop.domain.undo.steps import TreeStep
from tests.ui.card_scenes import NOW, approval, questions
from tests.ui.inbox_place import InboxPlace, asked, closed, place

ALLOWED = AnsweredCard("inp_1", "ses_1", "call_1", approval("npm test"), Answer(outcome="allow_once"), NOW, "ab" * 32)
NO = AnsweredCard("inp_2", "ses_2", "call_2", approval("rm it"), Answer(outcome="reject"), NOW, "cd" * 32)


@pytest.fixture
def inbox(qtbot: QtBot, tmp_path: Path) -> InboxPlace:
    made = InboxPlace(tmp_path)
    qtbot.addWidget(made.owner)
    return made


def reply(inbox: InboxPlace, kind: type, make: type, **fields: object) -> None:
    """The engine answers the last command of this kind."""
    command = [one for one in inbox.sink.sent if isinstance(one, kind)][-1]
    told: Update = make(command_id=command.command_id, **fields)
    inbox.hear(told)
    inbox.settle()


def show(inbox: InboxPlace, *cards: AnsweredCard) -> None:
    inbox.open()
    inbox.click("inbox_filter_answered")
    places = tuple(place(card.session_id) for card in cards)
    reply(inbox, LoadAnswered, AnsweredLoaded, answered=cards, places=places)


def test_the_answers_since_midnight_are_listed_with_what_was_said(inbox: InboxPlace) -> None:
    question = AnsweredCard("inp_3", "ses_9", "call_3", questions(), Answer(outcome="answered"), NOW)
    inbox.open()
    inbox.click("inbox_filter_answered")
    (asked_for,) = [one for one in inbox.sink.sent if isinstance(one, LoadAnswered)]
    midnight = NOW.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    assert asked_for.since == midnight
    assert asked_for.since.tzinfo is UTC
    places = (place("ses_1"), place("ses_2"))
    reply(inbox, LoadAnswered, AnsweredLoaded, answered=(ALLOWED, NO, question), places=places)
    assert inbox.titles == ["npm test", "rm it", "Which dialect?"]
    said = [row.entry.facts for row in inbox.rows]
    assert said == [("allowed once",), ("declined",), ("answered",)]
    assert inbox.rows[2].detail == "a deleted chat"
    assert inbox.get("inbox_filter_answered").text() == "Answered today 3"
    assert inbox.get("inbox_filter_all").text() == "All"
    assert not inbox.sees("inbox_snooze")


def test_nothing_answered_says_so(inbox: InboxPlace) -> None:
    show(inbox)
    words = [one.text() for one in inbox.get("inbox_card").findChildren(QLabel) if one.isVisible()]
    assert "You answered nothing today." in words
    assert inbox.titles == []


def effect(**fields: object) -> Effect:
    values = {"effect_id": "call_1", "session_id": "ses_1", "seq": 1, "at": NOW, "kind": "files", "what": "npm test"}
    return Effect.model_validate({**values, **fields})


def test_what_can_be_taken_back_is_shown_first_and_then_done(inbox: InboxPlace) -> None:
    show(inbox, ALLOWED)
    assert not inbox.sees("inbox_undo")
    step = TreeStep(then="1" * 40, now="2" * 40)
    stands = effect(undoable="yes", state="standing", steps=(step,))
    reply(inbox, LoadLedger, LedgerLoaded, session_id="ses_1", effects=(stands,))
    inbox.click("inbox_undo")
    entry = PlannedEntry(effect_id="call_1", what="npm test", verdict="undo", text="Put back: a.txt.")
    planned = {"session_id": "ses_1", "effect_id": "call_1", "reach": "this", "digest": "d", "entries": (entry,)}
    reply(inbox, PlanUndo, UndoPlanned, **planned)
    inbox.click("undo_go")
    (run,) = [one for one in inbox.sink.sent if isinstance(one, RunUndo)]
    assert (run.effect_id, run.digest, run.reach) == ("call_1", "d", "this")
    reply(inbox, RunUndo, LedgerLoaded, session_id="ses_1", effects=(effect(state="undone"),), told="1 change undone.")
    assert inbox.get("inbox_note").text() == "1 change undone."
    assert not inbox.sees("inbox_undo")


def test_a_no_has_nothing_to_take_back(inbox: InboxPlace) -> None:
    show(inbox, NO)
    assert not [one for one in inbox.sink.sent if isinstance(one, LoadLedger)]
    assert not inbox.sees("inbox_undo")


def test_it_is_read_again_when_something_is_answered_meanwhile(inbox: InboxPlace) -> None:
    inbox.hear(asked("ses_5", 5, approval("Run it", undoable="no")))
    show(inbox, ALLOWED)
    inbox.hear(closed("ses_5", 5))
    assert len([one for one in inbox.sink.sent if isinstance(one, LoadAnswered)]) == 2
