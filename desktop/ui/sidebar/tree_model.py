"""SessionTreeModel: the sidebar's rows as a Qt tree that changes row by row and never resets."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeAlias

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop.records import dataclass
from desktop.ui.core.chat_state import state_sentence
from desktop.ui.core.sidebar_row import Lists, SidebarRow
from desktop.ui.core.sink import Clock
from desktop.ui.sidebar.rows import sidebar_rows
from desktop.ui.text import format as fmt
from desktop.ui.widgets.elided_label import plain_tooltip

KEY_ROLE = Qt.ItemDataRole.UserRole + 1
ROW_ROLE = Qt.ItemDataRole.UserRole + 2
DETAIL_ROLE = Qt.ItemDataRole.UserRole + 3

_Index: TypeAlias = QModelIndex | QPersistentModelIndex


@dataclass(eq=False)
class _Node:
    ident: int
    row: SidebarRow
    parent: "_Node | None"
    children: list["_Node"] = field(default_factory=list)
    detail: str = ""


class SessionTreeModel(QAbstractItemModel):
    """Sections with rows; lanes hold their chats. KEY_ROLE finds a row, ROW_ROLE is its Row, DETAIL_ROLE its line two.

    While held (a pointer or the focus is on the list) rows change their texts but do not move; a
    list without rows has nothing that could move.
    """

    def __init__(self, clock: Clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._lists = Lists()
        self._held = False
        self._next_id = 1
        self._root = _Node(0, SidebarRow("", "section", ""), None)
        self._nodes: dict[int, _Node] = {0: self._root}

    @property
    def lists(self) -> Lists:
        """What the rows show."""
        return self._lists

    def show_lists(self, lists: Lists) -> None:
        """Show these chats and lanes; only rows that differ change."""
        self._lists = lists
        self._take(sidebar_rows(lists))

    def hold(self, held: bool) -> None:
        """Keep the order while True; False applies what was held back."""
        if self._held and not held:
            self._held = False
            self._take(sidebar_rows(self._lists))
        self._held = held

    def refresh_ages(self) -> None:
        """Write the second lines anew; rows whose text changed are repainted."""
        for node in list(self._nodes.values()):
            if node.row.since is not None and node.detail != self._detail(node.row):
                self._changed(node)

    def needs_clock(self) -> bool:
        """Whether a row shows an age that grows while nothing else happens: something waits or runs."""
        return any(chat.waiting or chat.interrupted for chat in self._lists.chats if not chat.archived)

    def find(self, key: str) -> QModelIndex:
        """The first row of that key, from the top, or else the one that stands for it: a lane for its one chat, a chat
        that needs a person for its lane. Invalid if there is none."""

        def stands_for(row: SidebarRow) -> bool:
            return (row.single and f"session:{row.session_id}" == key) or f"lane:{row.lane_id}" == key

        found = self._find(self._root, lambda row: row.key == key) or self._find(self._root, stands_for)
        return self._index_of(found) if found is not None else QModelIndex()

    def chat_order(self) -> list[str]:
        """The chats in the order of the list, each once."""
        order: dict[str, None] = {}
        for section in self._root.children:
            for node in section.children:
                for row in (node.row, *(child.row for child in node.children)):
                    if row.session_id:
                        order.setdefault(row.session_id)
        return list(order)

    # what Qt asks

    def rowCount(self, parent: _Index | None = None) -> int:
        """The children of a row."""
        return len(self._node(parent).children)

    def columnCount(self, parent: _Index | None = None) -> int:
        """One."""
        return 1

    def index(self, row: int, column: int, parent: _Index | None = None) -> QModelIndex:
        """The index of a child."""
        children = self._node(parent).children
        if column != 0 or not 0 <= row < len(children):
            return QModelIndex()
        return self.createIndex(row, 0, children[row].ident)

    def parent(self, index: _Index | None = None) -> QModelIndex:  # type: ignore[override]  # Qt has two
        """The row that holds it."""
        node = self._node(index)
        return self._index_of(node.parent) if node.parent is not None else QModelIndex()

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Headings cannot be chosen."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if self._node(index).row.kind == "section":
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Title, second line, key, sentence."""
        node = self._node(index)
        if node is self._root:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return node.row.title
        if role == KEY_ROLE:
            return node.row.key
        if role == ROW_ROLE:
            return node.row
        if role == DETAIL_ROLE:
            return node.detail
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(node.row)
        if role == Qt.ItemDataRole.ToolTipRole and node.row.kind != "section":
            return self._tooltip(node.row)
        return None

    # changes

    def _take(self, rows: Sequence[SidebarRow]) -> None:
        if self._held and self._root.children:
            self._update_in_place(self._root, rows, {row.key: row for row in _all(rows)})
        else:
            self._sync(self._root, rows)

    def _update_in_place(self, parent: _Node, rows: Sequence[SidebarRow], elsewhere: Mapping[str, SidebarRow]) -> None:
        """`elsewhere`: by key, what a row says that will stand in another section."""
        wanted = {row.key: row for row in rows}
        for node in parent.children:
            row = wanted.get(node.row.key) or elsewhere.get(node.row.key)
            if row is not None:
                self._set_row(node, row)
            self._update_in_place(node, row.children if row is not None else (), elsewhere)

    def _sync(self, parent: _Node, rows: Sequence[SidebarRow]) -> None:
        index = self._index_of(parent)
        keys = {row.key for row in rows}
        for at in reversed(range(len(parent.children))):
            if parent.children[at].row.key not in keys:
                self.beginRemoveRows(index, at, at)
                self._forget(parent.children.pop(at))
                self.endRemoveRows()
        for at, row in enumerate(rows):
            self._place(parent, at, row)

    def _place(self, parent: _Node, at: int, row: SidebarRow) -> None:
        index = self._index_of(parent)
        children = parent.children
        old = next((i for i in range(at, len(children)) if children[i].row.key == row.key), None)
        if old is None:
            node = self._make(parent, row)
            self.beginInsertRows(index, at, at)
            children.insert(at, node)
            self.endInsertRows()
            return
        if old != at:
            self.beginMoveRows(index, old, old, index, at)
            children.insert(at, children.pop(old))
            self.endMoveRows()
        self._set_row(children[at], row)
        self._sync(children[at], row.children)

    def _set_row(self, node: _Node, row: SidebarRow) -> None:
        bare = replace(row, children=()) if row.children else row
        if bare != node.row or node.detail != self._detail(bare):
            node.row = bare
            self._changed(node)

    def _changed(self, node: _Node) -> None:
        node.detail = self._detail(node.row)
        index = self._index_of(node)
        self.dataChanged.emit(index, index)

    def _make(self, parent: _Node, row: SidebarRow) -> _Node:
        node = _Node(self._next_id, replace(row, children=()), parent, detail=self._detail(row))
        self._next_id += 1
        self._nodes[node.ident] = node
        node.children = [self._make(node, child) for child in row.children]
        return node

    def _forget(self, node: _Node) -> None:
        self._nodes.pop(node.ident, None)
        for child in node.children:
            self._forget(child)

    # looking up

    def _node(self, index: _Index | None) -> _Node:
        if index is None or not index.isValid():
            return self._root
        return self._nodes.get(index.internalId(), self._root)

    def _index_of(self, node: _Node) -> QModelIndex:
        if node.parent is None:
            return QModelIndex()
        return self.createIndex(node.parent.children.index(node), 0, node.ident)

    def _find(self, parent: _Node, wanted: Callable[[SidebarRow], bool]) -> _Node | None:
        for node in parent.children:
            found = node if wanted(node.row) else self._find(node, wanted)
            if found is not None:
                return found
        return None

    def _detail(self, row: SidebarRow) -> str:
        age = fmt.age(row.since, self._clock()) if row.since is not None else ""
        return " · ".join(part for part in (row.before, age, row.after) if part)

    def _tooltip(self, row: SidebarRow) -> str:
        lines = (row.title, self._sentence(row, ""), row.sentence)
        return plain_tooltip("\n".join(line for line in lines if line))

    def _spoken(self, row: SidebarRow) -> str:
        """The sentence of a row with everything that is only painted."""
        return ", ".join(part for part in (self._sentence(row), *row.sentence.splitlines()) if part)

    def _sentence(self, row: SidebarRow, first: str | None = None) -> str:
        title = row.title if first is None else first
        if row.chat is None or row.shape is not None:
            return ", ".join(part for part in (title, row.before) if part)
        state = state_sentence(row.chat, row.state, self._clock())
        state = state if first is not None else state[:1].lower() + state[1:]
        return ", ".join(part for part in (title, state) if part)


def _all(rows: Sequence[SidebarRow]) -> Iterator[SidebarRow]:
    for row in rows:
        yield row
        yield from _all(row.children)
