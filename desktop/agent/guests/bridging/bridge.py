"""Bridge: the MCP server by which the guest of a chat reaches tools of Banksman; each call is one of ours, judged and
recorded as all others (guests-A54 to guests-A56)."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from typing import Protocol

from pydantic import JsonValue

import desktop
from desktop.agent.core.session import Session
from desktop.agent.guests.bridging.bridge_tools import BridgeTools, descriptions
from desktop.domain.events import Notice, ToolCallFinished
from desktop.policy.guests.bridged import SERVER
from desktop.services.acp.wire import (
    UNKNOWN_METHOD,
    WRONG_PARAMS,
    Wire,
    WireClosed,
    WireError,
    WireReader,
    WireWriter,
)
from desktop.services.guests.bridge_socket import BridgeSocket

VERSIONS = ("2025-11-25", "2025-06-18")
MOST_ARGUMENTS = 1024 * 1024
PROGRESS_S = 5.0
TOO_LARGE = f"The arguments are larger than {MOST_ARGUMENTS // 1024} KiB."
NO_TURN = "No turn is running in Banksman, so nothing was done."
NO_RESULT = "It was stopped before it had a result."
Fields = Mapping[str, JsonValue]


class BridgedCalls(Protocol):
    """The calls of the turn that runs."""

    async def bridged(self, name: str, given: dict[str, JsonValue]) -> ToolCallFinished | None:
        """Carry out a call of a tool of ours; None: it has no result."""


def tools_text(names: Collection[str]) -> str:
    """What the guest is told of these tools with its first prompt (guests-A57)."""
    commit = " Git's metadata cannot be written here, so commits go through commit_changes." * (
        "commit_changes" in names
    )
    return (
        f"Banksman, in which you work, has tools of its own for you, on the MCP server {SERVER}: {', '.join(names)}."
        f"{commit} Where they are not among your tools, search for them by these names first."
    )


class Bridge:
    """Of one chat. `calls` gives the calls of the turn that runs, None between turns."""

    def __init__(self, session: Session, tools: BridgeTools, calls: Callable[[], BridgedCalls | None]) -> None:
        self.socket = BridgeSocket(self._talk)
        self._session, self._tools, self._calls = session, tools, calls
        self._talks: set[_Talk] = set()
        self._told: list[str] = []

    @property
    def servers(self) -> list[JsonValue]:
        """All servers that the guest is told of: this one, and never those of the person (guests-A58)."""
        return [self.socket.told] if self.socket.is_open else []

    async def open(self) -> None:
        """Listen; without a socket the guest works without these tools, and the person is told."""
        try:
            await self.socket.open()
        except OSError as error:
            text = f"The agent cannot use the tools of Banksman in this chat: {error.strerror or error}."
            self._session.append(Notice(kind="guest", level="warning", text=text))

    def names(self) -> list[str]:
        """The names of the tools that are offered now; whoever listed others is told that there is a new list."""
        names = [*self._tools.offered()]
        if self._told and names != self._told:
            for talk in self._talks:
                talk.tell("notifications/tools/list_changed", {})
        self._told = names
        return names

    async def _talk(self, reader: WireReader, writer: WireWriter) -> None:
        talk = _Talk(self, reader, writer)
        self._talks.add(talk)
        try:
            await talk.run()
        finally:
            self._talks.discard(talk)

    def listed(self) -> list[JsonValue]:
        """The tools that are offered now, as a guest is told of them."""
        return descriptions(self._tools.offered())

    async def call(self, name: str, given: dict[str, JsonValue]) -> JsonValue:
        """What came of a call. Raises WireError: there is no such tool."""
        tool = self._tools.named(name)
        if tool is None:
            raise WireError(WRONG_PARAMS, f"There is no tool {name[:80]}.")
        calls = self._calls()
        if calls is None:
            return _result(NO_TURN, failed=True)
        finished = await calls.bridged(tool.name, given)
        return _result(finished.content, failed=finished.is_error) if finished else _result(NO_RESULT, failed=True)


class _Talk:
    """One connection: the `WireHandler` of whoever speaks MCP on it."""

    def __init__(self, bridge: Bridge, reader: WireReader, writer: WireWriter) -> None:
        self._bridge = bridge
        self._wire = Wire(reader, writer, self)

    async def run(self) -> None:
        """Until its end."""
        await self._wire.run()

    def tell(self, method: str, params: JsonValue) -> None:
        """Tell it, if it hears."""
        with contextlib.suppress(WireClosed):
            self._wire.notify(method, params)

    async def on_request(self, method: str, params: JsonValue) -> JsonValue:
        """As `WireHandler.on_request`."""
        given = params if isinstance(params, dict) else {}
        match method:
            case "initialize":
                return _greeting(given)
            case "ping":
                return {}
            case "tools/list":
                return {"tools": self._bridge.listed()}
            case "tools/call":
                return await self._called(given)
        raise WireError(UNKNOWN_METHOD, f"{method[:80]} is not known here.")

    def on_notification(self, method: str, params: JsonValue) -> None:
        """As `WireHandler.on_notification`."""
        if method == "notifications/cancelled" and isinstance(params, dict) and params.get("requestId") is not None:
            self._wire.withdraw(params["requestId"])

    def on_bad(self, line: str) -> None:
        """As `WireHandler.on_bad`."""

    async def _called(self, given: Fields) -> JsonValue:
        name, arguments, meta = given.get("name"), given.get("arguments"), given.get("_meta")
        arguments = {} if arguments is None else arguments
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise WireError(WRONG_PARAMS, "A call has a name and an object of arguments.")
        if _is_larger(arguments, MOST_ARGUMENTS):
            raise WireError(WRONG_PARAMS, TOO_LARGE)
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        async with self._progress(token):
            return await self._bridge.call(name, arguments)

    @contextlib.asynccontextmanager
    async def _progress(self, token: JsonValue) -> AsyncIterator[None]:
        """Tell whoever wants to know that the call is under way still, such as while a person is asked."""
        telling = asyncio.create_task(self._tell_progress(token), name="guest progress") if token is not None else None
        try:
            yield
        finally:
            if telling is not None:
                telling.cancel()

    async def _tell_progress(self, token: JsonValue) -> None:
        passed = 0.0
        while True:
            self.tell("notifications/progress", {"progressToken": token, "progress": passed})
            await asyncio.sleep(PROGRESS_S)
            passed += PROGRESS_S


def _greeting(given: Fields) -> JsonValue:
    wanted = given.get("protocolVersion")
    return {
        "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
        "capabilities": {"tools": {"listChanged": True}},
        "serverInfo": {"name": SERVER, "title": "Banksman", "version": desktop.__version__},
    }


def _result(content: JsonValue | tuple[JsonValue, ...], *, failed: bool) -> JsonValue:
    parts: list[JsonValue] = []
    for part in [content] if isinstance(content, str) else content if isinstance(content, list | tuple) else []:
        if isinstance(part, str):
            parts.append({"type": "text", "text": part})
        elif isinstance(part, dict) and part.get("type") == "text":
            parts.append({"type": "text", "text": part.get("text")})
        elif isinstance(part, dict) and isinstance(source := part.get("source"), dict) and "data" in source:
            parts.append({"type": "image", "data": source["data"], "mimeType": source.get("media_type")})
    return {"content": parts, "isError": failed}


def _is_larger(value: JsonValue, most: int) -> bool:
    """Whether the texts and values in it are more than this together, without writing it out."""
    size, left = 0, [value]
    while left and size <= most:
        one = left.pop()
        size += len(one) if isinstance(one, str) else 1
        if isinstance(one, dict):
            left += [*one, *one.values()]
        elif isinstance(one, list):
            left += one
    return size > most
