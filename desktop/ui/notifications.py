"""Notifications: what a person should hear of although they look elsewhere: a toast, or a message of the system."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from desktop.domain.display import display_text
from desktop.domain.pr_updates import PullTransition, TransitionKind
from desktop.domain.updates import Update
from desktop.ui.theme.icons import icon

GATHER_MS = 3_000
_SHOWN_MS, _REMEMBERED = 10_000, 500
_WORDS: dict[TransitionKind, str] = {
    "checks_failed": "checks failed", "checks_passed": "checks passed", "changes_requested": "changes requested",
    "approved": "approved", "review_asked": "your review is asked", "ready_to_merge": "ready to merge",
    "merged": "merged", "closed": "closed", "round_paused": "the round paused",
}  # fmt: skip


class Noticed(Protocol):
    """A window that a notification can lead to."""

    @property
    def shown_lane(self) -> str:
        """The lane of the chat on screen, "" for none."""

    def lane_title(self, lane_id: str) -> str:
        """The display-safe name of a lane, "" when it is not known."""

    def show_pull(self, lane_id: str) -> None:
        """Show the pull request of a lane."""

    def offer_pull(self, text: str, lane_id: str) -> None:
        """A note with a button that shows the pull request of a lane."""

    @property
    def widget(self) -> QWidget:
        """The window itself."""


@dataclass(frozen=True)
class _Notice:
    lane_id: str
    number: int
    words: str


class Notifications(QObject):
    """One for all windows. What comes within three seconds becomes one message; nothing is told twice. `send` shows a
    message of the system (title, text): the tray's unless another is given."""

    def __init__(self, windows: Callable[[], Sequence[Noticed]], parent: QObject) -> None:
        super().__init__(parent)
        self._windows = windows
        self._told: dict[tuple[str, int, str, str], None] = {}
        self._gathered: list[_Notice] = []
        self._opens: _Notice | None = None
        self._tray: QSystemTrayIcon | None = None
        self.send: Callable[[str, str], None] = self._send_by_tray
        self.gather = QTimer(self, singleShot=True, interval=GATHER_MS)
        self.gather.timeout.connect(self._tell_system)

    def apply(self, updates: Sequence[Update]) -> None:
        """Tell of what has just changed, in the way that fits where the person is."""
        for update in updates:
            if isinstance(update, PullTransition) and update.notify and self._is_new(update):
                self._take(_Notice(update.lane_id, update.number, f"PR #{update.number}: {_WORDS[update.kind]}"))

    def clicked(self) -> None:
        """The message of the system was clicked: the window that can show it comes to the front."""
        notice, self._opens = self._opens, None
        windows = self._windows()
        if notice is None or not windows:
            return
        window = next((one for one in windows if one.shown_lane == notice.lane_id), windows[-1])
        widget = window.widget
        widget.setWindowState(widget.windowState() & ~Qt.WindowState.WindowMinimized)
        widget.show()
        widget.raise_()
        widget.activateWindow()
        window.show_pull(notice.lane_id)
        self._hide_tray()

    def _take(self, notice: _Notice) -> None:
        active = next((one for one in self._windows() if one.widget.isActiveWindow()), None)
        if active is None:
            self._gathered.append(notice)
            if not self.gather.isActive():
                self.gather.start()
        elif active.shown_lane != notice.lane_id:
            name = active.lane_title(notice.lane_id)
            active.offer_pull(" · ".join(part for part in (notice.words, name) if part), notice.lane_id)

    def _tell_system(self) -> None:
        notices, self._gathered = self._gathered, []
        windows = self._windows()
        if not notices or not windows or any(one.widget.isActiveWindow() for one in windows):
            for notice in notices:
                self._take(notice)
            return
        self._opens = notices[-1]
        names = dict.fromkeys(windows[0].lane_title(one.lane_id) for one in notices)
        body = ", ".join(name for name in names if name)
        title = notices[0].words if len(notices) == 1 else f"{len(notices)} pull requests need a look"
        self.send(display_text(title), body)
        QApplication.alert(windows[-1].widget)

    def _is_new(self, update: PullTransition) -> bool:
        key = (update.lane_id, update.number, update.kind, update.at.isoformat())
        if key in self._told:
            return False
        self._told[key] = None
        while len(self._told) > _REMEMBERED:
            del self._told[next(iter(self._told))]
        return True

    def _send_by_tray(self, title: str, text: str) -> None:
        """The tray's icon is there only as long as a message needs it."""
        if not QSystemTrayIcon.isSystemTrayAvailable():
            return
        if self._tray is None:
            self._tray = QSystemTrayIcon(icon("git-pull-request", "accent"), self)
            self._tray.messageClicked.connect(self.clicked)
            self._tray.activated.connect(self.clicked)
        self._tray.setToolTip(f"Banksman: {title}")
        self._tray.show()
        self._tray.showMessage(title, text, icon("git-pull-request", "accent"), _SHOWN_MS)

    def _hide_tray(self) -> None:
        if self._tray is not None:
            self._tray.hide()
