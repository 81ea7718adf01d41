"""AcpConnection: one editor: its requests, its chats, and what of the engine's news it is told."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from pydantic import JsonValue

from desktop.agent.acp.chat import SIGN_IN, AcpChat
from desktop.agent.acp.ground import AcpGround, Client
from desktop.agent.acp.places import first_of, folder_of, opened
from desktop.agent.acp.prompts import Prompt, prompt_of
from desktop.agent.acp.words import MODEL, Json, chosen_model, initialised
from desktop.domain.core.errors import CommandError
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.display.text import display_text
from desktop.domain.events import Envelope, InputRequested, InputResolved
from desktop.domain.gate.events import InputRevised
from desktop.domain.mcp.commands import NameMcpServers
from desktop.services.acp.duplex import Duplex
from desktop.services.acp.wire import UNKNOWN_METHOD, WRONG_PARAMS, Wire, WireError
from desktop.services.lanes.identity import lane_moved

logger = logging.getLogger(__name__)

NOT_YET, UNKNOWN_SESSION = -32600, -32002
NAME_CHARS = 60
LISTED = 100
GONE = "The lane of this chat is gone, so it cannot go on."
SERVERS = " The editor names MCP servers ({names}). None starts before you accept it in Settings › MCP servers."


class AcpConnection:
    """Made for each editor; `run` speaks with it to its end. `used_elsewhere`: whether others than this one use the
    repository that is open."""

    def __init__(
        self, duplex: Duplex, ground: AcpGround, used_elsewhere: Callable[[], bool], *, in_checkout: bool
    ) -> None:
        self._ground = ground
        self._client = Client(in_checkout=in_checkout)
        self._used_elsewhere = used_elsewhere
        self._chats: dict[str, AcpChat] = {}
        self._named: dict[str, str] = {}
        self._prompting: dict[asyncio.Task[JsonValue] | None, tuple[AcpChat, Prompt]] = {}
        self._is_initialised = False
        self._wire = Wire(duplex, duplex, self)
        self._room = duplex.has_room
        self._methods: dict[str, Callable[[Json], Awaitable[JsonValue]]] = {
            "authenticate": self._authenticate,
            "session/new": self._new,
            "session/load": self._load,
            "session/list": self._list,
            "session/prompt": self._prompt,
            "session/set_mode": self._set_mode,
            "session/set_config_option": self._set_option,
        }

    @property
    def has_chats(self) -> bool:
        """Whether it uses the repository that is open."""
        return bool(self._chats)

    async def run(self) -> None:
        """Until the editor goes, or sends what cannot be read."""
        try:
            await self._wire.run()
        finally:
            if self._wire.problem:
                logger.warning("An editor was left: %s", self._wire.problem)
            await self.close()

    async def close(self) -> None:
        """Leave the editor: what it was asked is cancelled."""
        chats, self._chats = self._chats, {}
        for chat in chats.values():
            await chat.close()
        for chat_id, project_id in tuple(self._named.items()):
            await self._name(chat_id, project_id, ())
        self._wire.close()

    def reader(self, session_id: str) -> AcpChat | None:
        """The chat of that id, where this editor tells what it has of files."""
        return self._chats.get(session_id) if self._client.reads else None

    def saw(self, update: Update) -> None:
        """What the engine tells: for the chat it is about, and of cards for the one above all."""
        if isinstance(update, Envelope) and isinstance(update.event, InputRequested | InputRevised | InputResolved):
            chat = self._chats.get(self._root_of(update.session_id)) if self._chats else None
            if chat is not None:
                chat.asked(update.session_id, update.event)
            return
        session_id = vars(update).get("session_id")
        chat = self._chats.get(session_id) if isinstance(session_id, str) else None
        if chat is not None:
            chat.saw(update)

    # The wire

    async def on_request(self, method: str, params: JsonValue) -> JsonValue:
        """Carry out a request."""
        given = params if isinstance(params, dict) else {}
        if method == "initialize":
            return self._initialize(given)
        found = self._methods.get(method)
        if found is None:
            raise WireError(UNKNOWN_METHOD, f"Banksman knows no method {method[:NAME_CHARS]!r}.")
        if not self._is_initialised:
            raise WireError(NOT_YET, "initialize comes first.")
        return await found(given)

    def on_notification(self, method: str, params: JsonValue) -> None:
        """Stop a turn, or cancel a request; all else is ignored."""
        if method == "$/cancel_request" and isinstance(params, dict):
            number = params.get("requestId")
            asyncio.get_running_loop().call_soon(self._cancel, number)  # what carries that out has begun by then
        session_id = params.get("sessionId") if isinstance(params, dict) else None
        chat = self._chats.get(session_id) if isinstance(session_id, str) else None
        if method == "session/cancel" and chat is not None:
            chat.stop()

    def on_bad(self, line: str) -> None:
        """Keep it in the log."""
        logger.warning("An editor sent no message: %r", line)

    # Requests

    def _initialize(self, given: Json) -> JsonValue:
        if not isinstance(given.get("protocolVersion"), int):
            raise WireError(WRONG_PARAMS, "protocolVersion is missing.")
        can, info = _part(given, "clientCapabilities"), _part(given, "clientInfo")
        name = info.get("name")
        shown = display_text(name)[:NAME_CHARS] if isinstance(name, str) and name.strip() else "editor"
        self._client = Client(
            name=shown,
            forms=isinstance(_part(can, "elicitation").get("form"), dict),
            terminal=_part(can, "auth").get("terminal") is True,
            reads=_part(can, "fs").get("readTextFile") is True,
            in_checkout=self._client.in_checkout,
        )
        self._is_initialised = True
        return initialised(terminal=self._client.terminal)

    async def _authenticate(self, given: Json) -> JsonValue:
        settings = self._ground.settings
        try:
            endpoint_id, _ = settings.model_for("", "")
            await settings.require_key(endpoint_id)
        except CommandError as error:
            raise WireError(SIGN_IN, str(error)) from error
        return {}

    async def _new(self, given: Json) -> JsonValue:
        folder, servers = folder_of(given.get("cwd")), _servers(given)
        project = await opened(self._ground, folder, in_use=self._in_use)
        first = first_of(self._ground, project, folder, in_checkout=self._client.in_checkout)
        await self._name(first.session_id, project.id, servers)
        told = _told_of(servers)
        chat = AcpChat(first.session_id, self._wire, self._ground, self._client, first, told)
        self._chats[first.session_id] = chat
        return {"sessionId": first.session_id, **chat.begun()}

    async def _load(self, given: Json) -> JsonValue:
        folder, servers, session_id = folder_of(given.get("cwd")), _servers(given), _text(given, "sessionId")
        sessions = self._ground.sessions
        if not sessions.knows(session_id):
            raise WireError(UNKNOWN_SESSION, "There is no such chat.")
        project = await opened(self._ground, folder, in_use=self._in_use)
        await sessions.read_ahead(session_id)
        session = sessions.get(session_id)
        if session.state.project_id != project.id or session.state.parent_session_id:
            raise WireError(UNKNOWN_SESSION, f"This chat belongs to {session.state.project_path}.")
        if session.state.lane_id and (session.lane is None or lane_moved(session.lane)):
            raise WireError(UNKNOWN_SESSION, GONE)
        chat = AcpChat(session_id, self._wire, self._ground, self._client, None)
        await self._name(session_id, project.id, servers)
        before = self._chats.pop(session_id, None)
        if before is not None:
            await before.close()
        await chat.replay(self._room)
        self._chats[session_id] = chat
        chat.go_on()
        return chat.begun()

    async def _list(self, given: Json) -> JsonValue:
        cwd = given.get("cwd")
        if isinstance(cwd, str):
            await opened(self._ground, folder_of(cwd), in_use=self._in_use)
        project = self._ground.ground.project()
        chats = self._ground.sessions.summaries(project.id).sessions if project is not None else ()
        lanes = {one.id: one for one in self._ground.ground.lanes.known(project.id)} if project is not None else {}
        found: list[JsonValue] = []
        for chat in chats:
            lane = lanes.get(chat.lane_id)
            if lane is not None and not chat.archived and len(found) < LISTED:
                updated = chat.last_activity_at.isoformat(timespec="seconds")
                found.append(
                    {
                        "sessionId": chat.session_id,
                        "cwd": lane.worktree_path,
                        "title": chat.title,
                        "updatedAt": updated,
                    }
                )
        return {"sessions": found}

    async def _prompt(self, given: Json) -> JsonValue:
        chat, prompt, carries = self._chat(given), prompt_of(given.get("prompt")), asyncio.current_task()
        self._prompting[carries] = chat, prompt
        try:
            return {"stopReason": await chat.prompt(prompt)}
        finally:
            del self._prompting[carries]

    def _cancel(self, number: JsonValue) -> None:
        """The editor cancels a request: of a message its turn is stopped, and the answer says so; others are answered
        by the error for that."""
        carries = self._wire.open_request(number)
        chat, prompt = self._prompting.get(carries, (None, None))
        if chat is not None and prompt is not None:
            chat.withdraw(prompt)
        elif carries is not None:
            carries.cancel()

    async def _set_mode(self, given: Json) -> JsonValue:
        chat, mode = self._chat(given), _text(given, "modeId")
        if mode not in {one.value for one in PermissionMode}:
            raise WireError(WRONG_PARAMS, f"There is no mode {mode[:NAME_CHARS]!r}.")
        await chat.set_mode(PermissionMode(mode))
        return {}

    async def _set_option(self, given: Json) -> JsonValue:
        chat, option, value = self._chat(given), _text(given, "configId"), _text(given, "value")
        if option != MODEL:
            raise WireError(WRONG_PARAMS, f"There is no option {option[:NAME_CHARS]!r}.")
        await chat.set_model(*chosen_model(value))
        return {"configOptions": chat.begun()["configOptions"]}

    # Within

    async def _name(self, chat_id: str, project_id: str, servers: tuple[JsonValue, ...]) -> None:
        """Have the servers of the editor listed as those of its chat; without any, none is any more."""
        if servers:
            self._named[chat_id] = project_id
        elif self._named.pop(chat_id, None) is None:
            return
        command = NameMcpServers(chat_id=chat_id, project_id=project_id, servers=servers)
        with suppress(CommandError):  # the log says why; the chat begins without them
            await self._ground.carrier.run(command)

    @property
    def _in_use(self) -> bool:
        return self.has_chats or self._used_elsewhere()

    def _chat(self, given: Json) -> AcpChat:
        chat = self._chats.get(_text(given, "sessionId"))
        if chat is None:
            raise WireError(UNKNOWN_SESSION, "There is no such chat in this connection: load it first.")
        return chat

    def _root_of(self, session_id: str) -> str:
        """The chat that a person began: this one, or the one above all; itself where nobody knows it."""
        sessions = self._ground.sessions
        if session_id in self._chats or not sessions.knows(session_id):
            return session_id
        return sessions.get(session_id).root.session_id


def _text(given: Json, name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str):
        raise WireError(WRONG_PARAMS, f"{name} is missing, or is no text.")
    return value


def _part(given: Json, name: str) -> Json:
    value = given.get(name)
    return value if isinstance(value, dict) else {}


def _servers(given: Json) -> tuple[JsonValue, ...]:
    """The servers that an editor names. Raises WireError."""
    servers = given.get("mcpServers")
    if not isinstance(servers, list):
        raise WireError(WRONG_PARAMS, "mcpServers is missing, or is no list.")
    return tuple(servers)


def _told_of(servers: tuple[JsonValue, ...]) -> str:
    """What a person is told of them, "" of none."""
    names = [display_text(str(one.get("name")))[:NAME_CHARS] for one in servers if isinstance(one, dict)]
    return SERVERS.format(names=", ".join(names)) if names else ""
