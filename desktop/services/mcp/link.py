"""McpLink: one connection with a server: its owner task, the SDK's session in it, and calls that can be broken off.

One task enters and leaves transport and session (guests-M2): the SDK must not be closed by another. Calls come from
any task of the engine's loop; each has a time limit of its own, and a server that hangs holds up nobody else.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

import desktop
from desktop.domain.core.errors import BanksmanError
from desktop.domain.mcp.values import McpTool
from desktop.late import late
from desktop.records import dataclass
from desktop.services.mcp.answers import RESULT_DROPPED
from desktop.services.mcp.pacing import paced
from desktop.services.peers.answers import DROPPED, NEITHER, UNKNOWN

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams
    from mcp.client.session import ClientSession, ElicitationFnT, ListRootsFnT, SamplingFnT
    from mcp.types import CallToolResult, LoggingMessageNotificationParams

logger = logging.getLogger(__name__)

START_LIMIT_S = 30.0
LIST_LIMIT_S = 30.0
PING_LIMIT_S = 10.0
CANCEL_GRACE_S = 1.0
MOST_PAGES = 50
MOST_TOOLS = 1_000
_GONE = "The server is gone."

T = TypeVar("T")
Way = Literal["stdio", "streamable", "sse"]
Progress = Callable[[float, float | None, str], None]
"""Told how far a call is: done, of how much (None: nobody knows), and a line of foreign text."""


class McpError(BanksmanError):
    """A server did not do it. `kind` timeout: it took too long; gone: it ended; refused: it answered with an error;
    broken: it answered otherwise than it may; off: it was not asked. `own`: the text without the words of the server,
    "" where all are its words. `note`: what is to be known of the answer beside."""

    def __init__(self, text: str, kind: str = "refused", *, own: str = "", note: str = "") -> None:
        super().__init__(text)
        self.kind, self.note = kind, note
        self.own = own or ("" if kind == "refused" else text)


class McpTransport(Protocol):
    """One connection to a server, entered and left by one task. `gone` is set when it ended by itself; then `why` says
    why, a sentence, and `own_why` the same without words of the server. `way`: how it is spoken to, `sse` to a server
    of the older kind at an address."""

    gone: asyncio.Event

    @property
    def way(self) -> Way:
        """Known once it said hello."""

    @property
    def why(self) -> str:
        """Why it ended by itself, "" while nobody knows."""

    @property
    def own_why(self) -> str:
        """What of that nobody but Banksman wrote."""

    def __aenter__(self) -> "Awaitable[TransportStreams]":
        """Connect. Raises BanksmanError: it cannot be reached or started."""

    def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> Awaitable[None]:
        """End it, and all that it started."""


def _nothing() -> None:
    """For links whose changes nobody hears."""


def _never_held() -> float:
    """For links whose server asks nobody."""
    return 0.0


def _unchanged() -> tuple[bool, bool]:
    """For links whose folders stay as they are."""
    return False, False


def _unlogged(level: str, text: str) -> None:
    """For links whose messages nobody keeps."""


@dataclass(frozen=True)
class McpHearing:
    """Who hears what a server says or asks by itself. What is None is not offered to it. `held_s`: for how many seconds
    by now it waited for people, which count in no time limit. `folders`: whether it may know of other folders than it
    was told, which it is told now, and whether another folder stands where it runs; it blocks shortly."""

    tools_changed: Callable[[], None] = _nothing
    log: Callable[[str, str], None] = _unlogged
    roots: "ListRootsFnT | None" = None
    elicitation: "ElicitationFnT | None" = None
    sampling: "SamplingFnT | None" = None
    held_s: Callable[[], float] = _never_held
    folders: Callable[[], tuple[bool, bool]] = _unchanged
    log_level: str = "warning"


class McpLink:
    """From `open` to `close`, each awaited once. `name`, `protocol`, `instructions`: what the server says of itself;
    `tells_changes`: it says that it tells of changes of its tools."""

    def __init__(self, transport: McpTransport, hearing: McpHearing) -> None:
        self.name = self.protocol = self.instructions = ""
        self.tells_changes = False
        self._transport, self._hearing = transport, hearing
        self._abilities: frozenset[str] = frozenset()
        self._session: ClientSession | None = None
        self._owner: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()
        self._ready: asyncio.Future[None] | None = None

    @property
    def gone(self) -> asyncio.Event:
        """Set when the server ended by itself."""
        return self._transport.gone

    @property
    def why(self) -> str:
        """Why it ended by itself."""
        return self._transport.why

    @property
    def way(self) -> Way:
        """How it is spoken to."""
        return self._transport.way

    @property
    def session(self) -> "ClientSession":
        """The SDK's session, for what has no method here. Raises McpError: the server is gone."""
        if self._session is None or self.gone.is_set():
            raise self._lost()
        return self._session

    def has(self, ability: Literal["resources", "prompts", "completions"]) -> bool:
        """Whether the server said that it has these."""
        return ability in self._abilities

    async def open(self) -> None:
        """Connect and say hello.

        Raises:
            BanksmanError: it could not be started, hangs, or speaks another protocol. Nothing of it is left.
        """
        await asyncio.to_thread(late, "mcp.client.session")
        self._ready = asyncio.get_running_loop().create_future()
        self._owner = asyncio.create_task(self._own(self._ready), name="mcp server")
        try:
            await asyncio.shield(self._ready)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End the connection. Waits until nothing of the server is left."""
        self._stop.set()
        if self._ready is not None and not self._ready.done():
            self._ready.cancel()
            if self._owner is not None:
                self._owner.cancel()
        if self._owner is not None:
            await asyncio.wait({self._owner})
        self._session = None

    async def tools(self) -> tuple[McpTool, ...]:
        """All tools as the server lists them now, in its order, also those of one name. Raises McpError."""
        types, found, cursor = late("mcp.types"), list[McpTool](), None
        for _ in range(MOST_PAGES):
            params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
            page = await self.asked("listing its tools", self.session.list_tools(params=params), LIST_LIMIT_S)
            found += [_tool(one.model_dump(mode="json", by_alias=True, exclude_none=True)) for one in page.tools]
            cursor = page.next_cursor
            if len(found) > MOST_TOOLS:
                raise McpError(f"It lists more than {MOST_TOOLS:,} tools.", "broken")
            if not cursor:
                return tuple(found)
        raise McpError("Its list of tools has no end.", "broken")

    async def call(
        self, tool: str, arguments: dict[str, object], limit_s: float, told: Progress | None = None
    ) -> "CallToolResult":
        """What the tool answered, as the SDK gives it. When the waiting task is cancelled, or the time is over, the
        server is told so, waited for at most 1 s, and a late answer is dropped (guests-M19). Raises McpError."""

        async def moved(progress: float, total: float | None, message: str | None) -> None:
            if told is not None:
                told(progress, total, message or "")

        types = late("mcp.types")
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=tool, arguments=arguments))
        asked = self.session.send_request(request, types.CallToolResult, progress_callback=moved if told else None)
        return await self.asked(f"the tool {tool}", asked, limit_s)

    async def ping(self, limit_s: float = PING_LIMIT_S) -> None:
        """Raises McpError: it does not answer."""
        await self.asked("a ping", self.session.send_ping(), limit_s)

    async def tell_folders(self) -> None:
        """Announce that its folders are others than it was told (guests-M27)."""
        with contextlib.suppress(McpError):
            told = self.session.send_notification(late("mcp.types").RootsListChangedNotification())
            await self.asked("a word about its folders", told, PING_LIMIT_S)

    async def asked(self, what: str, request: Awaitable[T], limit_s: float) -> T:
        """What a request to the server gives, within its time. The request is told off in a task of its own, so that a
        server that does not read its input holds up nobody.

        Raises:
            McpError: no answer in time, an error as answer, or the server is gone.
        """
        task, held_s = asyncio.ensure_future(request), self._hearing.held_s()
        try:
            done, _ = await asyncio.wait({task}, timeout=limit_s)
            while not done and (more_s := self._hearing.held_s() - held_s) > 0:
                held_s += more_s
                done, _ = await asyncio.wait({task}, timeout=more_s)
        except asyncio.CancelledError:
            await self._drop(task)
            raise
        if not done:
            await self._drop(task)
            raise McpError(f"It did not answer {what} within {limit_s:g} seconds.", "timeout")
        try:
            return task.result()
        except Exception as error:
            raise self._problem(what, error) from error

    async def _drop(self, task: "asyncio.Future[T]") -> None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait({task}, timeout=CANCEL_GRACE_S)
        task.add_done_callback(_swallow)

    def _problem(self, what: str, error: Exception) -> McpError:
        if isinstance(error, McpError):
            return error
        if self.gone.is_set():
            return self._lost()
        if isinstance(error, (late("mcp.shared.exceptions").MCPError, RuntimeError)):
            return _said(error)
        logger.info("An MCP server answered %s badly: %s", what, type(error).__name__)
        return McpError(f"Its answer to {what} is not what the protocol says.", "broken")

    def _lost(self) -> McpError:
        return McpError(self.why or _GONE, "gone", own=self._transport.own_why or _GONE)

    async def _own(self, ready: "asyncio.Future[None]") -> None:
        """Enter, stay, leave: in this task alone."""
        try:
            async with self._transport as streams, self._made(streams) as session:
                try:
                    await self._greet(session)
                except BanksmanError as error:
                    self._failed(ready, error)
                    return
                self._session = session
                if not ready.done():
                    ready.set_result(None)
                await self._until_over()
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - one server's failure is its own (guests-M2)
            self._failed(ready, error)
        finally:
            self._session = None
            self.gone.set()

    async def _until_over(self) -> None:
        waits = [asyncio.create_task(one.wait()) for one in (self._stop, self.gone)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()

    async def _greet(self, session: "ClientSession") -> None:
        """Say hello; a server that ends meanwhile is not waited for. Raises McpError."""
        said = await self.asked("the greeting", session.initialize(), START_LIMIT_S)
        self.name = f"{said.server_info.name} {said.server_info.version}".strip()
        self.protocol, self.instructions = str(said.protocol_version), said.instructions or ""
        self._abilities = frozenset(said.capabilities.model_dump(exclude_none=True))
        self.tells_changes = said.capabilities.tools is not None and bool(said.capabilities.tools.list_changed)
        if said.capabilities.logging is not None:
            types = late("mcp.types")
            params = types.SetLevelRequestParams(level=self._hearing.log_level)
            with contextlib.suppress(McpError):
                request = session.send_request(types.SetLevelRequest(params=params), types.EmptyResult)
                await self.asked("its log level", request, PING_LIMIT_S)

    def _made(self, streams: "TransportStreams") -> "ClientSession":
        hearing = self._hearing

        async def logged(params: "LoggingMessageNotificationParams") -> None:
            text = params.data if isinstance(params.data, str) else repr(params.data)
            hearing.log(params.level, text)

        async def told(message: object) -> None:
            if isinstance(message, late("mcp.types").ToolListChangedNotification):
                hearing.tools_changed()

        made: ClientSession = late("mcp.client.session").ClientSession(
            *paced(streams),
            sampling_callback=hearing.sampling,
            elicitation_callback=hearing.elicitation,
            list_roots_callback=hearing.roots,
            logging_callback=logged,
            message_handler=told,
            client_info=late("mcp.types").Implementation(name="Banksman", version=desktop.__version__),
        )
        return made

    def _failed(self, ready: "asyncio.Future[None]", error: Exception) -> None:
        if ready.done():
            logger.info("The connection with an MCP server broke: %s", type(error).__name__)
            return
        if not isinstance(error, BanksmanError):
            error = McpError(self.why or _words(error), "gone", own=self._transport.own_why or _GONE)
        ready.set_exception(error)


def _words(error: Exception) -> str:
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return str(error).strip() or type(error).__name__


def _said(error: Exception) -> McpError:
    """The error that a server answered with."""
    text = str(error).strip() or UNKNOWN
    data = error.error.data if isinstance(error, late("mcp.shared.exceptions").MCPError) else None
    own = text if text in (UNKNOWN, NEITHER) else ""
    return McpError(text, own=own, note=DROPPED if data is RESULT_DROPPED else "")


def _swallow(task: "asyncio.Future[T]") -> None:
    if not task.cancelled():
        task.exception()


def _tool(said: dict[str, object]) -> McpTool:
    fields = {
        "name": said["name"],
        "title": said.get("title", ""),
        "description": said.get("description", ""),
        "input_schema": said.get("inputSchema", {}),
        "output_schema": said.get("outputSchema"),
        "annotations": said.get("annotations", {}),
    }
    return McpTool.model_validate(fields)
