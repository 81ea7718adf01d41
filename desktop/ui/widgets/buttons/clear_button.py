"""add_clear_button: a cross at the end of a field, in the theme's colours, which empties it."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLineEdit

from desktop.language import tr
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme


class _ClearButton(QObject):
    def __init__(self, field: QLineEdit) -> None:
        super().__init__(field)
        self._action = field.addAction(icon("x"), QLineEdit.ActionPosition.TrailingPosition)
        self._action.setObjectName(f"{field.objectName()}_clear")
        self._action.setText(tr("Clear what is written"))
        self._action.triggered.connect(field.clear)
        field.textChanged.connect(self._on_text)
        self._on_text(field.text())
        theme().changed.connect(self._take_icon)

    def _on_text(self, text: str) -> None:
        self._action.setVisible(bool(text))

    def _take_icon(self) -> None:
        self._action.setIcon(icon("x"))


def add_clear_button(field: QLineEdit) -> None:
    """Seen while there is something in the field, which has its name already."""
    _ClearButton(field)
