"""ToolTable: every tool with what becomes of its calls in each mode, as the gate says it."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHeaderView, QWidget

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.tool_table import ToolRow
from desktop.language import said, tr
from desktop.ui.text.modes import SHORT_MODES, mode_words
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_3, TABLE_ROW
from desktop.ui.widgets.elided_label import plain_tooltip
from desktop.ui.widgets.layouts.edge_fade import EdgeFade
from desktop.ui.widgets.row_table import RowTable

WORDS = {
    "free": tr("runs"),
    "review": tr("runs, reviewed"),
    "ask": tr("asks"),
    "person": tr("asks you"),
    "refused": "—",
}
SPOKEN = {**WORDS, "review": tr("runs, and is reviewed afterwards"), "refused": tr("not available")}
_INK = {"free": "text", "review": "text", "ask": "warning", "person": "accent", "refused": "muted"}
_EDIT = mode_words(PermissionMode.EDIT)
COLUMNS = (
    tr("Tool"),
    mode_words(PermissionMode.PLAN),
    _EDIT,
    tr("{edit}, no window", edit=SHORT_MODES[PermissionMode.EDIT.value]),
    SHORT_MODES[PermissionMode.FULL_AUTO.value],
)
_ROWS = 12
_Index = QModelIndex | QPersistentModelIndex
_ROLES = Qt.ItemDataRole


class ToolRows(QAbstractTableModel):
    """One row for each tool."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows: tuple[ToolRow, ...] = ()

    def set_rows(self, rows: Sequence[ToolRow]) -> None:
        """Show these."""
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        """The tools."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index | None = None) -> int:
        """The tool and the modes."""
        return 0 if parent is not None and parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _ROLES.DisplayRole) -> object:
        """The names of the columns."""
        if orientation is Qt.Orientation.Horizontal and role == _ROLES.DisplayRole:
            return COLUMNS[section]
        return None

    def data(self, index: _Index, role: int = _ROLES.DisplayRole) -> object:
        """A word and its colour; the tooltip says which calls are treated otherwise."""
        row, column = self.rows[index.row()], index.column()
        outcome = "" if column == 0 else (row.plan, row.edit, row.hosted, row.full_auto)[column - 1]
        if role == _ROLES.DisplayRole:
            varying = outcome in ("free", "review", "ask") or (column == 1 and row.varies_in_plan)
            varies = "*" if row.varies and varying else ""
            return row.tool if column == 0 else f"{WORDS[outcome]}{varies}"
        if role == _ROLES.AccessibleTextRole:
            words = row.tool if column == 0 else f"{COLUMNS[column]}: {SPOKEN[outcome]}"
            return f"{words}. {said(row.varies)}" if row.varies else words
        if role == _ROLES.ToolTipRole:
            return plain_tooltip(said(row.varies))
        if role == _ROLES.ForegroundRole:
            return theme().color("text" if column == 0 else _INK[outcome])
        if role == _ROLES.FontRole and column == 0:
            return theme().mono()
        return None


class ToolTable(RowTable):
    """So high that what is said below of the chosen tool stays in sight. `chosen`: which of its calls are treated
    otherwise, "" for none."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        tools = ToolRows(parent)
        super().__init__("settings_permissions_tools", tr("What each tool may do"), tools, parent)
        self.tools = tools
        self.setProperty("kind", "box")
        EdgeFade(self, "surface")
        header = self.horizontalHeader()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.selectionModel().currentChanged.connect(self._on_current)
        self._fit()
        theme().changed.connect(self._fit)

    def show_rows(self, rows: Sequence[ToolRow]) -> None:
        """Show these tools."""
        if tuple(rows) != self.tools.rows:
            self.tools.set_rows(rows)
            self._fit()

    def sizeHint(self) -> QSize:
        """The header and some rows."""
        rows = min(self.tools.rowCount(), _ROWS)
        height = self.horizontalHeader().sizeHint().height() + rows * theme().px(TABLE_ROW)
        return QSize(super().sizeHint().width(), height + 2 * self.frameWidth())

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        row = self.tools.rows[current.row()] if current.isValid() else None
        self.chosen.emit(f"{row.tool}: {said(row.varies)}" if row is not None and row.varies else "")

    def _fit(self) -> None:
        metrics, gap = QFontMetrics(theme().font(semibold=True)), 2 * theme().px(SPACE_3)
        self.verticalHeader().setDefaultSectionSize(theme().px(TABLE_ROW))
        for column, name in enumerate(COLUMNS[1:], 1):
            words = [str(self.tools.index(row, column).data()) for row in range(self.tools.rowCount())]
            self.setColumnWidth(column, max(metrics.horizontalAdvance(word) for word in (name, *words)) + gap)
        self.setFixedHeight(self.sizeHint().height())
