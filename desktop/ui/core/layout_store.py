"""LayoutStore: where the window was and how it was divided, in QSettings; nonsense gives defaults, never a dialog."""

from collections.abc import Mapping
from datetime import datetime

from PySide6.QtCore import QByteArray, QRect, QSettings
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

LAYOUT = "window"
_VISIBLE_LEAST = 100
_SEEN_KEPT = 500


class LayoutStore:
    """Reads and writes the window's QSettings. `name`: what stands below `window/` is kept for each window apart."""

    def __init__(self, settings: QSettings, name: str = LAYOUT) -> None:
        self.settings = settings
        self._name = name

    def restore_geometry(self, window: QWidget) -> None:
        """Put the window where it was; on the primary screen's middle if that place is gone."""
        stored = self.settings.value(self._key("window/geometry"))
        if isinstance(stored, QByteArray):
            window.restoreGeometry(stored)
        if not any(_overlap(window.frameGeometry(), s.availableGeometry()) for s in QGuiApplication.screens()):
            area = QGuiApplication.primaryScreen().availableGeometry()
            size = window.size().boundedTo(area.size())
            window.resize(size)
            window.move(area.center() - QRect(0, 0, size.width(), size.height()).center())

    def save_geometry(self, window: QWidget) -> None:
        """Remember where the window is."""
        self.settings.setValue(self._key("window/geometry"), window.saveGeometry())

    def number(self, key: str, default: int) -> int:
        """A whole number, the default for anything else."""
        value = self.settings.value(self._key(key))
        try:
            return int(value) if isinstance(value, int | str) else default
        except ValueError:
            return default

    def flag(self, key: str, default: bool) -> bool:
        """A yes or no, the default for anything else."""
        value = self.settings.value(self._key(key))
        if isinstance(value, bool):
            return value
        return {"true": True, "false": False}.get(value, default) if isinstance(value, str) else default

    def text(self, key: str) -> str:
        """A text, "" for anything else."""
        value = self.settings.value(self._key(key))
        return value if isinstance(value, str) else ""

    def save(self, key: str, value: int | str | bool) -> None:
        """Remember a value."""
        self.settings.setValue(self._key(key), value)

    def forget(self, key: str) -> None:
        """Take a value back."""
        self.settings.remove(self._key(key))

    def seen(self) -> dict[str, datetime]:
        """Per chat the last activity that was on screen."""
        result = {}
        for line in self.text("seen/chats").splitlines():
            session_id, _, stamp = line.partition(" ")
            try:
                result[session_id] = datetime.fromisoformat(stamp)
            except ValueError:
                continue
        return result

    def save_seen(self, seen: Mapping[str, datetime]) -> None:
        """Remember what was seen, the newest 500 chats."""
        newest = sorted(seen.items(), key=lambda item: item[1])[-_SEEN_KEPT:]
        self.save("seen/chats", "\n".join(f"{session_id} {at.isoformat()}" for session_id, at in newest))

    def _key(self, key: str) -> str:
        own = f"{LAYOUT}/"
        return f"{self._name}/{key.removeprefix(own)}" if key.startswith(own) else key


def _overlap(window: QRect, screen: QRect) -> bool:
    common = window.intersected(screen)
    return common.width() >= _VISIBLE_LEAST and common.height() >= _VISIBLE_LEAST
