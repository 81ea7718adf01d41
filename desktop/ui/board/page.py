"""BoardPage: all chats of the repository in columns by what they need."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.board.cards import COLUMNS, BoardCard
from desktop.ui.board.column import BoardColumn
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.clear_button import add_clear_button
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDE = 680


class BoardPage(QFrame):
    """`opened`: a chat; `closed`: the person is done; `filtered`: other words stand in the filter."""

    opened = Signal(str)
    closed = Signal()
    filtered = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("board")
        self.setAccessibleName(tr("Board"))
        self.setProperty("kind", "surface")
        self.filter = QLineEdit(self)
        self.filter.setObjectName("board_filter")
        self.filter.setAccessibleName(tr("Filter the board"))
        self.filter.setPlaceholderText(tr("Filter by title, lane, model or state"))
        add_clear_button(self.filter)
        self.filter.textChanged.connect(self.filtered)
        self._close = push_button(tr("Close"), "board_close", self)
        self._close.clicked.connect(self.closed)
        title = plain_label(self, "strong", "board_title", wrap=False)
        title.setText(tr("Board"))
        head = QHBoxLayout()
        set_gaps(head, (0, 0, 0, 0), SPACE_3)
        for widget, stretch in ((title, 0), (self.filter, 1), (self._close, 0)):
            head.addWidget(widget, stretch)
        self.columns = [BoardColumn(column, name, self) for column, name, _ in COLUMNS]
        self._heads = [plain_label(self, "heading", f"board_{column}_head", wrap=False) for column, _, _ in COLUMNS]
        self._empty = [plain_label(self, "muted", f"board_{column}_empty") for column, _, _ in COLUMNS]
        self._grid = QGridLayout()
        set_gaps(self._grid, (0, 0, 0, 0), SPACE_3)
        self._sides = [QWidget(self) for _ in self.columns]
        self._per_line = 0
        for number, view in enumerate(self.columns):
            side = QVBoxLayout(self._sides[number])
            set_gaps(side, (0, 0, 0, 0), SPACE_2)
            side.addWidget(self._heads[number])
            side.addWidget(self._empty[number])
            side.addWidget(view, 1)
            side.addStretch()
            view.opened.connect(self.opened)
            view.stepped.connect(lambda step, at=number: self._step(at, step))
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_4, SPACE_3), SPACE_3)
        layout.addLayout(head)
        layout.addLayout(self._grid, 1)
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where it is narrow, two columns stand above the two others."""
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        per_line = len(self._sides) if self.width() >= theme().px(_WIDE) else 2
        if per_line == self._per_line:
            return
        self._per_line = per_line
        for number, side in enumerate(self._sides):
            self._grid.addWidget(side, number // per_line, number % per_line)
        for number in range(len(self._sides)):
            self._grid.setColumnStretch(number, 1 if number < per_line else 0)
            self._grid.setRowStretch(number, 1 if number < len(self._sides) // per_line else 0)

    def show_cards(self, cards: Sequence[BoardCard]) -> None:
        """Become these, which the filter let through; what did not change is not painted anew."""
        text = self.filter.text().strip()
        nothing = tr("Nothing matches “{text}”.", text=display_text(text)) if text else ""
        for number, view in enumerate(self.columns):
            of_column = [card for card in cards if card.column == view.cards.column]
            view.cards.set_rows(of_column)
            self._heads[number].setText(f"{view.heading} ({len(of_column)})" if of_column else view.heading)
            self._empty[number].setText(nothing or COLUMNS[number][2])
            self._empty[number].setVisible(not of_column)
            view.setVisible(bool(of_column))

    def take_focus(self) -> None:
        """The keys go to the first column that has a card."""
        first = next((view for view in self.columns if view.cards.rows), None)
        if first is None:
            self.filter.setFocus()
        else:
            first.take_focus()

    def _step(self, at: int, step: int) -> None:
        """To the next column that has a card, if there is one."""
        order = range(at + step, len(self.columns) if step > 0 else -1, step)
        view = next((self.columns[number] for number in order if self.columns[number].cards.rows), None)
        if view is not None:
            view.take_focus()
