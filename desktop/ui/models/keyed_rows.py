"""KeyedRows: a list model of keyed rows that changes only where rows changed; panels fill it from updates."""

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

KEY_ROLE = Qt.ItemDataRole.UserRole + 1
ROW_ROLE = Qt.ItemDataRole.UserRole + 2
Index = QModelIndex | QPersistentModelIndex


class Keyed(Protocol):
    """A row: equal rows look the same, equal keys mean the same thing. Keys are unique in a list."""

    @property
    def key(self) -> str:
        """The key of what the row is about."""


RowT = TypeVar("RowT", bound=Keyed)


class KeyedRows(QAbstractTableModel, Generic[RowT]):
    """The base of the inspector's models. `columns`: their names; one without a name unless a subclass has some."""

    columns: tuple[str, ...] = ("",)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[RowT] = []

    @property
    def rows(self) -> tuple[RowT, ...]:
        """The rows from top to bottom."""
        return tuple(self._rows)

    def row_at(self, at: int) -> RowT:
        """The row at this place."""
        return self._rows[at]

    def rowCount(self, parent: Index | None = None) -> int:
        """The rows; none below a row."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """The number of `columns`; none below a row."""
        return 0 if parent is not None and parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The row itself, its key, and what the class says of it in words."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        if role in (ROW_ROLE, KEY_ROLE):
            return row if role == ROW_ROLE else row.key
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text_of(row, index.column())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.sentence_of(row)
        return self.tip_of(row) or None if role == Qt.ItemDataRole.ToolTipRole else None

    def text_of(self, row: RowT, column: int) -> str:
        """What a cell shows."""
        raise NotImplementedError

    def sentence_of(self, row: RowT) -> str:
        """The row for assistive technology."""
        raise NotImplementedError

    def tip_of(self, row: RowT) -> str:
        """The tooltip of the row, "" for none."""
        return ""

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The names of the columns."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section] or None
        return None

    def set_rows(self, rows: Sequence[RowT]) -> None:
        """Become these rows: what is gone is removed, what is new inserted, what differs announced as changed."""
        if not rows:
            self._clear()
            return
        wanted = {row.key for row in rows}
        for at in range(len(self._rows) - 1, -1, -1):
            if self._rows[at].key not in wanted:
                self._remove(at)
        here = {row.key for row in self._rows}
        for at, row in enumerate(rows):
            if at < len(self._rows) and self._rows[at].key == row.key:
                self._change(at, row)
                continue
            if row.key in here:
                self._remove(next(i for i in range(at + 1, len(self._rows)) if self._rows[i].key == row.key))
            self._put_in(at, [row])

    def _put_in(self, at: int, rows: Sequence[RowT]) -> None:
        """These rows, of which there is at least one, stand at this place from now on."""
        self.beginInsertRows(QModelIndex(), at, at + len(rows) - 1)
        self._rows[at:at] = rows
        self.endInsertRows()

    def _clear(self) -> None:
        if self._rows:
            self.beginRemoveRows(QModelIndex(), 0, len(self._rows) - 1)
            self._rows.clear()
            self.endRemoveRows()

    def _remove(self, at: int) -> None:
        self.beginRemoveRows(QModelIndex(), at, at)
        del self._rows[at]
        self.endRemoveRows()

    def _change(self, at: int, row: RowT) -> None:
        if self._rows[at] != row:
            self._rows[at] = row
            self.dataChanged.emit(self.index(at, 0), self.index(at, self.columnCount() - 1))
