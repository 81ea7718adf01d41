"""Beginning: while a window is painted and filled for the first time, what a person types and clicks waits, in order,
until the whole window can take it."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer, Signal

from desktop.ui.window.main_window import MainWindow

PAINT_LIMIT_MS = 500
_NO_INPUT = QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents


class Beginning(QObject):
    """Each method returns when its part is done; meanwhile the window is painted, resized and moved."""

    _loaded = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._loop = QEventLoop(self)
        self._loaded.connect(self._loop.quit, Qt.ConnectionType.QueuedConnection)  # it may come before the loop runs

    def paint(self, window: MainWindow) -> None:
        """Show the window and wait until it was painted; not for long, as the system may show it to nobody."""
        limit = QTimer(self, singleShot=True, interval=PAINT_LIMIT_MS)
        limit.timeout.connect(self._loop.quit)
        limit.start()
        window.painted.connect(self._loop.quit)
        window.show()
        self._loop.exec(_NO_INPUT)
        window.painted.disconnect(self._loop.quit)
        limit.stop()

    def load(self, import_it: Callable[[], ModuleType]) -> ModuleType:
        """Import on another thread what takes too long for this one. Raises what the import raises."""
        with ThreadPoolExecutor(1, "loading") as pool:
            loading = pool.submit(import_it)
            loading.add_done_callback(lambda _: self._loaded.emit())
            self._loop.exec(_NO_INPUT)
            return loading.result()

    def make(self, pieces: Iterator[None]) -> None:
        """Make these, a piece at a time."""
        for _ in pieces:
            QTimer.singleShot(0, self._loop.quit)
            self._loop.exec(_NO_INPUT)
