"""RowStore: an ordered list of rows that is found by key, and stays so when rows are put in front or between."""

from desktop.ui.chats.folds.rows import Row


class RowStore:
    """Rows in order. A key or one of a row's aliases finds its index in constant time."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._ordinals: dict[str, int] = {}
        self._aliases: dict[str, str] = {}
        self._base = 0

    def __len__(self) -> int:
        return len(self.rows)

    def index_of(self, key: str) -> int:
        """The row's index, -1 if there is no such row."""
        ordinal = self._ordinals.get(key)
        if ordinal is None:
            ordinal = self._ordinals.get(self._aliases.get(key, ""))
        return -1 if ordinal is None else ordinal + self._base

    def insert(self, index: int, row: Row) -> None:
        """Put a row before the one at `index`; an index equal to the length appends."""
        self.rows.insert(index, row)
        self._name(row)
        self._renumber(index)

    def replace(self, index: int, row: Row) -> None:
        """Change the row at `index`; its key must be the same."""
        self.rows[index] = row
        self._name(row)

    def remove(self, first: int, count: int = 1) -> None:
        """Take `count` rows out."""
        for row in self.rows[first : first + count]:
            self._ordinals.pop(row.key, None)
            for alias in row.aliases:
                self._aliases.pop(alias, None)
        del self.rows[first : first + count]
        self._renumber(first)

    def prepend(self, rows: list[Row]) -> None:
        """Put older rows in front."""
        self._base += len(rows)
        self.rows[:0] = rows
        for index, row in enumerate(rows):
            self._ordinals[row.key] = index - self._base
            for alias in row.aliases:
                self._aliases.setdefault(alias, row.key)

    def _name(self, row: Row) -> None:
        for alias in row.aliases:
            self._aliases[alias] = row.key

    def _renumber(self, first: int) -> None:
        for index in range(first, len(self.rows)):
            self._ordinals[self.rows[index].key] = index - self._base
