"""UndoStrip: one line that says what was just done, and takes it back within ten seconds."""

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps

_SHOWN_MS = 10_000


class UndoStrip(QFrame):
    """Hidden but for these ten seconds."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("composer_undo")
        self.setProperty("kind", "banner")
        self._undo: Callable[[], None] = lambda: None
        self._words = plain_label(self, "muted", wrap=False)
        button = push_button(tr("Undo"), "composer_undo_button", self)
        button.setProperty("compact", "true")
        button.clicked.connect(self._on_undo)
        row = QHBoxLayout(self)
        set_gaps(row, (SPACE_3, SPACE_1, SPACE_1, SPACE_1), SPACE_2)
        row.addWidget(self._words, 1)
        row.addWidget(button)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SHOWN_MS)
        self._timer.timeout.connect(self.hide)
        self.hide()

    def offer(self, sentence: str, undo: Callable[[], None]) -> None:
        """Say this; `undo` takes it back. The sentence is our own."""
        self._undo = undo
        self._words.setText(sentence)
        self.show()
        self._timer.start()

    def forget(self) -> None:
        """There is nothing to take back any more."""
        self._timer.stop()
        self.hide()

    def _on_undo(self) -> None:
        self.forget()
        self._undo()
