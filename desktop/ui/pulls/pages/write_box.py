"""WriteBox: a field for Markdown with buttons; what was written stays until it has been sent, also when that fails."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QSizePolicy, QWidget

from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.pulls.parts import column_in
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.layouts.gaps import set_gaps

_LINES, _MOST_LINES = 3, 8


class _Field(QPlainTextEdit):
    """One line until somebody writes in it, then as high as its text, within limits. Esc gives the focus back."""

    left = Signal()
    submitted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(theme().px(SPACE_2))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.textChanged.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        """A few lines."""
        least = _LINES if self.hasFocus() or self.toPlainText() else 1
        lines = min(_MOST_LINES, max(least, self.document().blockCount()))
        around = 2 * (self.frameWidth() + round(self.document().documentMargin())) + 2
        return QSize(1, lines * self.fontMetrics().lineSpacing() + around)

    def minimumSizeHint(self) -> QSize:
        """The same height."""
        return self.sizeHint()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Room to write."""
        super().focusInEvent(event)
        self.updateGeometry()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """One line again, if nothing was written."""
        super().focusOutEvent(event)
        self.updateGeometry()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc leaves the field, Ctrl+Enter sends."""
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif control and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.submitted.emit()
        else:
            super().keyPressEvent(event)


class WriteBox(QWidget):
    """`changed` carries the text while a person writes; `left`: Esc was pressed. Buttons come with `add_button`."""

    changed = Signal(str)
    left = Signal()

    def __init__(self, name: str, title: str, placeholder: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.field = _Field(self)
        self.field.setObjectName(name)
        self.field.setAccessibleName(title)
        self.field.setPlaceholderText(placeholder)
        self._problem = plain_label(self, name=f"{name}_problem", role="danger")
        self._why = plain_label(self, "caption", f"{name}_why")
        self._buttons = QHBoxLayout()
        set_gaps(self._buttons, spacing=SPACE_2)
        self._added: list[tuple[QPushButton, bool]] = []
        column = column_in(self, self.field, self._problem, self._why, spacing=SPACE_1)
        column.addLayout(self._buttons)
        self._buttons.addStretch(1)
        self.field.textChanged.connect(self._on_text)
        self.field.left.connect(self.left)
        self.field.submitted.connect(self._send)
        self._blocked = ""
        self.fail("")

    @property
    def text(self) -> str:
        """The text that is written."""
        return self.field.toPlainText()

    def add_button(self, text: str, name: str, *, needs_text: bool = True, kind: str = "") -> QPushButton:
        """Add a button; `needs_text`: it works only where something is written."""
        button = small_button(text, name, self, kind)
        self._buttons.insertWidget(len(self._added), button)
        self._added.append((button, needs_text))
        self._refresh()
        return button

    def add_beside(self, button: QPushButton) -> None:
        """A button at the other end of the line, which has nothing to do with what is written."""
        self._buttons.addWidget(button)

    def set_text(self, text: str) -> None:
        """Show what was written before."""
        if text != self.text:
            self.field.setPlainText(text)
        self._refresh()

    def fail(self, problem: str) -> None:
        """Why it was not sent, "" for nothing."""
        say(self._problem, display_text(problem))

    def set_blocked(self, why: str, *, busy: bool = False, always: str = "") -> None:
        """Why nothing can be sent now, "" if it can; the field stays as it is. `always`: why, where that does not pass
        while one waits; it is shown as a line."""
        self._blocked = why or (tr("It is being sent.") if busy else "")
        say(self._why, always)
        self._refresh()

    def _send(self) -> None:
        """What the first button does."""
        if self._added and self._added[0][0].isEnabled():
            self._added[0][0].click()

    def _on_text(self) -> None:
        self._refresh()
        self.changed.emit(self.text)

    def _refresh(self) -> None:
        written = bool(self.text.strip())
        for button, needs_text in self._added:
            set_off(button, self._blocked or (tr("Write something.") if needs_text and not written else ""))
