"""TerminalCanvas: a terminal's rows, painted, with what is selected and found in them."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from desktop.language import tr
from desktop.ui.terminals.book import TerminalFacts
from desktop.ui.terminals.painter import TerminalPainter
from desktop.ui.terminals.selection import TerminalSelection
from desktop.ui.terminals.text import Place
from desktop.ui.theme.terminal_colors import ground
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2


class TerminalCanvas(QAbstractScrollArea):
    """Shows one terminal at a time. `typed`: text for its program; `pasted`: text that a person wants to paste;
    `sized`: columns and rows that have room; `link_asked`: an address that was clicked with Ctrl; `selected`: other
    text is selected, or none; `wrapped_anew`: the rows are others, at another width."""

    typed = Signal(str)
    pasted = Signal(str)
    sized = Signal(int, int)
    link_asked = Signal(str)
    selected = Signal()
    wrapped_anew = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("terminal_view")
        self.setAccessibleName(tr("Terminal"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.facts: TerminalFacts | None = None
        self.selection = TerminalSelection()
        self.found: dict[int, list[tuple[int, int]]] = {}
        self.painter = TerminalPainter()
        self._composing = ""
        self._link: tuple[int, int, int] | None = None
        self._size = (0, 0)
        self._columns = 0
        self.verticalScrollBar().valueChanged.connect(self.viewport().update)
        theme().changed.connect(self._take_theme)

    # what is shown

    def show_terminal(self, facts: TerminalFacts | None) -> None:
        """Show this terminal, at its end."""
        self.facts = facts
        self.selection.clear()
        self.found = {}
        self._columns = facts.columns if facts is not None else 0
        self._take_range(to_end=True)
        self.setAccessibleName(tr("Terminal {label}", label=facts.label) if facts is not None else tr("Terminal"))
        self.viewport().update()

    def take_change(self, moved: bool, rows: list[int]) -> None:
        """The terminal that is shown has changed: everything, or these rows of its screen."""
        if self.facts is None:
            return
        if moved:
            self._take_range(to_end=self.at_end)
            self._take_columns()
            self.viewport().update()
            return
        height = self.painter.cell.height
        for at in rows:
            top = self._top_of(self.first_of_screen + at)
            self.viewport().update(QRect(0, top, self.viewport().width(), height))
        self._update_cursor_row()

    def _take_columns(self) -> None:
        """What was selected and found is elsewhere."""
        former, self._columns = self._columns, self.facts.columns if self.facts is not None else 0
        if former not in (0, self._columns):
            self.selection.clear()
            self.found = {}
            self.wrapped_anew.emit()

    @property
    def at_end(self) -> bool:
        """Whether the newest row is in view."""
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum()

    @property
    def first_of_screen(self) -> int:
        """The number of the screen's first row."""
        return self.facts.end - len(self.facts.rows) if self.facts is not None else 0

    @property
    def first_shown(self) -> int:
        """The number of the first row in view."""
        facts = self.facts
        return facts.dropped + self.verticalScrollBar().value() if facts is not None else 0

    def reveal(self, number: int) -> None:
        """Bring a row into view."""
        if self.facts is not None:
            bar, page = self.verticalScrollBar(), self.rows_of_page
            at = number - self.facts.dropped
            if not bar.value() <= at < bar.value() + page:
                bar.setValue(at - page // 2)

    def grid(self, room: QSize | None = None) -> tuple[int, int]:
        """Columns and rows that have room: in that, or in what it has now. The scroll bar has its own, shown or not."""
        cell, size = self.painter.cell, room or self.size()
        width = size.width() - self.verticalScrollBar().sizeHint().width() - 2 * self._margin
        return max(width // cell.width, 2), max((size.height() - self._offset()) // cell.height, 2)

    def place_at(self, point: QPoint, *, between: bool = False) -> Place:
        """The row and cell at a point; `between`: the gap between two cells that is nearest."""
        cell = self.painter.cell
        x = point.x() - self._margin + (cell.width // 2 if between else 0)
        facts = self.facts
        columns = facts.columns if facts is not None else 0
        row = self.first_shown + max(point.y() - self._offset(), 0) // cell.height
        last = facts.end - 1 if facts is not None else 0
        return min(row, last), min(max(x // cell.width, 0), columns if between else max(columns - 1, 0))

    def selected_text(self) -> str:
        """What is selected, "" for nothing."""
        return self.selection.text(self.facts) if self.facts is not None else ""

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """The rows that the event covers."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), ground())
        facts, cell = self.facts, self.painter.cell
        if facts is not None:
            painter.translate(self._margin, 0)
            top = self._offset()
            first = max((event.rect().top() - top) // cell.height, 0)
            last = (event.rect().bottom() - top) // cell.height
            for at in range(first, last + 1):
                number = self.first_shown + at
                if number >= facts.end:
                    break
                self._paint_row(painter, facts, number, top + at * cell.height)
            self._paint_cursor(painter, facts)
        painter.end()

    def _paint_row(self, painter: QPainter, facts: TerminalFacts, number: int, top: int) -> None:
        chosen = self.selection.in_row(number, facts.columns)
        self.painter.paint_row(painter, facts.row(number), top, chosen=chosen, found=self.found.get(number, ()))
        if self._link is not None and self._link[0] == number:
            self.painter.paint_line_under(painter, self._link[1:], top)

    def _paint_cursor(self, painter: QPainter, facts: TerminalFacts) -> None:
        if facts.cursor is None:
            return
        x, y = facts.cursor
        number = self.first_of_screen + y
        top = self._top_of(number)
        if 0 <= top < self.viewport().height():
            self.painter.paint_cursor(painter, facts.row(number), x, top, focused=self.hasFocus())
            if self._composing:
                cell = self.painter.cell
                painter.fillRect(x * cell.width, top, len(self._composing) * cell.width, cell.height, ground())
                painter.setPen(theme().color("text"))
                painter.drawText(x * cell.width, round(top + cell.ascent), self._composing)

    # sizes

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other columns and rows have room."""
        super().resizeEvent(event)
        self._take_size()

    @property
    def _margin(self) -> int:
        return theme().px(SPACE_2)

    @property
    def rows_of_page(self) -> int:
        """How many rows have room."""
        return max((self.viewport().height() - self._offset()) // self.painter.cell.height, 1)

    def _offset(self) -> int:
        """Where the first row in view begins."""
        return theme().px(SPACE_1)

    def _top_of(self, number: int) -> int:
        return (number - self.first_shown) * self.painter.cell.height + self._offset()

    def _update_cursor_row(self) -> None:
        if self.facts is not None:
            self.viewport().update()

    def _take_range(self, *, to_end: bool) -> None:
        bar, facts = self.verticalScrollBar(), self.facts
        total = len(facts.back) + len(facts.rows) if facts is not None else 0
        page = self.rows_of_page
        bar.setPageStep(page)
        bar.setRange(0, max(total - page, 0))
        if to_end:
            bar.setValue(bar.maximum())

    def _take_size(self) -> None:
        end = self.at_end
        self._take_range(to_end=end)
        size = self.grid()
        if size != self._size:
            self._size = size
            self.sized.emit(*size)

    def _take_theme(self) -> None:
        self.painter = TerminalPainter()
        self._take_size()
        self.viewport().update()
