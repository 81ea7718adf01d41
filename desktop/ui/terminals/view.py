"""TerminalView: a terminal's rows, painted; keys, mouse and input methods go to its program."""

from functools import partial

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QMenu, QWidget

from desktop.ui.core.accessible import read_as
from desktop.ui.terminals.access import TerminalAccess, tell_change
from desktop.ui.terminals.book import TerminalFacts
from desktop.ui.terminals.keys import Own, key_text, own_key, stays_with_window
from desktop.ui.terminals.links import link_at
from desktop.ui.terminals.mouse import TerminalMouse
from desktop.ui.terminals.painter import TerminalPainter
from desktop.ui.terminals.selection import TerminalSelection
from desktop.ui.terminals.text import Place
from desktop.ui.theme.terminal_colors import ground
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2

_MENU: tuple[tuple[Own, str], ...] = (
    ("copy", "Copy\tCtrl+Shift+C"), ("paste", "Paste\tCtrl+Shift+V"), ("find", "Find…\tCtrl+Shift+F"),
    ("all", "Select all\tCtrl+Shift+A"),
)  # fmt: skip


class TerminalView(QAbstractScrollArea):
    """Shows one terminal at a time. `typed`: text for its program; `pasted`: text that a person wants to paste;
    `sized`: columns and rows that have room; `link_asked`: an address that was clicked with Ctrl; `selected`: other
    text is selected, or none; `find_asked`: Ctrl+Shift+F."""

    typed = Signal(str)
    pasted = Signal(str)
    sized = Signal(int, int)
    link_asked = Signal(str)
    selected = Signal()
    find_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("terminal_view")
        self.setAccessibleName("Terminal")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
        self.viewport().setMouseTracking(True)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.facts: TerminalFacts | None = None
        self.selection = TerminalSelection()
        self.found: dict[int, list[tuple[int, int]]] = {}
        self.painter = TerminalPainter()
        self._mouse = TerminalMouse(self)
        self._composing = ""
        self._link: tuple[int, int, int] | None = None
        self._size = (0, 0)
        self.verticalScrollBar().valueChanged.connect(self.viewport().update)
        theme().changed.connect(self._take_theme)
        read_as(self, TerminalAccess)

    # what is shown

    def show_terminal(self, facts: TerminalFacts | None) -> None:
        """Show this terminal, at its end."""
        self.facts = facts
        self.selection.clear()
        self.found = {}
        self._take_range(to_end=True)
        self.setAccessibleName(f"Terminal {facts.label}" if facts is not None else "Terminal")
        self.viewport().update()

    def take_change(self, moved: bool, rows: list[int]) -> None:
        """The terminal that is shown has changed: everything, or these rows of its screen."""
        if self.facts is None:
            return
        tell_change(self)
        if moved:
            self._take_range(to_end=self.at_end)
            self.viewport().update()
            return
        height = self.painter.cell.height
        for at in rows:
            top = self._top_of(self.first_of_screen + at)
            self.viewport().update(QRect(0, top, self.viewport().width(), height))
        self._update_cursor_row()

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

    def grid(self) -> tuple[int, int]:
        """Columns and rows that have room."""
        cell, size = self.painter.cell, self.viewport().size()
        return max((size.width() - 2 * self._margin) // cell.width, 2), max(size.height() // cell.height, 2)

    def place_at(self, point: QPoint, *, between: bool = False) -> Place:
        """The row and cell at a point; `between`: the gap between two cells that is nearest."""
        cell = self.painter.cell
        x = point.x() - self._margin + (cell.width // 2 if between else 0)
        facts = self.facts
        columns = facts.columns if facts is not None else 0
        row = self.first_shown + max(point.y() - self._offset(), 0) // cell.height
        last = facts.end - 1 if facts is not None else 0
        return min(row, last), min(max(x // cell.width, 0), columns if between else max(columns - 1, 0))

    def copy(self) -> bool:
        """Put what is selected on the clipboard. False: nothing is."""
        text = self.selection.text(self.facts) if self.facts is not None else ""
        if text:
            QGuiApplication.clipboard().setText(text)
        return bool(text)

    def paste(self) -> None:
        """Ask for the clipboard's text to be pasted."""
        if text := QGuiApplication.clipboard().text():
            self.pasted.emit(text)

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

    # keys and input methods

    def event(self, event: QEvent) -> bool:
        """Keys of the shell are not taken by actions of the window while the terminal has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if self._own(event) or not self._is_of_window(event):
                event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            self.keyPressEvent(event)  # Tab too, which would move the focus
            return True
        return super().event(event)

    def _is_of_window(self, event: QKeyEvent) -> bool:
        full_screen = self.facts is not None and "alternate" in self.facts.modes
        return stays_with_window(Qt.Key(event.key()), event.modifiers(), full_screen=full_screen)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """To the program; Shift+Page Up and Down, Home and End move in the scroll-back."""
        facts = self.facts
        if own := self._own(event):
            self.act(own)
            return
        if facts is None or self._is_of_window(event):
            event.ignore()
            return
        if self._scroll_key(event):
            return
        text = key_text(event.keyCombination(), event.text(), facts.modes)
        if text and facts.closed is None:
            self.type_text(text)

    @staticmethod
    def _own(event: QKeyEvent) -> Own:
        return own_key(Qt.Key(event.key()), event.modifiers())

    def act(self, what: Own) -> None:
        """Copy, paste, find, or select all."""
        if what == "copy":
            self.copy()
        elif what == "paste":
            self.paste()
        elif what == "find":
            self.find_asked.emit()
        elif what == "all" and self.facts is not None:
            self.selection.select_all(self.facts)
            self.selected.emit()
            self.viewport().update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Copy, paste, find, select all; not where a program takes the mouse."""
        if self.facts is None or self._mouse.is_taken(event.modifiers()):
            return
        menu = QMenu(self)
        menu.setObjectName("terminal_menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for what, title in _MENU:
            action = menu.addAction(title)
            action.setObjectName(f"terminal_menu_{what}")
            action.triggered.connect(partial(self.act, what))
            usable = {"copy": bool(self.selected_text()), "paste": self.facts.closed is None}
            action.setEnabled(usable.get(what, True))
        menu.popup(event.globalPos())

    def _scroll_key(self, event: QKeyEvent) -> bool:
        if event.modifiers() != Qt.KeyboardModifier.ShiftModifier:
            return False
        bar, page = self.verticalScrollBar(), max(self.rows_of_page - 1, 1)
        steps = {
            Qt.Key.Key_PageUp: -page, Qt.Key.Key_PageDown: page, Qt.Key.Key_Home: -bar.maximum(),
            Qt.Key.Key_End: bar.maximum(),
        }  # fmt: skip
        step = steps.get(Qt.Key(event.key()))
        if step is not None:
            bar.setValue(bar.value() + step)
        return step is not None

    def type_text(self, text: str) -> None:
        """Send text to the program and show the end."""
        if self.selection.clear():
            self.selected.emit()
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self.viewport().update()
        self.typed.emit(text)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Text that is being composed stands at the cursor until it is finished."""
        self._composing = event.preeditString()
        if event.commitString() and self.facts is not None and self.facts.closed is None:
            self.type_text(event.commitString())
        self._update_cursor_row()
        event.accept()

    def inputMethodQuery(self, query: Qt.InputMethodQuery) -> object:  # noqa: N802  (a name of Qt)
        """Where the cursor is, and that text can be typed."""
        if query == Qt.InputMethodQuery.ImEnabled:
            return True
        if query == Qt.InputMethodQuery.ImCursorRectangle and self.facts is not None and self.facts.cursor is not None:
            x, y = self.facts.cursor
            cell = self.painter.cell
            return QRect(self._margin + x * cell.width, self._top_of(self.first_of_screen + y), cell.width, cell.height)
        return super().inputMethodQuery(query)

    # mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select, or tell the program."""
        self._mouse.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Select further; a link under the mouse is underlined while Ctrl is held."""
        self._mouse.move(event)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        link = link_at(self.facts, self.place_at(event.position().toPoint())) if control and self.facts else None
        mark = (link.row, link.start, link.end) if link is not None else None
        if mark != self._link:
            self._link = mark
            self.viewport().setCursor(
                Qt.CursorShape.PointingHandCursor if mark is not None else Qt.CursorShape.IBeamCursor
            )
            self.viewport().setToolTip(link.address if link is not None else "")
            self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The selection stands."""
        self._mouse.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """The word."""
        self._mouse.double_click(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll, or tell the program."""
        if not self._mouse.wheel(event):
            super().wheelEvent(event)

    # sizes

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other columns and rows have room."""
        super().resizeEvent(event)
        self._take_size()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The cursor is filled."""
        super().focusInEvent(event)
        self._focus_changed("\x1b[I")

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The cursor is an outline."""
        super().focusOutEvent(event)
        self._focus_changed("\x1b[O")

    def _focus_changed(self, told: str) -> None:
        self._update_cursor_row()
        if self.facts is not None and "focus" in self.facts.modes and self.facts.closed is None:
            self.typed.emit(told)

    @property
    def _margin(self) -> int:
        return theme().px(SPACE_2)

    @property
    def rows_of_page(self) -> int:
        """How many rows have room."""
        return max(self.viewport().height() // self.painter.cell.height, 1)

    def _offset(self) -> int:
        """Where the first row in view begins."""
        return 0

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
