"""Sounds: two strokes that something waits for a person, one that it is done; the bell where nothing plays them."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from desktop.domain.chats.sounds import PlaySound, Sound, SoundPlayed
from desktop.domain.core.update import Update

REST_MS, BETWEEN_MS = 3_000, 220
USUAL_VOLUME = 70


class Sounds(QObject):
    """Never more than one sound in three seconds. `play` takes what the engine is to play; without it the bell of the
    system is struck. `struck`: it was, once. `told`: the name of the program that plays sounds, "" for none."""

    struck = Signal()
    told = Signal(str)

    def __init__(self, parent: QObject, play: Callable[[PlaySound], None] | None = None) -> None:
        super().__init__(parent)
        self._play = play
        self.rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._asked: dict[str, Sound | None] = {}
        self._second = QTimer(self, singleShot=True, interval=BETWEEN_MS)
        self._second.timeout.connect(self._strike)

    def play(self, sound: Sound, volume: int = USUAL_VOLUME) -> None:
        """Play it at this volume in percent, unless one was played just now."""
        if self.rest.isActive() or volume <= 0:
            return
        self.rest.start()
        if self._play is None:
            self._ring(sound)
        else:
            self._ask(PlaySound(sound=sound, volume=volume))

    def look(self) -> None:
        """Find out which program plays sounds here; `told` follows."""
        if self._play is not None:
            self._ask(PlaySound())

    def apply(self, updates: Sequence[Update]) -> None:
        """Take what came of it: what no program could play is rung."""
        for update in updates:
            if isinstance(update, SoundPlayed) and update.command_id in self._asked:
                sound = self._asked.pop(update.command_id)
                self.told.emit(update.player)
                if not update.player and sound is not None:
                    self._ring(sound)

    def _ask(self, command: PlaySound) -> None:
        self._asked[command.command_id] = command.sound
        if self._play is not None:
            self._play(command)

    def _ring(self, sound: Sound) -> None:
        self._strike()
        if sound == "waiting":
            self._second.start()

    def _strike(self) -> None:
        QApplication.beep()
        self.struck.emit()
