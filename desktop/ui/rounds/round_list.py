"""RoundList: the rounds of work on a request as a table, newest first; each leads to its chat."""

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.rounds.updates import RoundChanged
from desktop.language import said, tr
from desktop.ui.models.keyed_rows import ROW_ROLE
from desktop.ui.pulls.parts import column_in, line_of
from desktop.ui.rounds.issue_rows import COLUMNS, ROUND_WORDS, RoundRow, RoundRows, round_row
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3, SPACE_5, TABLE_ROW
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.layouts.edge_fade import EdgeFade
from desktop.ui.widgets.row_table import RowTable

NO_ROUNDS = tr("No rounds yet. A round gives what is to be fixed to an agent in a chat of its own.")
_STATE = COLUMNS.index(tr("State"))
_SAMPLES = {tr("Tokens"): "1.25M", tr("Time"): "59 min 59 s"}
_LEAVING = (tr("Back"), tr("Ignored"), tr("Tokens"), tr("Files"), tr("Time"), tr("Given"))
"""Columns that leave, one after the other, where there is no room for all."""


class RoundList(QWidget):
    """`chat_asked`: the id of a round's chat."""

    chat_asked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows = RoundRows(self)
        self.table = _Table(self.rows, self)
        self._nothing = plain_label(self, "muted", "rounds_nothing")
        self._nothing.setText(NO_ROUNDS)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._about = plain_label(self, "caption", "rounds_about")
        self._open = small_button(tr("Open chat"), "round_chat", self)
        self._stack = QStackedWidget(self)
        shown, empty = QWidget(self), QWidget(self)
        below = line_of(self._about, self._open, margins=(SPACE_3, SPACE_1, SPACE_2, SPACE_2))
        below.setStretch(0, 1)
        column = column_in(shown, self.table, below, spacing=SPACE_1)
        column.setStretch(0, 1)
        column.setStretch(1, 0)
        column_in(empty, self._nothing, margins=(SPACE_3, SPACE_3, SPACE_3, SPACE_3))
        self._stack.addWidget(shown)
        self._stack.addWidget(empty)
        column_in(self, self._stack, spacing=SPACE_2)
        self.table.opened.connect(self._on_open)
        self.table.columns_changed.connect(self._say_round)
        self.table.selectionModel().currentChanged.connect(self._on_current)
        self._open.clicked.connect(self._on_open)
        self._told: RoundChanged | None = None

    def show_rounds(self, told: RoundChanged | None) -> None:
        """Show these; None for none."""
        self._told = told
        rounds = told.rounds if told is not None else ()
        self.rows.set_rows([round_row(one) for one in reversed(rounds)])
        if rounds and not self.table.currentIndex().isValid():
            self.table.setCurrentIndex(self.rows.index(0, 0))
        self._stack.setCurrentIndex(0 if rounds else 1)
        self._on_current(QModelIndex(), QModelIndex())

    @property
    def current(self) -> RoundRow | None:
        """The round that is chosen."""
        row = self.table.currentIndex().data(ROW_ROLE)
        return row if isinstance(row, RoundRow) else None

    def _on_current(self, _current: QModelIndex, _previous: QModelIndex) -> None:
        row = self.current
        none = tr("Choose a round.") if row is None else ""
        set_off(self._open, none or ("" if row is not None and row.session_id else tr("This round has no chat.")))
        self._say_round()

    def _say_round(self) -> None:
        """The chosen round in words, with the figures of the columns that are not shown."""
        row = self.current
        record = None
        if row is not None and self._told is not None:
            record = next((one for one in self._told.rounds if str(one.number) == row.key), None)
        if row is None or record is None:
            return say(self._about, "")
        parts = [
            tr(
                "Round {number}: {commits}",
                number=record.number,
                commits=count(len(record.commits), "commit") if record.commits else tr("no commits"),
            )
        ]
        parts += [words for at, words in enumerate(row.words) if words and self.table.isColumnHidden(at)]
        parts += [tr("converging")] if record.progress > 0 else []
        return say(self._about, f"{', '.join(parts)}. {display_text(said(record.reason))}".strip(". "))

    def _on_open(self) -> None:
        row = self.current
        if row is not None and row.session_id:
            self.chat_asked.emit(row.session_id)


class _Table(RowTable):
    """Enter or a double click opens. It never scrolls sideways: columns leave where there is no room."""

    opened = Signal()
    columns_changed = Signal()

    def __init__(self, model: RoundRows, parent: QWidget) -> None:
        super().__init__("rounds_table", tr("Rounds"), model, parent)
        self._widths: dict[str, int] = {}
        self.setProperty("kind", "side")
        EdgeFade(self, "canvas")
        header = self.horizontalHeader()
        header.setStretchLastSection(True)
        self.doubleClicked.connect(lambda _index: self.opened.emit())
        self._size_cells()
        theme().changed.connect(self._size_cells)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters belong to the panel."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit()
        elif event.text() and event.text().isprintable():
            event.ignore()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Columns come and leave with the width."""
        super().resizeEvent(event)
        self._choose_columns()

    def _choose_columns(self) -> None:
        left = list(COLUMNS)
        for name in _LEAVING:
            if sum(self._widths[one] for one in left) > self.viewport().width():
                left.remove(name)
        shown = [name in left for name in COLUMNS]
        if shown != [not self.isColumnHidden(at) for at in range(len(COLUMNS))]:
            for at, one in enumerate(shown):
                self.setColumnHidden(at, not one)
            self.columns_changed.emit()
        for at in range(len(COLUMNS)):
            self.setColumnWidth(at, self._widths[COLUMNS[at]])

    def _size_cells(self) -> None:
        metrics, gap = QFontMetrics(theme().font(semibold=True)), theme().px(SPACE_5)
        self.verticalHeader().setDefaultSectionSize(theme().px(TABLE_ROW))
        for column, name in enumerate(COLUMNS):
            words = [name, *(ROUND_WORDS.values() if column == _STATE else [_SAMPLES.get(name, "000")])]
            self._widths[name] = max(metrics.horizontalAdvance(one) for one in words) + gap
        self._choose_columns()
