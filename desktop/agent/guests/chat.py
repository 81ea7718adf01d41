"""GuestChat: one guest at work in one chat: its process, its session, and what it says and asks for."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from pydantic import JsonValue

import desktop
from desktop.agent.core.session import Session
from desktop.agent.gate.judge import Judge
from desktop.agent.guests.bridge import Bridge
from desktop.agent.guests.calls import TurnCalls
from desktop.agent.guests.launching import GuestEnd, GuestFailed, GuestStarter, GuestWords, RunningGuest
from desktop.agent.guests.segments import Segments
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import Todo
from desktop.domain.core.work_events import TodosChanged
from desktop.domain.gate.redaction import Redactor
from desktop.domain.guests.events import GuestBegin, GuestEndWhy, GuestNoticed, GuestSessionBegan, GuestSessionEnded
from desktop.policy.guests.options import CANCELLED
from desktop.services.acp.wire import UNKNOWN_METHOD, WRONG_PARAMS, WireClosed, WireError

logger = logging.getLogger(__name__)

VERSION = 1
START_S, SESSION_S, MODE_S = 30.0, 60.0, 10.0
SIGN_IN = -32_000
MOST_TODOS, TODO_CHARS = 100, 300
NO_SECRETS = Redactor()
Fields = Mapping[str, JsonValue]
_STATUS: dict[str, Literal["in_progress", "completed"]] = {"in_progress": "in_progress", "completed": "completed"}


class GuestChat:
    """The `WireHandler` of its guest. `ignored`: how many of its messages mean nothing here."""

    def __init__(self, session: Session, words: GuestWords, judge: Judge) -> None:
        self.session, self.words = session, words
        self.bridge = Bridge(session, judge, lambda: self._calls)
        self.ignored = 0
        self._calls: TurnCalls | None = None
        self._segments: Segments | None = None
        self._told_from = next((one.seq for one in reversed(session.log) if one.kind == "turn_started"), -1)
        self._guest_session_id = ""
        self._abilities: dict[str, JsonValue] = {}
        self._version = ""
        self._modes: tuple[str, ...] = ()
        self._mode = self._wanted = ""
        self._set_back = self._replayed = 0
        self._in_user = self._loading = False
        self._setting: set[asyncio.Task[None]] = set()
        self._process: _Process | None = None

    async def begin(self, starter: GuestStarter, last: str, prompts: int) -> None:
        """Start the process, with the `last` session where it has it still, with at least so many `prompts`, else with
        a new one.

        Raises:
            BanksmanError: it cannot be started; nothing of it is left.
        """
        if self.session.files is None:
            raise GuestFailed("lane_moved", "This chat has no lane.")
        root, chat_id = self.session.files.root, self.session.session_id
        await self.bridge.open()
        try:
            shown = self.bridge.socket.shown
            self._process = _Process(await starter.start(self.words.id, chat_id, root, self, shown))
        except BaseException:
            await self.bridge.socket.close()
            raise
        try:
            await self._greet()
            how: GuestBegin = "load" if last and await self._loaded(last, prompts) else "new"
            if how == "new":
                await self._new()
        except BaseException as error:
            end = await self.end()
            if isinstance(error, WireClosed):
                text = f"{self.words.label} ended before it was ready. {end.detail[-300:]}".strip()
                raise GuestFailed("guest_ended", text) from None
            raise
        self.session.append(self._began(how))

    @property
    def process(self) -> "_Process":
        """Its process. Raises WireClosed: it was not started."""
        if self._process is None:
            raise WireClosed("")
        return self._process

    @property
    def runs(self) -> bool:
        """Whether its process lives."""
        return self._process is not None and not self._process.gone.done()

    @property
    def calls(self) -> TurnCalls | None:
        """Its calls in the turn that runs."""
        return self._calls

    def follow(self, calls: TurnCalls | None, segments: Segments | None) -> None:
        """What it does and says belongs to a turn, None: to none."""
        self._calls, self._segments = calls, segments

    def take_no_more(self) -> None:
        """What it asks for from here on in this turn is withdrawn at once."""
        self._calls = None

    def told(self) -> int:
        """The place in the log up to which everything was told to it; from here on that is all."""
        before, self._told_from = self._told_from, self.session.state.head_seq
        return before

    async def prompt(self, prompt: list[JsonValue]) -> dict[str, JsonValue]:
        """Tell it what a person says, and wait until it comes to an end. Raises as `request`."""
        return await self.request("session/prompt", {"sessionId": self._guest_session_id, "prompt": prompt}, None)

    def cancel(self) -> None:
        """Tell it to end its turn. Raises WireClosed."""
        self.process.running.wire.notify("session/cancel", {"sessionId": self._guest_session_id})

    async def request(self, method: str, params: Fields, limit_s: float | None) -> dict[str, JsonValue]:
        """What the guest answers. Raises GuestFailed, and WireClosed where it ended."""
        label = self.words.label
        try:
            answer = await self.process.running.wire.request(method, dict(params), limit_s=limit_s)
        except TimeoutError:
            raise GuestFailed("guest_late", f"{label} did not answer {method} within {limit_s:g} s.") from None
        except WireError as error:
            if error.code == SIGN_IN:
                text = f"{label} wants you to sign in first. Start it in a terminal and sign in there."
                raise GuestFailed("guest_sign_in", text) from error
            raise GuestFailed("guest_error", f"{label} answered: {error.message[:300]}") from error
        return answer if isinstance(answer, dict) else {}

    async def end(self, why: GuestEndWhy | None = None, redactor: Redactor = NO_SECRETS) -> GuestEnd:
        """End the process. `why`: is recorded, with its last words without secrets."""
        for task in self._setting:
            task.cancel()
        process = self.process
        process.running.wire.close()
        end = await process.running.end()
        await self.bridge.socket.close()
        await asyncio.gather(process.gone, return_exceptions=True)
        end = replace(end, detail=redactor.redact(end.detail).text)
        if why is not None:
            self.session.record(
                GuestSessionEnded(guest_id=self.words.id, why=why, exit_status=end.exit_status, detail=end.detail)
            )
        return end

    async def put_in_mode(self) -> None:
        """Have it ask before it acts, or plan where the chat only plans (guests-A28)."""
        plans = self.session.mode is PermissionMode.PLAN and self.words.plan_mode in self._modes
        wanted = self.words.plan_mode if plans else self.words.asking_mode
        if not wanted or wanted not in self._modes:
            return
        self._wanted = wanted
        if self._mode != wanted:
            params = {"sessionId": self._guest_session_id, "modeId": wanted}
            await self.request("session/set_mode", params, MODE_S)
            self._mode = wanted

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
        if method == "fs/write_text_file":
            path, content = given.get("path"), given.get("content")
            if not self._is_own(given) or not isinstance(path, str) or not isinstance(content, str):
                raise WireError(WRONG_PARAMS, "There is no such session, or no path and content.")
            if self._calls is None:
                raise WireError(WRONG_PARAMS, "No turn is running, so nothing is written.")
            await self._calls.write(path, content)
            return None
        raise WireError(UNKNOWN_METHOD, f"{method[:80]} is not known here.")

    def on_notification(self, method: str, params: JsonValue) -> None:
        """As `WireHandler.on_notification`."""
        given = params if isinstance(params, dict) else {}
        update = given.get("update")
        if method != "session/update" or not isinstance(update, dict):
            self.ignored += 1
        elif self._loading:
            self._replay(update)
        elif not self._is_own(given):
            self.ignored += 1
        else:
            try:
                self._take(update)
            except BanksmanError as error:
                if self._calls is not None:
                    self._calls.halt(error)

    def on_bad(self, line: str) -> None:
        """As `WireHandler.on_bad`."""
        logger.info("%s sent a line that is no message", self.words.id)

    def _take(self, update: Fields) -> None:
        match update.get("sessionUpdate"):
            case "agent_message_chunk" | "agent_thought_chunk" as kind:
                text = _text(update.get("content"))
                if text and self._segments is not None:
                    self._segments.say(text, thinking=kind == "agent_thought_chunk")
            case "tool_call" | "tool_call_update" if self._calls is not None:
                self._calls.heard(update)
            case "plan" if self._calls is not None:
                self.session.append(TodosChanged(todos=_todos(update.get("entries"))), lazy=True)
            case "current_mode_update":
                self._mode_changed(update.get("currentModeId") or update.get("modeId"))
            case _:
                self.ignored += 1

    def _mode_changed(self, mode: JsonValue) -> None:
        """A mode of its own that nobody asked for is set back once, and ends the turn when it comes again
        (guests-A29)."""
        if not isinstance(mode, str):
            return
        self._mode = mode
        if not self._wanted or mode in (self._wanted, self.words.plan_mode):
            return
        self._set_back += 1
        text = f"{self.words.label} changed its own mode to {mode[:60]}"
        if self._set_back > 1 and self._calls is not None:
            self._calls.halt(GuestFailed("guest_mode", f"{text} although it was set back."))
            return
        self.session.append(GuestNoticed(kind="mode", text=f"{text}. It was set back to {self._wanted}."))
        task = asyncio.create_task(self._back(), name="guest mode")
        self._setting.add(task)
        task.add_done_callback(self._setting.discard)

    async def _back(self) -> None:
        try:
            await self.put_in_mode()
        except (GuestFailed, WireClosed) as error:
            if self._calls is not None:
                self._calls.halt(GuestFailed("guest_mode", f"Its mode could not be set back: {error}"))

    # Its session

    async def _greet(self) -> None:
        about: dict[str, JsonValue] = {"name": "banksman", "title": "Banksman", "version": desktop.__version__}
        can: dict[str, JsonValue] = {"fs": {"readTextFile": False, "writeTextFile": True}, "terminal": False}
        params: Fields = {"protocolVersion": VERSION, "clientInfo": about, "clientCapabilities": can}
        answer = await self.request("initialize", params, START_S)
        version = answer.get("protocolVersion")
        if version != VERSION:
            text = f"{self.words.label} speaks ACP {str(version)[:20]}; Banksman speaks {VERSION}."
            raise GuestFailed("guest_version", text)
        told, info = answer.get("agentCapabilities"), answer.get("agentInfo")
        self._abilities = dict(told) if isinstance(told, dict) else {}
        self._version = str(info.get("version") or "") if isinstance(info, dict) else ""

    async def _new(self) -> None:
        answer = await self.request("session/new", {"cwd": self._cwd, "mcpServers": self.bridge.servers}, SESSION_S)
        found = answer.get("sessionId")
        if not isinstance(found, str) or not found:
            raise GuestFailed("guest_error", f"{self.words.label} gave no session.")
        self._guest_session_id = found
        self._learn(answer)

    async def _loaded(self, last: str, prompts: int) -> bool:
        """Whether the guest has its session still, with all that was said in it (guests-A44)."""
        if self._abilities.get("loadSession") is not True:
            return False
        self._loading, self._replayed = True, 0
        try:
            params: Fields = {"sessionId": last, "cwd": self._cwd, "mcpServers": self.bridge.servers}
            answer = await self.request("session/load", params, SESSION_S)
        except GuestFailed as error:
            logger.info("%s could not load its session: %s", self.words.id, error)
            return False
        finally:
            self._loading = False
        if self._replayed < prompts:
            return False
        self._guest_session_id = last
        self._learn(answer)
        return True

    def _replay(self, update: Fields) -> None:
        is_user = update.get("sessionUpdate") == "user_message_chunk"
        self._replayed += is_user and not self._in_user
        self._in_user = is_user

    def _learn(self, answer: Fields) -> None:
        modes = answer.get("modes")
        if isinstance(modes, dict):
            listed = modes.get("availableModes")
            found = [one.get("id") for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
            self._modes = tuple(one for one in found if isinstance(one, str))
            self._mode = str(modes.get("currentModeId") or "")

    def _began(self, how: GuestBegin) -> GuestSessionBegan:
        return GuestSessionBegan(
            guest_id=self.words.id,
            label=self.words.label,
            version=self._version,
            program=self.process.running.program,
            program_sha256=self.process.running.program_sha256,
            guest_session_id=self._guest_session_id,
            how=how,
            abilities={"said": self._abilities, "modes": list(self._modes)},
        )

    @property
    def _cwd(self) -> str:
        return str(self.session.files.root.resolve()) if self.session.files is not None else ""

    def _is_own(self, given: Fields) -> bool:
        return bool(self._guest_session_id) and given.get("sessionId") == self._guest_session_id


class _Process:
    """What runs of a guest."""

    def __init__(self, running: RunningGuest) -> None:
        self.running = running
        self.gone: asyncio.Task[GuestEnd] = asyncio.create_task(running.ended(), name="guest end")


def _text(content: JsonValue) -> str:
    found = content.get("text") if isinstance(content, dict) and content.get("type") == "text" else None
    return found if isinstance(found, str) else ""


def _todos(entries: JsonValue) -> tuple[Todo, ...]:
    todos: list[Todo] = []
    for number, one in enumerate(entries[:MOST_TODOS] if isinstance(entries, list) else (), 1):
        content = one.get("content") if isinstance(one, dict) else None
        status = one.get("status") if isinstance(one, dict) else None
        if isinstance(content, str) and content.strip():
            known = _STATUS.get(status) if isinstance(status, str) else None
            todos.append(Todo(id=str(number), content=content[:TODO_CHARS], status=known or "pending"))
    return tuple(todos)
