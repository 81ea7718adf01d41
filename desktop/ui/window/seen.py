"""SeenChats: until when each chat was looked at, so that the sidebar can tell what is new."""

from collections.abc import Collection, Sequence

from desktop.domain.core.work import SessionSummary
from desktop.ui.core.layout_store import LayoutStore


class SeenChats:
    """`at`: chat id → the last activity that was seen. Kept in the layout of the window once `save` is called."""

    def __init__(self, store: LayoutStore) -> None:
        self._store = store
        self.at = store.seen()
        self._first_list = not self.at

    def mark(self, chats: Sequence[SessionSummary], on_screen: Collection[str]) -> None:
        """The chats of these ids are on screen; at the first list ever, whatever there is counts as seen."""
        for chat in chats:
            if chat.session_id in on_screen or self._first_list:
                self.at[chat.session_id] = chat.last_activity_at
            else:
                self.at.setdefault(chat.session_id, chat.created_at)
        self._first_list = self._first_list and not chats

    def save(self) -> None:
        """Keep it."""
        self._store.save_seen(self.at)
