"""GuestChat: one guest at work in one chat: its session, and what it says and asks for."""

import logging
from collections.abc import Awaitable, Callable, Mapping

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.gate.judge import Judge
from desktop.agent.guests.bridging.bridge import Bridge
from desktop.agent.guests.bridging.bridge_tools import BridgeTools
from desktop.agent.guests.calls.opened import Seen
from desktop.agent.guests.calls.requests import GuestRequests
from desktop.agent.guests.calls.segments import Segments
from desktop.agent.guests.calls.turn_calls import TurnCalls
from desktop.agent.guests.claims import GuestClaims
from desktop.agent.guests.late_words import LateWords
from desktop.agent.guests.letting_in import LettingIn
from desktop.agent.guests.looking_back import LastSession, not_told_from, program_changed
from desktop.agent.guests.modes import GuestModes
from desktop.agent.guests.plans import UPDATES, GuestPlans
from desktop.agent.guests.replay import Replay
from desktop.agent.guests.seldom import Seldom
from desktop.agent.guests.starting.launching import GuestEnd, GuestFailed, GuestStarter, GuestWords
from desktop.agent.guests.starting.link import NO_SECRETS, GuestLink, GuestPosition
from desktop.agent.guests.told import text_in
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.usage import Usage
from desktop.domain.gate.pending import Answer, InputRequest
from desktop.domain.gate.redaction import Redactor
from desktop.domain.guests.events import (
    GuestBegin,
    GuestCounted,
    GuestEndWhy,
    GuestSessionBegan,
    GuestSessionEnded,
)
from desktop.domain.guests.updates import GuestChanged
from desktop.policy.guests.controls import GuestKeeping, control_lines
from desktop.policy.guests.options import CANCELLED
from desktop.policy.guests.said import commands_said
from desktop.records import dataclass
from desktop.services.acp.wire import UNKNOWN_METHOD, WRONG_PARAMS, WireClosed, WireError
from desktop.services.history.refs import CheckpointRef

logger = logging.getLogger(__name__)

Fields = Mapping[str, JsonValue]
_OF_ITSELF = ("available_commands_update", "config_option_update", "current_mode_update")


@dataclass(frozen=True)
class GuestWorld:
    """Where a guest works. `changed` is told when what people can do with it is another; `ask` puts a question to a
    person, None: nobody can answer."""

    judge: Judge
    kept: GuestKeeping
    changed: Callable[[GuestChanged], None]
    ask: Callable[[InputRequest], Awaitable[Answer | None]]


