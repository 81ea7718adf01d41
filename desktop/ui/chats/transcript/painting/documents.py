"""Text documents of transcript rows: plain text, code, terminal output, diffs and tables, in the theme's look."""

import re
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextOption,
    QTextTableFormat,
)

from desktop.domain.core.content import TableBlock
from desktop.domain.display.links import is_safe_link
from desktop.domain.display.marks import text_marks
from desktop.domain.display.text import code_runs
from desktop.domain.terminals.looks import Look
from desktop.ui.text.ansi import Run, text_format
from desktop.ui.text.diff_lines import LineKind, ShownLine
from desktop.ui.text.markdown import StillDocument
from desktop.ui.text.safe_text import code_text, prose_line, safe_line, safe_text, write_runs
from desktop.ui.text.utf16 import to_units
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import BODY, CAPTION, LINE_HEIGHT, SPACE_1

MAX_LINE = 20_000
MAX_CELL = 200
_NUMBER = re.compile(r"[-+]?[0-9]{1,40}(?:[.,][0-9]{1,40})?(?:[eE][-+]?[0-9]{1,4})?")
_DIFF_GROUND: dict[LineKind, str] = {"add": "diff_add", "del": "diff_del"}
_DIFF_INK: dict[LineKind, str] = {"hunk": "muted", "meta": "muted"}


