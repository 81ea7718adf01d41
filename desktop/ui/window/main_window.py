"""MainWindow: a window of the program: its front, which is painted first, and what is put behind that."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSettings, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMainWindow

from desktop.domain.core.update import Update
from desktop.language import tr
from desktop.ui.core.layout_store import LAYOUT, LayoutStore
from desktop.ui.core.sink import Clock
from desktop.ui.core.ticker import AgeTicker
from desktop.ui.sidebar.view import Sidebar
from desktop.ui.widgets.scrim import shade_while_blocked
from desktop.ui.window.front.front import TABS, Front

if TYPE_CHECKING:
    from desktop.ui.chats.book import ChatBook
    from desktop.ui.chats.page import ChatPage
    from desktop.ui.core.engine_facts import EngineFacts
    from desktop.ui.lanes.window import WindowLanes
    from desktop.ui.notices.notes import WindowNotes
    from desktop.ui.terminals.terminals import Terminals
    from desktop.ui.window.closing import Closing
    from desktop.ui.window.contents import Contents
    from desktop.ui.window.joins.inbox import InboxWindow
    from desktop.ui.window.joins.pulls import PullWindow

_SIZE, _LEAST = (1360, 840), (640, 480)


class MainWindow(QMainWindow):
    """The window. Its front alone can be shown and painted; all else asks for the contents, which `take` gives it.

    `painted`: it was painted for the first time. `settings_asked` names the page to show ("" for the first);
    `demo_asked`: the person wants to try the demo; `window_asked`: one more window, with this chat or (blank) a new
    one; `reminded`: the person is to hear of this notification. `layout` names what is kept of its layout.
    """

    painted = Signal()
    settings_asked = Signal(str)
    demo_asked = Signal()
    window_asked = Signal(str)
    reminded = Signal(object)

    def __init__(self, clock: Clock, settings: QSettings, layout: str = LAYOUT, tabs: Sequence[str] = TABS) -> None:
        super().__init__()
        self.setObjectName("main_window")
        self.setWindowTitle(tr("Banksman"))
        self.store, self.ticker = LayoutStore(settings, layout), AgeTicker(self)
        self.front = Front(clock, self.ticker, self.store, tabs, self)
        self.setCentralWidget(self.front)
        self.setMinimumSize(*_LEAST)
        self._contents: Contents | None = None
        self._was_painted = False
        self._restore()

    def take(self, contents: "Contents") -> None:
        """These are the window's contents from now on."""
        self._contents = contents

    @property
    def contents(self) -> "Contents":
        """What is behind the front.

        Raises:
            LookupError: it is not there yet.
        """
        if self._contents is None:
            raise LookupError("The window has its front alone.")
        return self._contents

    def apply_updates(self, updates: list[Update]) -> None:
        """Take a batch, in order. Called on the UI thread."""
        self.contents.apply_updates(updates)

    def open_chat(self, session_id: str) -> None:
        """Show a chat and put the focus in the composer."""
        self.contents.open_chat(session_id)

    def new_chat(self) -> None:
        """Show the page of a new chat."""
        self.contents.new_chat()

    def open_path(self, path: str) -> None:
        """Open the repository at this path."""
        self.contents.open_path(path)

    def show_settings(self, page: str = "") -> None:
        """Open the settings over the window, at the page of that name if it is given."""
        self.contents.show_settings(page)

    @property
    def sidebar(self) -> Sidebar:
        """The lists of chats and lanes."""
        return self.front.sidebar

    @property
    def page(self) -> "ChatPage":
        """The chat on screen."""
        return self.contents.page

    @property
    def book(self) -> "ChatBook":
        """What is known of the chats."""
        return self.contents.book

    @property
    def engine(self) -> "EngineFacts":
        """What is known of the engine."""
        return self.contents.engine

    @property
    def notes(self) -> "WindowNotes":
        """What the window says in passing."""
        return self.contents.notes

    @property
    def terminals(self) -> "Terminals":
        """The person's shells."""
        return self.contents.terminals

    @property
    def closing(self) -> "Closing":
        """Whether it may close."""
        return self.contents.closing

    @property
    def lane_host(self) -> "WindowLanes":
        """What is done with lanes."""
        return self.contents.lane_host

    @property
    def inbox(self) -> "InboxWindow":
        """What waits in all chats."""
        return self.contents.inbox

    @property
    def pulls(self) -> "PullWindow":
        """The tab of pull requests, as the window has it."""
        return self.contents.pulls

    def event(self, event: QEvent) -> bool:
        """Tells of the first paint once it is on screen."""
        if event.type() == QEvent.Type.Paint and not self._was_painted:
            self._was_painted = True
            QTimer.singleShot(0, self.painted.emit)
        shade_while_blocked(self, event)
        return super().event(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask first when a turn works; keep geometry and drafts."""
        if self._contents is not None and self._contents.closing.must_ask():
            event.ignore()
            return
        self._save()
        super().closeEvent(event)
        if self._contents is not None:
            self._contents.closing.closed.emit()

    def _restore(self) -> None:
        self.resize(*_SIZE)
        self.store.restore_geometry(self)
        frame = self.front.frame
        for region in ("sidebar", "inspector"):
            frame.set_width(region, self.store.number(f"window/{region}", frame.widths[region]))
            frame.shown[region] = self.store.flag(f"window/{region}_shown", True)
        frame.kept = self.store.flag("window/inspector_kept", False)
        frame.vacant = self.store.flag("window/inspector_vacant", True)
        frame.fit()

    def _save(self) -> None:
        self.store.save_geometry(self)
        frame = self.front.frame
        for region in ("sidebar", "inspector"):
            self.store.save(f"window/{region}", frame.widths[region])
            self.store.save(f"window/{region}_shown", frame.shown[region])
        self.store.save("window/inspector_kept", frame.kept)
        self.store.save("window/inspector_vacant", frame.vacant)
        if self._contents is not None:
            self._contents.save()
