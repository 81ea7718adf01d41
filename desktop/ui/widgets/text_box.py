"""TextBox: a text to be read and copied, in a box of its own that scrolls."""

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from desktop.ui.theme.theme import theme
from desktop.ui.widgets.layouts.edge_fade import EdgeFade


class TextBox(QPlainTextEdit):
    """Read-only; Tab leaves it."""

    def __init__(self, name: str, title: str, parent: QWidget | None, *, wrap: bool = True) -> None:
        """`name` is its object name, `title` what people hear."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setProperty("kind", "evidence")
        self.setFont(theme().mono())
        if not wrap:
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        EdgeFade(self, "sunken")
