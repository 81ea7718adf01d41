"""Guests as a theme: what drives their chats, made with the first of them."""

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.agent.core.offers import offer
from desktop.agent.core.premises import Premises
from desktop.agent.core.session import Session
from desktop.agent.core.surroundings import Surroundings
from desktop.agent.core.theme import Theme
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.agent.turns.driver import TurnDriver
from desktop.agent.turns.frame import FrameParts
from desktop.domain.core.errors import CommandError
from desktop.domain.core.permissions import PermissionMode
from desktop.late import late
from desktop.tools.guests.peer import GuestPeer

if TYPE_CHECKING:
    from desktop.agent.guests.driver import GuestDriver
    from desktop.agent.guests.launching import GuestStarter

NO_ASKING = "{label} does not ask before it acts, so Edit cannot keep its promise. Choose Full auto for it."


class Guests:
    """The guests of the program. `starter`: what starts guests, asked for once one is wanted."""

    def __init__(self, starter: "Callable[[], GuestStarter]") -> None:
        self._starter = starter
        self._made: GuestDriver | None = None
        self.theme = Theme("guests", offers=(offer(GuestPeer, self._peer),), closed_last=(self,))

    def driver(self, parts: FrameParts) -> TurnDriver:
        """What carries out the turns of their chats."""
        if self._made is None:
            made: GuestDriver = late("desktop.agent.guests.driver").GuestDriver(parts, self._starter())
            self._made = made
        return self._made

    def may_begin(self, guest_id: str, mode: PermissionMode) -> None:
        """As `MayBegin`."""
        words = self._starter().words(guest_id)
        if not words.asks and mode is not PermissionMode.FULL_AUTO:
            raise CommandError("guest_asks_never", NO_ASKING.format(label=words.label))

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
        own = late("desktop.agent.guests.own")
        made: GuestStarter = own.OwnGuests(launcher, settings, premises.folders, env, lanes)
        return made

    return starter
