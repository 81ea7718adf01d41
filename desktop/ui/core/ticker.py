"""AgeTicker: the one 30 second timer by which all views refresh ages, running only while one of them needs it."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from desktop.records import dataclass

_INTERVAL_MS = 30_000


@dataclass(frozen=True)
class _Watcher:
    widget: QWidget
    refresh: Callable[[], None]
    needed: Callable[[], bool]


class AgeTicker(QObject):
    """Views say with `watch` what to refresh; `check` after a change of what they show."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._watchers: list[_Watcher] = []
        self._timer = QTimer(self)
        self._timer.setInterval(_INTERVAL_MS)
        self._timer.timeout.connect(self._tick)

    @property
    def running(self) -> bool:
        """Whether the timer is active."""
        return self._timer.isActive()

    def watch(self, widget: QWidget, refresh: Callable[[], None], needed: Callable[[], bool]) -> None:
        """Call `refresh` every 30 s while `widget` is visible and `needed` says so. `widget` outlives this object."""
        self._watchers.append(_Watcher(widget, refresh, needed))
        widget.installEventFilter(self)
        self.check()

    def check(self) -> None:
        """Start or stop the timer by what is shown now."""
        wanted = any(w.widget.isVisible() and w.needed() for w in self._watchers)
        if wanted and not self._timer.isActive():
            self._timer.start()
        elif not wanted:
            self._timer.stop()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A view that appears is refreshed; one that goes may let the timer rest."""
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            for watcher in self._watchers:
                if watcher.widget is watched and event.type() == QEvent.Type.Show:
                    watcher.refresh()
            QTimer.singleShot(0, self, self.check)
        return super().eventFilter(watched, event)

    def _tick(self) -> None:
        for watcher in self._watchers:
            if watcher.widget.isVisible():
                watcher.refresh()
        self.check()
