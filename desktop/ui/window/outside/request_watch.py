"""RequestWatch: hears a second start of the program ask this process for a window."""

import contextlib
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from desktop.config.instance import take_requests


class RequestWatch(QObject):
    """`asked` carries the repository that the second start named, "" for none. The folder is made; nothing polls."""

    asked = Signal(str)

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._take)
        with contextlib.suppress(OSError):  # without the folder a second start says that this one runs
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._watcher.addPath(str(folder))
        QTimer.singleShot(0, self, self._take)

    def _take(self, _folder: str = "") -> None:
        for path in take_requests(self._folder):
            self.asked.emit(path)
