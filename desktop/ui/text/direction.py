"""The direction in which a line of prose is laid out: as its first letter says. Commands, paths and names stay left to
right."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter

from desktop.domain.display.direction import first_direction


def reading_direction(text: str) -> Qt.LayoutDirection:
    """Right to left where the first letter of the text is written so."""
    right = first_direction(text) == "R"
    return Qt.LayoutDirection.RightToLeft if right else Qt.LayoutDirection.LeftToRight


def as_read(text: str) -> str:
    """The text for a button, whose style lays every text out left to right: one that begins at the right stands in an
    isolate of its own."""
    return f"\u2067{text}\u2069" if first_direction(text) == "R" else text


def paint_as_read(painter: QPainter, text: str) -> None:
    """Let the painter lay out the next text as it is read, at the side that is asked for."""
    painter.setLayoutDirection(reading_direction(text))
