"""Markdown prose for painting, as text documents."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextLength,
    QTextList,
    QTextListFormat,
    QTextTable,
    QTextTableFormat,
)

from desktop.domain.display.direction import first_direction, has_right_to_left
from desktop.domain.display.markdown import Part, read_markdown
from desktop.domain.display.prose import Span, Style, span_text
from desktop.ui.text.safe_text import isolated, run_format, without_isolates
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import BODY, CAPTION, LINE_HEIGHT, PAGE, SPACE_1, SPACE_2, SPACE_5, TITLE

_HEADING_SCALE = {1: PAGE, 2: TITLE, 3: TITLE}


class StillDocument(QTextDocument):
    """A text document that never loads anything and keeps no undo history.

    `tasks`: which of its blocks are items of a task list, and whether each is done; the boxes are painted over it.
    `looks`: formats that its prose has, as one is slow to make.
    """

    def __init__(self) -> None:
        super().__init__()
        self.tasks: list[tuple[int, bool]] = []
        self.looks: dict[tuple[Style, float, str, bool], QTextCharFormat] = {}
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)

    def loadResource(self, kind: int, url: QUrl | str) -> object:
        """None for every address: no picture and no style sheet is ever fetched or read."""
        return None


def prose_document(text: str, color: str = "text", *, shift: int = 0) -> StillDocument:
    """Markdown prose as a document in the theme's fonts and colours: the parts of `read_markdown`, safe links only.
    `shift`: see MarkdownBlock."""
    document = StillDocument()
    document.setDefaultFont(theme().font())
    document.setIndentWidth(theme().px(SPACE_5))
    add_prose(document, text, color, shift=shift)
    return document


def add_prose(document: StillDocument, text: str, color: str = "text", *, more: bool = False, shift: int = 0) -> None:
    """Add Markdown prose to the end of a document of ours. `more`: it is not the last, some will be added after it."""
    cursor = QTextCursor(document)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    begins = document.isEmpty()
    cursor.beginEditBlock()
    parts = [_shifted(part, shift) for part in read_markdown(text).parts if part.kind != "rule"]
    fresh = begins
    for number, part in enumerate(parts):
        last = number == len(parts) - 1 and not more
        if part.kind == "table":
            _add_table(cursor, part, color)
        elif part.kind == "code":
            _add_code(cursor, part, color, last=last)
        else:
            _add_block(cursor, part, color, first=fresh, last=last)
        fresh = part.kind == "code"
    cursor.endEditBlock()


def _shifted(part: Part, shift: int) -> Part:
    number = part.marker[:-1]
    if not shift or part.indent != 1 or not number.isdecimal():
        return part
    return replace(part, marker=f"{int(number) + shift}{part.marker[-1]}")


def shown_text(document: QTextDocument) -> str:
    """The text that a prose document shows: markers of lists included, cells of a table parted by a bar."""
    lines: list[str] = []
    row: tuple[int, int] = (-1, -1)
    block = document.begin()
    while block.isValid():
        table: QTextTable | None = QTextCursor(block).currentTable()
        text = without_isolates(block.text()).replace("\u2028", "\n")
        if table is None:
            lines += [f"{_marker(document, block)}{text}".rstrip(" ")] if text or block.textList() else []
        else:
            place = (table.firstPosition(), table.cellAt(block.position()).row())
            lines[len(lines) - (place == row) :] = [f"{lines[-1]} | {text}" if place == row else text]
            row = place
        block = block.next()
    return "\n".join(lines)


def _marker(document: QTextDocument, block: QTextBlock) -> str:
    items: QTextList | None = block.textList()
    if items is None:
        return ""
    done = dict(document.tasks).get(block.blockNumber()) if isinstance(document, StillDocument) else None
    if done is not None:
        return "☑ " if done else "☐ "
    if items.format().style() == QTextListFormat.Style.ListDisc:
        return "• "
    return f"{items.itemText(block)} "


def _add_block(cursor: QTextCursor, part: Part, color: str, *, first: bool, last: bool) -> None:
    look = theme()
    scale = _HEADING_SCALE.get(part.level, BODY)
    shape = QTextBlockFormat()
    height = round(look.font(scale).pixelSize() * LINE_HEIGHT)
    shape.setLineHeight(height, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
    shape.setHeadingLevel(part.level)
    shape.setBottomMargin(0 if last else look.px(SPACE_1 if part.indent else SPACE_2))
    shape.setTopMargin(look.px(SPACE_2) if part.level and not first else 0)
    shape.setIndent(0 if part.marker else part.indent)
    shape.setLayoutDirection(_direction(part.spans))
    if first:
        cursor.setBlockFormat(shape)
    else:
        cursor.insertBlock(shape, QTextCharFormat())
    items: QTextList | None = cursor.currentList()
    if items is not None:
        items.remove(cursor.block())
        cursor.setBlockFormat(shape)
    if part.marker:
        _add_marker(cursor, part)
    write_spans(cursor, part.spans, scale, color, heading=part.level > 0)


def _add_code(cursor: QTextCursor, part: Part, color: str, *, last: bool) -> None:
    """Code in a box of its own, as wide as there is room; what is written behind it begins in a new block."""
    look = theme()
    shape = QTextTableFormat()
    shape.setBorder(1 if look.tokens.is_outlined else 0)
    shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    shape.setBorderBrush(look.color("border"))
    shape.setCellSpacing(0)
    shape.setCellPadding(look.px(SPACE_2))
    shape.setLeftMargin(part.indent * cursor.document().indentWidth())
    shape.setBottomMargin(0 if last else look.px(SPACE_2))
    shape.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    box = cursor.insertTable(1, 1, shape).cellAt(0, 0)
    ground = box.format()
    ground.setBackground(look.color("sunken"))
    box.setFormat(ground)
    cell = box.firstCursorPosition()
    lines = QTextBlockFormat()
    lines.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    cell.setBlockFormat(lines)
    labelled = len(part.spans) > 1 and part.spans[1].run.text == "\n"
    if labelled:
        write_spans(cell, part.spans[:1], CAPTION, "muted", heading=False)
    write_spans(cell, part.spans[labelled:], BODY, color, heading=False)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    end = QTextBlockFormat()
    end.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    cursor.setBlockFormat(end)


def _add_marker(cursor: QTextCursor, part: Part) -> None:
    """A list of its own for each item: its number is the one that is read, whatever stands before it."""
    shape = QTextListFormat()
    shape.setIndent(part.indent)
    number = part.marker[:-1]
    if part.marker in ("☐", "☑"):
        shape.setStyle(QTextListFormat.Style.ListStyleUndefined)
    elif number.isdecimal():
        shape.setStyle(QTextListFormat.Style.ListDecimal)
        shape.setStart(int(number))
        shape.setNumberSuffix(part.marker[-1])
    else:
        shape.setStyle(QTextListFormat.Style.ListDisc)
    cursor.createList(shape)
    document = cursor.document()
    if part.marker in ("☐", "☑") and isinstance(document, StillDocument):
        document.tasks.append((cursor.block().blockNumber(), part.marker == "☑"))


def _add_table(cursor: QTextCursor, part: Part, color: str) -> None:
    columns = max((len(row) for row in part.rows), default=0)
    table = cursor.insertTable(len(part.rows), columns)
    for number, row in enumerate(part.rows):
        for column, cell in enumerate(row):
            write_spans(table.cellAt(number, column).firstCursorPosition(), cell, BODY, color, heading=number == 0)
    words = "".join(span_text(cell) for row in part.rows for cell in row)
    _style_table(table, right_to_left=first_direction(words) == "R")
    cursor.movePosition(QTextCursor.MoveOperation.End)


def write_spans(cursor: QTextCursor, spans: Sequence[Span], scale: float, color: str, *, heading: bool) -> None:
    """Write the words of a paragraph or a cell where the cursor is."""
    mixed = any(span.run.kind == "text" and has_right_to_left(span.run.text) for span in spans)
    for span in spans:
        look = QTextCharFormat(_look(cursor, span.style, scale, color, heading=heading))
        run_format(look, span.run)
        text = span.run.text.replace("\n", "\u2028")
        apart = mixed and (span.style.code or span.run.kind == "token")
        cursor.insertText(isolated(text) if apart else text, look)


def _direction(spans: Sequence[Span]) -> Qt.LayoutDirection:
    """Where a paragraph begins: by its first letter that is no code; by any letter where all of it is code."""
    words = "".join(span.run.text for span in spans if span.run.kind == "text" and not span.style.code)
    return {"R": Qt.LayoutDirection.RightToLeft, "L": Qt.LayoutDirection.LeftToRight}.get(
        first_direction(words), Qt.LayoutDirection.LayoutDirectionAuto
    )


def _look(cursor: QTextCursor, style: Style, scale: float, color: str, *, heading: bool) -> QTextCharFormat:
    document, key = cursor.document(), (style, scale, color, heading)
    if not isinstance(document, StillDocument) or style.href:
        return _char_format(style, scale, color, heading=heading)
    if key not in document.looks:
        document.looks[key] = _char_format(style, scale, color, heading=heading)
    return document.looks[key]


def _char_format(style: Style, scale: float, color: str, *, heading: bool) -> QTextCharFormat:
    look = theme()
    bold = heading or style.bold
    result = QTextCharFormat()
    if style.code:
        result.setFont(look.mono(scale, semibold=bold))
    else:
        result.setFont(look.font(scale, semibold=bold, italic=style.italic))
    result.setFontStrikeOut(style.strike)
    result.setForeground(look.color(color))
    if style.href:
        result.setAnchor(True)
        result.setAnchorHref(style.href)
        result.setForeground(look.color("accent"))
        result.setFontUnderline(True)
    return result


def _style_table(table: QTextTable, *, right_to_left: bool) -> None:
    look = theme()
    shape = table.format()
    if right_to_left:
        shape.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        shape.setAlignment(Qt.AlignmentFlag.AlignRight)
    shape.setBorder(1)
    shape.setBorderBrush(look.color("border"))
    shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    shape.setBorderCollapse(True)
    shape.setCellSpacing(0)
    shape.setCellPadding(look.px(SPACE_1))
    shape.setWidth(QTextLength())
    shape.setTopMargin(0)
    shape.setBottomMargin(0)
    table.setFormat(shape)
    for column in range(table.columns()):
        cell = table.cellAt(0, column)
        head = cell.format()
        head.setBackground(look.color("sunken"))
        cell.setFormat(head)
