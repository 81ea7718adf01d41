"""Older events of a long chat come in slices that a person does not notice."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.chats.transcript.view import TranscriptView
from tests.ui.transcript_log import SESSION, START, Log, look


class Paints(QObject):
    """Counts how often a widget is painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let everything pass."""
        self.count += event.type() is QEvent.Type.Paint
        return False


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> Iterator[TranscriptView]:
    look(qapp)
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 700)
    view = TranscriptView(window, clock=lambda: START)
    view.resize(728, 500)
    view.open(SESSION)
    window.show()
    qtbot.waitExposed(window)
    yield view
    window.hide()


def long_chat(turns: int) -> Log:
    log = Log()
    for number in range(turns):
        log.user(f"question {number}")
        log.says(f"answer {number}", f"m{number}")
    return log


@pytest.mark.parametrize("scrolled", [0, 900])
def test_slices_above_the_view_paint_nothing(view: TranscriptView, qtbot: QtBot, scrolled: int) -> None:
    view.hearing.take([long_chat(1_500).opened()])
    qtbot.waitUntil(lambda: view.viewport().width() < view.width())
    assert not view.model.complete
    bar = view.verticalScrollBar()
    bar.setValue(bar.value() - scrolled)
    before = view.viewport().grab().toImage(), view.first_visible
    paints = Paints(view.viewport())
    qtbot.waitUntil(lambda: view.model.complete)
    assert view.model.rowCount() == 3_000
    assert paints.count <= 4
    assert (view.viewport().grab().toImage(), view.first_visible) == before


def test_a_slice_that_fills_the_view_is_painted(view: TranscriptView, qtbot: QtBot) -> None:
    view.hearing.take([long_chat(600).opened()])
    view.verticalScrollBar().setValue(0)
    qtbot.waitUntil(lambda: view.model.complete)
    view.verticalScrollBar().setValue(0)
    assert view.first_visible[0] == "row:0"


def test_a_slice_is_whole_or_not_there(view: TranscriptView, qtbot: QtBot) -> None:
    log = long_chat(1_000)
    counts: list[int] = []
    view.model.rowsInserted.connect(lambda parent, first, last: counts.append(last - first + 1))
    view.hearing.take([log.opened()])
    qtbot.waitUntil(lambda: view.model.complete)
    assert [row.text for row in view.model.rows] == [
        word for number in range(1_000) for word in (f"question {number}", f"answer {number}")
    ]
    assert len(counts) <= 10
