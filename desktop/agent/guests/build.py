"""Guests as a theme: what drives their chats, made with the first of them."""

import os
from collections.abc import Awaitable, Callable
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.agent.core.offers import offer
from desktop.agent.core.premises import Premises
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.surroundings import Surroundings
from desktop.agent.core.theme import Theme, handled_late
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.agent.turns.frame import FrameParts
from desktop.domain.core.errors import CommandError
from desktop.domain.core.listeners import Voices
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.guests import commands
from desktop.late import late
from desktop.tools.guests.peer import GuestPeer

if TYPE_CHECKING:
    from desktop.agent.guests.commands import GuestCommands
    from desktop.agent.guests.driver import GuestDriver
    from desktop.agent.guests.starting.launching import GuestStarter
    from desktop.agent.guests.starting.signing_in import SigningIn


class Guests:
    """The guests of the program. `keeper`: of their lanes; `starter`: what starts guests, asked for once one is wanted.
    `before`: each is waited for before a guest is told anything, and may record what it is to know."""

    def __init__(
        self,
        premises: Premises,
        sessions: Sessions,
        settings: SettingsKeeper,
        keeper: LaneKeeper,
        starter: "Callable[[], GuestStarter]",
    ) -> None:
        self._given = premises, sessions, settings
        self._keeper, self._starter = keeper, starter
        self.before = Voices[[Session, str], Awaitable[None]]()
        self._made: GuestDriver | None = None

    def theme(self, parts: FrameParts) -> Theme:
        """The theme, made once it is known what turns work with."""

        @cache
        def loaded() -> "GuestCommands":
            premises, sessions, settings = self._given
            made: GuestCommands = late("desktop.agent.guests.commands").GuestCommands(
                self._starter(), self.driver(parts), sessions, settings, self.signing_in, premises.folders.data
            )
            return made

        return Theme(
            "guests",
            handled_late(commands, lambda: loaded().handlers()),
            offers=(offer(GuestPeer, self._peer),),
            closed_last=(self,),
        )

    def driver(self, parts: FrameParts) -> "GuestDriver":
        """What carries out the turns of their chats."""
        if self._made is None:
            publish = self._given[0].telling.publish
            driver = late("desktop.agent.guests.driver")
            made: GuestDriver = driver.GuestDriver(parts, self._starter(), self._keeper, publish, self.before)
            self._made = made
        return self._made

    @cached_property
    def signing_in(self) -> "SigningIn":
        """What starts the programs by which people sign agents in."""
        premises, _sessions, _settings = self._given
        made: SigningIn = late("desktop.agent.guests.starting.signing_in").SigningIn(
            self._starter(), premises.folders.data
        )
        return made

    async def may_begin(self, guest_id: str, mode: PermissionMode) -> None:
        """As `MayBegin`."""
        words, kept = self._starter().words(guest_id), await self._starter().kept(guest_id)
        refusal: str = late("desktop.policy.guests.controls").may_not_work(words.label, kept, mode)
        if refusal:
            raise CommandError("guest_mode", refusal)

    async def close(self) -> None:
        """End all that run."""
        if self._made is not None:
            await self._made.close()

    def _peer(self, session: Session) -> GuestPeer | None:
        return self._made.peer(session) if self._made is not None else None


def own_guests(
    premises: Premises, here: Surroundings, settings: SettingsKeeper, lanes: Path
) -> "Callable[[], GuestStarter]":
    """The guests of this computer, made at the first need."""

    @cache
    def starter() -> "GuestStarter":
        env = dict(os.environ)
        launcher = late("desktop.services.guests.launch").GuestLauncher(here.sandbox, env, here.egress)
        own = late("desktop.agent.guests.starting.own")
        made: GuestStarter = own.OwnGuests(launcher, settings, premises.folders, env, lanes)
        return made

    return starter
