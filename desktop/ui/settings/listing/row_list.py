"""RowList: rows of a page of the settings with an icon each, as high as they are; and buttons in a row below them."""

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QWidget

from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.layouts.gaps import set_gaps


class RowList(QListWidget):
    """Hidden while it has no row; scrolls beyond `most`."""

    def __init__(self, name: str, title: str, most: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._most = most
        self._icons: list[str] = []
        self.setObjectName(name)
        self.setProperty("kind", "rows")
        self.setAccessibleName(title)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme().changed.connect(self._draw_icons)

    def show_rows(self, rows: Iterable[tuple[str, str]]) -> None:
        """Show these: the text of each and the name of its icon. None is chosen."""
        self.clear()
        self._icons.clear()
        for text, name in rows:
            self._icons.append(name)
            QListWidgetItem(text, self)
        self._draw_icons()
        self.ensurePolished()
        heights = [self.sizeHintForRow(row) for row in range(min(self._most, self.count()))]
        self.setFixedHeight(max(1, sum(heights)) + 2 * self.frameWidth())
        self.setVisible(self.count() > 0)

    def _draw_icons(self) -> None:
        """In the colours of now."""
        for at, name in enumerate(self._icons):
            self.item(at).setIcon(icon(name))


def button_row(*buttons: QPushButton) -> QHBoxLayout:
    """Buttons side by side, from the left."""
    row = QHBoxLayout()
    set_gaps(row, spacing=SPACE_2)
    for button in buttons:
        row.addWidget(button)
    row.addStretch(1)
    return row
