"""push_button: a plain button with a name."""

from PySide6.QtWidgets import QPushButton, QWidget


def push_button(text: str, name: str, parent: QWidget) -> QPushButton:
    """A button that Enter does not press while the focus is elsewhere; `name` is its object name."""
    button = QPushButton(text, parent)
    button.setObjectName(name)
    button.setAutoDefault(False)
    return button
