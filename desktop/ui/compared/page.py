"""ComparePage: the results of one task beside each other, what waits in one of them, and how two of them differ."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.compared.card import RunCard
from desktop.ui.compared.difference import DifferenceBox
from desktop.ui.compared.rows import RunRow
from desktop.ui.core.requests import Requests
from desktop.ui.gate.pending_tray import PendingTray
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.choice_button import ChoiceButton
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.picker import PickItem

_CARD_LEAST = 216


class ComparePage(QFrame):
    """`opened`, `keep_asked`, `answer_asked`: of a chat; `task_chosen`: another comparison; `undo_asked`: what was
    archived is to come back; `closed`: the person is done."""

    opened = Signal(str)
    keep_asked = Signal(str)
    answer_asked = Signal(str)
    task_chosen = Signal(str)
    undo_asked = Signal()
    closed = Signal()

    def __init__(self, requests: Requests, tray: PendingTray, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("compared")
        self.setAccessibleName(tr("Results of one task"))
        self.setProperty("kind", "surface")
        self.tray = tray
        self.cards: list[RunCard] = []
        self._per_line = 0
        title = plain_label(self, "strong", "compared_title", wrap=False)
        title.setText(tr("Compare"))
        self.task = ChoiceButton("compared_task", tr("Task"), self)
        self.task.chosen.connect(self.task_chosen)
        self.undo = push_button(tr("Bring the others back"), "compared_undo", self)
        self.undo.clicked.connect(self.undo_asked)
        self._close = push_button(tr("Close"), "compared_close", self)
        self._close.clicked.connect(self.closed)
        head = QHBoxLayout()
        set_gaps(head, (0, 0, 0, 0), SPACE_3)
        for widget, stretch in ((title, 0), (self.task, 1), (self.undo, 0), (self._close, 0)):
            head.addWidget(widget, stretch)
        self.empty = plain_label(self, "muted", "compared_empty")
        self.empty.setText(tr("No task was given to several here yet."))
        self._scroll = QScrollArea(self)
        self._scroll.setObjectName("compared_scroll")
        self._scroll.setAccessibleName(tr("Results"))
        self._scroll.setProperty("kind", "plain")
        self._scroll.setWidgetResizable(True)
        self._body = QWidget(self._scroll)
        self._grid = QGridLayout()
        set_gaps(self._grid, (0, 0, 0, 0), SPACE_3)
        self.difference = DifferenceBox(requests, self._body)
        tray.setParent(self._body)
        body = QVBoxLayout(self._body)
        set_gaps(body, (0, 0, SPACE_3, 0), SPACE_3)
        body.addLayout(self._grid)
        body.addWidget(tray)
        body.addWidget(self.difference, 1)
        self._scroll.setWidget(self._body)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_4, SPACE_3), SPACE_3)
        layout.addLayout(head)
        layout.addWidget(self.empty)
        layout.addWidget(self._scroll, 1)
        tray.set_centre(self)

    def show_tasks(self, tasks: Sequence[tuple[str, str]], chosen: str) -> None:
        """The comparisons there are, by id and title, and which one is shown."""
        self.task.set_items([PickItem(key, title) for key, title in tasks])
        if chosen:
            self.task.set_value(chosen)
        self.task.setVisible(bool(tasks))
        self.empty.setVisible(not tasks)
        self._scroll.setVisible(bool(tasks))

    def show_rows(self, rows: Sequence[RunRow], *, kept: bool) -> None:
        """The results; what did not change is not painted anew. `kept`: one of them was kept, the others archived."""
        while len(self.cards) > len(rows):
            gone = self.cards.pop()
            self._grid.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
            self._per_line = 0
        while len(self.cards) < len(rows):
            self.cards.append(self._make_card())
            self._per_line = 0
        for card, row in zip(self.cards, rows, strict=True):
            card.show_row(row)
        self.undo.setVisible(kept)
        self.difference.show_rows(rows)
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """As many beside each other as have room."""
        super().resizeEvent(event)
        self._place()

    def _make_card(self) -> RunCard:
        card = RunCard(self._body)
        card.opened.connect(self.opened)
        card.keep_asked.connect(self.keep_asked)
        card.answer_asked.connect(self.answer_asked)
        card.show()
        return card

    def _place(self) -> None:
        if not self.cards:
            return
        room = max(1, self.width() // theme().px(_CARD_LEAST))
        lines = -(-len(self.cards) // min(room, len(self.cards)))
        per_line = -(-len(self.cards) // lines)
        if per_line == self._per_line:
            return
        self._per_line = per_line
        for at, card in enumerate(self.cards):
            self._grid.addWidget(card, at // per_line, at % per_line)
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, 1 if column < per_line else 0)