def _line_format(scale: float = BODY) -> QTextBlockFormat:
    shape = QTextBlockFormat()
    height = round(theme().font(scale).pixelSize() * LINE_HEIGHT)
    shape.setLineHeight(height, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
    return shape


def _ink(token: str) -> QTextCharFormat:
    look = QTextCharFormat()
    look.setForeground(theme().color(token))
    return look


def _unwrapped(document: QTextDocument) -> None:
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    option.setTabStopDistance(theme().mono().pixelSize() * 2.4)
    document.setDefaultTextOption(option)


def plain_document(
    text: str, color: str = "text", *, scale: float = BODY, show: Callable[[str], str] = safe_text
) -> QTextDocument:
    """Plain text, wrapped where needed, also inside long words. `show` makes it fit: `prose_lines` for what was written
    to be read, `said_text` for a sentence that quotes tokens."""
    document = StillDocument()
    document.setDefaultFont(theme().font(scale))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    document.setDefaultTextOption(option)
    cursor = QTextCursor(document)
    cursor.setBlockFormat(_line_format(scale))
    cursor.insertText(show(text), _ink(color))
    return document


def colour_words(document: QTextDocument, words: Sequence[str]) -> None:
    """Draw these words as links wherever they stand."""
    for word in words:
        found = document.find(word, 0, QTextDocument.FindFlag.FindCaseSensitively)
        while not found.isNull():
            found.mergeCharFormat(_ink("accent"))
            found = document.find(word, found, QTextDocument.FindFlag.FindCaseSensitively)


def strike(document: QTextDocument) -> None:
    """Draw a line through all of it."""
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    look = QTextCharFormat()
    look.setFontStrikeOut(True)
    cursor.mergeCharFormat(look)


def code_document(text: str) -> QTextDocument:
    """Text in the fixed font, not wrapped."""
    document = StillDocument()
    document.setDefaultFont(theme().mono())
    _unwrapped(document)
    write_runs(QTextCursor(document), code_runs(text, marks=text_marks(text)), _ink("text"))
    return document


def extend_code(document: QTextDocument, former: str, text: str) -> bool:
    """Show code in the document that shows the begin of it; False where that is something else. What comes first stays
    as it is: the last line with words is written again, as blanks behind it are counted."""
    begin = former.rfind("\n", 0, len(former.rstrip())) + 1
    if not text.startswith(former[:begin]):
        return False
    cursor = QTextCursor(document)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    shown = code_text(former[begin:])
    cursor.setPosition(cursor.position() - to_units(shown, len(shown)), QTextCursor.MoveMode.KeepAnchor)
    cursor.beginEditBlock()
    cursor.removeSelectedText()
    more = text[begin:]
    write_runs(cursor, code_runs(more, marks=text_marks(more)), _ink("text"))
    cursor.endEditBlock()
    return True


def console_document(lines: list[list[Run]]) -> QTextDocument:
    """Terminal output with its colours."""
    document = code_document("")
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    formats: dict[Look, QTextCharFormat] = {}
    for number, line in enumerate(lines):
        if number:
            cursor.insertText("\n", _ink("text"))
        for text, look in line:
            shown = formats.setdefault(look, text_format(look))
            cursor.insertText(safe_text(text[:MAX_LINE]), shown)
    cursor.endEditBlock()
    return document


def diff_document(lines: list[ShownLine]) -> QTextDocument:
    """Lines of a diff on their grounds; the signs stay part of the text."""
    document = code_document("")
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for number, line in enumerate(lines):
        shape = QTextBlockFormat()
        if line.kind in _DIFF_GROUND:
            shape.setBackground(theme().color(_DIFF_GROUND[line.kind]))
        if number:
            cursor.insertBlock(shape)
        else:
            cursor.setBlockFormat(shape)
        shown = line.text[:MAX_LINE]
        write_runs(cursor, code_runs(shown, marks=text_marks(shown)), _ink(_DIFF_INK.get(line.kind, "text")))
    cursor.endEditBlock()
    return document


def table_document(table: TableBlock, rows: int) -> QTextDocument:
    """The first rows of a table: header, cells cut at 200 characters, numbers at the right, no value as NULL."""
    document = StillDocument()
    document.setDefaultFont(theme().font(CAPTION))
    _unwrapped(document)
    if not table.columns:
        return document
    shape = QTextTableFormat()
    shape.setBorder(1)
    shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    shape.setBorderBrush(theme().color("border"))
    shape.setBorderCollapse(True)
    shape.setCellSpacing(0)
    shape.setCellPadding(theme().px(SPACE_1) + theme().px(2))
    shape.setHeaderRowCount(1)
    shown, nulls = table.rows[:rows], frozenset(table.nulls)
    numbers = _number_columns(table)
    cursor = QTextCursor(document)
    grid = cursor.insertTable(1 + len(shown), len(table.columns), shape)
    for column, name in enumerate(table.columns):
        head = QTextCharFormat()
        head.setFont(theme().font(CAPTION, semibold=True))
        head.setForeground(theme().color("muted"))
        cell = grid.cellAt(0, column)
        ground = QTextCharFormat()
        ground.setBackground(theme().color("sunken"))
        cell.setFormat(ground)
        _write_cell(cell.firstCursorPosition(), safe_line(name), head, right=column in numbers)
    for number, row in enumerate(shown):
        for column, value in enumerate(row[: len(table.columns)]):
            place = grid.cellAt(number + 1, column).firstCursorPosition()
            look = _no_value() if (number, column) in nulls else _ink("text")
            _write_cell(place, (prose_line if table.prose else safe_line)(value), look, right=column in numbers)
    return document


def _number_columns(table: TableBlock) -> frozenset[int]:
    """The columns that hold nothing but numbers, at least one."""
    nulls = frozenset(table.nulls)
    found = set()
    for column in range(len(table.columns)):
        cells = [row[column] for y, row in enumerate(table.rows) if column < len(row) and (y, column) not in nulls]
        if cells and all(_NUMBER.fullmatch(cell) for cell in cells):
            found.add(column)
    return frozenset(found)


def _no_value() -> QTextCharFormat:
    look = _ink("muted")
    look.setFontItalic(True)
    return look


def _write_cell(place: QTextCursor, text: str, look: QTextCharFormat, *, right: bool) -> None:
    if right:
        shape = QTextBlockFormat()
        shape.setAlignment(Qt.AlignmentFlag.AlignRight)
        place.setBlockFormat(shape)
    place.insertText(text if len(text) <= MAX_CELL else text[: MAX_CELL - 1] + "…", look)


def links_document(links: list[tuple[str, str]], note: str = "") -> QTextDocument:
    """One link a line: (what is shown, target); a target that cannot be opened is text. `note`: a last, muted line."""
    document = StillDocument()
    document.setDefaultFont(theme().font())
    cursor = QTextCursor(document)
    cursor.setBlockFormat(_line_format())
    for number, (label, target) in enumerate(links):
        look = _ink("text")
        if is_safe_link(target):
            look = _ink("accent")
            look.setAnchor(True)
            look.setAnchorHref(target)
        cursor.insertText(("\n" if number else "") + safe_line(label), look)
    if note:
        cursor.insertText(("\n" if links else "") + note, _ink("muted"))
    return document
