"""Marks: what is said under a message that is not what it looks like, or that is long; of long ones by a thread."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache

from PySide6.QtCore import QObject, QTimer

from desktop.domain.display.surfaces import display_warnings

AT_ONCE_CHARS, LOOK_MS, KEPT = 1_000, 20, 256
_WORKER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="marks")


@lru_cache(maxsize=256)
def markdown_marks(text: str) -> tuple[str, ...]:
    """Those of a message."""
    return display_warnings(text, "transcript_markdown")


class Marks(QObject):
    """For the messages of one view."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._wanted: dict[str, tuple[Future[tuple[str, ...]], Callable[[], None]]] = {}
        self._found: dict[str, tuple[str, ...]] = {}
        self._look = QTimer(self, interval=LOOK_MS)
        self._look.timeout.connect(self._take)

    def get(self, text: str, drop: Callable[[], None]) -> tuple[str, ...]:
        """Those of a message; () while they are looked for, and `drop` is called once they are found."""
        if len(text) <= AT_ONCE_CHARS:
            return markdown_marks(text)
        if text in self._found:
            return self._found[text]
        if text not in self._wanted:
            self._wanted[text] = (_WORKER.submit(markdown_marks, text), drop)
            self._look.start()
        return ()

    def _take(self) -> None:
        for text, (found, drop) in [*self._wanted.items()]:
            if found.done():
                del self._wanted[text]
                if len(self._found) >= KEPT:
                    self._found.pop(next(iter(self._found)))
                self._found[text] = found.result()
                drop()
        if not self._wanted:
            self._look.stop()
