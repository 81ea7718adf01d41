"""Editing an earlier message: the bar over the composer, and the draft that was there before (ui-U69)."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.chats.commands import ChatCommands, SentMessage
from desktop.ui.chats.composer.attachments import Attachments
from desktop.ui.chats.composer.drafts import DraftFile, Drafts
from desktop.ui.chats.folds.rows import SentFile
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.icon_label import IconLabel
from desktop.ui.widgets.layouts.gaps import set_gaps

WORDS = tr("Editing an earlier message. Sending rewinds to there.")


class EditBar(QFrame):
    """Shown while an earlier message stands in the composer."""

    cancelled = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("edit_bar")
        self.setProperty("kind", "banner")
        said = plain_label(self, "", "edit_words", wrap=True)
        said.setText(WORDS)
        cancel = push_button(tr("Cancel"), "edit_cancel", self)
        cancel.setProperty("compact", "true")
        cancel.setToolTip(tr("Leave the earlier message as it is (Esc)"))
        cancel.clicked.connect(self.cancelled)
        row = QHBoxLayout(self)
        set_gaps(row, (SPACE_3, SPACE_1, SPACE_1, SPACE_1), SPACE_2)
        row.addWidget(IconLabel("pencil", "accent", self))
        row.addWidget(said, 1)
        row.addWidget(cancel)
        self.hide()


@dataclass(frozen=True)
class _Edit:
    """One edit. `text` and `files`: the draft that was there before it."""

    session_id: str
    to_event_id: str
    text: str
    files: tuple[DraftFile, ...]


class Editing(QObject):
    """Puts an earlier message in the composer, and the former draft back. `write` puts a text in the field."""

    changed = Signal()

    def __init__(
        self, bar: EditBar, drafts: Drafts, files: Attachments, commands: ChatCommands, write: Callable[[str], None]
    ) -> None:
        super().__init__(bar)
        self._bar, self._drafts, self._files, self._write = bar, drafts, files, write
        self._session_id = ""
        self._edit: _Edit | None = None
        self._sent: _Edit | None = None
        self._left: dict[str, _Edit] = {}  # by chat, with what was edited in place of the draft
        bar.cancelled.connect(self.cancel)
        commands.message_accepted.connect(self._on_accepted)
        commands.message_refused.connect(self._on_refused)

    @property
    def under_way(self) -> bool:
        """Whether an earlier message is being edited."""
        return self._edit is not None

    def show(self, session_id: str) -> None:
        """Another chat is about to be on screen: what is edited in the former one waits until it is shown again."""
        if session_id == self._session_id:
            return
        if self._edit is not None:
            key = self._edit.session_id
            self._left[key] = _Edit(key, self._edit.to_event_id, self._drafts.text(key), self._drafts.files(key))
            self.cancel()
        self._session_id = session_id
        left = self._left.pop(session_id, None)
        if left is not None:
            draft, files = self._drafts.text(session_id), self._drafts.files(session_id)
            self._edit = _Edit(session_id, left.to_event_id, draft, files)
            self._put(session_id, left.text, left.files)
            self._bar.show()

    def begin(self, to_event_id: str, text: str, files: Sequence[SentFile]) -> None:
        """Put an earlier message of the chat on screen in the composer; it will be sent from `to_event_id`."""
        key = self._session_id
        if not key:
            return
        former = self._edit or _Edit(key, to_event_id, self._drafts.text(key), self._drafts.files(key))
        self._edit = _Edit(key, to_event_id, former.text, former.files)
        kept = [_draft_file(file) for file in files if file.sha256]
        self._put(key, text, kept)
        self._bar.show()
        self.changed.emit()

    def cancel(self) -> None:
        """Leave the earlier message as it is; the former draft is back."""
        edit, self._edit = self._edit, None
        self._bar.hide()
        if edit is not None:
            self._put(edit.session_id, edit.text, edit.files)
            self.changed.emit()

    def take(self) -> str:
        """The message is being sent: the entry from which, "" if no earlier one is edited."""
        edit, self._edit = self._edit, None
        self._sent = edit or self._sent
        self._bar.hide()
        return edit.to_event_id if edit is not None else ""

    def on_key(self, event: QKeyEvent) -> bool:
        """Esc leaves the edit; True: it did."""
        if self._edit is None or event.key() != Qt.Key.Key_Escape:
            return False
        self.cancel()
        return True

    def _on_accepted(self, message: SentMessage) -> None:
        sent = self._sent
        if sent is not None and sent.session_id == message.session_id:
            self._sent = None
            key = sent.session_id
            typed, files = self._drafts.text(key), self._drafts.files(key)
            texts = (sent.text, "" if typed.strip() == message.text else typed)
            later = files if files != message.files else ()
            self._put(key, "\n\n".join(text for text in texts if text.strip()), (*sent.files, *later))
            self.changed.emit()

    def _on_refused(self, message: SentMessage, _sentence: str) -> None:
        """It was not sent: the bar is back, if the chat is still on screen."""
        sent = self._sent
        if sent is not None and sent.session_id == message.session_id:
            self._sent = None
            if sent.session_id == self._session_id:
                self._edit = sent
                self._bar.show()

    def _put(self, key: str, text: str, files: Sequence[DraftFile]) -> None:
        self._drafts.keep(key, text)
        self._drafts.keep_files(key, files)
        self._files.reload(key)
        if key == self._session_id:
            self._write(text)


def _draft_file(file: SentFile) -> DraftFile:
    return DraftFile(
        logical_name=file.name,
        sha256=file.sha256,
        mime_type=file.mime_type,
        size_bytes=file.size_bytes,
        width_px=file.width_px,
    )
