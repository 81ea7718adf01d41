"""Drafts: what was typed and not sent, per chat, kept across switching and restart."""

from PySide6.QtCore import QObject, QSettings, QTimer

_SAVE_AFTER_MS = 500
NEW_CHAT = "new"


class Drafts(QObject):
    """Text per chat id (`NEW_CHAT` for the page of a new chat). Written 500 ms after the last change, and by `save`."""

    def __init__(self, settings: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._texts: dict[str, str] = {}
        self._unsaved: set[str] = set()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SAVE_AFTER_MS)
        self._timer.timeout.connect(self.save)

    def text(self, session_id: str) -> str:
        """The draft of a chat, "" for none."""
        if session_id not in self._texts:
            stored = self._settings.value(_key(session_id), "")
            self._texts[session_id] = stored if isinstance(stored, str) else ""
        return self._texts[session_id]

    def keep(self, session_id: str, text: str) -> None:
        """This is the draft now."""
        if self.text(session_id) != text:
            self._texts[session_id] = text
            self._unsaved.add(session_id)
            self._timer.start()

    def forget(self, session_id: str) -> None:
        """The message was accepted: there is no draft any more."""
        self.keep(session_id, "")

    def save(self) -> None:
        """Write what changed."""
        for session_id in self._unsaved:
            if self._texts[session_id]:
                self._settings.setValue(_key(session_id), self._texts[session_id])
            else:
                self._settings.remove(_key(session_id))
        self._unsaved.clear()


def _key(session_id: str) -> str:
    return f"drafts/{session_id}"
