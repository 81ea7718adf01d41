"""A whole text that was too long for its row, or a report: read-only, fixed font, not wrapped."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.text.safe_text import safe_text
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.text_box import TextBox

_WIDTH, _HEIGHT = 860, 620


class OutputViewer(Dialog):
    """Shows one text, which can be copied. `name`: what it is. Deletes itself when closed."""

    def __init__(self, title: str, text: str, parent: QWidget, name: str = tr("Full output")) -> None:
        super().__init__(parent)
        self.setObjectName("output_viewer")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(name)
        self.resize(theme().px(_WIDTH), theme().px(_HEIGHT))
        heading = ElidedLabel(safe_text(title), self)
        heading.setProperty("kind", "title")
        field = TextBox("output_text", tr("Output"), self, wrap=False)
        field.setPlainText(safe_text(text))
        self._text = text
        copy = push_button(tr("Copy"), "output_copy", self)
        copy.clicked.connect(self._copy)
        close = push_button(tr("Close"), "output_close", self)
        close.clicked.connect(self.accept)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(copy)
        buttons.addWidget(close)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        layout.addWidget(heading)
        layout.addWidget(field, 1)
        layout.addLayout(buttons)
        close.setFocus()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
