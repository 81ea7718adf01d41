"""Markdown for painting: split into finished blocks while it arrives, prose as text documents, fences as code."""

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextListFormat,
    QTextTable,
)

from desktop.ui.safe_text import safe_text
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import BODY, LINE_HEIGHT, PAGE, SPACE_1, SPACE_2, SPACE_5, TITLE

BlockKind = Literal["prose", "quote", "rule", "code"]
_DIALECT = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^\n]*\n?")
_SCHEMES = frozenset({"http", "https", "mailto"})
_HEADING_SCALE = {1: PAGE, 2: TITLE, 3: TITLE}


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """One top-level block. Code: `text` is what stands between the fences. `closed` False: more of it may come."""

    kind: BlockKind
    text: str
    language: str = ""
    closed: bool = True


class MarkdownBlocks:
    """A growing Markdown text as blocks. Blocks before the last are finished: they are never looked at again."""

    def __init__(self) -> None:
        self._text = ""
        self._finished: list[MarkdownBlock] = []
        self._start = 0
        self._fence: tuple[re.Pattern[str], int, str] | None = None

    def update(self, text: str) -> list[MarkdownBlock]:
        """The blocks of the whole text, which usually begins with the text of the last call."""
        if not text.startswith(self._text):
            self._finished, self._start, self._fence = [], 0, None
        self._text = text
        if self._fence is not None:
            closing, begin, language = self._fence
            if closing.search(text, begin) is None:
                return [*self._finished, MarkdownBlock("code", text[begin:], language, closed=False)]
            self._fence = None
        last = self._split_tail()
        return [*self._finished, *last]

    def _split_tail(self) -> list[MarkdownBlock]:
        tail = self._text[self._start :]
        lines = tail.splitlines(keepends=True)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))
        blocks: list[tuple[int, MarkdownBlock]] = []
        for token in _PARSER.parse(tail):
            if token.level == 0 and token.nesting >= 0 and token.map is not None:
                first, last = token.map
                source = tail[starts[first] : starts[min(last, len(lines))]]
                blocks.append((starts[first], _block(token.type, token.info, token.content, source)))
        if not blocks:
            return []
        last_start, last_block = blocks[-1]
        self._finished += [block for _, block in blocks[:-1]]
        self._start += last_start
        opening = _FENCE.match(self._text[self._start :])
        if last_block.kind == "code" and not last_block.closed and opening is not None:
            mark = opening[1]
            closing = re.compile(rf"^ {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE)
            self._fence = (closing, self._start + opening.end(), last_block.language)
        return [last_block]


def _block(kind: str, info: str, content: str, source: str) -> MarkdownBlock:
    if kind == "fence":
        opening = _FENCE.match(source)
        mark = opening[1] if opening else "```"
        rows = source.rstrip("\n").split("\n")
        closed = len(rows) > 1 and re.fullmatch(rf" {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*", rows[-1])
        return MarkdownBlock("code", content.removesuffix("\n"), (info.split() or [""])[0], closed=bool(closed))
    if kind == "code_block":
        return MarkdownBlock("code", content.removesuffix("\n"))
    if kind == "hr":
        return MarkdownBlock("rule", source)
    return MarkdownBlock("quote" if kind == "blockquote_open" else "prose", source.strip("\n"))


class StillDocument(QTextDocument):
    """A text document that never loads anything and keeps no undo history.

    `tasks`: which of its blocks are items of a task list, and whether each is done; the boxes are painted over it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.tasks: list[tuple[int, bool]] = []
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)

    def loadResource(self, kind: int, url: QUrl | str) -> object:
        """Nothing: no picture and no style sheet is ever fetched or read."""
        return None


def is_safe_link(target: str) -> bool:
    """Whether a link of foreign text may be followed: an address with the scheme http, https or mailto."""
    try:
        return urlsplit(target.strip()).scheme.lower() in _SCHEMES
    except ValueError:
        return False


def prose_document(text: str, color: str = "text") -> StillDocument:
    """Markdown prose as a document in the theme's fonts and colours: no HTML, no pictures, safe links only."""
    document = StillDocument()
    document.setDefaultFont(theme().font())
    cursor = QTextCursor(document)
    cursor.insertMarkdown(safe_text(text), _DIALECT)
    _replace_pictures(document)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    block = document.begin()
    while block.isValid():
        _note_task(document, block)
        _style_block(block, color)
        block = block.next()
    cursor.endEditBlock()
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _style_table(frame)
    return document


def _fragments(block: QTextBlock) -> list[tuple[int, int, QTextCharFormat]]:
    found = []
    walk = block.begin()
    while not walk.atEnd():
        fragment = walk.fragment()
        found.append((fragment.position(), fragment.length(), fragment.charFormat()))
        walk += 1
    return found


def _replace_pictures(document: QTextDocument) -> None:
    """Pictures as "alt — URL"."""
    pictures = []
    block = document.begin()
    while block.isValid():
        pictures += [part for part in _fragments(block) if part[2].isImageFormat()]
        block = block.next()
    for position, length, look in reversed(pictures):
        picture = look.toImageFormat()
        alt = picture.property(QTextFormat.Property.ImageAltText) or ""
        cursor = QTextCursor(document)
        cursor.setPosition(position)
        cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(" — ".join(part for part in (str(alt), picture.name()) if part), QTextCharFormat())


def _note_task(document: StillDocument, block: QTextBlock) -> None:
    """Take the marker of a task item off, and remember it."""
    marker = block.blockFormat().marker()
    if marker is QTextBlockFormat.MarkerType.NoMarker:
        return
    document.tasks.append((block.blockNumber(), marker is QTextBlockFormat.MarkerType.Checked))
    items = block.textList()
    if items is not None:
        shape = items.format()
        shape.setStyle(QTextListFormat.Style.ListStyleUndefined)
        items.setFormat(shape)


def _style_block(block: QTextBlock, color: str) -> None:
    look = theme()
    shape = block.blockFormat()
    level = shape.headingLevel()
    scale = _HEADING_SCALE.get(level, BODY)
    height = round(look.font(scale).pixelSize() * LINE_HEIGHT)
    format_ = QTextBlockFormat(shape)
    format_.setLineHeight(height, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
    format_.setTopMargin(0)
    format_.setMarker(QTextBlockFormat.MarkerType.NoMarker)
    in_list = block.textList() is not None
    format_.setBottomMargin(0 if block.next().isValid() is False else look.px(SPACE_1 if in_list else SPACE_2))
    if shape.property(QTextFormat.Property.BlockQuoteLevel):
        format_.setLeftMargin(0)
        format_.setRightMargin(0)
    cursor = QTextCursor(block)
    cursor.setBlockFormat(format_)
    if in_list:
        block.document().setIndentWidth(look.px(SPACE_5))
    for position, length, chars in _fragments(block):
        cursor.setPosition(position)
        cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
        cursor.setCharFormat(_char_format(chars, scale, color, heading=level > 0))


def _char_format(chars: QTextCharFormat, scale: float, color: str, *, heading: bool) -> QTextCharFormat:
    look = theme()
    bold = heading or chars.fontWeight() > QFont.Weight.Medium
    result = QTextCharFormat()
    if chars.fontFixedPitch():
        result.setFont(look.mono(scale, semibold=bold))
    else:
        result.setFont(look.font(scale, semibold=bold, italic=chars.fontItalic()))
    result.setFontStrikeOut(chars.fontStrikeOut())
    result.setForeground(look.color(color))
    if chars.isAnchor() and is_safe_link(chars.anchorHref()):
        result.setAnchor(True)
        result.setAnchorHref(chars.anchorHref())
        result.setForeground(look.color("accent"))
        result.setFontUnderline(True)
    return result


def _style_table(table: QTextTable) -> None:
    look = theme()
    shape = table.format()
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
