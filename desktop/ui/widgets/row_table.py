"""RowTable: a table of which one whole row is chosen, as all lists of facts are: no grid, no cells to edit."""

from PySide6.QtCore import QAbstractItemModel, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from desktop.ui.theme.row_ground import paint_chosen_edge


class RowTable(QTableView):
    """Columns have the widths that the subclass gives them; it never scrolls sideways."""

    def __init__(self, name: str, title: str, model: QAbstractItemModel, parent: QWidget) -> None:
        """`name` is its object name, `title` what people hear."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setModel(model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setMinimumSectionSize(1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cells, and the edge of the chosen row around all of its cells."""
        super().paintEvent(event)
        for index in self.selectionModel().selectedRows():
            row = self.visualRect(index)
            painter = QPainter(self.viewport())
            paint_chosen_edge(painter, QRectF(0, row.top(), self.viewport().width(), row.height()))
            painter.end()
