"""InboxWindow: the inbox of a window: what waits in all chats, and the dialog over it."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from desktop.domain.updates import SessionsChanged
from desktop.language import tr
from desktop.ui.chats.book import ChatBook
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.gate.card_stage import CardMeans
from desktop.ui.gate.cards.wording import short_title
from desktop.ui.inbox.dialog import InboxDialog, InboxFacts
from desktop.ui.inbox.marks import InboxMarks
from desktop.ui.inbox.open_inputs import OpenInputs
from desktop.ui.inbox.rows import InboxEntries
from desktop.ui.notices.fold import Notification, chat_title
from desktop.ui.window.main_window import MainWindow

_AUDIT, _REVIEWS = "audit", "reviews"


class InboxWindow(QObject):
    """`inputs` is heard before the parts of the window. `chat_asked`: show this chat with its card; `tab_asked`: show
    this tab; `repository_asked`: open the one in this folder."""

    chat_asked = Signal(str)
    tab_asked = Signal(str)
    repository_asked = Signal(str)

    def __init__(
        self, requests: Requests, clock: Clock, facts: tuple[ChatBook, EngineFacts], window: MainWindow
    ) -> None:
        super().__init__(window)
        self._book, engine = facts
        self._window = window
        self._means = CardMeans(requests, clock, window.store.settings)
        self.inputs = OpenInputs(requests, self)
        self._marks = InboxMarks(window.store.settings, clock, self.inputs, self)
        made = InboxEntries(self.inputs, self._book)
        self._facts = InboxFacts(self.inputs, self._book, engine, made, self._marks)
        self._marks.due.connect(self._on_due)
        self._dialog: InboxDialog | None = None
        self._wanted = ("", "")
        self.hearing = Hearing().on(SessionsChanged, self._on_list)

    @property
    def is_in_front(self) -> bool:
        """Whether it is in front."""
        return self._dialog is not None and self._dialog.isActiveWindow()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Showing the inbox."""
        return {"inbox": self.show}

    def _show_rules(self) -> None:
        """The rules are over the window, so the inbox makes room."""
        if self._dialog is not None:
            self._dialog.close()
        self._window.show_settings("permissions")

    def show(self) -> None:
        """Open the inbox, or bring it to the front."""
        if self._dialog is None:
            self._dialog = InboxDialog(self._means, self._facts, self._window)
            self.hearing.join(self._dialog.hearing, self._dialog)
            self._dialog.chat_asked.connect(lambda chat, path: self._go(chat, path, ""))
            self._dialog.audit_asked.connect(lambda chat, path: self._go(chat, path, _AUDIT))
            self._dialog.reviews_asked.connect(lambda chat, path: self._go(chat, path, _REVIEWS))
            self._dialog.rules_asked.connect(self._show_rules)
            self._dialog.finished.connect(self._on_closed)
            self._dialog.show()
        self._dialog.activateWindow()

    def _on_due(self, input_id: str) -> None:
        """What was put off is told as if it had come now."""
        item = self.inputs.item(input_id)
        place = self.inputs.place(item.session_id) if item is not None else None
        chat = self._book.summary(place.chat_id) if place is not None else None
        if item is not None and chat is not None:
            title, body = (
                tr("{chat} is waiting for you", chat=chat_title(chat)),
                tr("Snoozed until now: {request}", request=short_title(item.request)),
            )
            notice = Notification(title, body, "waiting", chat.session_id, chat.lane_id, input_id)
            self._window.reminded.emit(notice)

    def _on_closed(self, _result: int) -> None:
        self._dialog = None

    def _go(self, session_id: str, path: str, tab: str) -> None:
        """Show a chat; that of another repository once that is open."""
        self._wanted = (session_id, tab)
        if self._book.summary(session_id) is None and path:
            self.repository_asked.emit(path)
        else:
            self._show_wanted()

    def _on_list(self, _update: SessionsChanged) -> None:
        if self._wanted[0] and self._book.summary(self._wanted[0]) is not None:
            self._show_wanted()

    def _show_wanted(self) -> None:
        (session_id, tab), self._wanted = self._wanted, ("", "")
        self.chat_asked.emit(session_id)
        if tab:
            self.tab_asked.emit(tab)
