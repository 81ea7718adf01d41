"""SettingsSearch: a field over the pages of the settings that finds their rows by words."""

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from desktop.language import tr
from desktop.ui.settings.topics import found
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2

_TOPIC = Qt.ItemDataRole.UserRole
NONE = tr("Nothing matches “{text}”.")


class _Wrapped(QStyledItemDelegate):
    """A row so high that its text is whole in the room that the stylesheet and the gaps leave it."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """As high as it is in less width."""
        narrower = QStyleOptionViewItem(option)
        narrower.rect.setWidth(option.rect.width() - theme().px(2 * SPACE_2))
        return super().sizeHint(narrower, index)


class SettingsSearch(QLineEdit):
    """`chosen`: a row (a Topic); `searching`: whether what is found stands in place of the pages. `titles`
    and `icons`: of the pages, by name. `results` shows what is found."""

    chosen = Signal(object)
    searching = Signal(bool)

    def __init__(self, titles: dict[str, str], icons: dict[str, str], dialog: QDialog) -> None:
        super().__init__(dialog)
        self._titles, self._icons = titles, icons
        self.setObjectName("settings_search")
        self.setAccessibleName(tr("Search settings"))
        self.setPlaceholderText(tr("Search settings"))
        self.results = QListWidget(dialog)
        self.results.setObjectName("settings_found")
        self.results.setAccessibleName(tr("What was found"))
        self.results.setProperty("kind", "pages")
        self.results.setFrameShape(QFrame.Shape.NoFrame)
        self.results.setWordWrap(True)
        self.results.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.results.setItemDelegate(_Wrapped(self.results))
        self.results.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.results.itemClicked.connect(self._choose)
        self.results.hide()
        self.results.installEventFilter(self)
        self.textChanged.connect(self._show)
        theme().changed.connect(self._take_theme)
        self._take_theme()
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), dialog, self._take_focus)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter shows the first row, Down goes into the list, Esc ends the search before it closes the settings."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if (item := self.results.currentItem() or self.results.item(0)) is not None:
                self._choose(item)
        elif event.key() == Qt.Key.Key_Down and self.text():
            self.results.setFocus()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter in the list shows the row; Esc goes back to the field."""
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            item = self.results.currentItem()
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
                self._choose(item)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self._take_focus()
                return True
        return super().eventFilter(watched, event)

    def _take_focus(self) -> None:
        self.setFocus()
        self.selectAll()

    def _show(self, text: str) -> None:
        self.results.clear()
        for topic in found(text, self._titles):
            title = self._titles[topic.page] + (f" › {topic.form}" if topic.form else "")
            words = topic.row if topic.row == title else f"{topic.row}\n{title}"
            QListWidgetItem(words, self.results).setData(_TOPIC, topic)
        if text.strip() and not self.results.count():
            QListWidgetItem(NONE.format(text=text.strip()), self.results).setFlags(Qt.ItemFlag.NoItemFlags)
        elif self.results.count():
            self.results.setCurrentRow(0)
        self._take_theme()
        self.searching.emit(bool(text.strip()))

    def _take_theme(self) -> None:
        self.results.setSpacing(theme().px(SPACE_1))
        for item in (self.results.item(row) for row in range(self.results.count())):
            if (topic := item.data(_TOPIC)) is not None:
                item.setIcon(icon(self._icons[topic.page]))

    def _choose(self, item: QListWidgetItem) -> None:
        topic = item.data(_TOPIC)
        if topic is not None:
            self.chosen.emit(topic)
