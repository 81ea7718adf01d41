"""ChatCommands: what a person changes about a chat as such: its model, its title, whether it is archived."""

from desktop.agent.core.commands import Handler
from desktop.agent.core.sessions import Sessions
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain import commands as c
from desktop.domain.chats.library_events import SessionFlagChanged
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.events import ModelChanged, TitleChanged
from desktop.domain.guests.values import guest_of


class ChatCommands:
    """All on the engine thread."""

    def __init__(self, sessions: Sessions, settings: SettingsKeeper) -> None:
        self._sessions = sessions
        self._settings = settings

    def handlers(self) -> dict[type[Command], Handler]:
        """Model, title, archive."""
        return {c.SetModel: self._set_model, c.RenameSession: self._rename, c.ArchiveSession: self._archive}

    async def _set_model(self, command: c.SetModel) -> None:
        session = self._sessions.get(command.session_id)
        if guest_of(session.state.endpoint_id):
            raise CommandError("guest", "The agent of this chat has a model of its own, which cannot be changed here.")
        if self._settings.find(command.endpoint_id) is None:
            raise CommandError("no_endpoint", f"There is no endpoint '{command.endpoint_id}'.")
        session.append(ModelChanged(endpoint_id=command.endpoint_id, model=command.model, thinking=command.thinking))

    async def _rename(self, command: c.RenameSession) -> None:
        self._sessions.get(command.session_id).append(TitleChanged(title=command.title.strip(), by="person"))

    async def _archive(self, command: c.ArchiveSession) -> None:
        session = self._sessions.get(command.session_id)
        if session.running:
            raise CommandError("running", "The agent is working. Stop it first, or wait.")
        session.append(SessionFlagChanged(flag="archived", value=command.archived))
