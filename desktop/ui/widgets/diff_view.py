"""DiffView: one file's unified diff with line numbers, signs, and bands of colour."""

from PySide6.QtCore import QMimeData, QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from desktop.domain.display_surfaces import surface_runs
from desktop.ui.diff_lines import DiffLine, LineKind, diff_lines
from desktop.ui.safe_text import write_runs
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2

_GROUND: dict[LineKind, str] = {"add": "diff_add", "del": "diff_del"}
_SIGNED = frozenset({"add", "del", "context"})


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


class DiffView(QPlainTextEdit):
    """Read-only. N and P go to the next and previous change. Copying leaves the signs out."""

    def __init__(self, parent: QWidget, name: str) -> None:
        super().__init__(parent)
        self._lines: list[DiffLine] = []
        self._unified = ""
        self.setObjectName(name)
        self.setAccessibleName("Difference")
        self.setProperty("kind", "bare")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        option = self.document().defaultTextOption()
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        self.document().setDefaultTextOption(option)
        self.document().setDocumentMargin(theme().px(SPACE_1))
        self._gutter = _Gutter(self)
        self.updateRequest.connect(self._gutter_follows)
        theme().changed.connect(self._draw)

    def show_diff(self, unified: str) -> None:
        """Show this diff from its first line; the same diff again keeps the place."""
        if unified == self._unified:
            return
        self._unified = unified
        self._draw()
        self.verticalScrollBar().setValue(0)
        self.horizontalScrollBar().setValue(0)

    def go_to_change(self, step: int) -> None:
        """Put the cursor on the first line of the next (1) or previous (-1) change; stays where there is none."""
        starts = [
            number
            for number, line in enumerate(self._lines)
            if line.kind in _GROUND and (number == 0 or self._lines[number - 1].kind not in _GROUND)
        ]
        here = self.textCursor().blockNumber()
        if step > 0:
            found = next((number for number in starts if number > here), None)
        else:
            found = next((number for number in reversed(starts) if number < here), None)
        if found is not None:
            self.setTextCursor(QTextCursor(self.document().findBlockByNumber(found)))
            self.centerCursor()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """N and P; the rest as in any text."""
        if event.key() in (Qt.Key.Key_N, Qt.Key.Key_P) and not event.modifiers():
            self.go_to_change(1 if event.key() == Qt.Key.Key_N else -1)
            event.accept()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The gutter is as high as the text."""
        super().resizeEvent(event)
        self._place_gutter()

    def createMimeDataFromSelection(self) -> QMimeData:  # noqa: N802
        """The selected text without the signs of lines that are selected from their beginning."""
        cursor = self.textCursor()
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        parts = []
        block = self.document().findBlock(start)
        while block.isValid() and block.position() <= end:
            first = max(0, start - block.position())
            text = block.text()[first : end - block.position()]
            signed = first == 0 and self._lines[block.blockNumber()].kind in _SIGNED
            parts.append(text[1:] if signed else text)
            block = block.next()
        data = QMimeData()
        data.setText("\n".join(parts))
        return data

    def paint_numbers(self, painter: QPainter, area: QRect) -> None:
        """Draw the numbers of the visible lines."""
        painter.fillRect(area, theme().color("surface"))
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        width = self._gutter.width() - theme().px(SPACE_2)
        while block.isValid():
            place = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if place.top() > area.bottom():
                break
            line = self._lines[block.blockNumber()] if block.blockNumber() < len(self._lines) else None
            high = min(int(place.height()), self.fontMetrics().lineSpacing())
            if line is not None and line.kind in _GROUND:
                painter.fillRect(QRect(0, int(place.top()), self._gutter.width(), high), _ground(line))
            number = (line.new or line.old) if line is not None else 0
            if number:
                painter.setPen(theme().color("muted"))
                rect = QRect(0, int(place.top()), width, high)
                painter.drawText(rect, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(number))
            block = block.next()

    def gutter_width(self) -> int:
        """Room for the highest line number."""
        highest = max((max(line.old, line.new) for line in self._lines), default=0)
        digits = max(2, len(str(highest)))
        return self.fontMetrics().horizontalAdvance("9") * digits + 2 * theme().px(SPACE_2)

    def _draw(self) -> None:
        self._lines = diff_lines(self._unified)
        self.setFont(theme().mono())
        self.clear()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        cursor.setBlockFormat(QTextBlockFormat())
        for number, line in enumerate(self._lines):
            cursor.insertText("\n" if number else "", QTextCharFormat())
            write_runs(cursor, surface_runs(line.text, "diff"), QTextCharFormat())
        block = self.document().begin()
        for line in self._lines:
            cursor.setPosition(block.position())
            paint_band(cursor, line.kind)
            block = block.next()
        cursor.endEditBlock()
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self._place_gutter()

    def _place_gutter(self) -> None:
        width = self.gutter_width() if self._lines else 0
        self.setViewportMargins(width, 0, 0, 0)
        inner = self.contentsRect()
        self._gutter.setGeometry(QRect(inner.left(), inner.top(), width, self.viewport().height()))
        self._gutter.update()

    def _gutter_follows(self, area: QRect, moved: int) -> None:
        if moved:
            self._gutter.scroll(0, moved)
        else:
            self._gutter.update(0, area.y(), self._gutter.width(), area.height())


def _ground(line: DiffLine) -> QColor:
    return theme().color(_GROUND[line.kind])


class _Gutter(QWidget):
    """The line numbers of a DiffView."""

    def __init__(self, view: DiffView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self) -> QSize:
        """As wide as the view asks."""
        return QSize(self._view.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the numbers."""
        self._view.paint_numbers(QPainter(self), event.rect())
