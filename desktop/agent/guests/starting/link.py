"""GuestLink: a guest that was started: its process, what it says of itself, its one session, its mode and options."""

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import JsonValue

import desktop
from desktop.agent.guests.starting.launching import (
    GuestEar,
    GuestEnd,
    GuestFailed,
    GuestStarter,
    GuestWords,
    RunningGuest,
)
from desktop.domain.core.errors import one_line
from desktop.domain.gate.redaction import Redactor
from desktop.domain.guests.values import GuestAbilities, GuestGatewayWay, GuestOption, GuestSignIn, GuestSlash
from desktop.policy.guests import said
from desktop.policy.guests.said import MODEL
from desktop.records import dataclass
from desktop.services.acp.wire import WireClosed, WireError

logger = logging.getLogger(__name__)

VERSION = 1
START_S, SESSION_S, SET_S = 30.0, 60.0, 10.0
CONFIRM_S = 2.0
"""So long a guest has to say that it is in the mode it was put into (guests-A28)."""
SIGN_IN = -32_000
ANSWERED_TOLD: Mapping[str, str] = {"error": "{label} answered: {message}"}
NO_SECRETS = Redactor()
Fields = Mapping[str, JsonValue]


@dataclass(frozen=True)
class GuestPosition:
    """Where a guest works, and for whom. `servers`: those that it is told of; `shown`: what it sees of hidden places
    beside its own."""

    root: Path
    chat_id: str
    servers: tuple[JsonValue, ...] = ()
    shown: tuple[Path, ...] = ()


