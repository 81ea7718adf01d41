"""QueueChip: one message that waits: what it says, and the buttons that change it; edited in its place."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.domain.display.text import prose_text
from desktop.domain.history.state import QueuedMessage
from desktop.language import tr
from desktop.ui.chats.composer.queue.words import queued_text
from desktop.ui.chats.composer.text import ComposerText
from desktop.ui.text.format import count
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton, icon_button
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.layouts.gaps import set_gaps

_WORDS_FROM = 560


class QueueChip(QFrame):
    """`edited`: the new text ("" takes the message out); `stepped`: −1 up, 1 down; `resized`: it needs another height.

    The dynamic property `item_id` is the id of its message.
    """

    edited = Signal(str)
    removed = Signal()
    stepped = Signal(int)
    send_now = Signal()
    resized = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("queue_chip")
        self.setProperty("kind", "banner")
        self.queue_id = ""
        self._raw = ""
        self._words = ElidedLabel("", self)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self._edit = icon_button("pencil", tr("Edit"), "queue_edit", self, self.edit)
        self._up = icon_button("arrow-up", tr("Move up"), "queue_up", self, lambda: self.stepped.emit(-1))
        self._down = icon_button("arrow-down", tr("Move down"), "queue_down", self, lambda: self.stepped.emit(1))
        self._now = push_button(tr("Send now"), "queue_send_now", self)
        self._now.setProperty("compact", "true")
        self._now.setToolTip(tr("Stop the current step and send this message"))
        self._now.clicked.connect(self.send_now)
        self._now_small = icon_button(
            "corner-down-right", tr("Send now"), "queue_send_now_small", self, self.send_now.emit
        )
        self._remove = icon_button("x", tr("Take back"), "queue_remove", self, self.removed.emit)
        self._line = QWidget(self)
        row = QHBoxLayout(self._line)
        set_gaps(row, (SPACE_3, 0, SPACE_1, 0), SPACE_1)
        row.addWidget(self._words, 1)
        for button in (self._edit, self._up, self._down, self._now, self._now_small, self._remove):
            row.addWidget(button)
        self._field = self._make_field()
        self._editor = self._make_editor()
        layout = QVBoxLayout(self)
        set_gaps(layout, (0, SPACE_1, 0, SPACE_1), 0)
        layout.addWidget(self._line)
        layout.addWidget(self._editor)
        self._show_words()

    def show_message(self, message: QueuedMessage, *, first: bool, last: bool) -> None:
        """Show what waits; while it is edited, what is typed stays."""
        self.queue_id, self._raw = message.queue_id, queued_text(message)
        self.setProperty("item_id", message.queue_id)
        files = f" · {count(len(message.attachments), 'file')}" if message.attachments else ""
        words = prose_text(" ".join(self._raw.split()))
        self._words.set_full_text((tr("Queued: {message}", message=words) if words else tr("Queued")) + files)
        self.setAccessibleName(self._words.full_text)
        set_off(self._up, tr("It is the first already.") if first else "")
        set_off(self._down, tr("It is the last already.") if last else "")

    def edit(self) -> None:
        """Put a field in the place of the words."""
        self._field.setPlainText(self._raw)
        self._field.moveCursor(self._field.textCursor().MoveOperation.End)
        restyle(self, role="accent")
        self._line.hide()
        self._editor.show()
        self._field.setFocus()
        self.resized.emit()

    @property
    def editing(self) -> bool:
        """Whether its text is being edited."""
        return not self._editor.isHidden()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where it is narrow, "Send now" is an icon."""
        super().resizeEvent(event)
        self._show_words()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Esc leaves the message as it is."""
        if (
            watched is self._field
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Escape
        ):
            self._end()
            return True
        return super().eventFilter(watched, event)

    def _save(self) -> None:
        text = self._field.toPlainText().strip()
        self._end()
        if text != self._raw.strip():
            self.edited.emit(text)

    def _end(self) -> None:
        focused = self._editor.isAncestorOf(self.focusWidget() or self)
        restyle(self, role="")
        self._editor.hide()
        self._line.show()
        if focused:
            self._edit.setFocus()
        self.resized.emit()

    def _show_words(self) -> None:
        wide = self.width() >= theme().px(_WORDS_FROM)
        self._now.setVisible(wide)
        self._now_small.setVisible(not wide)

    def _make_field(self) -> ComposerText:
        field = ComposerText(self)
        field.setObjectName("queue_field")
        field.setAccessibleName(tr("Message that waits"))
        field.set_lines(1, 4)
        field.send_asked.connect(self._save)
        field.installEventFilter(self)
        field.document().documentLayout().documentSizeChanged.connect(self.resized)
        return field

    def _make_editor(self) -> QWidget:
        editor = QWidget(self)
        save = push_button(tr("Save"), "queue_save", editor)
        save.setProperty("compact", "true")
        save.clicked.connect(self._save)
        cancel = IconButton("x", tr("Leave it as it was"), editor)
        cancel.setObjectName("queue_cancel")
        cancel.clicked.connect(self._end)
        row = QHBoxLayout(editor)
        set_gaps(row, (SPACE_3, 0, SPACE_1, 0), SPACE_2)
        row.addWidget(self._field, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(save, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(cancel, 0, Qt.AlignmentFlag.AlignTop)
        editor.hide()
        return editor
