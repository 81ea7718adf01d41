"""Notifications: what a person should hear of while they look elsewhere: a note, a message of the system, a sound."""

from collections.abc import Callable, Collection, Sequence
from datetime import time
from typing import Protocol

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from desktop.config.notification_settings import NotificationSettings
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.notices.fold import NoticeFold, Notification, chat_place, chat_title, summed_up
from desktop.ui.notices.sounds import Sounds
from desktop.ui.notices.tray_icon import TrayIcon

GATHER_MS = 3_000
_MOST_NAMES = 5


class Noticed(Protocol):
    """A window that a notification can lead to."""

    @property
    def widget(self) -> QWidget:
        """The window itself."""

    @property
    def settings(self) -> NotificationSettings:
        """As they are kept by the engine."""

    @property
    def shown_chats(self) -> Collection[str]:
        """The chats on screen."""

    @property
    def shown_lane(self) -> str:
        """The lane of that chat, "" for none."""

    @property
    def lists_waiting(self) -> bool:
        """Whether its inbox is in front, which shows all that waits."""

    def lane_title(self, lane_id: str) -> str:
        """The display-safe name of a lane, "" when it is not known."""

    def offer(self, text: str, act: Callable[[], object], is_over: Callable[[], bool]) -> None:
        """A note with a button that leads there, until there is no reason any more to go there."""

    def settle_notes(self) -> None:
        """Take away the notes whose reason has gone."""

    def show_pull(self, lane_id: str) -> None:
        """Show the pull request of a lane."""

    def show_chat(self, session_id: str) -> None:
        """Show a chat."""

    def show_answered(self, input_id: str) -> None:
        """Bring the row of what was answered meanwhile into view."""

    def focus_card(self, session_id: str) -> bool:
        """Put the focus on the frame of what waits in that chat; False while it is not there."""

    def new_chat(self) -> None:
        """Show the page of a new chat."""

    def quit(self) -> None:
        """Close every window, after asking once."""


