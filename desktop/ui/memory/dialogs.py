"""The dialogs of the Memory tab: an entry to write or to change, and what is to be kept of a file."""

from collections.abc import Sequence
from pathlib import PurePath

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QListWidgetItem,
    QPlainTextEdit,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from desktop.domain.core.command import Command
from desktop.domain.display.text import display_text
from desktop.domain.memory.commands import EditMemory, ImportMemory, SaveMemory
from desktop.domain.memory.updates import ImportPreviewed
from desktop.domain.memory.values import CATEGORIES, IMPORTANCES, Entry
from desktop.language import said, tr
from desktop.ui.memory.words import CATEGORY_WORDS, IMPORTANCE_WORDS
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.box_list import BoxList
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.dialogs.form import LaneForm

_TEXT_PX, _LIST_PX = 120, 260
_KINDS = {
    "new": tr("new"),
    "same": tr("there already"),
    "proposal": tr("proposes another text"),
    "statement": tr("candidate"),
}


class _Choice(QComboBox):
    """What is chosen ends in an ellipsis where there is not room for it."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        """As the style paints it, with the words that fit."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self).width()
        shown = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)
        option.currentText = shown
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


def choice(name: str, label: str, words: Sequence[str], parent: QWidget) -> QComboBox:
    """A box to choose one of these words from."""
    box = _Choice(parent)
    box.setObjectName(name)
    box.setAccessibleName(label)
    box.addItems(list(words))
    return box


class EntryDialog(LaneForm):
    """An entry that a person writes, or changes. Asks nobody: `command` says what is wanted."""

    def __init__(self, parent: QWidget, entry: Entry | None = None, text: str = "") -> None:
        title, go = (tr("Edit this entry"), tr("Save")) if entry is not None else (tr("Remember"), tr("Remember"))
        super().__init__("memory_dialog", title, (go, "memory_dialog_save"), parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._entry = entry
        self.text = QPlainTextEdit(entry.content if entry is not None else text, self)
        self.text.setObjectName("memory_dialog_text")
        self.text.setAccessibleName(tr("What is to be remembered"))
        self.text.setPlaceholderText(tr("The rule first, then the reason"))
        self.text.setTabChangesFocus(True)
        self.text.setMinimumHeight(theme().px(_TEXT_PX))
        self.category = choice(
            "memory_dialog_category", tr("Category"), [CATEGORY_WORDS[one] for one in CATEGORIES], self
        )
        self.importance = choice("memory_dialog_importance", tr("Importance"), list(IMPORTANCE_WORDS.values()), self)
        self.category.setCurrentText(CATEGORY_WORDS.get("fact" if entry is None else entry.category, ""))
        self.importance.setCurrentText(IMPORTANCE_WORDS["medium" if entry is None else entry.importance])
        self.personal = QCheckBox(tr("For all my projects"), self)
        self.personal.setObjectName("memory_dialog_personal")
        self.personal.setVisible(entry is None)
        self.add_field("", self.text)
        self.add_field(tr("Category"), self.category)
        self.add_field(tr("Importance"), self.importance)
        self.fields.addWidget(self.personal)
        self.text.textChanged.connect(self._fit_button)
        self._fit_button()
        self.text.setFocus()

    @property
    def command(self) -> Command:
        """What keeps it as it is written now."""
        content = self.text.toPlainText()
        category = CATEGORIES[max(0, self.category.currentIndex())]
        importance = IMPORTANCES[self.importance.currentIndex()]
        if self._entry is None:
            personal = self.personal.isChecked()
            return SaveMemory(content=content, category=category, importance=importance, personal=personal)
        return EditMemory(
            memory_id=self._entry.id,
            version=self._entry.version,
            content=content,
            category=category,
            importance=importance,
        )

    def _fit_button(self) -> None:
        set_off(self.go, "" if self.text.toPlainText().strip() else tr("Write what is to be kept."))


class ImportDialog(LaneForm):
    """What could be kept of a file; nothing is unless it is ticked."""

    def __init__(self, shown: ImportPreviewed, parent: QWidget) -> None:
        super().__init__("memory_import", tr("Keep entries of this file"), (tr("Keep"), "memory_import_keep"), parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._shown = shown
        self.list = BoxList("memory_import_list", tr("Entries of the file"), self)
        self.list.setWordWrap(True)
        self.list.setMinimumHeight(theme().px(_LIST_PX))
        for one in shown.items:
            why = tr("cannot be kept: {problem}", problem=said(one.problem)) if one.problem else _KINDS[one.kind]
            item = QListWidgetItem(display_text(f"{' '.join(one.content.split())} ({why})"), self.list)
            can = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable
            item.setFlags(Qt.ItemFlag.ItemIsSelectable | (can if one.can_be_kept else Qt.ItemFlag.NoItemFlags))
            item.setCheckState(Qt.CheckState.Unchecked)
        self.all = QCheckBox(tr("All that can be kept"), self)
        self.all.setObjectName("memory_import_all")
        self.all.toggled.connect(self._tick_all)
        self.add_field(display_text(PurePath(shown.path).name), self.list)
        self.fields.addWidget(self.all)
        self.list.itemChanged.connect(self._fit_button)
        self._fit_button()

    @property
    def command(self) -> ImportMemory:
        """What keeps the ticked ones."""
        return ImportMemory(path=self._shown.path, sha256=self._shown.sha256, ticked=tuple(self._ticked()))

    def _ticked(self) -> list[int]:
        rows = range(self.list.count())
        return [row for row in rows if self.list.item(row).checkState() is Qt.CheckState.Checked]

    def _tick_all(self, ticked: bool) -> None:
        with QSignalBlocker(self.list):  # else each of them counts all of them
            for row, one in enumerate(self._shown.items):
                if one.can_be_kept:
                    self.list.item(row).setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        self._fit_button()

    def _fit_button(self) -> None:
        number = len(self._ticked())
        self.set_go(
            tr("Keep {number}", number=number) if number else tr("Keep"),
            enabled=bool(number),
            why=tr("Tick what is to be kept."),
        )
