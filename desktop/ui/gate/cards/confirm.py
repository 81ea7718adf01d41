"""The field for the confirm word of an irreversible call: only typing fills it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QWidget


class ConfirmField(QLineEdit):
    """Takes key strokes and input methods (dictation too). Paste and drop, by whatever way, change nothing."""

    def __init__(self, parent: QWidget, name: str) -> None:
        super().__init__(parent)
        self._typing = False
        self._typed = ""
        self.setObjectName(name)
        self.setAcceptDrops(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.textChanged.connect(self._refuse_what_was_not_typed)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """A key stroke may change the text, unless it pastes."""
        if event.matches(QKeySequence.StandardKey.Paste):
            event.accept()
            return
        self._typing = True
        super().keyPressEvent(event)
        self._typing = False

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """What an input method commits counts as typed."""
        self._typing = True
        super().inputMethodEvent(event)
        self._typing = False

    def _refuse_what_was_not_typed(self, text: str) -> None:
        if self._typing:
            self._typed = text
        elif text != self._typed:
            self.setText(self._typed)
