"""Waiting: what is under way: nothing is said for 200 ms, then words, after five seconds that it takes long."""

from PySide6.QtCore import QObject, QTimer, Signal

BUSY_MS, STILL_MS = 200, 5_000


class Waiting(QObject):
    """`said` carries the words; `still` says whether it takes long by now. No timer runs while nothing is waited
    for."""

    said = Signal(str)

    def __init__(self, busy: str, still: str, parent: QObject) -> None:
        super().__init__(parent)
        self._waits = False
        self.still = False
        self._busy = self._timer(BUSY_MS, busy)
        self._still = self._timer(STILL_MS, still)
        self._still.timeout.connect(self._take_long)

    def begin(self) -> None:
        """Begin to wait for something; what was waited for before is given up, but the time goes on."""
        if not self._waits:
            self.still = False
            self._busy.start()
            self._still.start()
        self._waits = True

    def end(self) -> None:
        """End the waiting."""
        self._waits = self.still = False
        self._busy.stop()
        self._still.stop()

    def _take_long(self) -> None:
        self.still = True

    def _timer(self, ms: int, words: str) -> QTimer:
        timer = QTimer(self, singleShot=True, interval=ms)
        timer.timeout.connect(lambda: self.said.emit(words))
        return timer
