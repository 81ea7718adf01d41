"""The memory as a theme: what chats remember and look up, what is searched before a turn, and the acts of people."""

from collections.abc import Callable

from desktop.agent.core.offers import offer
from desktop.agent.core.premises import Premises
from desktop.agent.core.session import Session
from desktop.agent.core.theme import Theme
from desktop.agent.memory.book import MemoryBook
from desktop.agent.memory.chat_memory import ChatMemoryDesk, Rates, SessionMemory
from desktop.agent.memory.orientation import Orientation
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.events import Event
from desktop.store.core.memory import Owner
from desktop.tools.offers import ChatMemory


class Memory:
    """`orientation` is asked before each request of a turn. `log`: records what people do in no chat."""

    def __init__(self, premises: Premises, settings: SettingsKeeper, log: Callable[[Event], None]) -> None:
        store = premises.store
        book = MemoryBook(store.memory, log, premises.clock, lambda: settings.redactor, self._changed)
        self.desk = ChatMemoryDesk(book, store.readings, Rates())
        self._settings = settings
        self.orientation = Orientation(self.desk, settings)
        self.theme = Theme("memory", offers=(offer(ChatMemory, self._of),))

    def _of(self, session: Session) -> ChatMemory | None:
        on = self._settings.current.memory and session.state.project_id and session.state.kind != "external"
        return SessionMemory(self.desk, session) if on else None

    def _changed(self, owner: Owner) -> None:
        """Nobody shows it yet."""
