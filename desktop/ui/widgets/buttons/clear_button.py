"""add_clear_button: a cross at the end of a field, in the theme's colours, which empties it."""

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit

from desktop.language import tr
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme


class _ClearAction(QAction):
    """Hears the theme itself: what hears it for another can outlive that."""

    def __init__(self, field: QLineEdit) -> None:
        super().__init__(icon("x"), tr("Clear what is written"), field)
        self.setObjectName(f"{field.objectName()}_clear")
        field.addAction(self, QLineEdit.ActionPosition.TrailingPosition)
        self.triggered.connect(field.clear)
        field.textChanged.connect(self._on_text)
        self._on_text(field.text())
        theme().changed.connect(self._take_icon)

    def _on_text(self, text: str) -> None:
        self.setVisible(bool(text))

    def _take_icon(self) -> None:
        self.setIcon(icon("x"))


def add_clear_button(field: QLineEdit) -> None:
    """Seen while there is something in the field, which has its name already."""
    _ClearAction(field)
