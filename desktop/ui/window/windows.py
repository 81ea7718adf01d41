"""Windows: every window of this process over the one engine: opening, closing, and who gets which update."""

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, QPoint, QSettings, Signal, Slot

from desktop.domain.core.update import Update
from desktop.domain.proofs.updates import CaptureRequested
from desktop.domain.pulls.commands import PullWindowSeen
from desktop.ui.chats.composer.drafts import Drafts
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.layout_store import LAYOUT, LayoutStore
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock, CommandSink
from desktop.ui.notices.notifications import Notifications
from desktop.ui.proofs.screen_capture import capture_done
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_5
from desktop.ui.window.build import filled, window_parts
from desktop.ui.window.joins.noticed_window import NoticedWindow
from desktop.ui.window.mail import Mail, Standing
from desktop.ui.window.main_window import MainWindow
from desktop.ui.window.outside.links import follow_link


class Windows(QObject):
    """`first` is made at once and not shown, unless it is given: then `filling` puts behind its front what is not there
    yet, a piece each time. Each window has a layout of its own; settings and drafts are shared.

    `demo_asked`: a person in one of them wants to try the demo.
    """

    demo_asked = Signal()

    def __init__(
        self,
        sink: CommandSink,
        clock: Clock,
        settings: QSettings,
        parent: QObject | None = None,
        first: MainWindow | None = None,
    ) -> None:
        super().__init__(parent)
        self._sink, self._clock, self._settings = sink, clock, settings
        self._mail, self._standing = Mail(sink), Standing()
        self._drafts = Drafts(settings, self)
        self._requests = Requests(sink)
        self.notices = Notifications(self._noticed, lambda: clock().astimezone().time(), self, self._requests)
        self._first = Hearing().on(CaptureRequested, self._on_capture)
        self._seen, self._used = True, 0
        self._open: dict[int, MainWindow] = {}
        self.first = first or self._make(1)
        self.filling = self._fill(self.first, 1) if first is not None else iter(())

    def apply_updates(self, updates: list[Update]) -> None:
        """Take a batch, in order, and give each window its part of it. Called on the UI thread."""
        self._standing.note(updates)
        self._first.take(updates)
        for number, window in list(self._open.items()):
            mine = self._mail.for_window(number, updates)
            if mine:
                window.apply_updates(mine)
        self._requests.deliver(updates, self.notices.hearing)

    def all(self) -> list[MainWindow]:
        """The windows that are open, oldest first."""
        return list(self._open.values())

    @Slot(str)
    def open(self, session_id: str = "") -> MainWindow:
        """Open one more window, with this chat or (blank) the page of a new one, and put it in front."""
        before = next((one for one in self.all() if one.isActiveWindow()), self.all()[-1] if self._open else None)
        number = next(n for n in range(1, len(self._open) + 2) if n not in self._open)
        for chat in ("window/chat", "window/chat_beside"):
            LayoutStore(self._settings, _layout(number)).forget(chat)
        window = self._make(number)
        window.apply_updates(self._standing.updates())
        if before is not None:
            step = theme().px(SPACE_5)
            window.move(before.pos() + QPoint(step, step))
        window.show()
        if session_id:
            window.open_chat(session_id)
        window.activateWindow()
        return window

    def used(self) -> MainWindow:
        """The window that was used last; a new one where none is open."""
        return self._open.get(self._used) or next(iter(self.all()), None) or self.open()

    def follow(self, link: str) -> None:
        """Show what a `banksman://` link leads to, in the window that was used last."""
        window = self.used()
        follow_link(window, link)
        window.show()
        window.activateWindow()

    def hide(self) -> None:
        """Take what is still there off the screen: the program ends."""
        for window in [self.first, *self.all()]:
            window.hide()
        self.notices.tray.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pull requests are asked for less often while nobody can see a window; notifications lead to the last used."""
        if event.type() == QEvent.Type.WindowActivate:
            self._used = next((number for number, one in self._open.items() if one is watched), self._used)
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.WindowStateChange):
            seen = any(window.isVisible() and not window.isMinimized() for window in self.all())
            if seen != self._seen:
                self._seen = seen
                self._sink.send(PullWindowSeen(seen=seen))
        return super().eventFilter(watched, event)

    def _on_capture(self, update: CaptureRequested) -> None:
        self._sink.send(capture_done(update.request_id))

    def _make(self, number: int) -> MainWindow:
        window = MainWindow(self._clock, self._settings, _layout(number))
        for _ in self._fill(window, number):
            pass
        return window

    def _fill(self, window: MainWindow, number: int) -> Iterator[None]:
        parts = window_parts(self._settings, self._clock, self._drafts, lambda: self._siblings(number))
        yield from filled(window, self._mail.sink_of(number), self._clock, parts)
        self._open[number] = window
        window.installEventFilter(self)
        window.window_asked.connect(self.open)
        window.demo_asked.connect(self.demo_asked)
        window.reminded.connect(self.notices.remind)
        window.closing.closed.connect(lambda: self._forget(number))

    def _siblings(self, number: int) -> list[MainWindow]:
        return [window for other, window in self._open.items() if other != number]

    def _noticed(self) -> list[NoticedWindow]:
        """The one that was used last at the end."""
        numbers = sorted(self._open, key=lambda number: number == self._used)
        return [NoticedWindow(self._open[number]) for number in numbers]

    def _forget(self, number: int) -> None:
        window = self._open.pop(number, None)
        if window is not None and window is not self.first:
            window.deleteLater()


def _layout(number: int) -> str:
    return LAYOUT if number == 1 else f"{LAYOUT}_{number}"