class GuestChat:
    """The `GuestEar` of its guest. `how` its session began; `ignored`: how many messages mean nothing here;
    `left`: the lane before it was started, then after its last prompt."""

    def __init__(self, session: Session, words: GuestWords, world: GuestWorld) -> None:
        self.session, self.words = session, words
        self.link = GuestLink(words, self)
        self.claims = GuestClaims(session, self.link, lambda: self._told.want())
        self.modes = GuestModes(session, words, self.link, self.tell, self._halt)
        self.bridge = Bridge(session, BridgeTools(session, world.judge, words.taken), lambda: self._calls)
        self.ignored, self._told_from = 0, not_told_from(session.log)
        self.how: GuestBegin = "new"
        self.left: CheckpointRef | None = None
        self._requests = GuestRequests(words.label)
        self._kept, self._changed = world.kept, world.changed
        self._letting_in = LettingIn(session, words, world.ask)
        self._calls: TurnCalls | None = None
        self._segments: Segments | None = None
        self._late = LateWords(session, words.label)
        self._plans, self._told = GuestPlans(session, self._halt), Seldom(self.tell)
        self._untold = False
        self._replay: Replay | None = None

    async def begin(self, starter: GuestStarter, last: LastSession) -> None:
        """Start the process, with its last session where it has all of it still, else with a new one.

        Raises:
            BanksmanError: it cannot be started; nothing of it is left.
        """
        if self.session.files is None:
            raise GuestFailed("lane_moved", "This chat has no lane.")
        await self.bridge.open()
        root, shown = self.session.files.root, self.bridge.socket.shown
        place = GuestPosition(root, self.session.session_id, tuple(self.bridge.servers), shown)
        try:
            await self._letting_in.before_start(starter)
            await self.link.begin(starter, place)
            changed = program_changed(self.session, self._began("new"))
            await self._letting_in.once_started(changed)
            await self.link.told_of_model()
            self.how = await self._reopened(last, place) or "new"
            if self.how == "new":
                await self.link.new_session(place)
        except BaseException as error:
            end = await self.end()
            if isinstance(error, WireClosed):
                text = f"{self.words.label} ended before it was ready. {end.detail[-300:]}".strip()
                raise GuestFailed("guest_ended", text) from None
            raise
        if changed is not None:
            self.session.append(changed)
        self.session.append(self._began(self.how))
        self.tell()

    @property
    def runs(self) -> bool:
        """Whether its process lives."""
        return self.link.runs

    @property
    def calls(self) -> TurnCalls | None:
        """Its calls in the turn that runs."""
        return self._calls

    def follow(self, calls: TurnCalls | None, segments: Segments | None) -> None:
        """What it does and says belongs to a turn, None: to none."""
        self._late.tell()
        self._plans.recorded.now()
        if calls is None and self._calls is not None:
            self._observe(self._calls)
        self._calls, self._segments = calls, segments

    def take_no_more(self) -> None:
        """What it asks for from here on in this turn is withdrawn at once."""
        if self._calls is not None:
            self._observe(self._calls)
        self._calls = None

    def told(self) -> int:
        """The place in the log up to which everything was told to it; from here on that is all."""
        before, self._told_from = self._told_from, self.session.state.head_seq
        return before

    def tell_again_from(self, told: int) -> None:
        """What stands behind this place was not told to it after all, and it takes nothing more while it works."""
        self._told_from = told
        self.link.known = self.link.known.model_copy(update={"steer": False})

    async def prompt(self, prompt: list[JsonValue]) -> dict[str, JsonValue]:
        """Tell it what a person says, and wait until it comes to an end. Raises as `GuestLink.request`."""
        answer = await self.link.of_session("session/prompt", {"prompt": prompt}, None)
        if not self.counted:
            self.claims.answered(answer)
        return answer

    def cancel(self) -> None:
        """Tell it to end its turn. Raises WireClosed."""
        self.link.tell("session/cancel", {})

    async def end(self, why: GuestEndWhy | None = None, redactor: Redactor = NO_SECRETS) -> GuestEnd:
        """End the process. `why`: is recorded, with its last words without secrets."""
        self._late.tell()
        self._plans.recorded.end()
        self._told.end()
        self.modes.end()
        end = await self.link.end(redactor)
        await self.bridge.socket.close()
        if why is not None:
            self.session.record(
                GuestSessionEnded(guest_id=self.words.id, why=why, exit_status=end.exit_status, detail=end.detail)
            )
            self.tell()
        return end

    async def choose(self, option_id: str, value: str) -> None:
        """Set one of its options.

        Raises:
            CommandError: there is no such option or value, or it refused, in its words.
        """
        option = next((one for one in self.link.options if one.id == option_id), None)
        if option is None or not any(one.value == value for one in option.choices):
            raise CommandError("guest_option", f"{self.words.label} does not offer this choice.")
        try:
            kept = await self.link.choose(option, value)
        except WireClosed:
            raise GuestFailed("guest_ended", f"{self.words.label} has ended.") from None
        finally:
            self.tell()
        if not kept:
            raise CommandError("guest_option", f"{self.words.label} kept the value it had.")

    def tell(self) -> None:
        """Tell people how it stands."""
        known = self.link.known
        self._changed(
            GuestChanged(
                session_id=self.session.session_id,
                guest_id=self.words.id,
                label=self.words.label,
                version=known.version,
                state="running" if self.runs else "resting",
                abilities=known,
                options=self.link.options,
                commands=self.link.commands,
                lines=control_lines(known, self._kept),
            )
        )

    def _observe(self, calls: TurnCalls) -> None:
        """What was seen of it in a turn is known of it from then on."""
        before = self.link.known
        self.link.known, calls.seen = calls.seen.added_to(before), Seen()
        if before != self.link.known:
            self.tell()

    # What passes of what it has its model do

    @property
    def counted(self) -> bool:
        """Whether what its model answers passes the proxy, which counts it."""
        return self._kept.through_gateway

    @property
    def cost_of_words(self) -> int | None:
        """What a message of it costs by itself, None: nobody knows. What passes the proxy has its cost on record."""
        return 0 if self.counted else None

    def may_ask_model(self) -> str:
        """As `GuestEar.may_ask_model`; in a turn alone there is a limit to keep."""
        return self._calls.may_ask_model() if self._calls is not None else ""

    def on_counted(self, usage: Usage, model: str, cost_microusd: int | None) -> None:
        """As `GuestEar.on_counted`. One answer that told nothing makes the whole unknown."""
        told = usage.input is not None and usage.output is not None
        counted = GuestCounted(model=model, usage=usage, cost_microusd=cost_microusd if told else None)
        try:
            self.session.append(counted, lazy=True)
        except BanksmanError as error:
            self._halt(error)
            return
        self._untold = self._untold or not told
        before = self.link.known
        self.link.known = before.model_copy(update={"usage": "unknown" if self._untold else "exact"})
        if before != self.link.known:
            self.tell()

    # What the guest says and asks for

    async def on_request(self, method: str, params: JsonValue) -> JsonValue:
        """As `WireHandler.on_request`."""
        given = params if isinstance(params, dict) else {}
        try:
            return await self._answered(method, given)
        except BanksmanError as error:
            if not isinstance(error, WireError) and self._calls is not None:
                self._calls.halt(error)  # what cannot be put on record does not happen
            raise

    async def _answered(self, method: str, given: Fields) -> JsonValue:
        if method == "session/request_permission":
            told = given.get("toolCall")
            if self._calls is None or not self._is_own(given) or not isinstance(told, dict):
                return CANCELLED
            return await self._calls.permission(told, given.get("options"))
        if method not in self._requests.methods:
            raise WireError(UNKNOWN_METHOD, f"{method[:80]} is not known here.")
        if not self._is_own(given):
            raise WireError(WRONG_PARAMS, "There is no such session.")
        if self._calls is None:
            raise WireError(WRONG_PARAMS, "No turn is running, so nothing is done.")
        return await self._requests.methods[method](self._calls, given)

    def on_notification(self, method: str, params: JsonValue) -> None:
        """As `WireHandler.on_notification`."""
        given = params if isinstance(params, dict) else {}
        update = given.get("update")
        if method == "$/cancel_request":
            self._take_back(given.get("requestId"))
        elif method != "session/update" or not isinstance(update, dict):
            self.ignored += 1
        elif self._replay is not None and update.get("sessionUpdate") not in _OF_ITSELF:
            self._replay.heard(update)
        elif self._replay is not None:
            self._take(update)
        elif not self._is_own(given):
            self.ignored += 1
        else:
            try:
                self._take(update)
            except BanksmanError as error:
                if self._calls is not None:
                    self._calls.halt(error)

    def _take_back(self, number: JsonValue) -> None:
        """It wants no answer to a request of its own any more. One that is not open means nothing."""
        request = self.link.running.wire.open_request(number)
        if request is None:
            self.ignored += 1
        elif self._calls is None:
            request.cancel()
        else:
            try:
                self._calls.take_back(request)
            except BanksmanError as error:
                self._calls.halt(error)

    def on_bad(self, line: str) -> None:
        """As `WireHandler.on_bad`."""
        logger.info("%s sent a line that is no message", self.words.id)

    def _take(self, update: Fields) -> None:
        match update.get("sessionUpdate"):
            case "agent_message_chunk" | "agent_thought_chunk" as kind:
                text = text_in(update.get("content"))
                if text and self._segments is not None:
                    self._segments.say(text, thinking=kind == "agent_thought_chunk")
                elif kind == "agent_message_chunk":
                    self._late.add(text)
            case "tool_call" | "tool_call_update" if self._calls is not None:
                self._calls.heard(update)
            case kind if kind in UPDATES and self._calls is not None:
                self._plans.heard(update, self._calls)
            case "current_mode_update":
                self.modes.told(update.get("currentModeId") or update.get("modeId"))
            case "config_option_update":
                self._options_changed(update)
            case "available_commands_update":
                self._commands_changed(update)
            case "usage_update" if not self.counted:
                self.claims.context(update, self._calls)
            case _:
                self.ignored += 1

    def _commands_changed(self, update: Fields) -> None:
        commands = commands_said(update)
        if commands != self.link.commands:
            self.link.commands = commands
            self._told.want()

    def _options_changed(self, update: Fields) -> None:
        """Its options are others now; its mode may be one of them."""
        before, mode = self.link.options, self.link.known.mode
        self.link.learn(update)
        if self.link.known.mode != mode:
            self.modes.told(self.link.known.mode)
        if self.link.options != before:
            self._told.want()

    def _halt(self, why: BanksmanError) -> bool:
        if self._calls is not None:
            self._calls.halt(why)
        return self._calls is not None

    # Its session

    async def _reopened(self, last: LastSession, place: GuestPosition) -> GuestBegin | None:
        """How the guest went on with its session, None: it has not, or not with all of it alone (guests-A44)."""
        if last.id and self.link.known.resume and await self.link.old_session("session/resume", last.id, place):
            return "resume"
        if not last.id or not self.link.known.load:
            return None
        self._replay = replay = Replay()
        try:
            loaded = await self.link.old_session("session/load", last.id, place)
        finally:
            self._replay = None
        if loaded and replay.is_whole(last):
            return "load"
        self.link.session_id = ""  # what it still tells of that one is of no session here
        return None

    def _began(self, how: GuestBegin) -> GuestSessionBegan:
        running = self.link.running
        return GuestSessionBegan(
            guest_id=self.words.id,
            label=self.words.label,
            version=self.link.known.version,
            program=running.program,
            program_sha256=running.program_sha256,
            guest_session_id=self.link.session_id,
            how=how,
            abilities={**self.link.known.model_dump(mode="json"), "said": self.link.raw},
            home="own" if self._kept.given else "private",
            keys="gateway" if self._kept.through_gateway else "login",
        )

    def _is_own(self, given: Fields) -> bool:
        return bool(self.link.session_id) and given.get("sessionId") == self.link.session_id
