"""The table of decisions; where it is narrow, who decided and what came of it stand under what was asked."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyledItemDelegate, QToolTip, QWidget

from desktop.language import tr
from desktop.ui.audit.delegate import AuditDelegate
from desktop.ui.audit.fold import DECISIONS
from desktop.ui.audit.model import COLUMNS, AuditFilter, AuditModel
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SIDEBAR_ROW, SPACE_1, SPACE_2, TABLE_ROW
from desktop.ui.widgets.elided_label import plain_tooltip
from desktop.ui.widgets.layouts.edge_fade import EdgeFade
from desktop.ui.widgets.row_table import RowTable

_TIME, _WHAT, _DECISION = (COLUMNS.index(name) for name in (tr("Time"), tr("What"), tr("Decision")))
_MORE = {COLUMNS.index(name): width for name, width in ((tr("Rule"), 110), (tr("By"), 76), (tr("Result"), 130))}
_ALL_FROM = 600
_CELL_WORDS = {_TIME: ("00:00",), _DECISION: tuple(DECISIONS.values())}


class AuditTable(RowTable):
    """One row a decision, latest last."""

    def __init__(self, model: AuditModel, shown: AuditFilter, parent: QWidget) -> None:
        super().__init__("audit_table", tr("Decisions"), shown, parent)
        self._rows, self._filter = model, shown
        self.setProperty("kind", "side")
        EdgeFade(self, "canvas")
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = self.horizontalHeader()
        header.setSectionResizeMode(_WHAT, QHeaderView.ResizeMode.Stretch)
        self._two_lines = AuditDelegate(self)
        self._one_line = QStyledItemDelegate(self)
        self.installEventFilter(self)
        self.viewport().installEventFilter(self)
        self._size_cells()
        theme().changed.connect(self._size_cells)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tooltips with the full text of a cell; the columns share the width there is."""
        if event.type() == QEvent.Type.Resize and watched is self:
            self._size_cells()
        if isinstance(event, QHelpEvent) and watched is self.viewport():
            index = self._filter.mapToSource(self.indexAt(event.pos()))
            if index.isValid():
                QToolTip.showText(event.globalPos(), plain_tooltip(self._rows.tooltip(index)), self)
            return True
        return super().eventFilter(watched, event)

    def _size_cells(self) -> None:
        px, metrics = theme().px, QFontMetrics(theme().font())
        wide = self.width() >= px(_ALL_FROM)
        self.verticalHeader().setDefaultSectionSize(px(theme().dense(TABLE_ROW if wide else SIDEBAR_ROW)))
        self.setItemDelegateForColumn(_WHAT, self._one_line if wide else self._two_lines)
        header = self.horizontalHeader()
        for column, width in _MORE.items():
            header.setSectionHidden(column, not wide)
            header.resizeSection(column, px(width))
        for column, words in _CELL_WORDS.items():
            widest = max(metrics.horizontalAdvance(word) for word in (*words, COLUMNS[column]))
            header.resizeSection(column, widest + 2 * px(SPACE_2) + px(SPACE_1))
