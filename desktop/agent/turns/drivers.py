"""Drivers: which driver carries out the turns of a chat: the program's own loop, or a guest."""

from collections.abc import Callable
from typing import Protocol

from desktop.agent.core.session import Session
from desktop.agent.turns.driver import DriverAbilities, TurnDriver
from desktop.agent.turns.turn import Turn, TurnKind
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Event
from desktop.domain.guests.values import guest_of


class MayBegin(Protocol):
    """Who knows the guests there are."""

    async def __call__(self, guest_id: str, mode: PermissionMode, /) -> None:
        """Nothing, when a chat with this guest can begin in this mode.

        Raises:
            CommandError: it is not there, or may not work so.
        """


class Drivers:
    """One `TurnDriver` for all chats: each keeps the one it began with (guests-A2). `guest`: gives that of guests."""

    def __init__(self, own: TurnDriver, guest: Callable[[], TurnDriver], may_begin: MayBegin) -> None:
        self.own = own
        self._guest = guest
        self.may_begin = may_begin

    def of(self, session: Session) -> TurnDriver:
        """The driver of this chat."""
        return self._guest() if guest_of(session.state.endpoint_id) else self.own

    def begin(self, session: Session, events: list[Event], *, kind: TurnKind = "prompt", continues: str = "") -> Turn:
        """As `TurnDriver.begin`."""
        return self.of(session).begin(session, events, kind=kind, continues=continues)

    async def run(self, session: Session, turn: Turn) -> None:
        """As `TurnDriver.run`."""
        await self.of(session).run(session, turn)

    async def stop(self, session: Session, turn: Turn) -> None:
        """As `TurnDriver.stop`."""
        await self.of(session).stop(session, turn)

    def retry_now(self, session_id: str) -> None:
        """As `TurnDriver.retry_now`; a guest tries again by itself."""
        self.own.retry_now(session_id)

    def end_unrun(self, session: Session, turn: Turn) -> None:
        """As `TurnDriver.end_unrun`."""
        self.of(session).end_unrun(session, turn)

    def abilities(self, session: Session) -> DriverAbilities:
        """As `TurnDriver.abilities`."""
        return self.of(session).abilities(session)