class Notifications(QObject):
    """One for all windows. What comes within three seconds becomes one message; nothing is told twice, and nothing of
    chats that are muted, of kinds that are switched off, or in quiet hours. `windows`: the one that was used last at
    the end; `now`: the time of day where the person is; `requests` asks the engine
    to play sounds, None: they are rung. `send` shows a message of the system (title, text)."""

    def __init__(
        self,
        windows: Callable[[], Sequence[Noticed]],
        now: Callable[[], time],
        parent: QObject,
        requests: Requests | None = None,
    ) -> None:
        super().__init__(parent)
        self._windows, self._now = windows, now
        self._fold = NoticeFold()
        self._chats = self._fold.chats
        self._gathered: list[Notification] = []
        self._opens: Notification | None = None
        self._card_of = ""
        self.sounds, self.tray = Sounds(self, requests), TrayIcon(self)
        self.hearing = Hearing(self._fold.hearing).then(self._tell_new)
        self.send: Callable[[str, str], None] = self.tray.send
        self.gather = QTimer(self, singleShot=True, interval=GATHER_MS)
        self.gather.timeout.connect(self._tell_system)
        self.tray.message_clicked.connect(self.clicked)
        self.tray.chat_asked.connect(self._show_waiting)
        self.tray.window_asked.connect(self._raise)
        self.tray.new_chat_asked.connect(self._new_chat)
        self.tray.quit_asked.connect(self._quit)

    def clicked(self) -> None:
        """The message of the system was clicked: the window that can show it comes to the front."""
        notice, self._opens = self._opens, None
        if notice is not None:
            self._open(notice)

    def remind(self, notice: Notification) -> None:
        """Tell of something once more, in the way that fits where the person is."""
        self._take(notice)

    # telling

    def _tell_new(self) -> None:
        """Tell of what has just changed, in the way that fits where the person is; the windows know it already."""
        for notice in self._fold.take_found():
            self._take(notice)
        if self._fold.chats is not self._chats:
            self._chats = self._fold.chats
            self.tray.show_chats(self._chats)
        for window in self._windows():
            window.settle_notes()
        if self._card_of and any(one.focus_card(self._card_of) for one in self._windows()):
            self._card_of = ""

    def _take(self, notice: Notification) -> None:
        windows = self._windows()
        if not windows or self._is_kept_quiet(notice, windows[0]):
            return
        active, settings = _active(windows), windows[0].settings
        if active is not None and (_shows(active, notice) or (notice.input_id and active.lists_waiting)):
            return
        if active is None or not settings.only_unfocused:
            self._gathered.append(notice)
            if not self.gather.isActive():
                self.gather.start()
        if active is not None and settings.tells(notice.kind):
            chat = self._fold.chat(notice.session_id) if notice.session_id else None
            place = chat_place(chat, self._fold.chats) if chat is not None else _detail(notice, active)
            parts = (notice.title, place)
            words = " · ".join(part for part in parts if part)
            active.offer(words, lambda: self._open(notice, active), lambda: self._is_over(notice, active))

    def _is_over(self, notice: Notification, window: Noticed) -> bool:
        """Whether a note leads nowhere a person is not, or to what is not so any more."""
        if _shows(window, notice):
            return True
        if not notice.session_id:
            return False
        chat = self._fold.chat(notice.session_id)
        if chat is None or notice.input_id:
            return chat is None or not self._fold.waits(notice.input_id)
        return notice.kind == "failed" and self._fold.works(notice.session_id)

    def _is_kept_quiet(self, notice: Notification, window: Noticed) -> bool:
        """A pull request is as quiet as all the chats of its lane."""
        if window.settings.is_quiet(self._now()):
            return True
        if notice.session_id:
            chat = self._fold.chat(notice.session_id)
            return chat is None or chat.muted
        chats = [chat for chat in self._fold.chats if chat.lane_id == notice.lane_id and not chat.archived]
        return bool(chats) and all(chat.muted for chat in chats)

    def _tell_system(self) -> None:
        gathered, self._gathered = self._gathered, []
        notices = [one for one in gathered if not one.input_id or self._fold.waits(one.input_id)]
        windows = self._windows()
        if not notices or not windows:
            return
        active, settings = _active(windows), windows[0].settings
        if active is not None and settings.only_unfocused:
            for notice in notices:
                self._take(notice)
            return
        notices = [one for one in notices if active is None or not _shows(active, one)]
        told = [one for one in notices if settings.tells(one.kind)]
        if settings.messages and told:
            self._send(told, windows)
        heard = [one.sound for one in notices if settings.sounds_for(one.kind)]
        if heard:
            self.sounds.play("waiting" if "waiting" in heard else "done", settings.volume)

    def _send(self, notices: list[Notification], windows: Sequence[Noticed]) -> None:
        """One message of the system."""
        self._opens = notices[-1]
        if len(notices) == 1:
            self.send(notices[0].title, _detail(notices[0], windows[0]))
        else:
            names = dict.fromkeys(self._name(one, windows[0]) for one in notices)
            self.send(summed_up(notices), ", ".join([name for name in names if name][:_MOST_NAMES]))
        QApplication.alert(windows[-1].widget)

    def _name(self, notice: Notification, window: Noticed) -> str:
        """What one of several notices is about."""
        chat = self._fold.chat(notice.session_id) if notice.session_id else None
        if chat is None:
            return _detail(notice, window)
        alone = sum(one.title == chat.title for one in self._fold.chats if not one.archived) == 1
        return chat_title(chat) if alone else f"{chat_title(chat)} ({chat_place(chat, self._fold.chats)})"

    # showing

    def _open(self, notice: Notification, window: Noticed | None = None) -> None:
        windows = self._windows()
        if not windows:
            return
        found = window or next((one for one in windows if _shows(one, notice)), windows[-1])
        _to_front(found.widget)
        if not notice.session_id:
            found.show_pull(notice.lane_id)
            return
        found.show_chat(notice.session_id)
        if notice.input_id and self._fold.waits(notice.input_id):
            self._card_of = "" if found.focus_card(notice.session_id) else notice.session_id
        elif notice.input_id:
            found.show_answered(notice.input_id)

    def _show_waiting(self, session_id: str) -> None:
        chat = self._fold.chat(session_id)
        if chat is not None:
            input_id = chat.waiting[0].input_id if chat.waiting else ""
            self._open(Notification("", "", "waiting", session_id, chat.lane_id, input_id))

    def _raise(self) -> None:
        for window in self._windows()[-1:]:
            _to_front(window.widget)

    def _new_chat(self) -> None:
        self._raise()
        for window in self._windows()[-1:]:
            window.new_chat()

    def _quit(self) -> None:
        self._raise()
        for window in self._windows()[-1:]:
            window.quit()


def _active(windows: Sequence[Noticed]) -> Noticed | None:
    """The window that is in front, itself or a dialog of it; None: another program is."""
    front = QApplication.activeWindow()
    return next((one for one in windows if _owns(one.widget, front)), None)


def _owns(window: QWidget, front: QWidget | None) -> bool:
    """Whether that is the window, or a dialog over it, or one over such a dialog."""
    while front is not None and front is not window:
        parent = front.parentWidget()
        front = parent.window() if parent is not None else None
    return front is window


def _shows(window: Noticed, notice: Notification) -> bool:
    if notice.session_id:
        return notice.session_id in window.shown_chats
    return window.shown_lane == notice.lane_id


def _detail(notice: Notification, window: Noticed) -> str:
    """The second line of a message."""
    if not notice.session_id:
        return window.lane_title(notice.lane_id)
    return (notice.details if window.settings.details else "") or notice.body


def _to_front(widget: QWidget) -> None:
    widget.setWindowState(widget.windowState() & ~Qt.WindowState.WindowMinimized)
    widget.show()
    widget.raise_()
    widget.activateWindow()
