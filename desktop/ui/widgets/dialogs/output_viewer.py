"""A whole output that was too long for its row: read-only, fixed font, not wrapped."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from desktop.ui.text.safe_text import safe_text
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_4
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH, _HEIGHT = 860, 620


class OutputViewer(QDialog):
    """Shows one text. Deletes itself when closed."""

    def __init__(self, title: str, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("output_viewer")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Full output")
        self.resize(theme().px(_WIDTH), theme().px(_HEIGHT))
        heading = ElidedLabel(safe_text(title), self)
        heading.setProperty("kind", "title")
        field = QPlainTextEdit(self)
        field.setObjectName("output_text")
        field.setAccessibleName("Output")
        field.setReadOnly(True)
        field.setProperty("kind", "evidence")
        field.setFont(theme().mono())
        field.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        field.setPlainText(safe_text(text))
        close = QPushButton("Close", self)
        close.setObjectName("output_close")
        close.clicked.connect(self.accept)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_4, SPACE_4, SPACE_4), SPACE_2)
        layout.addWidget(heading)
        layout.addWidget(field, 1)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        close.setFocus()
