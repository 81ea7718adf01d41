"""The head of the Memory tab: which list, which category, words to look for, and what can be done with all of it."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QVBoxLayout, QWidget

from desktop.domain.memory.updates import GivenTurn
from desktop.language import tr
from desktop.ui.memory.dialogs import choice
from desktop.ui.memory.words import CATEGORY_WORDS, turn_words
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.clear_button import add_clear_button
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.layouts.gaps import set_gaps

LISTS = {
    "all": tr("All"),
    "review": tr("Review"),
    "stale": tr("Check these"),
    "archived": tr("Archived"),
    "given": tr("In this prompt"),
}
_ANY = tr("Any category")
_TURNS_PX = 320


class MemoryBar(QWidget):
    """`changed`: another list, category or words; the others say what a person wants."""

    changed = Signal()
    add_asked = Signal()
    export_asked = Signal()
    import_asked = Signal()
    bring_back_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._list = choice("memory_lists", tr("List"), list(LISTS.values()), self)
        self._category = choice("memory_category", tr("Category"), [_ANY, *CATEGORY_WORDS.values()], self)
        self._turns = choice("memory_turns", tr("Turn of this chat"), [], self)
        self._turns.view().setMinimumWidth(theme().px(_TURNS_PX))
        self._turns.hide()
        self.text = QLineEdit(self)
        self.text.setObjectName("memory_search")
        self.text.setAccessibleName(tr("Search the memory"))
        self.text.setPlaceholderText(tr("Search the memory", context="field"))
        add_clear_button(self.text)
        self.add = push_button(tr("Add…"), "memory_add", self, self.add_asked.emit)
        menu = QMenu(self)
        menu.setObjectName("memory_menu")
        menu.addAction(tr("Export as Markdown…"), self.export_asked.emit).setObjectName("memory_export")
        menu.addAction(tr("Import Markdown…"), self.import_asked.emit).setObjectName("memory_import_file")
        self._bring_back = menu.addAction(tr("Bring back the deleted entry"), self.bring_back_asked.emit)
        self._bring_back.setObjectName("memory_bring_back")
        self._bring_back.setVisible(False)
        more = IconButton("ellipsis", tr("More for the memory"), self)
        more.setObjectName("memory_more")
        more.clicked.connect(lambda: menu.popup(more.mapToGlobal(more.rect().bottomLeft())))
        first, second = QHBoxLayout(), QHBoxLayout()
        for row in (first, second):
            set_gaps(row, spacing=SPACE_2)
        for widget in (self._list, self._category, self._turns):
            first.addWidget(widget, 1)
        second.addWidget(self.text, 1)
        second.addWidget(self.add)
        second.addWidget(more)
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_3, 0, SPACE_3, 0), SPACE_2)
        column.addLayout(first)
        column.addLayout(second)
        self._list.currentIndexChanged.connect(lambda _index: self._chosen())
        self._category.currentIndexChanged.connect(lambda _index: self.changed.emit())
        self._turns.activated.connect(lambda _index: self.changed.emit())
        self.text.textChanged.connect(lambda _text: self.changed.emit())

    @property
    def list(self) -> str:
        """The name of the chosen list."""
        return list(LISTS)[max(0, self._list.currentIndex())]

    @property
    def category(self) -> str:
        """The chosen category, "" for any."""
        return ["", *CATEGORY_WORDS][max(0, self._category.currentIndex())]

    @property
    def turn(self) -> str:
        """The id of the chosen turn, "" for the last one."""
        chosen: object = self._turns.currentData()
        return chosen if isinstance(chosen, str) and self._turns.currentIndex() > 0 else ""

    def show_turns(self, turns: Sequence[GivenTurn], turn_id: str) -> None:
        """Offer these turns, newest first, `turn_id` as the chosen one."""
        self._turns.clear()
        for turn in turns:
            self._turns.addItem(turn_words(turn), turn.turn_id)
        self._turns.setCurrentIndex(max(0, self._turns.findData(turn_id)))
        set_off(self._turns, "" if turns else tr("No turn was given an entry yet."))

    def choose(self, name: str, words: str = "") -> None:
        """Choose a list by its name, and look for these words."""
        self._list.setCurrentIndex(list(LISTS).index(name))
        self.text.setText(words)

    def offer_back(self, deleted: bool) -> None:
        """Whether an entry was deleted that can be brought back."""
        self._bring_back.setVisible(deleted)

    def count(self, name: str, number: int) -> None:
        """Say how many entries a list has, 0 for nothing."""
        at = list(LISTS).index(name)
        self._list.setItemText(at, f"{LISTS[name]} · {number}" if number else LISTS[name])

    def _chosen(self) -> None:
        self._category.setVisible(self.list != "given")
        self._turns.setVisible(self.list == "given")
        set_off(self.text, "" if self.list != "given" else tr("What a turn was given is shown whole."))
        self.changed.emit()
