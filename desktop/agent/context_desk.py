"""ContextDesk: what a person asks about a chat's context: shorten it, and what stands in it."""

from desktop.agent.command_desk import Handler
from desktop.agent.context_keeper import ContextKeeper
from desktop.agent.session import Publish
from desktop.agent.sessions import Sessions
from desktop.domain import commands as c
from desktop.domain.session_commands import CommandBase


class ContextDesk:
    """All on the engine thread."""

    def __init__(self, sessions: Sessions, keeper: ContextKeeper, publish: Publish) -> None:
        self._sessions = sessions
        self._keeper = keeper
        self._publish = publish

    def handlers(self) -> dict[type[CommandBase], Handler]:
        """The commands about context."""
        return {c.Compact: self._compact, c.ApplyCompaction: self._apply}

    async def _compact(self, command: c.Compact) -> None:
        self._publish(await self._keeper.offer(self._sessions.get(command.session_id), command.keep))

    async def _apply(self, command: c.ApplyCompaction) -> None:
        self._keeper.apply(self._sessions.get(command.session_id), command.staging_id, command.summary)
