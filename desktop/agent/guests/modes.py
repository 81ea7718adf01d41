"""GuestModes: the mode that a guest works in: it asks before it acts, or plans where its chat only plans
(guests-A28, guests-A29)."""

import asyncio
from collections.abc import Callable

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.guests.starting.launching import GuestFailed, GuestWords
from desktop.agent.guests.starting.link import GuestLink
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.guests.events import GuestNoticed
from desktop.services.acp.wire import WireClosed

Halt = Callable[[GuestFailed], bool]
"""Ends the turn that runs; whether one runs."""


class GuestModes:
    """Of one guest. `tell`: people are told that its mode is another one; `halt`: its turn must end."""

    def __init__(
        self, session: Session, words: GuestWords, link: GuestLink, tell: Callable[[], None], halt: Halt
    ) -> None:
        self._session, self._words, self._link = session, words, link
        self._tell, self._halt = tell, halt
        self._wanted = ""
        self._set_back = 0
        self._setting: set[asyncio.Task[None]] = set()

    async def put_in(self) -> None:
        """Have it ask before it acts, or plan where the chat only plans.

        Raises:
            GuestFailed: it does not say that it asks, and would write without asking otherwise.
        """
        modes = self._link.known.modes
        plans = self._session.mode is PermissionMode.PLAN and self._words.plan_mode in modes
        wanted = self._words.plan_mode if plans else self._words.asking_mode
        before = self._link.known
        if wanted and wanted in modes:
            self._wanted = wanted
            await self._link.put_in_mode(wanted)
        if before != self._link.known:
            self._tell()
        if self._words.writes_unasked and not self._link.known.mode_confirmed:
            text = f"{self._words.label} does not say that it asks before it writes, so its turn does not begin."
            raise GuestFailed("guest_mode", text)

    def told(self, mode: JsonValue) -> None:
        """It says which mode it is in. One of its own that nobody asked for is set back once, and ends the turn when it
        comes again."""
        if not isinstance(mode, str):
            return
        self._link.told_mode(mode)
        if not self._wanted or mode in (self._wanted, self._words.asking_mode, self._words.plan_mode):
            return
        self._set_back += 1
        text = f"{self._words.label} changed its own mode to {mode[:60]}"
        if self._set_back > 1 and self._halt(GuestFailed("guest_mode", f"{text} although it was set back.")):
            return
        self._session.append(GuestNoticed(kind="mode", text=f"{text}. It was set back to {self._wanted}."))
        task = asyncio.create_task(self._back(), name="guest mode")
        self._setting.add(task)
        task.add_done_callback(self._setting.discard)

    def end(self) -> None:
        """Nothing is set any more."""
        for task in self._setting:
            task.cancel()

    async def _back(self) -> None:
        try:
            await self.put_in()
        except (GuestFailed, WireClosed) as error:
            self._halt(GuestFailed("guest_mode", f"Its mode could not be set back: {error}"))
