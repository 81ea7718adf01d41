"""What rows say of calls that a person looked back on, or took back."""

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.domain.core.content import Card
from desktop.domain.core.permissions import Category, PermissionMode
from desktop.domain.events import InputRequested
from desktop.domain.gate.events import RevertedFile, ReviewFlagged, ReviewReverted
from desktop.domain.gate.pending import ApprovalRequest
from desktop.domain.updates import SessionOpened
from desktop.ui.chats.folds.model import TranscriptModel
from desktop.ui.chats.folds.rows import Call
from tests.ui.transcript_log import SESSION, START, Log

LINE = "You took back what a call had changed: app.py"


@pytest.fixture
def model(qapp: QApplication) -> TranscriptModel:
    model = TranscriptModel(clock=lambda: START)
    model.open(SESSION)
    return model


def made() -> Log:
    """Two calls that ran in full auto and wait to be looked back on."""
    log = Log()
    for call_id in ("c1", "c2"):
        log.call(call_id, "Edit app.py", category="write", review_after=True)
        request = ApprovalRequest(
            call_id=call_id, card=Card(title="Edit app.py"), category=Category.WRITE, reason="", rule="mode",
            mode=PermissionMode.FULL_AUTO, digest="d", blocking=False,
        )  # fmt: skip
        log.add(InputRequested(input_id=f"i{call_id}", call_id=call_id, request=request))
    return log


def looked_back(log: Log) -> None:
    log.add(ReviewFlagged(input_ids=("ic1",)))
    log.add(ReviewReverted(call_id="c2", files=(RevertedFile(path="app.py", sha256="0" * 64),)))


def calls(model: TranscriptModel) -> list[Call]:
    return [call for row in model.rows if row.kind == "calls" for call in row.calls]


def marks(model: TranscriptModel) -> list[tuple[bool, bool]]:
    return [(call.review_after, call.taken_back) for call in calls(model)]


def test_rows_that_were_looked_back_on_wait_no_more_and_what_was_taken_back_is_a_row(model: TranscriptModel) -> None:
    log = made()
    model.hearing.take([log.opened()])
    assert marks(model) == [(True, False), (True, False)]
    before = len(log.envelopes)
    looked_back(log)
    model.hearing.take(log.envelopes[before:])
    assert marks(model) == [(False, False), (False, True)]
    assert [row.text for row in model.rows if row.kind == "notice"] == [LINE]


def test_the_same_is_told_when_the_calls_come_with_an_older_slice(model: TranscriptModel, qtbot: QtBot) -> None:
    log = made()
    cut = len(log.envelopes)
    looked_back(log)
    older, newest = tuple(log.envelopes[:cut]), tuple(log.envelopes[cut:])
    model.hearing.take([SessionOpened(session_id=SESSION, envelopes=newest, complete=False)])
    model.hearing.take([SessionOpened(session_id=SESSION, envelopes=older, first=False)])
    qtbot.waitUntil(lambda: model.complete, timeout=25_000)
    assert marks(model) == [(False, False), (False, True)]
    assert [row.text for row in model.rows if row.kind == "notice"] == [LINE]
