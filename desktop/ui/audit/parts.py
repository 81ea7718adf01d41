"""Small pieces of the Audit tab."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget


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
