"""Sounds: the bell of the system: one stroke says that something is done, two that somebody waits for a person."""

from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

Sound = Literal["waiting", "done"]
REST_MS, BETWEEN_MS = 3_000, 220


class Sounds(QObject):
    """Never more than one sound in three seconds. `struck`: the bell was struck once."""

    struck = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._second = QTimer(self, singleShot=True, interval=BETWEEN_MS)
        self._second.timeout.connect(self._strike)

    def play(self, sound: Sound) -> None:
        """Play it, unless one was played just now."""
        if self.rest.isActive():
            return
        self.rest.start()
        self._strike()
        if sound == "waiting":
            self._second.start()

    def _strike(self) -> None:
        QApplication.beep()
        self.struck.emit()
