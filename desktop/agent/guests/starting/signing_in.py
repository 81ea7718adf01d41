"""SigningIn: how a person signs an agent in: by a program in a terminal, or by a way that the agent carries out itself.
Nothing is typed for them and no token is read (guests-A15)."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from pydantic import JsonValue

from desktop.agent.guests.starting.launching import GuestEnd, GuestFailed, GuestStarter, SignInProgram
from desktop.agent.guests.starting.link import ANSWERED_TOLD, NO_SECRETS, GuestLink, GuestPosition
from desktop.domain.core.errors import CommandError, one_line
from desktop.domain.core.usage import Usage
from desktop.domain.gate.redaction import Redactor
from desktop.records import dataclass
from desktop.services.acp.wire import UNKNOWN_METHOD, WireClosed, WireError
from desktop.services.guests.home import trial_folder
from desktop.services.processes.stubborn import to_its_end

SIGN_IN_S = 300.0
"""So long a person may take for a sign-in that an agent carries out itself."""
LATE = (
    "{label} did not end its sign-in within {minutes:g} minutes. A browser that is to come back to it does not reach "
    "its sandbox: sign in in a terminal, or choose one of your services as its model."
)


@dataclass(frozen=True)
class SignInEnd:
    """How a sign-in came out, in a sentence. `log`: the last lines of the agent, where it failed."""

    ok: bool
    text: str
    log: tuple[str, ...] = ()


class HeldProgram:
    """A `SignInProgram` whose agent is signed in by nothing else until it is closed. `program`: None while it is looked
    for."""

    def __init__(self) -> None:
        self.program: SignInProgram | None = None
        self.over = False

    @property
    def argv(self) -> tuple[str, ...]:
        """As `SignInProgram.argv`."""
        return self._there.argv

    @property
    def env(self) -> dict[str, str]:
        """As `SignInProgram.env`."""
        return self._there.env

    @property
    def cwd(self) -> Path:
        """As `SignInProgram.cwd`."""
        return self._there.cwd

    @property
    def inherits(self) -> tuple[int, ...]:
        """As `SignInProgram.inherits`."""
        return self._there.inherits

    def started(self) -> None:
        """As `SignInProgram.started`."""
        self._there.started()

    def close(self) -> None:
        """As `SignInProgram.close`."""
        self._there.close()
        self.over = True

    @property
    def _there(self) -> SignInProgram:
        if self.program is None:
            raise GuestFailed("guest_sign_in", "This sign-in has no program.")
        return self.program


class SigningIn:
    """One for the program: an agent is signed in by one way at a time, since two would write one token. `data`: the
    program's folder."""

    def __init__(self, starter: GuestStarter, data: Path) -> None:
        self._starter, self._data = starter, data
        self._in_terminal: dict[str, HeldProgram] = {}
        self._by_itself = Counter[str]()

    async def program(self, guest_id: str, method_id: str = "") -> SignInProgram:
        """What signs it in in a terminal: by the way that a person chose, else as its table says, else as the agent
        itself says when it introduces itself.

        Raises:
            BanksmanError: there is none, or it cannot be started, or another sign-in of it is under way.
        """
        self._check(guest_id)
        if self._by_itself[guest_id]:
            label = self._starter.words(guest_id).label
            raise GuestFailed("guest_sign_in", f"{label} is signing you in already. Cancel that first.")
        held = self._in_terminal[guest_id] = HeldProgram()
        try:
            held.program = await self._found(guest_id, method_id)
        finally:
            held.over = held.program is None
        return held

    def _check(self, guest_id: str) -> None:
        """Raises GuestFailed: it is being signed in in a terminal."""
        held = self._in_terminal.get(guest_id)
        if held is not None and not held.over:
            label = self._starter.words(guest_id).label
            text = f"{label} is being signed in in a terminal already. End that or close it first."
            raise GuestFailed("guest_sign_in", text)

    async def _found(self, guest_id: str, method_id: str) -> SignInProgram:
        known = await self._starter.sign_in(guest_id, None) if not method_id else None
        if known is not None:
            return known
        words = self._starter.words(guest_id)
        async with self._introduced(guest_id) as link:
            offered = [one for one in link.sign_ins if one.terminal]
        told = next((one for one in offered if method_id in ("", one.id)), None)
        found = await self._starter.sign_in(guest_id, told) if told is not None else None
        if found is None:
            where = "Settings › Agents › Test shows the ways that it has."
            raise GuestFailed("guest_sign_in", f"{words.label} names no way to sign in in a terminal. {where}")
        return found

    async def by_itself(self, guest_id: str, method_id: str, redactor: Redactor) -> SignInEnd:
        """Have the agent sign its person in by a way of its own. A stop ends the agent.

        Raises:
            CommandError: there is no such agent here.
        """
        label, ends = self._starter.words(guest_id).label, list[GuestEnd]()
        self._by_itself[guest_id] += 1
        try:
            self._check(guest_id)
            async with self._introduced(guest_id, redactor, ends.append) as link:
                offered = (one.id for one in link.sign_ins if not one.terminal and not one.variables)
                if method_id not in offered:
                    raise GuestFailed("guest_sign_in", f"{label} does not offer this way to sign in any more.")
                await link.request("authenticate", {"methodId": method_id}, SIGN_IN_S)
            return SignInEnd(ok=True, text=f"{label} says that you are signed in.")
        except CommandError as error:
            cause = error.__cause__
            answered = one_line(cause.message)[:300] if isinstance(cause, WireError) else ""
            text = ANSWERED_TOLD["error"].format(label=label, message=answered) if answered else str(error)
            late = LATE.format(label=label, minutes=SIGN_IN_S / 60)
            log = [line for end in ends for line in end.detail.splitlines()]
            return SignInEnd(ok=False, text=late if error.code == "guest_late" else text, log=tuple(log))
        finally:
            self._by_itself[guest_id] -= 1

    @asynccontextmanager
    async def _introduced(
        self, guest_id: str, redactor: Redactor = NO_SECRETS, ended: Callable[[GuestEnd], object] = bool
    ) -> AsyncIterator[GuestLink]:
        """The agent once it has introduced itself, in an empty folder; it is ended afterwards. Raises BanksmanError."""
        words = self._starter.words(guest_id)
        link, by_itself = GuestLink(words, Deaf()), False
        try:
            root = await asyncio.to_thread(trial_folder, self._data, words.id)
            await link.begin(self._starter, GuestPosition(root, ""))
            yield link
        except WireClosed:
            by_itself = True
            raise GuestFailed("guest_ended", f"{words.label} ended by itself.") from None
        finally:
            end = await to_its_end(link.end(redactor))
            ended(end if by_itself else replace(end, detail=end.detail.partition("\n")[2]))  # without why: we ended it


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
