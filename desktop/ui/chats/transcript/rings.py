"""RunningRings: turns the rings of running calls, only where they are seen."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QRect, QTimer
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtWidgets import QWidget

STEP_MS = 250
STEPS = 8


class RunningRings(QObject):
    """One timer for all rings of a widget: four steps a second while its window is active and a ring is in view.

    `areas` gives where rings are now, in coordinates of the widget. `turn`: steps of an eighth, 0 to 7.
    """

    def __init__(self, widget: QWidget, areas: Callable[[], list[QRect]]) -> None:
        super().__init__(widget)
        self.turn = 0
        self._widget, self._areas = widget, areas
        self._timer = QTimer(self, interval=STEP_MS)
        self._timer.setObjectName("transcript_ring_timer")
        self._timer.timeout.connect(self._step)
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):
            app.focusWindowChanged.connect(self._on_window)

    def check(self) -> None:
        """Start or stop by what is shown now. A hidden widget rests at the next step."""
        wanted = self._seen() and bool(self._areas())
        if wanted and not self._timer.isActive():
            self._timer.start()
        elif not wanted:
            self._timer.stop()

    def _on_window(self, window: QWindow | None) -> None:
        self.check()

    def _seen(self) -> bool:
        return self._widget.isVisible() and self._widget.isActiveWindow()

    def _step(self) -> None:
        areas = self._areas() if self._seen() else []
        if not areas:
            self._timer.stop()
            return
        self.turn = (self.turn + 1) % STEPS
        for area in areas:
            self._widget.update(area)
