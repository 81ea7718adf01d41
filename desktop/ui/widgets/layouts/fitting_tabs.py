"""FittingTabs: tabs of which the last move into a "More" menu where there is no room for all; no scroll arrows."""

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QTabWidget, QToolButton, QWidget

from desktop.language import tr
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.buttons.icon_button import IconButton


class FittingTabs(QTabWidget):
    """`name` is its object name; that of the button is `more_name`. The shown tab never moves away."""

    def __init__(self, name: str, more_name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setDocumentMode(True)
        self.setUsesScrollButtons(False)
        self.tabBar().setExpanding(False)
        self.tabBar().setElideMode(Qt.TextElideMode.ElideNone)
        self._menu = QMenu(self)
        self._more = IconButton("ellipsis", tr("More tabs"), self)
        self._more.setObjectName(more_name)
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._more.setMenu(self._menu)
        self._more.hide()
        self._due = QTimer(self, singleShot=True, interval=0)
        self._due.timeout.connect(self.fit)
        self.currentChanged.connect(lambda _index: self._due.start())
        theme().changed.connect(self._due.start)

    def set_label(self, index: int, text: str) -> None:
        """Replace the text on a tab."""
        if self.tabText(index) != text:
            self.setTabText(index, text)
            self._due.start()

    def setCurrentIndex(self, index: int) -> None:  # noqa: N802 - Qt's name
        """Show a tab, also one that is in the menu now: Qt goes back to the first when the shown tab was hidden."""
        self.setTabVisible(index, True)
        super().setCurrentIndex(index)

    def minimumSizeHint(self) -> QSize:
        """Room for the shown tab and the menu: the bar's own hint is that of all tabs, none of which may be cut."""
        shown = self.tabBar().tabRect(self.currentIndex()).width()
        return QSize(shown + self._more.sizeHint().width(), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """More room, or less."""
        super().resizeEvent(event)
        self.fit()

    def showEvent(self, event: QShowEvent) -> None:
        """The widths are known now."""
        super().showEvent(event)
        self.fit()
        self._due.start()

    def fit(self) -> None:
        """Show as many tabs as have room, and the rest in the menu."""
        bar, shown = self.tabBar(), self.currentIndex()
        bar.blockSignals(True)
        bar.setCurrentIndex(0)  # else the bar scrolls to the shown tab while all are in it, and stays there
        for index in range(self.count()):
            self.setTabVisible(index, True)
        widths = [bar.tabRect(index).width() for index in range(self.count())]
        room = self.width()
        away: list[int] = []
        if sum(widths) > room:
            room -= self._more.sizeHint().width()
            for index in range(self.count() - 1, 0, -1):
                if sum(width for at, width in enumerate(widths) if at not in away) <= room:
                    break
                if index != shown:
                    away.append(index)
        for index in away:
            self.setTabVisible(index, False)
        bar.setCurrentIndex(shown)
        bar.blockSignals(False)
        self._show_more(sorted(away))

    def _show_more(self, away: list[int]) -> None:
        self._menu.clear()
        for index in away:
            action = self._menu.addAction(self.tabText(index))
            action.triggered.connect(lambda _checked, index=index: self.setCurrentIndex(index))
        self._more.setVisible(bool(away))
        height = self.tabBar().height()
        size = self._more.sizeHint()
        self._more.setGeometry(self.width() - size.width(), (height - size.height()) // 2, size.width(), size.height())
        self._more.raise_()
