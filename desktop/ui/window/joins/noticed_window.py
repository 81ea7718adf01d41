"""NoticedWindow: a window as notifications and the tray see it."""

from collections.abc import Callable, Collection

from PySide6.QtWidgets import QWidget

from desktop.config.notification_settings import NotificationSettings
from desktop.language import tr
from desktop.ui.window.main_window import MainWindow


class NoticedWindow:
    """Made anew whenever it is needed; it keeps nothing."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    @property
    def widget(self) -> QWidget:
        """The window itself."""
        return self._window

    @property
    def settings(self) -> NotificationSettings:
        """As they are kept by the engine."""
        return self._window.engine.settings.notifications

    @property
    def shown_chats(self) -> Collection[str]:
        """The chats on screen."""
        return self._window.contents.panes.on_screen

    @property
    def shown_lane(self) -> str:
        """The lane of that chat, "" for none."""
        return self._window.pulls.shown_lane

    @property
    def lists_waiting(self) -> bool:
        """Whether its inbox is in front, which shows all that waits."""
        return self._window.inbox.is_in_front

    def lane_title(self, lane_id: str) -> str:
        """The display-safe name of a lane, "" when it is not known."""
        return self._window.pulls.lane_title(lane_id)

    def offer(self, text: str, act: Callable[[], object], is_over: Callable[[], bool]) -> None:
        """A note with a button that leads there, until there is no reason any more to go there."""
        self._window.notes.tell(text, tr("Open"), act, is_over)

    def settle_notes(self) -> None:
        """Take away the notes whose reason has gone."""
        self._window.notes.settle()

    def show_pull(self, lane_id: str) -> None:
        """Show the pull request of a lane."""
        self._window.pulls.show_pull(lane_id)

    def show_chat(self, session_id: str) -> None:
        """Show a chat."""
        if self._window.page.session_id != session_id:
            self._window.open_chat(session_id)

    def show_answered(self, input_id: str) -> None:
        """Bring the row of what was answered meanwhile into view."""
        self._window.page.show_resolved(input_id)

    def focus_card(self, session_id: str) -> bool:
        """Put the focus on the frame of what waits in that chat; False while it is not there."""
        return self._window.page.session_id == session_id and self._window.page.tray.focus_card()

    def new_chat(self) -> None:
        """Show the page of a new chat."""
        self._window.new_chat()

    def quit(self) -> None:
        """Close every window, after asking once."""
        self._window.closing.quit()
