"""Captures: the ways in which a person takes a picture for the lane: a page, a window, the screen."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QMenu, QWidget

from desktop.domain.core.command import Command
from desktop.domain.lanes.lane import Lane
from desktop.domain.proofs.commands import CaptureWindow, ListWindows
from desktop.domain.proofs.updates import WindowCaptured, WindowsListed
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.proofs.dialogs.capture import CapturedWindow, PageDialog, ScreenDialog
from desktop.ui.proofs.dialogs.windows import WindowsDialog
from desktop.ui.proofs.screen_capture import Grabbed, grab_screen

NOT_HERE = tr("Cannot take screenshots: {why}")
NO_WINDOWS = tr("Cannot capture a window: {why}. Capture the screen and crop it.")


@dataclass(frozen=True)
class CapturePlace:
    """For which lane and chat pictures are taken now. `problem`: why no page can be, "" when one can."""

    lane_id: str
    session_id: str
    lane: Lane | None
    problem: str


class Captures(QObject):
    """`wanted` carries the command that keeps a picture, `noted` a sentence and whether it is about a failure."""

    wanted = Signal(object)
    noted = Signal(str, bool)

    def __init__(self, requests: Requests, place: Callable[[], CapturePlace], parent: QWidget) -> None:
        super().__init__(parent)
        self._requests, self._place, self._over = requests, place, parent
        self._asked = Request()
        self.menu = QMenu(parent)
        self.menu.setObjectName("proofs_capture_menu")
        self.menu.addAction(tr("Capture page…"), self.page).setObjectName("proofs_capture_page")
        self.menu.addAction(tr("Capture window…"), self.window).setObjectName("proofs_capture_window")
        self.menu.addAction(tr("Capture screen…"), self.screen).setObjectName("proofs_capture_screen")

    def page(self) -> None:
        """Ask which page, then take it."""
        place = self._place()
        dialog = PageDialog(place.lane_id, place.session_id, place.lane, place.problem, self._over.window())
        dialog.wanted.connect(self.wanted)
        dialog.open()

    def window(self) -> None:
        """Ask which window, take it, and let the person say what of it is kept."""
        self._ask(ListWindows())

    def screen(self) -> None:
        """Take the screen; the person chooses what of it is kept."""
        grabbed = grab_screen()
        if grabbed.problem:
            self.noted.emit(f"{NOT_HERE.format(why=grabbed.problem)}.", True)
        else:
            self._keep(grabbed)

    def _ask(self, command: Command) -> None:
        """What was asked before is not waited for any more."""
        self._asked.drop()
        replies = answer(WindowsListed, self._choose), answer(WindowCaptured, self._show)
        self._asked = self._requests.ask(command, self, *replies)

    def _choose(self, listed: WindowsListed) -> None:
        if listed.problem:
            self.noted.emit(NO_WINDOWS.format(why=listed.problem), True)
            return
        dialog = WindowsDialog(listed.windows, self._place().lane_id, self._over.window())
        dialog.picked.connect(lambda window_id: self._ask(CaptureWindow(window_id=window_id)))
        dialog.open()

    def _show(self, taken: WindowCaptured) -> None:
        if taken.problem:
            self.noted.emit(NO_WINDOWS.format(why=taken.problem), True)
            return
        self._keep(Grabbed(QImage.fromData(taken.data), taken.data), CapturedWindow(taken.title, taken.alone))

    def _keep(self, grabbed: Grabbed, of: CapturedWindow | None = None) -> None:
        place = self._place()
        dialog = ScreenDialog(grabbed, place.lane_id, place.session_id, self._over.window(), of)
        dialog.wanted.connect(self.wanted)
        dialog.open()
