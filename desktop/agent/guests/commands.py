"""GuestCommands: what people ask of guests: which there are, trying one, its options, its end."""

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.agent.core.sessions import Sessions
from desktop.agent.guests.starting.launching import GuestStarter
from desktop.agent.guests.starting.link import GuestLink, GuestPosition
from desktop.agent.guests.starting.signing_in import Deaf, SignInEnd, SigningIn
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.guests import commands as c
from desktop.domain.guests.updates import GuestSignedIn, GuestsListed, GuestTested
from desktop.services.acp.wire import WireClosed
from desktop.services.guests.home import trial_folder
from desktop.services.processes.stubborn import to_its_end

if TYPE_CHECKING:
    from desktop.agent.guests.driver import GuestDriver

CANCELLED = "The sign-in was cancelled."
NOT_BEGUN = "Its agent starts with the next message; what it offers can be chosen then."


class GuestCommands:
    """All on the engine thread. `signing_in`: the one of the program; `data`: its folder."""

    def __init__(
        self,
        starter: GuestStarter,
        driver: "GuestDriver",
        sessions: Sessions,
        settings: SettingsKeeper,
        signing_in: SigningIn,
        data: Path,
    ) -> None:
        self._starter, self._driver, self._sessions = starter, driver, sessions
        self._settings, self._data = settings, data
        self._publish: Publish = driver.publish
        self._signing_in = signing_in
        self._signing: dict[str, asyncio.Task[SignInEnd]] = {}

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about guests."""
        return {
            c.ListGuests: self._list,
            c.TestGuest: self._test,
            c.SignInToGuest: self._sign_in,
            c.CancelGuestSignIn: self._cancel_sign_in,
            c.EndGuest: self._end,
            c.SetGuestOption: self._set_option,
        }

    async def _list(self, command: c.ListGuests) -> None:
        await self._tell(command.command_id)

    async def _tell(self, command_id: str) -> None:
        found = await self._starter.listed()
        self._publish(GuestsListed(command_id=command_id, guests=found.guests, faults=found.faults))

    async def _test(self, command: c.TestGuest) -> None:
        """In a folder of its own, without a chat: nothing that it asks for is done."""
        words = self._starter.words(command.guest_id)
        root = await asyncio.to_thread(trial_folder, self._data, words.id)
        link, began = GuestLink(words, Deaf()), time.monotonic()
        place, problem, code = GuestPosition(root, ""), "", ""
        try:
            await self._starter.choose_model(words.id)
            await link.begin(self._starter, place)
            await link.told_of_model()
            await link.new_session(place)
        except WireClosed:
            problem = f"{words.label} ended before it was ready."
        except CommandError as error:
            problem, code = str(error), error.code
        took_ms = round((time.monotonic() - began) * 1000)
        end = await link.end(self._settings.redactor)
        took = f"{took_ms / 1000:.1f} s"
        said = f"{words.label} {link.known.version} started in {took}."
        self._publish(
            GuestTested(
                command_id=command.command_id,
                guest_id=words.id,
                ok=not problem,
                text=problem or said,
                took_ms=took_ms,
                needs_sign_in=code == "guest_sign_in",
                abilities=link.known,
                options=link.options,
                sign_ins=link.sign_ins,
                log=tuple(end.detail.splitlines()) if problem else (),
            )
        )

    async def _sign_in(self, command: c.SignInToGuest) -> None:
        """One at a time of each agent; a new one takes the place of one that is under way."""
        before = self._signing.get(command.guest_id)
        work = asyncio.create_task(self._signed_in(command, before), name="guest sign-in")
        self._signing[command.guest_id] = work
        try:
            await asyncio.wait({work})
        except asyncio.CancelledError:
            await self._cancel(command.guest_id)
            raise
        if self._signing.get(command.guest_id) is work:
            del self._signing[command.guest_id]
        end = SignInEnd(ok=False, text=CANCELLED) if work.cancelled() else work.result()
        self._publish(
            GuestSignedIn(
                command_id=command.command_id,
                guest_id=command.guest_id,
                method_id=command.method_id,
                ok=end.ok,
                text=end.text,
                log=end.log,
            )
        )

    async def _signed_in(self, command: c.SignInToGuest, before: asyncio.Task[SignInEnd] | None) -> SignInEnd:
        """Once the one before it is over, whatever comes of this one."""
        if before is not None:
            before.cancel()
            await to_its_end(asyncio.wait({before}))
        return await self._signing_in.by_itself(command.guest_id, command.method_id, self._settings.redactor)

    async def _cancel_sign_in(self, command: c.CancelGuestSignIn) -> None:
        await self._cancel(command.guest_id)

    async def _cancel(self, guest_id: str) -> None:
        work = self._signing.get(guest_id)
        if work is not None:
            work.cancel()
            await asyncio.wait({work})

    async def _end(self, command: c.EndGuest) -> None:
        await self._driver.end(self._sessions.get(command.session_id))

    async def _set_option(self, command: c.SetGuestOption) -> None:
        chat = self._driver.chat(self._sessions.get(command.session_id))
        if chat is None:
            raise CommandError("guest_resting", NOT_BEGUN)
        await chat.choose(command.option_id, command.value)
