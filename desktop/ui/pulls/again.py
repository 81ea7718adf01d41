"""AgainButton: asks a host once more, and cannot be pressed before the host wants to be asked."""

from datetime import datetime

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QPushButton

from desktop.language import tr
from desktop.ui.core.sink import Clock
from desktop.ui.text.format import clock_time
from desktop.ui.widgets.buttons.off import set_off

_LONGEST_S = 3600


class AgainButton(QObject):
    """Holds a button until a moment, says which one, and lets it go by itself then."""

    def __init__(self, button: QPushButton, clock: Clock) -> None:
        super().__init__(button)
        self._button, self._clock = button, clock
        self._words = button.text()
        self._until: datetime | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._follow)

    def show_words(self, words: str, until: datetime | None) -> None:
        """Set what the button says, and until when it is off; None: it can be pressed."""
        self._words, self._until = words, until
        self._follow()

    def _follow(self) -> None:
        until = self._until if self._until is not None and self._until > self._clock() else None
        held = tr("GitHub takes no more requests before {time}.", time=clock_time(until)) if until is not None else ""
        set_off(self._button, held)
        self._button.setText(
            tr("{button} at {time}", button=self._words, time=clock_time(until)) if until is not None else self._words
        )
        self._timer.stop()
        if until is not None:
            left_s = (until - self._clock()).total_seconds()
            self._timer.start(int(min(max(left_s, 0), _LONGEST_S) * 1000) + 1)
