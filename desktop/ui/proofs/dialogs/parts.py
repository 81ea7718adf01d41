"""Parts of the dialogs about proofs: a text that can be searched, buttons, and the name of a saved file."""

import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument, QTextOption
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from desktop.domain.proofs.values import Proof
from desktop.language import tr
from desktop.ui.text.safe_text import safe_text
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.layouts.edge_fade import EdgeFade
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.text_box import TextBox

_ENDINGS = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/webp": ".webp",
    "image/gif": ".gif",
    "video/mp4": ".mp4",
    "video/webm": ".webm",
    "application/zip": ".zip",
    "application/json": ".json",
    "application/xml": ".xml",
    "text/plain": ".txt",
}
_MAX_STEM = 80


class TextPane(QWidget):
    """A text, read-only, with a field to find something in it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._field = TextBox("proof_text", tr("Text of the proof"), self, wrap=False)
        self._find = QLineEdit(self)
        self._find.setObjectName("proof_find")
        self._find.setAccessibleName(tr("Find in the text"))
        self._find.setPlaceholderText(tr("Find"))
        self._find.returnPressed.connect(self.find_next)
        self._hit = QLabel(self)
        self._hit.setObjectName("proof_find_state")
        self._hit.setProperty("kind", "muted")
        self._masked = QLabel(self)
        self._masked.setObjectName("proof_masked")
        self._masked.setProperty("role", "warning")
        self._masked.setWordWrap(True)
        self._hit.hide()
        row = QHBoxLayout()
        set_gaps(row, spacing=SPACE_2)
        row.addWidget(self._find, 1)
        row.addWidget(self._hit)
        column = QVBoxLayout(self)
        set_gaps(column, (0, 0, 0, 0), SPACE_2)
        column.addLayout(row)
        column.addWidget(self._masked)
        column.addWidget(self._field, 1)

    def show_text(self, text: str, secrets: tuple[str, ...]) -> None:
        """Show this text; `secrets`: the names of what was masked in it."""
        self._field.setPlainText(safe_text(text))
        self._say("")
        self._masked.setText(
            tr("Hidden in this view: {secrets}.", secrets=safe_text(", ".join(secrets))) if secrets else ""
        )
        self._masked.setVisible(bool(secrets))

    def focus(self) -> None:
        """Put the focus in the text."""
        self._field.setFocus()

    def find_next(self) -> None:
        """Go to the next place; from the end on from the beginning."""
        wanted = self._find.text()
        if not wanted:
            return
        if not self._field.find(wanted):
            cursor = self._field.textCursor()
            cursor.movePosition(cursor.MoveOperation.Start)
            self._field.setTextCursor(cursor)
            found = self._field.find(wanted, QTextDocument.FindFlag(0))
            self._say(tr("from the beginning") if found else tr("not found"))
        else:
            self._say("")

    def _say(self, words: str) -> None:
        self._hit.setText(words)
        self._hit.setVisible(bool(words))


class FactsPane(QTextEdit):
    """Pairs of a name and a text, to be read and copied."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("proof_details")
        self.setAccessibleName(tr("Details of the proof"))
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(theme().px(SPACE_2))
        self._facts: tuple[tuple[str, str], ...] = ()
        EdgeFade(self, "surface")
        theme().changed.connect(self._fill)

    def show_facts(self, facts: tuple[tuple[str, str], ...]) -> None:
        """Show these; texts must have passed display_text()."""
        if facts != self._facts:
            self._facts = facts
            self._fill()

    def _fill(self) -> None:
        self.clear()
        cursor = self.textCursor()
        for name, text in self._facts:
            for words, token, below in ((name, "muted", 0), (text, "text", SPACE_2)):
                look, block = QTextCharFormat(), QTextBlockFormat()
                look.setForeground(theme().color(token))
                block.setBottomMargin(theme().px(below))
                if cursor.atStart():
                    cursor.setBlockFormat(block)
                else:
                    cursor.insertBlock(block)
                cursor.insertText(words, look)
        self.moveCursor(QTextCursor.MoveOperation.Start)


def button(text: str, name: str, parent: QWidget, *, primary: bool = False) -> QPushButton:
    """A button of these dialogs; Enter never presses it from elsewhere."""
    made = push_button(text, name, parent)
    if primary:
        made.setProperty("kind", "primary")
    return made


def endings(proof: Proof) -> str:
    """A file name for this proof."""
    stem = re.sub(r"[^\w.-]+", "-", proof.title).strip("-.")[:_MAX_STEM] or proof.id
    ending = _ENDINGS.get(proof.mime_type, "")
    return stem if stem.lower().endswith(ending) and ending else f"{stem}{ending}"
