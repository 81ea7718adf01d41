"""Steps: work of the window done bit by bit, with what is painted and typed in between."""

from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer


class Steps(QTimer):
    """Takes one step of `work` each time the event loop comes round, until there is none."""

    def __init__(self, work: Iterator[None], parent: QObject) -> None:
        super().__init__(parent)
        self._work = work
        self.timeout.connect(self._step)
        self.start(0)

    def finish(self) -> None:
        """Take all that are left now."""
        self.stop()
        for _ in self._work:
            pass

    def _step(self) -> None:
        try:
            next(self._work)
        except StopIteration:
            self.stop()
