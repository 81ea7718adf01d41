"""The time between a press and the engine's answer: what the pressed button says, and when it takes too long."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.language import tr
from desktop.ui.gate.cards.guard import CardButton

SENDING_MS, STILL_SENDING_MS, GIVE_UP_MS = 200, 5_000, 20_000
STILL_SENDING = tr("Still sending. Your answer is not confirmed yet.")
NOT_CONFIRMED = tr(
    "Your answer was not confirmed in 20 s. It may still count. You can answer again: one answer is taken."
)


class Sending(QObject):
    """One answer under way at a time. `late`: five seconds have passed without an answer of the engine. `given_up`:
    so many that the person gets the buttons back."""

    late = Signal()
    given_up = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.under_way = False
        self._button: CardButton | None = None
        self._words = ""
        self._sending = self._single_shot(SENDING_MS, self._say_sending)
        self._still = self._single_shot(STILL_SENDING_MS, self.late.emit)
        self._end = self._single_shot(GIVE_UP_MS, self.given_up.emit)

    def start(self, button: CardButton | None) -> None:
        """An answer is under way; the button, if one was pressed, says so after 200 ms."""
        self.under_way = True
        self._button = button if button is not None else self._button
        self._sending.start()
        self._still.start()
        self._end.start()

    def end(self) -> None:
        """There is an answer, or there will be none: the button has its words again."""
        self.under_way = False
        self._sending.stop()
        self._still.stop()
        self._end.stop()
        if self._button is not None and self._words:
            self._button.setText(self._words)
        self._button, self._words = None, ""

    def _say_sending(self) -> None:
        if self._button is not None and not self._words:
            self._words = self._button.text()
            self._button.setText(tr("Sending…"))

    def _single_shot(self, ms: int, act: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(ms)
        timer.timeout.connect(act)
        return timer
