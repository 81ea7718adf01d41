"""The library as a theme: chats as things to keep and to find, those from files, and the audit."""

from desktop.agent.core.ground import Ground
from desktop.agent.core.premises import Premises
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.library.audit import AuditCommands
from desktop.agent.library.commands import LibraryCommands, LibraryParts
from desktop.agent.library.imports import ImportCommands
from desktop.agent.library.search import SearchCommands
from desktop.agent.settings.keeper import SettingsKeeper


class Library:
    """`commands` keeps and deletes chats."""

    def __init__(self, premises: Premises, ground: Ground, sessions: Sessions, settings: SettingsKeeper) -> None:
        store, telling, clock = premises.store, premises.telling, premises.clock
        audit = AuditCommands(premises.folders, store, telling.publish, clock, lambda: settings.redactor)
        search = SearchCommands(sessions, store, telling.publish)
        self.commands = LibraryCommands(
            LibraryParts(
                sessions,
                store,
                telling.publish,
                clock,
                premises.project,
                lambda: settings.redactor,
                audit.session_removed,
                telling.listed,
                search,
            )
        )
        imports = ImportCommands(sessions, ground.lanes, settings, ground.project)
        self.theme = Theme(
            "library",
            handlers_of(self.commands, search, imports, audit),
            starting=(audit.start, search.start),
            closed_last=(search, self.commands, audit),
        )
