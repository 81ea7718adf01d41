"""A Markdown table that grows: the rows that came are written under those that stand already."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor, QTextDocument, QTextTable

from desktop.domain.display.direction import first_direction
from desktop.domain.display.markdown import Part, read_markdown
from desktop.domain.display.prose import span_text
from desktop.ui.text.markdown import write_spans
from desktop.ui.theme.tokens import BODY

_HEAD_LINES = 2


def extend_table(document: QTextDocument, former: str, text: str, color: str) -> bool:
    """Show a table in the document that shows `former`, the begin of its Markdown; False, and nothing is changed, where
    that does not look as if it was made at once: it is something else, or runs from the right."""
    lines = former.split("\n")
    table: QTextTable | None = QTextCursor(document.begin().next()).currentTable()
    if table is None or not text.startswith(former) or len(lines) <= _HEAD_LINES or table.rows() != len(lines) - 1:
        return False
    kept = len(lines) - (0 if text[len(former) :].startswith("\n") else 1)
    rest = text.split("\n")[kept:]
    if not rest or text == former:
        return text == former
    parts = read_markdown("\n".join([*lines[:_HEAD_LINES], *rest])).parts
    if not _is_like(table, parts, 1 + len(rest)):
        return False
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    if kept < len(lines):
        table.removeRows(table.rows() - 1, 1)
    first = table.rows()
    table.appendRows(len(rest))
    for number, row in enumerate(parts[0].rows[1:], first):
        for column, cell in enumerate(row):
            write_spans(table.cellAt(number, column).firstCursorPosition(), cell, BODY, color, heading=False)
    cursor.endEditBlock()
    return True


def _is_like(table: QTextTable, parts: list[Part], rows: int) -> bool:
    """Whether rows to be added were read as rows of this table, its head before them."""
    if len(parts) != 1 or parts[0].kind != "table" or len(parts[0].rows) != rows:
        return False
    if any(len(row) != table.columns() for row in parts[0].rows):
        return False
    words = "".join(span_text(cell) for row in parts[0].rows for cell in row)
    left = table.format().layoutDirection() != Qt.LayoutDirection.RightToLeft
    return left and first_direction(words) != "R"
