"""A row that grows looks the same as one that was written at once, whatever was kept of its pictures."""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.chats.transcript.painting.documents import code_document, extend_code
from desktop.ui.chats.transcript.painting.text_piece import DocumentPiece
from desktop.ui.chats.transcript.selection import Position
from desktop.ui.chats.transcript.view import TranscriptView
from tests.ui.transcript_log import SESSION, START, Log, look

TEXT = (
    "Some **prose** with `code`.\n\n- [x] done\n- open\n\n```python\ndef f(x: int) -> str:\n    return 'a' * x\n```\n\n"
    "> a quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\n" + "wide " * 60 + "\n```\n\nThe end of it."
)


@pytest.fixture
def make(qtbot: QtBot, qapp: QApplication) -> Iterator[Callable[[], TranscriptView]]:
    look(qapp)
    windows: list[QWidget] = []

    def make() -> TranscriptView:
        window = QWidget()
        qtbot.addWidget(window)
        windows.append(window)
        window.resize(900, 800)
        view = TranscriptView(window, clock=lambda: START)
        view.resize(728, 700)
        view.open(SESSION)
        window.show()
        return view

    yield make
    for window in windows:
        window.hide()


def picture(view: TranscriptView) -> QImage:
    return view.grab().toImage()


def grown(view: TranscriptView, step: int) -> Log:
    """The text in pieces, each painted as it comes."""
    log = Log()
    log.user("go")
    view.hearing.take([log.opened()])
    for start in range(0, len(TEXT), step):
        view.hearing.take([log.delta(TEXT[start : start + step])])
        view.viewport().repaint()
    return log


@pytest.mark.parametrize("step", [7, 40])
def test_a_growing_answer_looks_like_one_written_at_once(
    make: Callable[[], TranscriptView], qtbot: QtBot, step: int
) -> None:
    slow, once = make(), make()
    grown(slow, step)
    grown(once, len(TEXT))
    qtbot.waitUntil(lambda: picture(slow) == picture(once))
    assert any(piece.picture is not None for piece in slow.layouts.layout_of(1).pieces)


def test_a_finished_answer_keeps_no_pictures_of_its_parts(make: Callable[[], TranscriptView], qtbot: QtBot) -> None:
    slow, once = make(), make()
    for view, step in ((slow, 20), (once, len(TEXT))):
        log = grown(view, step)
        view.hearing.take([log.says(TEXT)])
    qtbot.waitUntil(lambda: picture(slow) == picture(once))
    assert all(piece.picture is None for piece in slow.layouts.layout_of(1).pieces)


def test_a_selection_in_a_growing_answer_is_seen(make: Callable[[], TranscriptView]) -> None:
    view = make()
    grown(view, 20)
    before = picture(view)
    view.selection.select_text(Position("row:msg_1.0", 1, 0), Position("row:msg_1.0", 1, 10))
    view.viewport().update()
    assert picture(view) != before


def test_wide_code_of_a_growing_answer_scrolls_sideways(make: Callable[[], TranscriptView]) -> None:
    view = make()
    grown(view, 20)
    before = picture(view)
    piece = next(p for p in view.layouts.layout_of(1).pieces if isinstance(p, DocumentPiece) and p.wide)
    place = QPointF(view.column[0] + piece.x + 60, view.row_top(1) + piece.y + piece.height - 14)
    event = QWheelEvent(
        place, view.viewport().mapToGlobal(place), QPoint(), QPoint(-240, 0), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view.viewport(), event)
    assert picture(view) != before


@given(st.text("a \t\n\r\u202e\u0430\U0001f600", max_size=60), st.integers(0, 60))
def test_code_that_grows_is_shown_as_one_that_came_whole(qapp: QApplication, text: str, at: int) -> None:
    document = code_document(text[:at])
    assert extend_code(document, text[:at], text)
    assert document.toPlainText() == code_document(text).toPlainText()


def test_other_code_is_not_added_to_what_stands(qapp: QApplication) -> None:
    assert not extend_code(code_document("one\ntwo"), "one\ntwo", "eins\ntwo\nthree")
