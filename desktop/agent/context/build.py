"""What the model is sent as a theme: how full the window is, shortening, instructions, and what is left out."""

from collections.abc import Callable

from desktop.agent.chats.slash_commands import SlashCommands
from desktop.agent.context.commands import ContextCommands
from desktop.agent.context.edits import ContextEdits
from desktop.agent.context.keeper import ContextKeeper
from desktop.agent.core.additions import Additions
from desktop.agent.core.premises import Premises
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.providers.instructions import Instructions
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope
from desktop.domain.updates import SessionOpened


class Context:
    """`keeper` knows how full the window of each chat is, and makes room."""

    def __init__(
        self,
        premises: Premises,
        sessions: Sessions,
        settings: SettingsKeeper,
        slash: SlashCommands,
        additions: Additions,
    ) -> None:
        store, self._publish = premises.store, premises.telling.publish
        self._sessions, self._slash = sessions, slash
        instructions = Instructions(store.blobs, premises.folders.config, lambda: settings.redactor, store.instructions)
        self.keeper = ContextKeeper(settings, self._publish, sessions.get, instructions, additions.before_request)

    def theme(self, compacts: Callable[[Session], bool]) -> Theme:
        """`compacts`: whether the conversation of a chat can be replaced by a summary."""
        edits = ContextEdits(self._sessions, lambda session: self.keeper.meter(session).used)
        commands = ContextCommands(self._sessions, self.keeper, self._slash, self._publish, compacts)
        return Theme("context", handlers_of(commands, edits), saw=self._saw, closed_last=(self.keeper,))

    def _saw(self, update: Update) -> None:
        if isinstance(update, Envelope) or (isinstance(update, SessionOpened) and not update.is_ahead):
            self.keeper.changed(update.session_id)
