"""Tables in the transcript: header, numbers, missing values, more rows, and copying as CSV."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextTable

from desktop.domain.core.content import TableBlock
from desktop.ui.chats.transcript.menu import entries
from desktop.ui.chats.transcript.painting.documents import table_document
from desktop.ui.chats.transcript.painting.text_piece import DocumentPiece
from desktop.ui.chats.transcript.view import TranscriptView
from tests.ui.transcript_log import Log, look

ORDERS = TableBlock(
    columns=("id", "note", "total"),
    rows=(("7", "paid, twice", "12.00"), ("9", "NULL", "8.50"), ("11", "NULL", "NULL")),
    nulls=((1, 1), (2, 2)),
    more=231,
)


@pytest.fixture
def log():
    log = Log()
    log.user("show the orders")
    log.call("c1", "Query orders", blocks=(ORDERS,))
    return log


@pytest.fixture
def view(qtbot, qapp, log):
    look(qapp)
    view = TranscriptView()
    qtbot.addWidget(view)
    view.resize(700, 600)
    view.show()
    view.open(log.session_id)
    view.hearing.take([log.opened()])
    return view


def cell(document, row, column):
    table = next(frame for frame in document.rootFrame().childFrames() if isinstance(frame, QTextTable))
    return table.cellAt(row, column).firstCursorPosition()


def test_a_missing_value_is_drawn_unlike_the_same_letters(qapp):
    look(qapp)
    document = table_document(ORDERS, 12)
    missing, letters = cell(document, 2, 1), cell(document, 3, 1)
    for place in (missing, letters):
        place.movePosition(place.MoveOperation.EndOfBlock, place.MoveMode.KeepAnchor)
    assert (missing.selectedText(), missing.charFormat().fontItalic()) == ("NULL", True)
    assert (letters.selectedText(), letters.charFormat().fontItalic()) == ("NULL", False)


def test_columns_of_numbers_stand_at_the_right(qapp):
    look(qapp)
    document = table_document(ORDERS, 12)
    right = [bool(cell(document, 1, n).blockFormat().alignment() & Qt.AlignmentFlag.AlignRight) for n in range(3)]
    assert right == [True, False, True]


def test_the_table_is_copied_as_csv_by_its_button_by_keys_and_by_the_menu(view):
    row = next(row for row in view.model.rows if row.calls)
    view.set_expanded(row.key, True)
    hits = view.layouts.layout_of(view.model.index_of(row.key)).hits
    name = next(hit.name for hit in hits if hit.name.startswith("code_copy_csv"))
    wanted = 'id,note,total\r\n7,"paid, twice",12.00\r\n9,,8.50\r\n11,NULL,\r\n'
    assert view.activate(row.key, name)
    assert QGuiApplication.clipboard().text() == wanted
    QGuiApplication.clipboard().clear()
    act = next(act for action, _title, act in entries(view, row) if action == "copy_csv")
    act()
    assert QGuiApplication.clipboard().text() == wanted


def test_rows_that_are_not_shown_are_counted(view):
    row = next(row for row in view.model.rows if row.calls)
    view.set_expanded(row.key, True)
    pieces = view.layouts.layout_of(view.model.index_of(row.key)).pieces
    texts = [piece.document.toPlainText() for piece in pieces if isinstance(piece, DocumentPiece)]
    assert "Showing 3 of 234 rows" in texts
