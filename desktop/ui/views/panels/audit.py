"""The Audit tab: every decision about a call of the shown chat, who made it, and what came of it."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSortFilterProxyModel, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QLineEdit,
    QStackedWidget,
    QStyledItemDelegate,
    QTableView,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from desktop.domain.display import display_text
from desktop.domain.updates import Update
from desktop.ui.models.audit_model import COLUMNS, AuditModel
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SIDEBAR_ROW, SPACE_1, SPACE_2, SPACE_3, TABLE_ROW
from desktop.ui.views.panels.audit_delegate import AuditDelegate
from desktop.ui.widgets.elided_label import plain_tooltip
from desktop.ui.widgets.empty_state import EmptyState
from desktop.ui.widgets.gaps import set_gaps

NOTHING = ("No decisions yet.", "Every request and answer is listed here.")
_TIME, _WHAT, _DECISION = (COLUMNS.index(name) for name in ("Time", "What", "Decision"))
_MORE = {COLUMNS.index(name): width for name, width in (("Rule", 110), ("By", 76), ("Result", 130))}
_ALL_FROM = 600
_WORDS = {_TIME: ("00:00",), _DECISION: ("allowed", "asked", "declined", "refused")}
_ALL_COLUMNS = -1


class AuditPanel(QWidget):
    """A table, latest last, with a text filter over all its columns."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.model = AuditModel(self)
        self.setObjectName("audit_panel")
        self._shown = QSortFilterProxyModel(self)
        self._shown.setSourceModel(self.model)
        self._shown.setFilterKeyColumn(_ALL_COLUMNS)
        self._shown.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._filter = QLineEdit(self)
        self._filter.setObjectName("audit_filter")
        self._filter.setAccessibleName("Filter decisions")
        self._filter.setPlaceholderText("Filter by text, decision, rule or person")
        self._filter.setClearButtonEnabled(True)
        self._filter.textChanged.connect(self._filter_changed)
        self._table = self._make_table()
        self._two_lines = AuditDelegate(self._table)
        self._one_line = QStyledItemDelegate(self._table)
        self._size_cells()
        theme().changed.connect(self._size_cells)
        self._no_match = QLabel(self)
        self._no_match.setTextFormat(Qt.TextFormat.PlainText)
        self._no_match.setObjectName("audit_no_match")
        self._no_match.setProperty("kind", "muted")
        self._no_match.setWordWrap(True)
        self._no_match.setContentsMargins(theme().px(SPACE_3), 0, theme().px(SPACE_3), 0)
        self._body = QWidget(self)
        column = QVBoxLayout(self._body)
        column.setContentsMargins(0, 0, 0, 0)
        set_gaps(column, spacing=SPACE_2)
        row = QVBoxLayout()
        set_gaps(row, (SPACE_3, 0, SPACE_3, 0))
        row.addWidget(self._filter)
        column.addLayout(row)
        column.addWidget(self._no_match)
        column.addWidget(self._table, 1)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._body)
        self._stack.addWidget(EmptyState("shield-check", *NOTHING, self))
        outer = QVBoxLayout(self)
        set_gaps(outer, (0, SPACE_3, 0, 0))
        outer.addWidget(self._stack)
        self._refresh()

    def show_session(self, session_id: str) -> None:
        """Show this chat's decisions; "" for none."""
        if session_id != self.model.session_id:
            self._filter.clear()
        self.model.show_session(session_id)
        self._refresh()

    def apply(self, updates: Sequence[Update]) -> None:
        """Take a batch of updates, in order."""
        bar = self._table.verticalScrollBar()
        at_end = bar.value() == bar.maximum()
        self.model.apply(updates)
        self._refresh()
        if at_end:
            self._table.scrollToBottom()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tooltips with the full text of a cell; the columns share the width there is."""
        if event.type() == QEvent.Type.Resize and watched is self._table:
            self._size_cells()
        if isinstance(event, QHelpEvent) and watched is self._table.viewport():
            index = self._shown.mapToSource(self._table.indexAt(event.pos()))
            if index.isValid():
                QToolTip.showText(event.globalPos(), plain_tooltip(self.model.tooltip(index)), self._table)
            return True
        return super().eventFilter(watched, event)

    def _make_table(self) -> QTableView:
        table = QTableView(self)
        table.setObjectName("audit_table")
        table.setAccessibleName("Decisions")
        table.setProperty("kind", "side")
        table.setModel(self._shown)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setTextElideMode(Qt.TextElideMode.ElideRight)
        table.verticalHeader().hide()
        header = table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(_WHAT, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(1)
        table.installEventFilter(self)
        table.viewport().installEventFilter(self)
        return table

    def _size_cells(self) -> None:
        """Where it is narrow, who decided and what came of it stand under what was asked."""
        px, metrics = theme().px, QFontMetrics(theme().font())
        wide = self._table.width() >= px(_ALL_FROM)
        self._table.verticalHeader().setDefaultSectionSize(px(TABLE_ROW if wide else SIDEBAR_ROW))
        self._table.setItemDelegateForColumn(_WHAT, self._one_line if wide else self._two_lines)
        header = self._table.horizontalHeader()
        for column, width in _MORE.items():
            header.setSectionHidden(column, not wide)
            header.resizeSection(column, px(width))
        for column, words in _WORDS.items():
            widest = max(metrics.horizontalAdvance(word) for word in (*words, COLUMNS[column]))
            header.resizeSection(column, widest + 2 * px(SPACE_2) + px(SPACE_1))

    def _filter_changed(self, text: str) -> None:
        self._shown.setFilterFixedString(text.strip())
        self._refresh()

    def _refresh(self) -> None:
        text = self._filter.text().strip()
        nothing_matches = bool(self.model.rows) and self._shown.rowCount() == 0
        self._no_match.setText(f"Nothing matches “{display_text(text)}”." if nothing_matches else "")
        self._no_match.setVisible(nothing_matches)
        self._stack.setCurrentIndex(0 if self.model.rows else 1)
