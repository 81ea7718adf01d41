"""Sounds: two strokes that something waits for a person, one that it is done; the bell where nothing plays them."""

from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from desktop.domain.chats.sounds import PlaySound, Sound, SoundPlayed
from desktop.ui.core.requests import Requests, answer

REST_MS, BETWEEN_MS = 3_000, 220
USUAL_VOLUME = 70


class Sounds(QObject):
    """Never more than one sound in three seconds. `requests` asks the engine to play it; without it the bell of the
    system is struck. `struck`: it was, once. `told`: the name of the program that plays sounds, "" for none."""

    struck = Signal()
    told = Signal(str)

    def __init__(self, parent: QObject, requests: Requests | None = None) -> None:
        super().__init__(parent)
        self._requests = requests
        self.rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._second = QTimer(self, singleShot=True, interval=BETWEEN_MS)
        self._second.timeout.connect(self._strike)

    def play(self, sound: Sound, volume: int = USUAL_VOLUME) -> None:
        """Play it at this volume in percent, unless one was played just now."""
        if self.rest.isActive() or volume <= 0:
            return
        self.rest.start()
        if self._requests is None:
            self._ring(sound)
        else:
            played = answer(SoundPlayed, partial(self._on_played, sound))
            self._requests.ask(PlaySound(sound=sound, volume=volume), self, played)

    def look(self) -> None:
        """Find out which program plays sounds here; `told` follows."""
        if self._requests is not None:
            self._requests.ask(PlaySound(), self, answer(SoundPlayed, partial(self._on_played, None)))

    def _on_played(self, sound: Sound | None, update: SoundPlayed) -> None:
        """What no program could play is rung."""
        self.told.emit(update.player)
        if not update.player and sound is not None:
            self._ring(sound)

    def _ring(self, sound: Sound) -> None:
        self._strike()
        if sound == "waiting":
            self._second.start()

    def _strike(self) -> None:
        QApplication.beep()
        self.struck.emit()
