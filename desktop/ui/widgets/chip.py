"""Chips: short facts in a pill; with an action they are buttons."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from desktop.ui.theme.stylesheet import restyle


def button_text(text: str) -> str:
    """Text made from data for a button, action or tab: `&` doubled, so that it is shown."""
    return text.replace("&", "&&")


class Chip(QLabel):
    """A fact. `role`: neutral, accent, success, warning or danger."""

    def __init__(self, text: str = "", role: str = "neutral", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setProperty("kind", "chip")
        self.set_chip(text, role)

    def set_chip(self, text: str, role: str = "neutral") -> None:
        """Show this fact in this colour."""
        self.setText(text)
        restyle(self, role=role)


class ChipButton(QPushButton):
    """A fact that explains itself, or leads somewhere, when clicked."""

    def __init__(self, text: str = "", role: str = "neutral", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setProperty("kind", "chip")
        self.set_chip(text, role)

    def set_chip(self, text: str, role: str = "neutral") -> None:
        """Show this fact in this colour; `text` may hold any characters."""
        self.setText(button_text(text))
        self.setAccessibleName(text)
        restyle(self, role=role)
