"""SigningIn: the program by which a person signs an agent in, in a terminal; nothing is typed for them and no token is
read (guests-A15)."""

import asyncio
from pathlib import Path

from pydantic import JsonValue

from desktop.agent.guests.starting.launching import GuestFailed, GuestStarter, SignInProgram
from desktop.agent.guests.starting.link import GuestLink, GuestPosition
from desktop.domain.core.usage import Usage
from desktop.services.acp.wire import UNKNOWN_METHOD, WireClosed, WireError
from desktop.services.guests.home import trial_folder


class SigningIn:
    """`data`: the program's folder."""

    def __init__(self, starter: GuestStarter, data: Path) -> None:
        self._starter, self._data = starter, data

    async def program(self, guest_id: str) -> SignInProgram:
        """What signs it in: as its table says, else as the agent itself says when it introduces itself.

        Raises:
            BanksmanError: there is none, or it cannot be started.
        """
        known = await self._starter.sign_in(guest_id, None)
        if known is not None:
            return known
        words = self._starter.words(guest_id)
        link = GuestLink(words, Deaf())
        try:
            root = await asyncio.to_thread(trial_folder, self._data, words.id)
            await link.begin(self._starter, GuestPosition(root, ""))
        except WireClosed:
            raise GuestFailed("guest_ended", f"{words.label} ended before it was ready.") from None
        finally:
            await link.end()
        told = next((one for one in link.sign_ins if one.terminal), None)
        found = await self._starter.sign_in(guest_id, told) if told is not None else None
        if found is None:
            raise GuestFailed("guest_sign_in", f"{words.label} names no way to sign in in a terminal.")
        return found


class Deaf:
    """The `GuestEar` of an agent that works in no chat."""

    def may_ask_model(self) -> str:
        """Outside a chat there is no limit to keep."""
        return ""

    def on_counted(self, usage: Usage, model: str, cost_microusd: int | None) -> None:
        """There is no chat whose record it could be on."""

    async def on_request(self, method: str, params: JsonValue) -> JsonValue:
        """Nothing is done for it."""
        raise WireError(UNKNOWN_METHOD, "Nothing is done here.")

    def on_notification(self, method: str, params: JsonValue) -> None:
        """Nothing is heard."""

    def on_bad(self, line: str) -> None:
        """A line that is no message is passed over."""
