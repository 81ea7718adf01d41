"""Evidence: what is being approved, whole, as plain text in a fixed font; and whether its end has been on screen."""

import re

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QPaintEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

from desktop.domain.core.content import (
    Block,
    CodeBlock,
    DiffBlock,
    FileListBlock,
    ImageBlock,
    LinkBlock,
    TableBlock,
    TextBlock,
)
from desktop.domain.display.surfaces import Surface, surface_runs
from desktop.domain.display.text import display_text, joined
from desktop.language import number, tr
from desktop.records import dataclass
from desktop.ui.text.diff_lines import LineKind
from desktop.ui.text.format import changed_lines, count
from desktop.ui.text.safe_text import write_runs
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2
from desktop.ui.widgets.layouts.edge_fade import EdgeFade

_DIFF_LINES, _DIFF_CHARS, _DIFF_FIRST = 2_000, 500_000, 200
_SPARE = 2
_FEW = 5
_KINDS: dict[str, Surface] = {"bash": "approval_command", "sh": "approval_command", "json": "tool_args"}
_POSTED = "markdown"
_HEADERS = ("+++", "---", "diff ", "index ", "new ", "deleted ", "old ", "similarity ", "rename ")


@dataclass(frozen=True)
class EvidencePiece:
    """One text to show. `caption` stands above it; `fixed` asks for the fixed font in a box; `diff` for bands.
    `surface` says how it is drawn and what is said beside it."""

    text: str
    caption: str = ""
    fixed: bool = True
    diff: bool = False
    kind: Surface = "commit_message"

    @property
    def surface(self) -> Surface:
        """The kind of text, a diff where there are bands."""
        return "diff" if self.diff else self.kind


def piece_of(block: Block, *, of_file: bool = False) -> EvidencePiece:
    """A block as text; nothing of it is left out. `of_file`: it is what a file will hold, and drawn as it stands; JSON
    is drawn by its values elsewhere, where it is the arguments of a call."""
    if isinstance(block, TextBlock):
        return EvidencePiece(block.text, fixed=False)
    if isinstance(block, CodeBlock):
        figure = f"{count(block.text.count(chr(10)) + 1, 'line')} · {count(len(block.text), 'character')}"
        kind = "commit_message" if of_file else _KINDS.get(block.language, "commit_message")
        posted = block.language == _POSTED and not of_file
        return EvidencePiece(block.text, tr("The text · {figure}", figure=figure) if posted else figure, kind=kind)
    if isinstance(block, DiffBlock):
        figure = changed_lines(block.added, block.removed)
        return EvidencePiece(block.unified, f"{display_text(block.path)}  {figure}".rstrip(), diff=True)
    return _list_piece(block)


def _list_piece(block: TableBlock | ImageBlock | LinkBlock | FileListBlock) -> EvidencePiece:
    if isinstance(block, TableBlock):
        rows = ["   ".join(row) for row in (block.columns, *block.rows)]
        return EvidencePiece(
            "\n".join([*rows, *([tr("and {more} more rows", more=number(block.more))] if block.more else [])]),
            tr("Table"),
        )
    if isinstance(block, ImageBlock):
        return EvidencePiece(
            tr(
                "{alt} — picture, {media_type}, {bytes}",
                alt=block.alt,
                media_type=block.blob.media_type,
                bytes=count(block.blob.size, "byte"),
            ),
            fixed=False,
        )
    if isinstance(block, LinkBlock):
        return EvidencePiece(
            block.url if block.label in ("", block.url) else f"{block.label} — {block.url}", tr("Address")
        )
    more = [tr("and {files}", files=count(block.more, "more file", "more files"))] if block.more else []
    return EvidencePiece("\n".join([*block.paths, *more]), count(len(block.paths) + block.more, "file"))


