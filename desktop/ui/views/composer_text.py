"""The composer's text field: grows from 2 to 12 lines, plain text only, Enter sends as the setting says."""

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1

_FEWEST, _MOST = 2, 12


class ComposerText(QPlainTextEdit):
    """Emits `send_asked` on the key that sends, never while an input method composes."""

    send_asked = Signal()
    focus_changed = Signal(bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.enter_sends = True
        self._fewest = _FEWEST
        self.setObjectName("composer_text")
        self.setAccessibleName("Message")
        self.setProperty("kind", "bare")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._grow)

    def sizeHint(self) -> QSize:
        """As high as its lines, within the limits."""
        return QSize(super().sizeHint().width(), self._height(self._lines()))

    def minimumSizeHint(self) -> QSize:
        """Two lines, or one where there is little room."""
        return QSize(theme().px(80), self._height(self._fewest))

    def set_tight(self, tight: bool) -> None:
        """Show one line at least instead of two."""
        self._fewest = 1 if tight else _FEWEST
        self.updateGeometry()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter sends or breaks the line; Shift+Enter always breaks it."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
            return
        composing = bool(self.textCursor().block().layout().preeditAreaText())
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if composing:
            event.accept()
        elif shift or (not control and not self.enter_sends):
            self.textCursor().insertBlock()
            self.ensureCursorVisible()
        else:
            self.send_asked.emit()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste as plain text."""
        if source.hasText():
            self.insertPlainText(source.text())

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The frame shows the focus ring."""
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The ring goes."""
        super().focusOutEvent(event)
        self.focus_changed.emit(False)

    def _lines(self) -> int:
        return round(self.document().documentLayout().documentSize().height())

    def _height(self, lines: int) -> int:
        shown = min(max(lines, self._fewest), _MOST)
        return shown * self.fontMetrics().lineSpacing() + theme().px(SPACE_1)

    def _grow(self) -> None:
        self.updateGeometry()
