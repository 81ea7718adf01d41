"""HandoverWindow: lays the handover over the centre of its window, and offers it to a person who was away for long."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QEvent, QObject, Signal

from desktop.domain.display.text import prose_text
from desktop.domain.handover.commands import LoadRecap
from desktop.domain.handover.updates import RecapLoaded
from desktop.domain.updates import SessionsChanged
from desktop.language import tr
from desktop.ui.chats.book import ChatBook
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.core.sink import Clock
from desktop.ui.handover.looked import LONG_AWAY, LastLook
from desktop.ui.handover.page import HandoverPage
from desktop.ui.handover.recap import RecapStrip
from desktop.ui.notices.notes import WindowNotes
from desktop.ui.widgets.layouts.cover import Cover
from desktop.ui.window.centre import Centre
from desktop.ui.window.main_window import MainWindow


class HandoverWindow(QObject):
    """The page is made when it is wanted first. `entry_asked`: chat, entry and its place."""

    entry_asked = Signal(str, str, int)

    def __init__(
        self,
        requests: Requests,
        clock: Clock,
        facts: tuple[ChatBook, WindowNotes, Callable[[], str]],
        centre: Centre,
        window: MainWindow,
    ) -> None:
        """`facts`: with what gives the chat on screen, "" for none."""
        super().__init__(window)
        self._requests, self._clock = requests, clock
        self._book, self._notes, self._here = facts
        self._cover = Cover(centre, "handover_cover", tr("Handover"))
        self._page: HandoverPage | None = None
        self._looked = LastLook(window.store, clock)
        self._due = self._looked.came() >= LONG_AWAY
        self.recap = RecapStrip(window)
        self.recap.entry_asked.connect(self._on_entry)
        self.recap.whole_asked.connect(self.show)
        self._telling = Request()
        self.hearing = Hearing().on(SessionsChanged, self._offer_if_due)
        window.installEventFilter(self)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Showing the page."""
        return {"handover": self.show}

    def show(self) -> None:
        """Lay the page over the centre, made anew."""
        if self._page is None:
            self._page = HandoverPage(self._requests, self._clock, self._cover)
            self._page.entry_asked.connect(self._on_entry)
            self._page.noted.connect(lambda text, error: self._notes.say(prose_text(text), error=error))
            self._page.closed.connect(self._cover.leave)
        self._page.ask(self._here(), self._looked.at)
        self._cover.take(self._page)
        self._page.setFocus()

    def leave(self) -> None:
        """Show what is below it."""
        self._cover.leave()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """When a person comes back and something is new, it is told in a few lines; after long the page is offered."""
        if event.type() == QEvent.Type.WindowActivate:
            self._due = self._looked.came() >= LONG_AWAY or self._due
            self._offer_if_due()
        elif event.type() in (QEvent.Type.WindowDeactivate, QEvent.Type.Close):
            self._looked.went()
        return super().eventFilter(watched, event)

    def _tell(self, since: datetime) -> None:
        self._telling.drop()
        told = answer(RecapLoaded, self._on_recap)
        self._telling = self._requests.ask(LoadRecap(since=since), self, told, failed=lambda _failed: self._offer())

    def _on_recap(self, loaded: RecapLoaded) -> None:
        self.recap.show_recap(loaded.recap)
        self._offer()

    def _offer_if_due(self, _update: SessionsChanged | None = None) -> None:
        if not self._book.listed:
            return
        went = self._looked.take_absence()
        if went is not None and self._has_new(went):
            self._tell(went)
        self._offer()

    def _offer(self) -> None:
        """Offer the page, unless the strip does, or may soon."""
        if not self._due or self._telling.is_waiting:
            return
        self._due, since = False, self._looked.at
        if since is not None and self._has_new(since) and self.recap.isHidden():
            self._notes.offer(tr("Something happened while you were away."), tr("Show handover"), self.show)

    def _has_new(self, since: datetime) -> bool:
        return any(chat.last_activity_at > since for chat in self._book.chats)

    def _on_entry(self, session_id: str, event_id: str, seq: int) -> None:
        self._cover.leave()
        self.entry_asked.emit(session_id, event_id, seq)
