"""ContextCommands: what a person asks about a chat's context: shorten it, its instructions, its slash commands."""

import asyncio
from collections.abc import Callable

from desktop.agent.chats.slash_commands import SlashCommands
from desktop.agent.context.keeper import ContextKeeper
from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish, Session
from desktop.agent.core.sessions import Sessions
from desktop.domain.chats.commands import ApplyCompaction, Compact, LoadInstructions, TrustCommands
from desktop.domain.chats.library_events import InstructionFile
from desktop.domain.chats.updates import InstructionsListed
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.guests.values import guest_of


class ContextCommands:
    """All on the engine thread. `compacts`: whether the conversation of a chat can be replaced by a summary."""

    def __init__(
        self,
        sessions: Sessions,
        keeper: ContextKeeper,
        slash: SlashCommands,
        publish: Publish,
        compacts: Callable[[Session], bool],
    ) -> None:
        self._sessions = sessions
        self._keeper = keeper
        self._slash = slash
        self._publish = publish
        self._compacts = compacts

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about context."""
        return {
            Compact: self._compact,
            ApplyCompaction: self._apply,
            LoadInstructions: self._load,
            TrustCommands: self._trust,
        }

    async def _compact(self, command: Compact) -> None:
        session = self._sessions.get(command.session_id)
        if not self._compacts(session):
            raise CommandError("not_compacted", "The agent of this chat keeps its conversation itself.")
        self._publish(await self._keeper.offer(session, command))

    async def _apply(self, command: ApplyCompaction) -> None:
        self._keeper.apply(self._sessions.get(command.session_id), command.staging_id, command.summary)

    async def _load(self, command: LoadInstructions) -> None:
        await self._list(self._sessions.get(command.session_id))

    async def _trust(self, command: TrustCommands) -> None:
        session = self._sessions.get(command.session_id)
        self._slash.trust(session, command.sha256)
        await self._list(session)

    async def _list(self, session: Session) -> None:
        files = await self._keeper.instructions.read(session)
        by_agents = self._keeper.instructions.changed_by(session, files)
        found = await asyncio.to_thread(self._slash.found, session)
        self._publish(
            InstructionsListed(
                session_id=session.session_id,
                files=tuple(
                    InstructionFile(
                        path=one.path,
                        sha256=one.sha256,
                        bytes=one.size,
                        cut=one.cut,
                        changed_by=by_agents.get(one.sha256, ""),
                    )
                    for one in files
                ),
                commands=found.commands,
                untrusted_sha256=found.untrusted_sha256,
                problems=found.problems,
                read_by_agent=bool(guest_of(session.state.endpoint_id)),
            )
        )