class GuestLink:
    """One guest, from `begin` to `end`. `known`: what it said, and what was seen of it; `options`, `commands`: its own;
    `session_id`: of its session, "" before there is one; `raw`: its capabilities as they came."""

    def __init__(self, words: GuestWords, handler: GuestEar) -> None:
        self.words = words
        self.session_id = ""
        self.raw: dict[str, JsonValue] = {}
        self.known = GuestAbilities()
        self.sign_ins: tuple[GuestSignIn, ...] = ()
        self.gateway: GuestGatewayWay | None = None
        self.options: tuple[GuestOption, ...] = ()
        self.commands: tuple[GuestSlash, ...] = ()
        self._handler = handler
        self._mode_option = self._other_way = self._put_into = ""
        self._told_mode = asyncio.Event()
        self._running: RunningGuest | None = None
        self._gone: asyncio.Task[GuestEnd] | None = None

    async def begin(self, starter: GuestStarter, place: GuestPosition) -> None:
        """Start the process and have it introduce itself.

        Raises:
            BanksmanError: it cannot be started, or speaks in another way; WireClosed: it ended. It may still run.
        """
        self._running = await starter.start(self.words.id, place.chat_id, place.root, self._handler, place.shown)
        self._gone = asyncio.create_task(self._running.ended(), name="guest end")
        about: dict[str, JsonValue] = {"name": "banksman", "title": "Banksman", "version": desktop.__version__}
        params: Fields = {"protocolVersion": VERSION, "clientInfo": about, "clientCapabilities": self._offered()}
        answer = await self.request("initialize", params, START_S)
        if (version := answer.get("protocolVersion")) != VERSION:
            text = f"{self.words.label} speaks ACP {str(version)[:20]}; Banksman speaks {VERSION}."
            raise GuestFailed("guest_version", text)
        self.raw = dict(said.fields_of(answer.get("agentCapabilities")))
        self.known = said.abilities_said(answer)
        self.sign_ins, self.gateway = said.sign_ins_said(answer), said.gateway_said(answer)
        await starter.introduced(self.words.id, self.gateway)

    async def told_of_model(self) -> None:
        """Tell it of its model service where it takes that by a sign-in and a person chose one: an address in its
        sandbox and a header that is worth nothing elsewhere (guests-A36). Raises as `request`."""
        told, way, label = self.running.gateway, self.gateway, self.words.label
        if told is None:
            return
        if way is None or way.dialect != told.dialect:
            raise GuestFailed("guest_gateway", f"{label} does not take the model service that was chosen any more.")
        gateway: dict[str, JsonValue] = {"baseUrl": told.url, "headers": dict(told.headers)}
        try:
            await self.request("authenticate", {"methodId": way.id, "_meta": {"gateway": gateway}}, SESSION_S)
        except GuestFailed as error:
            raise GuestFailed("guest_gateway", f"{label} does not take its model service: {_reason(error)}") from error

    def _offered(self) -> dict[str, JsonValue]:
        """What it may ask of us (guests-A9)."""
        return {
            "fs": {"readTextFile": self.words.reads_files, "writeTextFile": True},
            "terminal": True,
            "plan": {},
            "auth": {"terminal": True, "_meta": {"gateway": True}},
            "elicitation": {"form": {}, "url": {}},
            "session": {"configOptions": {"boolean": {}}},
        }

    @property
    def running(self) -> RunningGuest:
        """Its process. Raises WireClosed: it was not started."""
        if self._running is None:
            raise WireClosed("")
        return self._running

    @property
    def gone(self) -> "asyncio.Task[GuestEnd]":
        """Done once its process is over. Raises WireClosed: it was not started."""
        if self._gone is None:
            raise WireClosed("")
        return self._gone

    @property
    def runs(self) -> bool:
        """Whether its process lives."""
        return self._gone is not None and not self._gone.done()

    async def request(self, method: str, params: Fields, limit_s: float | None) -> dict[str, JsonValue]:
        """What the guest answers. Raises GuestFailed, and WireClosed where it ended."""
        label = self.words.label
        try:
            answer = await self.running.wire.request(method, dict(params), limit_s=limit_s)
        except TimeoutError:
            raise GuestFailed("guest_late", f"{label} did not answer {method} within {limit_s:g} s.") from None
        except WireError as error:
            if error.code == SIGN_IN:
                text = f"{label} wants you to sign in first. Sign in under Settings › Agents."
                raise GuestFailed("guest_sign_in", text) from error
            raise GuestFailed(
                "guest_error", ANSWERED_TOLD["error"].format(label=label, message=error.message[:300])
            ) from error
        return answer if isinstance(answer, dict) else {}

    @property
    def model(self) -> str:
        """The model that it says it asks, "" where it does not say."""
        return next((one.value for one in self.options if one.category == MODEL), "")

    def tell(self, method: str, params: Fields) -> None:
        """Tell it something of its session. Raises WireClosed."""
        self.running.wire.notify(method, {"sessionId": self.session_id, **params})

    async def of_session(self, method: str, params: Fields, limit_s: float | None) -> dict[str, JsonValue]:
        """As `request`, about its session."""
        return await self.request(method, {"sessionId": self.session_id, **params}, limit_s)

    async def end(self, redactor: Redactor = NO_SECRETS) -> GuestEnd:
        """End the process, with all that it began; how it ended. May be called again."""
        if self._running is None:
            return GuestEnd()
        self._running.wire.close()
        end = await self._running.end()
        await asyncio.gather(self.gone, return_exceptions=True)
        return replace(end, detail=redactor.redact(end.detail).text)

    # Its session

    async def new_session(self, place: GuestPosition) -> None:
        """A new session. Raises as `request`."""
        answer = await self.request("session/new", _session(place), SESSION_S)
        found = answer.get("sessionId")
        if not isinstance(found, str) or not found:
            raise GuestFailed("guest_error", f"{self.words.label} gave no session.")
        self.session_id = found
        self.learn(answer)

    async def old_session(self, method: str, session_id: str, place: GuestPosition) -> bool:
        """Have it reopen a session with `session/load` or `session/resume`; whether it says that it did. What it tells
        meanwhile is of that session already."""
        try:
            answer = await self.request(method, {"sessionId": session_id, **_session(place)}, SESSION_S)
        except GuestFailed as error:
            logger.info("%s could not reopen its session: %s", self.words.id, error)
            return False
        self.session_id = session_id
        self.learn(answer)
        return True

    def learn(self, answer: Fields) -> None:
        """What it says of its modes and options; a part that it does not speak of stays as it was."""
        modes, mode = said.modes_said(answer)
        if modes:
            self._mode_option = said.mode_option(answer) if "modes" not in answer else ""
            self._other_way = said.mode_option(answer) if "modes" in answer else ""
            self.known = self.known.model_copy(update={"modes": modes})
        if mode:
            self.told_mode(mode)
        if "configOptions" in answer or "models" in answer:
            self.options = said.options_said(answer)

    # Its mode and options

    def told_mode(self, mode: str) -> None:
        """It says which mode it is in."""
        confirmed = mode == self._put_into
        self._put_into = mode if confirmed else ""
        self.known = self.known.model_copy(update={"mode": mode, "mode_confirmed": confirmed})
        self._told_mode.set()

    async def put_in_mode(self, wanted: str) -> None:
        """Have it work in a mode, and wait a moment for its word that it does (guests-A28). Raises as `request`."""
        if wanted not in {self._put_into, self.known.mode}:
            await self._set_mode(wanted)
        self._put_into = wanted
        known = {"mode_confirmed": self.known.mode == wanted, "mode_wanted": wanted}
        self.known = self.known.model_copy(update=known)

    async def _set_mode(self, wanted: str) -> None:
        self._told_mode.clear()
        if self._mode_option:
            params: Fields = {"configId": self._mode_option, "value": wanted}
            self.learn(await self.of_session("session/set_config_option", params, SET_S))
        else:
            self.learn(await self.of_session("session/set_mode", {"modeId": wanted}, SET_S))
        try:
            async with asyncio.timeout(CONFIRM_S if self.words.confirms_mode else 0):
                while self.known.mode != wanted:
                    await self._told_mode.wait()
                    self._told_mode.clear()
        except TimeoutError:
            logger.info("%s did not say that it is in its mode %s", self.words.id, wanted)
        if self.known.mode != wanted and self._other_way:  # an option of it may say what its answer did not
            option: Fields = {"configId": self._other_way, "value": wanted}
            with contextlib.suppress(GuestFailed):  # then it is not confirmed
                self.learn(await self.of_session("session/set_config_option", option, SET_S))

    async def choose(self, option: GuestOption, value: str) -> bool:
        """Set an option; whether it says that it has this value now (guests-A46). Raises as `request`."""
        if option.sets == "model":
            await self.of_session("session/set_model", {"modelId": value}, SET_S)
            self.options = tuple(
                one.model_copy(update={"value": value}) if one == option else one for one in self.options
            )
            return True
        params: dict[str, JsonValue] = {"configId": option.id, "value": value}
        if option.sets == "switch":
            params |= {"type": "boolean", "value": value == "on"}
        self.learn(await self.of_session("session/set_config_option", params, SET_S))
        return any(one.id == option.id and one.value == value for one in self.options)


def _reason(error: GuestFailed) -> str:
    """In its own words where it has some."""
    cause = error.__cause__
    return one_line(cause.message)[:300] if isinstance(cause, WireError) else str(error)


def _session(place: GuestPosition) -> Fields:
    return {"cwd": str(place.root.resolve()), "mcpServers": list(place.servers)}
