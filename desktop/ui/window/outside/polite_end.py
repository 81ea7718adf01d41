"""PoliteEnd: a kill that asks (SIGTERM) closes the program as its menu does."""

import signal
import socket
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier, Signal, Slot


class PoliteEnd(QObject):
    """Says `asked` once SIGTERM came, on the main thread, also while nothing else happens in the window."""

    asked = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._heard, self._tells = socket.socketpair()
        for end in (self._heard, self._tells):
            end.setblocking(False)
        self._before = signal.set_wakeup_fd(self._tells.fileno(), warn_on_full_buffer=False)
        self._handler = signal.signal(signal.SIGTERM, _ignore)
        self._notifier = QSocketNotifier(self._heard.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_signal)

    def close(self) -> None:
        """Leave signals as they were."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._before)
        signal.signal(signal.SIGTERM, self._handler)
        self._heard.close()
        self._tells.close()

    @Slot()
    def _on_signal(self) -> None:
        if signal.SIGTERM in self._heard.recv(64):
            self.asked.emit()


def _ignore(number: int, frame: FrameType | None) -> None:
    return None