class EvidenceText(QPlainTextEdit):
    """Read-only text through display_safe, left to right, wrapped, never cut, at most `cap` of its window high.

    `seen` becomes true once the last line was painted on screen; `seen_all` follows, once.
    """

    seen_all = Signal()
    cap = 0.4

    def __init__(self, piece: EvidencePiece, parent: QWidget, name: str) -> None:
        super().__init__(parent)
        self.piece = piece
        self.seen = False
        self.unbounded = False
        self._most = 0
        self._heights: dict[int, int] = {}
        self.setObjectName(name)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("kind", "evidence" if piece.fixed else "bare")
        self.setAccessibleName(piece.caption or tr("Details"))
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        option = self.document().defaultTextOption()
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        self.document().setDefaultTextOption(option)
        self.document().setDocumentMargin(SPACE_1 if piece.fixed else 0)
        EdgeFade(self, "sunken" if piece.fixed else "raised", self._end_is_visible)
        lines = piece.text.split("\n")
        self.left_out = len(lines) if piece.diff and (len(lines) > _DIFF_LINES or len(piece.text) > _DIFF_CHARS) else 0
        self._fill("\n".join(lines[:_DIFF_FIRST]) if self.left_out else piece.text)

    def show_all(self) -> None:
        """Give up the height limit and count as seen."""
        self.unbounded = True
        if self.left_out:
            self.left_out = 0
            self._fill(self.piece.text)
        self._heights.clear()
        self.updateGeometry()
        self._mark_seen()

    def set_most(self, height: int) -> None:
        """A smaller height limit, but never under a few lines; 0: only the window's."""
        if height != self._most:
            self._most = height
            self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        """The narrower, the higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The text's height at that width, at most 40 % of the window."""
        few = self._line_height() * _FEW + self._around
        limit = 2**20 if self.unbounded else max(few, int(self.window().height() * self.cap))
        if self._most and not self.unbounded:
            limit = min(limit, max(few, self._most))
        return min(limit, self._whole_height(width))

    def _whole_height(self, width: int) -> int:
        if width not in self._heights:
            self._heights[width] = self._measure(width, 2**20 if self.unbounded else 400)
        return self._heights[width]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """No scroll bar where all fits, but for what is empty below the last line: its width would wrap a line more,
        and only then be needed."""
        super().resizeEvent(event)
        policy = Qt.ScrollBarPolicy
        fits = self.height() >= self._whole_height(self.width()) - self._below
        self.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOff if fits else policy.ScrollBarAsNeeded)

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        width = max(self.width(), 1)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """One line."""
        return QSize(1, self._line_height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint, and notice whether the end was visible."""
        super().paintEvent(event)
        if not self.seen and not self.left_out and self._end_is_visible():
            self._mark_seen()

    def changeEvent(self, event: QEvent) -> None:
        """Another font or theme: measure and colour again."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._heights.clear()
            self.updateGeometry()

    def _mark_seen(self) -> None:
        if not self.seen:
            self.seen = True
            QTimer.singleShot(0, self, self.seen_all.emit)

    def _end_is_visible(self) -> bool:
        rect = self.blockBoundingGeometry(self.document().lastBlock())
        if rect.isNull():
            return False
        bottom = rect.translated(self.contentOffset()).bottom()
        shown = self.viewport().visibleRegion().boundingRect()
        return not shown.isEmpty() and bottom <= shown.bottom() + 1 + self._below

    @property
    def _below(self) -> float:
        """What is empty below the last line."""
        return self.document().documentMargin() + _SPARE

    def _text_font(self) -> QFont:
        return theme().mono() if self.piece.fixed else theme().font()

    def _line_height(self) -> int:
        return int(QFontMetricsF(self._text_font()).lineSpacing() + 0.99)

    def _measure(self, width: int, most: int) -> int:
        box = 2 * (theme().px(SPACE_2) + theme().px(1)) if self.piece.fixed else 0
        room = width - box - 2 * self.document().documentMargin()
        option = self.document().defaultTextOption()
        lines = 0
        height = 0.0
        for text in joined(self._runs).split("\n"):
            layout = QTextLayout(text, self._text_font())
            layout.setTextOption(option)
            layout.beginLayout()
            line = layout.createLine()
            while line.isValid() and lines < most:
                line.setLineWidth(max(1.0, room))
                height += line.height()
                lines += 1
                line = layout.createLine()
            layout.endLayout()
            if lines >= most:
                break
        return int(height + self._around + 0.99)

    @property
    def _around(self) -> int:
        """What stands above and below the lines."""
        padding = 2 * (theme().px(SPACE_1) + theme().px(1)) if self.piece.fixed else 0
        return int(padding + 2 * self.document().documentMargin()) + _SPARE

    def _fill(self, text: str) -> None:
        self._runs = surface_runs(text, self.piece.surface)
        self.setFont(self._text_font())
        self.clear()
        cursor = QTextCursor(self.document())
        plain = QTextCharFormat()
        if not self.piece.fixed:
            plain.setForeground(theme().color("muted"))
        cursor.beginEditBlock()
        write_runs(cursor, self._runs, plain)
        cursor.endEditBlock()
        if self.piece.diff:
            paint_bands(self)
        self.moveCursor(QTextCursor.MoveOperation.Start)


_HUNK = re.compile(r"@@ -\d+(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@")
_GROUND: dict[LineKind, str] = {"add": "diff_add", "del": "diff_del"}


def paint_band(cursor: QTextCursor, kind: LineKind) -> None:
    """Colour the cursor's line: added and removed lines over the whole width, headings muted."""
    shade = QTextBlockFormat()
    if kind in _GROUND:
        shade.setBackground(theme().color(_GROUND[kind]))
    cursor.setBlockFormat(shade)
    if kind in ("hunk", "meta"):
        ink = QTextCharFormat()
        ink.setForeground(theme().color("muted"))
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(ink)


def show_lines(edit: QPlainTextEdit, text: str, *, diff: bool) -> None:
    """Show this in place of what was shown before; `diff`: it is a unified diff."""
    edit.clear()
    edit.setCurrentCharFormat(QTextCharFormat())
    edit.setPlainText(text)
    if diff:
        paint_bands(edit)


def paint_bands(edit: QPlainTextEdit) -> None:
    """Colour the lines of a unified diff by their sign, the whole width of each. What stands where a hunk has had all
    the lines that it names is the heading of the next file."""
    kinds: dict[str, LineKind] = {"+": "add", "-": "del", "@": "hunk"}
    cursor = QTextCursor(edit.document())
    cursor.beginEditBlock()
    block = edit.document().begin()
    old = new = 0
    while block.isValid():
        line = block.text()
        header = old <= 0 and new <= 0 and line.startswith(_HEADERS)
        hunk = _HUNK.match(line)
        if hunk is not None:
            old, new = (int(hunk[side] or 1) for side in ("old", "new"))
        else:
            old -= line[:1] in (" ", "-")
            new -= line[:1] in (" ", "+")
        cursor.setPosition(block.position())
        paint_band(cursor, "meta" if header else kinds.get(line[:1], "context"))
        block = block.next()
    cursor.endEditBlock()
