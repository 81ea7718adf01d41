"""What a chat shows between the click that opens it and its last row."""

import pytest
from PySide6.QtWidgets import QApplication

from desktop.domain.core.work import Activity
from desktop.domain.events import TurnStarted
from desktop.domain.updates import ActivityChanged
from desktop.ui.chats.folds.model import TranscriptModel
from tests.ui.transcript_log import SESSION, START, Log


@pytest.fixture
def model(qapp: QApplication) -> TranscriptModel:
    model = TranscriptModel(clock=lambda: START)
    model.open(SESSION)
    return model


def running(detail: str = "") -> ActivityChanged:
    return ActivityChanged(session_id=SESSION, activity=Activity.RUNNING, detail=detail, since=START)


def test_a_chat_that_runs_shows_no_row_before_all_and_is_never_called_interrupted(model: TranscriptModel) -> None:
    log = Log()
    log.user("go")
    log.add(TurnStarted(turn_id="t"))
    seen: list[list[str]] = []
    model.rowsInserted.connect(lambda: seen.append([row.kind for row in model.rows]))
    model.hearing.take([running("pytest")])
    model.hearing.take([log.decided("c1", "pytest -q"), log.delta("half")])
    assert (model.rowCount(), model.live_line) == (0, "")
    model.hearing.take([running(), log.opened()])
    assert [row.kind for row in model.rows] == ["user", "calls"]
    assert model.rows[1].calls[0].state == "decided"
    assert model.live_line == "Running pytest"
    assert seen == []


def test_an_activity_in_the_same_batch_comes_before_the_rows(model: TranscriptModel) -> None:
    log = Log()
    log.add(TurnStarted(turn_id="t"))
    log.decided("c1")
    model.hearing.take([running(), log.opened()])
    assert [row.kind for row in model.rows] == ["calls"]


def test_a_new_chat_shows_its_first_events_as_they_come(model: TranscriptModel) -> None:
    log = Log()
    model.hearing.take([log.user("go"), running("pytest")])
    model.hearing.take([log.delta("Hello")])
    assert [row.text for row in model.rows] == ["go", "Hello"]
    assert model.live_line == "Running pytest"


def test_text_whose_beginning_was_missed_says_so_until_it_is_whole(model: TranscriptModel) -> None:
    log = Log()
    log.user("go")
    model.hearing.take([log.delta("The cookie ")])
    model.hearing.take([log.opened()])
    model.hearing.take([log.delta("is kept")])
    assert model.rows[-1].text == "…is kept"
    model.hearing.take([log.says("The cookie is kept.")])
    assert [row.text for row in model.rows] == ["go", "The cookie is kept."]
