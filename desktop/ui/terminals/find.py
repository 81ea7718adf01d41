"""TerminalFind: words in a terminal's scroll-back: how often, the next and the previous place."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QWidget

from desktop.language import number, tr
from desktop.ui.terminals.text import TextLine, line_rows, text_line
from desktop.ui.terminals.view import TerminalView
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.layouts.gaps import set_gaps

Match = list[tuple[int, int, int]]
"""The pieces of a place: row, first cell, behind the last."""


class TerminalFind(QFrame):
    """A line over the terminal. The places of the text are marked in it; upper and lower case count the same."""

    def __init__(self, view: TerminalView, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("terminal_find")
        self._view = view
        self._matches: list[Match] = []
        self._at = -1
        self.field = QLineEdit(self)
        self.field.setObjectName("terminal_find_text")
        self.field.setAccessibleName(tr("Find in this terminal"))
        self.field.setPlaceholderText(tr("Find in this terminal"))
        self.count = QLabel(self)
        self.count.setObjectName("terminal_find_count")
        self.count.setProperty("kind", "muted")
        layout = QHBoxLayout(self)
        set_gaps(layout, (SPACE_3, SPACE_1, SPACE_2, SPACE_1), SPACE_1)
        layout.addWidget(self.field, 1)
        layout.addWidget(self.count)
        for icon, name, text, act in (
            ("chevron-up", "terminal_find_previous", tr("Previous match (Shift+Enter)"), self._previous),
            ("chevron-down", "terminal_find_next", tr("Next match (Enter)"), self._next),
            ("x", "terminal_find_close", tr("Close (Esc)"), self.leave),
        ):
            button = IconButton(icon, text, self)
            button.setObjectName(name)
            button.clicked.connect(act)
            layout.addWidget(button)
        self.field.textChanged.connect(self.search)
        self.field.installEventFilter(self)
        view.wrapped_anew.connect(self._search_again)
        self.hide()

    def open(self) -> None:
        """Show it with the focus; a selected word is looked for."""
        chosen = self._view.selected_text()
        if chosen and "\n" not in chosen:
            self.field.setText(chosen)
        self.show()
        self.field.setFocus()
        self.field.selectAll()
        self.search()

    def leave(self) -> None:
        """Hide it; the focus goes back to the terminal."""
        self.hide()
        self._matches, self._view.found = [], {}
        self._view.viewport().update()
        self._view.setFocus()

    def search(self) -> None:
        """Look for what is written; the newest place is shown first."""
        facts, wanted = self._view.facts, self.field.text().casefold()
        self._matches = []
        at = facts.dropped if facts is not None else 0
        while facts is not None and wanted and at < facts.end:
            line = text_line(line_rows(facts.row, at, facts.end), at)
            self._matches += _matches(line, wanted)
            at += line.count
        self._view.found = {}
        for match in self._matches:
            for row, start, end in match:
                self._view.found.setdefault(row, []).append((start, end))
        self._go(len(self._matches) - 1)
        self._view.viewport().update()

    def _search_again(self) -> None:
        if not self.isHidden():
            self.search()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter goes on, Shift+Enter back, Esc closes."""
        if watched is self.field and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                self.leave()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
                return True
        return super().eventFilter(watched, event)

    def _previous(self) -> None:
        self._step(-1)

    def _next(self) -> None:
        self._step(1)

    def _step(self, step: int) -> None:
        if self._matches:
            self._go((self._at + step) % len(self._matches))

    def _go(self, at: int) -> None:
        self._at = at
        if not self._matches:
            self.count.setText(tr("No matches") if self.field.text() else "")
            return
        self.count.setText(tr("{at} of {total}", at=number(at + 1), total=number(len(self._matches))))
        row = self._matches[at][0][0]
        self._view.reveal(row)
        facts = self._view.facts
        if facts is not None:
            first, last = self._matches[at][0], self._matches[at][-1]
            self._view.selection.begin(facts, (first[0], first[1]), "character")
            self._view.selection.reach(facts, (last[0], last[2]))
        self._view.viewport().update()


def _matches(line: TextLine, wanted: str) -> list[Match]:
    text = line.text.casefold()
    if len(text) != len(line.text):  # a few letters become two when cases are folded; places would shift
        text = line.text.lower() if len(line.text.lower()) == len(line.text) else line.text
    found: list[Match] = []
    at = text.find(wanted)
    while at >= 0:
        rows: dict[int, list[int]] = {}
        for row, cell in line.places[at : at + len(wanted)]:
            rows.setdefault(row, []).append(cell)
        found.append([(row, cells[0], cells[-1] + 1) for row, cells in rows.items()])
        at = text.find(wanted, at + len(wanted))
    return found
