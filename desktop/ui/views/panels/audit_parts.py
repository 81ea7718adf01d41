"""Small pieces of the Audit tab."""

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QWidget

from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import ICON_LINE, SPACE_2


class ChoiceBox(QComboBox):
    """A box that opens a list, with the arrow that says so."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """The box as the theme has it, then the arrow."""
        super().paintEvent(event)
        side = theme().px(ICON_LINE)
        at = QRect(self.width() - side - theme().px(SPACE_2), (self.height() - side) // 2, side, side)
        icon("chevron-down").paint(QPainter(self), at)


def plain_label(parent: QWidget, name: str, kind: str) -> QLabel:
    """A wrapped label that shows markup as it is."""
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setObjectName(name)
    label.setProperty("kind", kind)
    label.setWordWrap(True)
    return label


def plain_button(parent: QWidget, name: str, text: str) -> QPushButton:
    """A button that Enter elsewhere does not press."""
    button = QPushButton(text, parent)
    button.setObjectName(name)
    button.setAutoDefault(False)
    return button
