"""The memory as a theme: what chats remember and look up, what is searched before a turn, and the acts of people."""

from collections.abc import Callable

from desktop.agent.core.offers import offer
from desktop.agent.core.premises import Premises
from desktop.agent.core.session import Session
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.memory.book import MemoryBook, Record
from desktop.agent.memory.chat_memory import MemoryKeeper, Rates, SessionMemory
from desktop.agent.memory.commands import MemoryCommands, Repository
from desktop.agent.memory.episodes import Episodes, Reported
from desktop.agent.memory.exchange import MemoryExchange
from desktop.agent.memory.meaning import Meaning
from desktop.agent.memory.orientation import Orientation
from desktop.agent.memory.sweep import MemorySweep, MemoryTeller
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.store.core.memory import Owner
from desktop.tools.offers import ChatMemory


class Memory:
    """`orientation` is asked before each request of a turn. `log`: records what people do in no
    chat; `find`: the session of an id."""

    def __init__(
        self,
        premises: Premises,
        settings: SettingsKeeper,
        log: Record,
        find: Callable[[str], Session],
    ) -> None:
        self._find = find
        store = premises.store
        book = MemoryBook(store.memory, log, premises.clock, lambda: settings.redactor, self._changed)
        self.keeper = MemoryKeeper(book, store.readings, Rates(), Meaning(settings))
        place = Repository(premises.project, find, store.events.session_ids)
        self.commands = MemoryCommands(self.keeper, premises.telling.publish, place)
        exchange = MemoryExchange(book, store.readings, premises.telling.publish, self.commands.owners)
        self.sweep = MemorySweep(book, self.commands.owners, self.commands.tell)
        self._settings = settings
        self.orientation = Orientation(self.keeper, settings)
        self.theme = Theme(
            "memory",
            handlers_of(self.commands, exchange),
            offers=(offer(ChatMemory, self._of),),
            attendants=(MemoryTeller(self.commands.tell), self.sweep),
        )

    def _of(self, session: Session) -> ChatMemory | None:
        on = self._settings.current.memory and session.state.project_id and session.state.kind != "external"
        return SessionMemory(self.keeper, session) if on else None

    def _changed(self, owner: Owner) -> None:
        self.commands.changed(owner)

    def episodes(self, reports: Reported) -> Theme:
        """What turns came to, as `reports` knows it."""
        episodes = Episodes(self.keeper.book, reports, self._find, lambda: self._settings.current.memory)
        return Theme("episodes", saw=episodes.saw, closed_first=(episodes,))
