"""The grid of a preview: sample rows before and after, signed and coloured as a difference."""

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.gate.effects import TableEffect
from desktop.language import tr
from desktop.ui.gate.cards.evidence.effect_words import SampleRow, sample_rows
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, SPACE_2, SPACE_3
from desktop.ui.widgets.elided_label import plain_tooltip

ROWS, FEW_ROWS = 6, 3
_ROW, _WIDEST, _SIGN, _SURELY = 24, 220, 26, 560
_MOST_CHARS = 200
_GROUND = {"−": "diff_del", "+": "diff_add"}
_INK = {"−": "danger", "+": "success"}
_Index = QModelIndex | QPersistentModelIndex


class EffectModel(QAbstractTableModel):
    """Sign and cells of the samples of one table."""

    def __init__(self, table: TableEffect, parent: QWidget) -> None:
        super().__init__(parent)
        self._columns = table.columns
        self._rows: tuple[SampleRow, ...] = sample_rows(table)

    def rowCount(self, parent: _Index | None = None) -> int:
        """The sample rows."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index | None = None) -> int:
        """The sign, and the columns of the table."""
        return 0 if parent is not None and parent.isValid() else 1 + len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> object:
        """The names of the columns."""
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole or section == 0:
            return None
        return display_text(self._columns[section - 1])

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Text, colours, and what changed in bold."""
        row, column = self._rows[index.row()], index.column() - 1
        text = row.sign if column < 0 else display_text(row.cells[column]) if column < len(row.cells) else ""
        if role == Qt.ItemDataRole.DisplayRole:
            return text if len(text) <= _MOST_CHARS else f"{text[: _MOST_CHARS - 1]}…"
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(text)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            when = "before" if row.sign == "−" else "after"
            return f"{when}: {text}" if column >= 0 else when
        if role == Qt.ItemDataRole.BackgroundRole:
            return theme().color(_GROUND[row.sign])
        if role == Qt.ItemDataRole.ForegroundRole:
            return theme().color(_INK[row.sign] if column < 0 else "text")
        if role == Qt.ItemDataRole.FontRole:
            return _font(column < 0 or column in row.changed)
        return None


def _font(bold: bool) -> QFont:
    return theme().mono(CAPTION / 0.95, semibold=bold)


class EffectGrid(QTableView):
    """As high as its rows, at most six or what `set_rows` says; wider tables scroll."""

    def __init__(self, table: TableEffect, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = EffectModel(table, self)
        self.setObjectName("approval_preview_grid")
        self.setAccessibleName(tr("Rows of {table} before and after", table=display_text(table.table)))
        self.setModel(self._model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setProperty("kind", "grid")
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setMinimumSectionSize(1)
        self.verticalHeader().setDefaultSectionSize(theme().px(_ROW))
        header = self.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setFixedHeight(theme().px(_ROW))
        header.setMinimumSectionSize(theme().px(_SIGN))
        header.setStretchLastSection(True)
        self._wide = theme().px(_SIGN)
        self.setColumnWidth(0, self._wide)
        for column in range(1, self._model.columnCount()):
            wanted = max(self.sizeHintForColumn(column), header.sectionSizeHint(column)) + theme().px(SPACE_3)
            self.setColumnWidth(column, min(wanted, theme().px(_WIDEST)))
            self._wide += min(wanted, theme().px(_WIDEST))
        self._most = ROWS
        self.set_rows(ROWS)

    def set_rows(self, rows: int) -> None:
        """How many rows are shown at most before it scrolls."""
        self._most = rows
        self.setFixedHeight(self._wanted_height())

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(1, self._wanted_height())

    def minimumSizeHint(self) -> QSize:
        """It may become narrow: it scrolls."""
        return QSize(1, self._wanted_height())

    def _wanted_height(self) -> int:
        rows = min(self._most, max(1, self._model.rowCount()))
        bar = theme().px(SPACE_2) if self._wide > theme().px(_SURELY) else 0
        return theme().px(_ROW) + rows * theme().px(_ROW) + bar + 2
