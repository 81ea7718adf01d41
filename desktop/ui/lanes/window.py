"""WindowLanes: what the window does with a lane: sends commands, shows its menu and dialogs, says what came of it."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QDialog, QMenu, QWidget

from desktop.domain.core.command import Command
from desktop.domain.lanes.lane import Lane, LaneFinding, LaneStatus
from desktop.domain.lanes.updates import LaneRunChanged, StackRunChanged
from desktop.domain.updates import CommandFailed
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.lane_book import LaneBook
from desktop.ui.core.requests import Reply, Request, Requests
from desktop.ui.lanes.care import SpaceNotice
from desktop.ui.lanes.ends import pick_lanes, show_trash
from desktop.ui.lanes.folders import FolderNotice
from desktop.ui.lanes.menu import CARE_ACTIONS, LANE_ACTIONS, fill_lane_menu


class WindowLanes(QObject):
    """Given to each entry of the lane's menu. `window`: the parent of dialogs; `noted`: a sentence for a toast (foreign
    text in it need not be made safe) and whether it tells of a failure. `offered`: a display-safe sentence, a button,
    what it does, and the lanes that it brings back; `chat_wanted`: a chat is to begin in this lane, with this message;
    `page_wanted`: the page of a new chat in this Lane is to be shown; `lane_wanted`: the row of this lane is;
    `pull_wanted`: an action of the PR tab, and the lane; `launched`: one task was given to several, of which this chat
    is one."""

    noted = Signal(str, bool)
    offered = Signal(str, str, object, object)
    chat_wanted = Signal(str, str)
    page_wanted = Signal(object)
    lane_wanted = Signal(str)
    pull_wanted = Signal(str, str)
    launched = Signal(str)

    def __init__(self, book: LaneBook, commands: ChatCommands, title_of: Callable[[str], str], window: QWidget) -> None:
        """`title_of`: the display-safe title of a chat, "" when it is not known."""
        super().__init__(window)
        self.book, self.window = book, window
        self._commands, self._title_of = commands, title_of
        self._shown = Hearing()
        self.hearing = Hearing(SpaceNotice(self).hearing, FolderNotice(self).hearing, self._shown)

    def lanes(self) -> tuple[Lane, ...]:
        """All lanes of the open repository that are not deleted, oldest first."""
        return self.book.lanes

    def lane(self, lane_id: str) -> Lane | None:
        """The lane of that id, None if it is gone."""
        return self.book.lane(lane_id)

    def status(self, lane_id: str) -> LaneStatus | None:
        """The newest reading of a lane, None before the first."""
        return self.book.status(lane_id)

    def finding(self, lane_id: str) -> LaneFinding | None:
        """What is wrong with a lane, None for nothing."""
        return self.book.finding(lane_id)

    def run_of(self, lane_id: str) -> LaneRunChanged | None:
        """What runs in a lane, None before anything did."""
        return self.book.runs.get(lane_id)

    def last_run(self) -> StackRunChanged | None:
        """The last run of rebases in the open repository, None before the first."""
        return self.book.stack_run

    def start_chat(self, lane_id: str, text: str) -> None:
        """Begin a chat in a lane with this message, and show it."""
        self.chat_wanted.emit(lane_id, text)

    def send(self, command: Command) -> None:
        """Send a command; if it is refused a toast says why."""
        self._commands.send(command)

    def order(
        self,
        command: Command,
        owner: QObject,
        *replies: Reply,
        failed: Callable[[CommandFailed], object] | None = None,
    ) -> Request:
        """Ask for this; if it is refused a toast says why beside `failed`."""
        return self._commands.order(command, owner, *replies, failed=failed)

    @property
    def requests(self) -> Requests:
        """For a command whose refusal the asker shows itself."""
        return self._commands.requests

    def new_chat(self, lane: Lane) -> None:
        """Show the page of a new chat that is to work in this lane."""
        self.page_wanted.emit(lane)

    def show_launched(self, session_id: str) -> None:
        """One task was given to several, of which this chat is one: show them beside each other."""
        self.launched.emit(session_id)

    def show_lane(self, lane_id: str) -> None:
        """Select the lane's row, once it is there."""
        self.lane_wanted.emit(lane_id)

    def ask_pull(self, name: str, lane_id: str) -> None:
        """Do something with the pull request of a lane, on its tab."""
        self.pull_wanted.emit(name, lane_id)

    def chat_title(self, session_id: str) -> str:
        """The display-safe title of a chat, "" when it is not known."""
        return self._title_of(session_id)

    def note(self, text: str, error: bool = False) -> None:
        """Say something in a toast."""
        self.noted.emit(text, error)

    def offer(self, text: str, button: str, act: Callable[[], object], lanes: Sequence[str] = ()) -> None:
        """Say something in a toast with a button that takes it back; `lanes`: the ids of those that it brings back."""
        self.offered.emit(text, button, act, tuple(lanes))

    def show(self, dialog: QDialog, hearing: Hearing | None = None, *, beside: bool = False) -> None:
        """Open a dialog over the window, which hears this until it is closed. `beside`: the window can be used
        meanwhile."""
        if hearing is not None:
            self._shown.join(hearing, dialog)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if beside:
            dialog.show()
        else:
            dialog.open()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """For each action of the window that this object carries out, what to call."""
        return {"delete_lanes": lambda: pick_lanes(self), "deleted_lanes": lambda: show_trash(self)}

    def act(self, action_id: str, lane_id: str) -> None:
        """Carry out an entry of the lane's menu that was asked for elsewhere."""
        for action in (*LANE_ACTIONS, *CARE_ACTIONS):
            if action.id == action_id:
                action.run(self, lane_id)

    def show_menu(self, lane_id: str, at: QPoint) -> None:
        """Show the menu of a lane at this point of the screen."""
        menu = QMenu(self.window)
        menu.setObjectName("lane_menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if fill_lane_menu(menu, self, lane_id):
            menu.popup(at)
        else:
            menu.deleteLater()
