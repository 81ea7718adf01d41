"""PaneWindow: opens a chat beside the one on screen, closes panes, and keeps which two stood there."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from desktop.domain.chats.updates import SessionDeletionScheduled
from desktop.language import tr
from desktop.ui.chats.book import ChatBook
from desktop.ui.chats.page import ChatPage
from desktop.ui.chats.panes.pane import PANE_LEAST
from desktop.ui.chats.panes.panes import Panes
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.layout_store import LayoutStore
from desktop.ui.window.front.frame import CENTRE_LEAST, Frame

_LEFT, _RIGHT, _ACTIVE, _SHARE = "window/chat", "window/chat_beside", "window/pane_active", "window/pane_share"
_TRAIL = 20


class PaneWindow(QObject):
    """`switched`: the active chat is another one, or it stands in another pane. `noted`: a sentence for a toast."""

    switched = Signal()
    noted = Signal(str)

    def __init__(self, panes: Panes, book: ChatBook, store: LayoutStore, frame: Frame, parent: QObject) -> None:
        super().__init__(parent)
        self._panes, self._book, self._store, self._frame = panes, book, store, frame
        self._last = store.text(_LEFT), store.text(_RIGHT), store.number(_ACTIVE, 0)
        self._trail: list[str] = []
        self._followed = ""
        panes.set_share(store.number(_SHARE, panes.share))
        panes.activated.connect(self._on_activated)
        panes.close_asked.connect(self.close)
        self.hearing = Hearing().on(SessionDeletionScheduled, self._on_deleting)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """For each action that this object carries out, what to call."""
        return {
            "open_beside": partial(self.open_beside, ""),
            "close_pane": self.close,
            "other_pane": self._panes.go_to_other,
        }

    def act(self, session_id: str, action: str) -> None:
        """Carry out an entry of a chat's menu."""
        if action == "beside":
            self.open_beside(session_id)

    def open_beside(self, session_id: str) -> None:
        """Show a chat in the pane that is not the active one, which is made where there is none, and go there. Blank:
        the one that was on screen before, or the page of a new chat."""
        if session_id and any(page.session_id == session_id for page in self._panes.pages):
            self.show(session_id)
        else:
            wanted = session_id or self._one_of_before()
            if not wanted and not self._panes.active.session_id:
                self.noted.emit(tr("There is no other chat to open beside this one."))
                return
            self._fill(self._panes.open_second(), wanted)
            self.switched.emit()
        self._panes.active.composer.text.setFocus()

    def close(self, page: ChatPage | None = None) -> None:
        """Take a pane away, the active one unless it is named."""
        if self._panes.close_pane(page):
            self._panes.active.composer.text.setFocus()

    def show(self, session_id: str) -> None:
        """Show a chat in the active pane, or go to the pane in which it stands; blank: the page of a new one."""
        other = self._panes.other
        if other is not None and other.session_id == session_id:
            self._panes.activate(other)
        else:
            self._fill(self._panes.active, session_id)

    def keep(self) -> None:
        """Another chat is on screen: remember it, and what stands where."""
        shown = [page.session_id for page in self._panes.pages]
        for session_id in filter(None, shown):
            self._trail = [session_id, *(one for one in self._trail if one != session_id)][:_TRAIL]
        self._last = "", "", 0
        self._followed = self._panes.active.session_id
        self._store.save(_LEFT, shown[0])
        self._store.save(_RIGHT, shown[1] if len(shown) > 1 else "")
        self._store.save(_ACTIVE, int(self._panes.active is self._panes.pages[-1] and len(shown) > 1))

    def save(self) -> None:
        """Keep how the width is shared."""
        self._store.save(_SHARE, self._panes.share)

    def restore(self) -> bool:
        """Show what stood there when the window was closed, of what is still listed. False: nothing of it."""
        (*chats, active), self._last = self._last, ("", "", 0)
        there = [one for one in chats if one and self._book.summary(str(one)) is not None]
        if not there or any(page.session_id for page in self._panes.pages):
            return False
        self._fill(self._panes.active, str(there[0]))
        if len(there) > 1:
            self._fill(self._panes.open_second(), str(there[1]))
            self._panes.activate(self._panes.pages[1 if active else 0])
        self.switched.emit()
        return True

    def close_second(self) -> None:
        """One pane is left: another repository has other chats."""
        self._panes.close_pane()

    def _fill(self, page: ChatPage, session_id: str) -> None:
        if session_id:
            page.show_chat(session_id)
        else:
            page.show_new()

    def _one_of_before(self) -> str:
        shown = {page.session_id for page in self._panes.pages}
        listed = {chat.session_id for chat in self._book.chats if not chat.archived}
        return next((one for one in self._trail if one in listed and one not in shown), "")

    def _on_activated(self) -> None:
        self._frame.set_centre_least(2 * PANE_LEAST + 8 if len(self._panes.pages) > 1 else CENTRE_LEAST)
        if self._panes.active.session_id not in ("", self._followed):
            self._panes.ask_again()  # the tabs of the inspector know one chat at a time
        self.switched.emit()

    def _on_deleting(self, update: SessionDeletionScheduled) -> None:
        other = self._panes.other
        if other is not None and other.session_id == update.session_id:
            self._panes.close_pane(other)
