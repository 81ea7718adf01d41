"""FindInDiff: looks for words in the lines that a diff shows, marks them and goes from one to the next."""

import re
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QWidget

from desktop.language import number, tr
from desktop.ui.changes.diff.view import DiffView
from desktop.ui.theme.tokens import SPACE_1, SPACE_2
from desktop.ui.widgets.buttons.icon_button import icon_button
from desktop.ui.widgets.layouts.gaps import set_gaps

NONE = tr("No matches")


class DiffMatch(NamedTuple):
    """A place: hunk, line of the hunk, characters of the line."""

    hunk: int
    line: int
    start: int
    end: int


class FindInDiff(QFrame):
    """Hidden until it is opened. Capital letters count when there are any in what is looked for. `left`: it closed."""

    left = Signal()

    def __init__(self, view: DiffView, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("changes_find")
        self.setProperty("kind", "bar")
        self._view = view
        self._found: list[DiffMatch] = []
        self._at = -1
        self.field = QLineEdit(self)
        self.field.setObjectName("changes_find_text")
        self.field.setAccessibleName(tr("Find in this diff"))
        self.field.setPlaceholderText(tr("Find in this diff"))
        self.count = QLabel(self)
        self.count.setObjectName("changes_find_count")
        self.count.setTextFormat(Qt.TextFormat.PlainText)
        self.count.setProperty("kind", "muted")
        self.before = icon_button("chevron-up", tr("Previous match (Shift+Enter)"), "changes_find_previous", self)
        self.after = icon_button("chevron-down", tr("Next match (Enter)"), "changes_find_next", self)
        self.close_button = icon_button("x", tr("Close (Esc)"), "changes_find_close", self)
        row = QHBoxLayout(self)
        set_gaps(row, (SPACE_2, SPACE_1, SPACE_1, SPACE_1), SPACE_1)
        row.addWidget(self.field, 1)
        for widget in (self.count, self.before, self.after, self.close_button):
            row.addWidget(widget)
        self.field.textChanged.connect(lambda _text: self.search())
        self.before.clicked.connect(lambda: self.step(-1))
        self.after.clicked.connect(lambda: self.step(1))
        self.close_button.clicked.connect(self.leave)
        self.hide()

    def open(self) -> None:
        """Show it with the focus in its field."""
        self.show()
        self.field.setFocus()
        self.field.selectAll()
        self.search()

    def leave(self) -> None:
        """Hide it; nothing is marked any more."""
        if not self.isHidden():
            self.hide()
            self._mark([])
            self._view.setFocus()
            self.left.emit()

    def follow(self) -> None:
        """Another diff is shown: look in it, and stay where the person is."""
        if not self.isHidden() and not self._view.found:
            self._mark(self._places())
            self._at = -1
            self.count.setText(tr("{found} found", found=number(len(self._found))) if self._found else NONE)

    def search(self) -> None:
        """Look for what is written, in every line that is shown."""
        self._mark(self._places())
        self._at = -1
        self.step(1)

    def _places(self) -> list[DiffMatch]:
        text = self.field.text()
        if not text:
            return []
        words = re.compile(re.escape(text), re.NOFLAG if text != text.lower() else re.IGNORECASE)
        return [
            DiffMatch(hunk, at, match.start(), match.end())
            for hunk, lines in enumerate(self._view.diff.hunks)
            for at, line in enumerate(lines.lines)
            for match in words.finditer(line.text)
        ]

    def step(self, step: int) -> None:
        """Go to the next (1) or previous (-1) place, round at the ends."""
        if not self._found:
            self.count.setText(NONE if self.field.text() else "")
            return
        self._at = (self._at + step) % len(self._found)
        self.count.setText(tr("{number} of {hits}", number=number(self._at + 1), hits=number(len(self._found))))
        one = self._found[self._at]
        self._view.show_place(one.hunk, one.line, one.start, one.end)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes on, with Shift back; Esc closes."""
        if event.matches(QKeySequence.StandardKey.Cancel):
            self.leave()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)

    def _mark(self, found: list[DiffMatch]) -> None:
        self._found = found
        marked: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for one in found:
            marked.setdefault((one.hunk, one.line), []).append((one.start, one.end))
        self._view.found = marked
        self._view.viewport().update()
