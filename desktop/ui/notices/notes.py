"""WindowNotes: the notes of a window: what is said and offered there, and when an offer holds no more."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from desktop.domain.display.text import prose_text
from desktop.domain.updates import EngineStopped
from desktop.language import said, tr, trn
from desktop.records import dataclass
from desktop.ui.chats.book import ChatBook
from desktop.ui.chats.page import ChatPage
from desktop.ui.chats.panes.panes import Panes
from desktop.ui.core.hearing import Hearing
from desktop.ui.theme.font_cover import font_cover
from desktop.ui.widgets.toast import OFFERED_MS, SHOWN_MS, Toast, ToastArea

UNDO_MS = 9_000
"""A chat is removed for good ten seconds after it was deleted: the note leaves before the button means nothing."""


@dataclass
class _Offer:
    """A note that offers to bring chats or lanes back. `were_gone`: they have left the lists since."""

    toast: Toast
    ids: tuple[str, ...]
    were_gone: bool = False


class WindowNotes(QObject):
    """`area` holds the notes that are shown."""

    def __init__(self, centre: QWidget, panes: Panes, book: ChatBook) -> None:
        super().__init__(centre)
        self._panes, self._book = panes, book
        self._offers: list[_Offer] = []
        self._told: list[tuple[Toast, Callable[[], bool]]] = []
        self.hearing = Hearing().on(EngineStopped, self._on_stopped).then(self._look_at_offers)
        self.area = ToastArea(centre)
        self._keep_within()
        panes.activated.connect(self._keep_within)
        panes.each(self._hear_page)
        font_cover().lacking.connect(self.say, Qt.ConnectionType.QueuedConnection)

    def say(self, text: str, error: bool = False) -> None:
        """Say a sentence; `text` may hold any characters."""
        self.area.show_toast(prose_text(said(text)), error=error)

    def tell(
        self, text: str, button: str, act: Callable[[], object], is_over: Callable[[], bool] = lambda: False
    ) -> None:
        """Say something that has happened elsewhere, display-safe, with a button that leads there. `is_over`: whether
        there is no reason any more to lead there; the note leaves then."""
        self._told.append((self._show(text, button, act, SHOWN_MS), is_over))

    def settle(self) -> None:
        """Take away the notes whose reason has gone."""
        self._told = [(toast, is_over) for toast, is_over in self._told if toast in self.area.toasts]
        for toast, is_over in self._told:
            if is_over():
                toast.dismiss()

    def offer(self, text: str, button: str, act: Callable[[], object], ids: Sequence[str] = ()) -> None:
        """Say something display-safe with a button that takes it back or goes on. `ids`: the chats and lanes that the
        button brings back; the note leaves when they are there again."""
        self._watch(self._show(text, button, act, OFFERED_MS), ids)

    def offer_undo(self, text: str, act: Callable[[], object], session_id: str) -> None:
        """Say that a chat is being deleted, with a button that keeps it."""
        self._watch(self._show(text, tr("Undo"), act, UNDO_MS), (session_id,))

    def _hear_page(self, page: ChatPage) -> None:
        page.note.connect(self.say)
        page.covered.connect(lambda count, input_id: self._on_covered(page, count, input_id))
        page.row_actions.history.offered.connect(self._on_rewound)

    def _keep_within(self) -> None:
        """Notes stand where the person reads."""
        page = self._panes.active
        self.area.keep_within(page.messages, page.transcript.keep_free)

    def _on_stopped(self, update: EngineStopped) -> None:
        """The state that cannot go on says its way out."""
        text = prose_text(
            tr(
                "The engine stopped: {reason} Your chats are saved: close Banksman and start it again.",
                reason=said(update.reason),
            )
        )
        toast = self.area.show_toast(text, error=True)
        toast.add_action(tr("Copy details"), lambda: QGuiApplication.clipboard().setText(text))

    def _look_at_offers(self) -> None:
        """What was brought back is offered no more."""
        for offer in tuple(self._offers):
            there = all(self._is_there(one) for one in offer.ids)
            offer.were_gone = offer.were_gone or not there
            if offer.toast not in self.area.toasts:
                self._offers.remove(offer)
            elif there and offer.were_gone:
                offer.toast.dismiss()

    def _watch(self, toast: Toast, ids: Sequence[str]) -> None:
        if ids:
            self._offers.append(_Offer(toast, tuple(ids), not all(map(self._is_there, ids))))

    def _show(self, text: str, button: str, act: Callable[[], object], shown_ms: int) -> Toast:
        toast = self.area.show_toast(text, shown_ms=shown_ms)
        toast.add_action(button, act)
        return toast

    def _on_rewound(self, text: str, button: str, act: Callable[[], object]) -> None:
        self._show(text, button, act, OFFERED_MS)

    def _on_covered(self, page: ChatPage, count: int, input_id: str) -> None:
        """A rule that was just saved decided other cards too."""
        words = trn(
            count,
            "{n} more request was covered by this rule",
            "{n} more requests were covered by this rule",
        )
        self.tell(words, tr("Show"), lambda: page.show_resolved(input_id))

    def _is_there(self, one: str) -> bool:
        return self._book.summary(one) is not None or self._book.lane_book.lane(one) is not None
