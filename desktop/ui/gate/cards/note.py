"""The tray's note: a sentence about an answer that came too late; it goes by itself."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QWidget

from desktop.domain.events import InputResolved
from desktop.language import tr
from desktop.ui.gate.input_fold import Resolution
from desktop.ui.text.format import clock_time

NO_LONGER_OPEN = tr("This request is no longer open.")
_SHOWN_MS = 8_000
_OUTCOMES = {
    "allow_once": tr("allowed once"),
    "allow_always": tr("allowed in this chat"),
    "reject": tr("declined"),
    "answered": tr("answered"),
    "cancelled": tr("withdrawn"),
}


def already_answered(resolution: Resolution) -> str:
    """What the later of two answers is told."""
    return tr(
        "This was already answered: {event} at {at}.", event=_words(resolution.event), at=clock_time(resolution.at)
    )


def _words(event: InputResolved) -> str:
    if event.answer.outcome == "allow_always" and event.answer.scope == "project":
        return tr("allowed by a rule")
    return _OUTCOMES[event.answer.outcome]


class TrayNote(QLabel):
    """Hidden while it has nothing to say. `changed`: it says something else, or nothing any more."""

    changed = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("tray_note")
        self.setProperty("kind", "muted")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.hide()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SHOWN_MS)
        self._timer.timeout.connect(lambda: self.tell(""))

    def tell(self, text: str) -> None:
        """Say this for eight seconds; "" says nothing."""
        self.setText(text)
        self.setVisible(bool(text))
        if text:
            self._timer.start()
        self.changed.emit(text)
