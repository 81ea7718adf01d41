"""LaneDesk: what the window does with a lane: sends commands, shows its menu and dialogs, says what came of it."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QDialog, QMenu, QWidget

from desktop.domain.commands import Command
from desktop.domain.lane import Lane, LaneStatus
from desktop.domain.updates import Update
from desktop.ui.chat_commands import ChatCommands
from desktop.ui.lane_book import LaneBook
from desktop.ui.lane_menu import fill_lane_menu

TakeUpdates = Callable[[Sequence[Update]], object]


class LaneDesk(QObject):
    """Given to each entry of the lane's menu. `window`: the parent of dialogs; `noted`: a sentence for a toast (foreign
    text in it need not be made safe) and whether it tells of a failure. `offered`: a display-safe sentence, a button
    and what it does."""

    noted = Signal(str, bool)
    offered = Signal(str, str, object)

    def __init__(self, book: LaneBook, commands: ChatCommands, window: QWidget) -> None:
        super().__init__(window)
        self.book, self.window = book, window
        self._commands = commands
        self._shown: dict[QDialog, TakeUpdates] = {}

    def lanes(self) -> tuple[Lane, ...]:
        """All lanes of the open repository that are not deleted, oldest first."""
        return self.book.lanes

    def lane(self, lane_id: str) -> Lane | None:
        """The lane of that id, None if it is gone."""
        return self.book.lane(lane_id)

    def status(self, lane_id: str) -> LaneStatus | None:
        """The newest reading of a lane, None before the first."""
        return self.book.status(lane_id)

    def send(self, command: Command) -> None:
        """Send a command; if it is refused a toast says why."""
        self._commands.send(command)

    def note(self, text: str, error: bool = False) -> None:
        """Say something in a toast."""
        self.noted.emit(text, error)

    def offer(self, text: str, button: str, act: Callable[[], object]) -> None:
        """Say something in a toast with a button that takes it back."""
        self.offered.emit(text, button, act)

    def show(self, dialog: QDialog, apply: TakeUpdates) -> None:
        """Open a dialog over the window and give it each batch of updates until it is closed."""
        self._shown[dialog] = apply
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(lambda _result: self._shown.pop(dialog, None))
        dialog.open()

    def apply(self, updates: Sequence[Update]) -> None:
        """Hand updates to the dialogs that are open."""
        for take in list(self._shown.values()):
            take(updates)

    def show_menu(self, lane_id: str, at: QPoint) -> None:
        """Show the menu of a lane at this point of the screen."""
        menu = QMenu(self.window)
        menu.setObjectName("lane_menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if fill_lane_menu(menu, self, lane_id):
            menu.popup(at)
        else:
            menu.deleteLater()
