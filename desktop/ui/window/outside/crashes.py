"""Crashes: an error that nobody caught is kept as a report and told in a window, which goes on."""

import logging
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal, Slot

from desktop.config.crashes import keep_report, report_of, watch_for_fatal, watch_no_more
from desktop.config.log_files import known_secrets
from desktop.language import tr
from desktop.ui.widgets.dialogs.output_viewer import OutputViewer
from desktop.ui.window.main_window import MainWindow

HERE = tr("Something went wrong in this window. Your chats go on, and all they did is on disk.")
LAST_TIME = tr("Banksman was ended by a fault last time. Your chats are as they were then.")
_TITLE = tr("Report of a crash: read it before you share it")
_MOST_TOLD = 20
logger = logging.getLogger(__name__)


class Crashes(QObject):
    """Takes the place of what Python does with an error that nobody caught, until `close`. `folder`: of the logs;
    `window` gives the one to tell it in. The same error is told once, and at most 20 are."""

    crashed = Signal(str)

    def __init__(self, folder: Path, window: Callable[[], MainWindow], parent: QObject) -> None:
        super().__init__(parent)
        self._folder, self._window = folder, window
        self._told: set[str] = set()
        self.crashed.connect(self._on_crashed, Qt.ConnectionType.QueuedConnection)
        self._before = sys.excepthook
        sys.excepthook = self._on_error
        last = watch_for_fatal(folder)
        if last is not None:
            self._tell(LAST_TIME, last)

    def close(self) -> None:
        """Give Python its own way back."""
        sys.excepthook = self._before
        watch_no_more()

    def _on_error(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """May be called on any thread; a person who stops the program is not an error."""
        if issubclass(kind, KeyboardInterrupt):
            self._before(kind, error, trace)
            return
        logger.error("an error that nobody caught", exc_info=(kind, error, trace))
        text = report_of(kind, error, trace, known_secrets())
        if text in self._told or len(self._told) >= _MOST_TOLD:
            return
        self._told.add(text)
        file = keep_report(self._folder, text)
        if file is not None:
            self.crashed.emit(str(file))

    @Slot(str)
    def _on_crashed(self, file: str) -> None:
        self._tell(HERE, Path(file))

    def _tell(self, sentence: str, file: Path) -> None:
        self._window().notes.offer(sentence, tr("Read the report"), partial(self._show, file))

    def _show(self, file: Path) -> None:
        try:
            text = file.read_text("utf-8", "replace")
        except OSError:
            text = tr("{file} is gone.", file=file)
        OutputViewer(_TITLE, text, self._window(), tr("Report")).open()
