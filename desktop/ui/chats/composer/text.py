"""The composer's text field: grows with its lines, plain text only, Enter sends as the setting says."""

from typing import Protocol

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

from desktop.language import tr
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1

_FEWEST, _MOST = 2, 12
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class TextWriter(Protocol):
    """Who writes in a field."""

    def take(self, data: QMimeData) -> bool:
        """Whether what is pasted is dealt with, and nothing of it is to be put in the field."""

    def on_key(self, event: QKeyEvent) -> bool:
        """Whether a key is dealt with, and means nothing to the field."""


class ComposerText(QPlainTextEdit):
    """From 2 to 12 lines high. Emits `send_asked` on the key that sends, never while an input method composes, and
    `send_now_asked` on the same with Ctrl (where Ctrl+Enter sends: with Ctrl and Shift).

    `writer` is asked of everything pasted and of every key first; without one all of it is the field's own.
    """

    send_asked = Signal()
    send_now_asked = Signal()
    focus_changed = Signal(bool)

    def __init__(self, parent: QWidget, writer: TextWriter | None = None) -> None:
        super().__init__(parent)
        self.enter_sends = True
        self._writer = writer
        self._fewest, self._most, self._tight = _FEWEST, _MOST, False
        self.setObjectName("composer_text")
        self.setAccessibleName(tr("Message"))
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
        return QSize(theme().px(80), self._height(1 if self._tight else self._fewest))

    def set_lines(self, fewest: int, most: int) -> None:
        """Be at least and at most so many lines high."""
        self._fewest, self._most = fewest, most
        self.updateGeometry()

    def set_tight(self, tight: bool) -> None:
        """Show one line at least instead of two."""
        self._tight = tight
        self.updateGeometry()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter sends or breaks the line; Shift+Enter always breaks it."""
        if self.composing:
            if event.key() not in _ENTER:
                super().keyPressEvent(event)
            return
        if self._is_taken(event):
            return
        if event.key() not in _ENTER:
            super().keyPressEvent(event)
            return
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if control and shift != self.enter_sends:
            self.send_now_asked.emit()
        elif shift or (not control and not self.enter_sends):
            self.textCursor().insertBlock()
            self.ensureCursorVisible()
        else:
            self.send_asked.emit()

    def event(self, event: QEvent) -> bool:
        """Tab is asked about too, before it moves the focus."""
        tab = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Tab
        if tab and isinstance(event, QKeyEvent) and not self.composing and self._is_taken(event):
            return True
        return super().event(event)

    @property
    def composing(self) -> bool:
        """Whether an input method is at work."""
        return bool(self.textCursor().block().layout().preeditAreaText())

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Text, pictures and files."""
        return source.hasText() or source.hasImage() or source.hasUrls() or source.hasFormat("image/png")

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste as plain text what nobody else takes."""
        taken = self._writer is not None and self._writer.take(source)
        if not taken and source.hasText():
            self.insertPlainText(source.text())

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The frame shows the focus ring."""
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The ring goes."""
        super().focusOutEvent(event)
        self.focus_changed.emit(False)

    def _is_taken(self, key: QKeyEvent) -> bool:
        return self._writer is not None and self._writer.on_key(key)

    def _lines(self) -> int:
        return round(self.document().documentLayout().documentSize().height())

    def _height(self, lines: int) -> int:
        shown = min(max(lines, 1 if self._tight else self._fewest), self._most)
        return shown * self.fontMetrics().lineSpacing() + theme().px(SPACE_1)

    def _grow(self) -> None:
        self.updateGeometry()
