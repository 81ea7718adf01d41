"""Recall: earlier messages of a chat, then of the other chats of this repository, brought back by Up and Down."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit

from desktop.domain.events import Envelope, UserMessage
from desktop.domain.history.own_words import own_words
from desktop.domain.updates import SessionOpened
from desktop.ui.core.hearing import Hearing

_MOST = 100


class Recall:
    """Knows the messages of the chats that were opened since the start. One recall is under way at most."""

    def __init__(self) -> None:
        self._sent: dict[str, dict[str, str]] = {}
        self._at = -1
        self._texts: list[str] = []
        self._draft = ""
        self.hearing = Hearing().on(Envelope, self._take).on(SessionOpened, self._on_opened)

    def reset(self) -> None:
        """Another text or another chat: the next recall begins anew."""
        self._at, self._texts, self._draft = -1, [], ""

    @property
    def under_way(self) -> bool:
        """Whether an earlier message is shown."""
        return self._at >= 0

    def on_key(self, event: QKeyEvent, field: QPlainTextEdit, session_id: str) -> str | None:
        """What a key brings back: Up in an empty field, or on the first line of what was recalled; Down on its last
        line. None: the key means nothing here."""
        cursor, text = field.textCursor(), field.toPlainText()
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return None
        if event.key() == Qt.Key.Key_Up and cursor.blockNumber() == 0 and (not text or self.under_way):
            return self.older(session_id, text)
        if event.key() == Qt.Key.Key_Down and cursor.blockNumber() == field.blockCount() - 1:
            return self.newer()
        return None

    def older(self, session_id: str, draft: str) -> str | None:
        """The message before the one that is shown, None if there is none. `draft` comes back at the end."""
        if self._at < 0:
            self._texts, self._draft = self._of(session_id), draft
        if self._at + 1 >= len(self._texts):
            return None
        self._at += 1
        return self._texts[self._at]

    def newer(self) -> str | None:
        """The message after the one that is shown, then what was being written; None when nothing was recalled."""
        if self._at < 0:
            return None
        self._at -= 1
        return self._texts[self._at] if self._at >= 0 else self._draft

    def _of(self, session_id: str) -> list[str]:
        """Newest first, each text once."""
        own = [text for _, text in sorted(self._sent.get(session_id, {}).items(), reverse=True)]
        others = [entry for chat, texts in self._sent.items() if chat != session_id for entry in texts.items()]
        return list(dict.fromkeys([*own, *(text for _, text in sorted(others, reverse=True))]))[:_MOST]

    def _on_opened(self, update: SessionOpened) -> None:
        for envelope in update.envelopes:
            self._take(envelope)

    def _take(self, envelope: Envelope) -> None:
        event = envelope.event
        if not isinstance(event, UserMessage) or event.origin not in ("person", "queued"):
            return
        text = event.display or own_words(event)
        if text.strip():
            self._sent.setdefault(envelope.session_id, {})[envelope.event_id] = text
