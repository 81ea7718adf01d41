"""BoardWindow: lays the board over the centre of its window, and keeps it up to date while it is seen."""

from collections.abc import Callable, Mapping
from datetime import datetime

from PySide6.QtCore import QObject, Signal

from desktop.language import tr
from desktop.ui.board.cards import BoardCards
from desktop.ui.board.page import BoardPage
from desktop.ui.chats.book import ChatBook
from desktop.ui.core.sink import Clock
from desktop.ui.widgets.layouts.cover import Cover
from desktop.ui.window.centre import Centre


class BoardWindow(QObject):
    """The page is made when it is wanted first. `chat_asked`: this chat is to be shown."""

    chat_asked = Signal(str)

    def __init__(
        self, clock: Clock, book: ChatBook, seen: Callable[[], Mapping[str, datetime]], centre: Centre, parent: QObject
    ) -> None:
        """`seen`: the last activity of each chat that was on screen."""
        super().__init__(parent)
        self._clock, self._cards, self._seen = clock, BoardCards(book), seen
        self._cover = Cover(centre, "board_cover", tr("Board"))
        self._page: BoardPage | None = None

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Showing the board."""
        return {"board": self.show}

    def show(self) -> None:
        """Lay the board over the centre."""
        if self._page is None:
            self._page = BoardPage(self._cover)
            self._page.opened.connect(self._on_opened)
            self._page.closed.connect(self._cover.leave)
            self._page.filtered.connect(self.refresh)
        self._cover.take(self._page)
        self.refresh()
        self._page.take_focus()

    def refresh(self) -> None:
        """Show the chats as they are, while the board is seen."""
        if self._page is not None and not self._cover.isHidden():
            query = self._page.filter.text()
            self._page.show_cards(self._cards.of(self._seen(), self._clock(), query))

    def leave(self) -> None:
        """Show what is below it."""
        self._cover.leave()

    def _on_opened(self, session_id: str) -> None:
        self._cover.leave()
        self.chat_asked.emit(session_id)
