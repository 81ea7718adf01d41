"""Drafts: what was typed and attached and not sent, per chat, kept across switching and restart."""

from collections.abc import Sequence

from pydantic import TypeAdapter, ValidationError
from PySide6.QtCore import QObject, QSettings, QTimer, Signal

from desktop.domain.core.base import Frozen
from desktop.domain.gate.redaction import Redactor

_SAVE_AFTER_MS = 500
NEW_CHAT = "new"


class DraftFile(Frozen):
    """A file that is kept by the engine and goes with the next message. Texts as they came."""

    logical_name: str
    sha256: str
    mime_type: str = ""
    size_bytes: int = 0
    width_px: int = 0

    @property
    def is_image(self) -> bool:
        """Whether a small picture of it can be shown."""
        return self.width_px > 0


_FILES = TypeAdapter(tuple[DraftFile, ...])


class Drafts(QObject):
    """Text and files per chat id (`NEW_CHAT` for the page of a new chat). Written 500 ms after the last change, and by
    `save`, without what looks like a secret. Windows share them: `changed` and `files_changed` name the chat."""

    changed = Signal(str)
    files_changed = Signal(str)

    def __init__(self, settings: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._texts: dict[str, str] = {}
        self._files: dict[str, tuple[DraftFile, ...]] = {}
        self._unsaved: set[str] = set()
        self._redactor = Redactor()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SAVE_AFTER_MS)
        self._timer.timeout.connect(self.save)

    def text(self, session_id: str) -> str:
        """The draft of a chat, "" for none."""
        if session_id not in self._texts:
            self._texts[session_id] = self._stored(_key(session_id))
        return self._texts[session_id]

    def files(self, session_id: str) -> tuple[DraftFile, ...]:
        """The files of a chat's draft."""
        if session_id not in self._files:
            self._files[session_id] = _read(self._stored(_files_key(session_id)))
        return self._files[session_id]

    def keep(self, session_id: str, text: str) -> None:
        """This is the draft now."""
        if self.text(session_id) != text:
            self._texts[session_id] = text
            self._note(session_id)
            self.changed.emit(session_id)

    def keep_files(self, session_id: str, files: Sequence[DraftFile]) -> None:
        """These are the files of the draft now."""
        if self.files(session_id) != tuple(files):
            self._files[session_id] = tuple(files)
            self._note(session_id)
            self.files_changed.emit(session_id)

    def forget(self, session_id: str) -> None:
        """The message was accepted: there is no draft any more."""
        self.keep(session_id, "")
        self.keep_files(session_id, ())

    def save(self) -> None:
        """Write what changed."""
        for session_id in self._unsaved:
            files = self.files(session_id)
            self._write(_key(session_id), self._redactor.redact(self.text(session_id)).text)
            self._write(_files_key(session_id), _FILES.dump_json(files).decode() if files else "")
        self._unsaved.clear()

    def _note(self, session_id: str) -> None:
        self._unsaved.add(session_id)
        self._timer.start()

    def _stored(self, key: str) -> str:
        stored = self._settings.value(key, "")
        return stored if isinstance(stored, str) else ""

    def _write(self, key: str, value: str) -> None:
        if value:
            self._settings.setValue(key, value)
        else:
            self._settings.remove(key)


def _key(session_id: str) -> str:
    return f"drafts/{session_id}"


def _files_key(session_id: str) -> str:
    return f"draft_files/{session_id}"


def _read(stored: str) -> tuple[DraftFile, ...]:
    try:
        return _FILES.validate_json(stored) if stored else ()
    except ValidationError:
        return ()
