"""LiveServer: one server while chats use it: started at its first use, looked after, ended when nobody needs it."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from desktop.domain.core.errors import BanksmanError
from desktop.domain.mcp.updates import McpPromptRow
from desktop.domain.mcp.values import McpServer, McpServerState, McpTool
from desktop.records import dataclass
from desktop.services.mcp.link import McpError, McpHearing, McpLink, McpTransport, Progress, Way
from desktop.services.mcp.prompts import listed_prompts
from desktop.services.peers.ring import LogRing

if TYPE_CHECKING:
    from mcp.types import CallToolResult

MISSED = 2
PROGRESS_EVERY_S = 0.25
CHANGED = "This MCP tool changed and waits for review."
NO_ANSWER = "It did not answer two pings."

Connect = Callable[[LogRing], Awaitable[McpTransport]]
"""A connection for a server, not yet entered. Raises BanksmanError: it may not be started, or cannot be."""


@dataclass(frozen=True)
class Pace:
    """How long a server waits for what, in seconds. `idle`: unused until it is ended; `pauses`: before it is started
    again after each crash; `gather`: for more changes of its list, before that is read."""

    idle: float = 15 * 60.0
    ping_every: float = 60.0
    ping_limit: float = 10.0
    pauses: tuple[float, ...] = (1.0, 5.0, 25.0)
    gather: float = 2.0


USUAL = Pace()


class ToolChanged(McpError):
    """The tool is not what a person accepted; nothing was sent to the server."""


class LiveServer:
    """Engine thread only. `state`: off while it rests. `tools`: as it listed them last, None while nobody asked it.

    `changed` is told whenever one of these is another than before. After the last of its pauses it stays down until a
    person starts it.
    """

    def __init__(
        self,
        server: McpServer,
        connect: Connect,
        changed: Callable[["LiveServer"], None],
        log: LogRing,
        pace: Pace = USUAL,
    ) -> None:
        self.server, self.log = server, log
        self.hearing = McpHearing()
        self.state: McpServerState = "off"
        self.why = self.name = self.protocol = self.instructions = ""
        self.ready_ms = 0
        self.way: Way = "stdio"
        self.tools: tuple[McpTool, ...] | None = None
        self.prompts: tuple[McpPromptRow, ...] = ()
        self.no_resources = False
        self._connect, self._changed, self._pace = connect, changed, pace
        self._link: McpLink | None = None
        self._starting: asyncio.Task[McpLink] | None = None
        self._care: asyncio.Task[None] | None = None
        self._listing: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._one, self._renewing = asyncio.Lock(), asyncio.Lock()
        self._tries = self._busy = 0
        self._used = time.monotonic()
        self._closed = False
        self._doubt = asyncio.Event()

    @property
    def is_down(self) -> bool:
        """Whether it crashed too often, so that a person has to start it."""
        return self.state == "failed" and self._tries > len(self._pace.pauses)

    @property
    def tried(self) -> bool:
        """Whether somebody started it already."""
        return self.state != "off" or self.tools is not None

    async def link(self) -> McpLink:
        """The connection, made now if there is none.

        Raises:
            BanksmanError: it may not be started, cannot be, or is down.
        """
        self._used = time.monotonic()
        if self._link is not None and not self._link.gone.is_set():
            return self._link
        if self.is_down or self._closed:
            text = f"The server is down: {self.why} It can be started in Settings, MCP."
            raise McpError(text, "gone", own="The server is down. It can be started in Settings, MCP.")
        if self._starting is None:
            self._starting = asyncio.create_task(self._start(), name=f"mcp start {self.server.id}")
            self._starting.add_done_callback(_heard_of)
        return await asyncio.shield(self._starting)

    async def call(
        self,
        tool: str,
        sha256: str,
        arguments: dict[str, object],
        told: Progress | None = None,
        during: AbstractContextManager[None] | None = None,
    ) -> "CallToolResult":
        """What the tool answered. Calls of one server follow one another unless it takes several (guests-M22).
        `during` is entered while the server has this one.

        Raises:
            ToolChanged: the tool is none of this digest any more; nothing was sent.
            BanksmanError: the server cannot be started, hangs, or answered with an error.
        """
        async with nullcontext() if self.server.parallel else self._one:
            link = await self._fresh()
            named = [one for one in self.tools or () if one.name == tool]
            if len(named) != 1 or named[0].sha256 != sha256:
                raise ToolChanged(CHANGED)
            self._busy += 1
            try:
                with during or nullcontext():
                    answer = await link.call(tool, arguments, self.server.time_limit_s, _seldom(told))
                self._tries = 0
                return answer
            except McpError as error:
                if error.kind == "timeout":
                    self._doubt.set()
                raise
            finally:
                self._busy -= 1
                self._used = time.monotonic()

    async def _fresh(self) -> McpLink:
        """The connection for a call: to one that runs in the folder that stands there now, and knows of its folders."""
        if self.hearing.roots is None:
            return await self.link()
        async with self._renewing:
            news, replaced = await asyncio.to_thread(self.hearing.folders)
            if replaced and self._link is not None and not self._busy:
                await self._rest()
        link = await self.link()
        if news:
            await link.tell_folders()
        return link

    async def restart(self) -> None:
        """End it if it runs, and start it. Raises BanksmanError: it could not be started."""
        await self._rest()
        self._tries = 0
        await self.link()

    async def rest(self) -> None:
        """End it until its next use."""
        self._tries = 0
        await self._rest()

    async def close(self) -> None:
        """End it for good."""
        self._closed = True
        await self._rest()

    async def _rest(self) -> None:
        """End it with all that looks after it. What looks after it may begin a start, and a start what looks after it,
        so each is asked for in its turn."""
        await _ended(self._care)
        await _ended(self._starting)
        await _ended(self._care)
        await _ended(self._listing)
        self._starting = self._care = self._listing = None
        await self._let_go()
        self._set("off")

    async def _let_go(self) -> None:
        """End the connection; one that somebody else began to end is waited for."""
        link, self._link = self._link, None
        if link is not None:
            self._ending = asyncio.create_task(link.close(), name=f"mcp end {self.server.id}")
        if self._ending is not None:
            await asyncio.shield(self._ending)

    async def _start(self) -> McpLink:
        began = time.monotonic()
        self._set("starting")
        try:
            link = McpLink(await self._connect(self.log), self._heard())
            await link.open()
            try:
                self.tools = await link.tools()
                self.prompts = await listed_prompts(link)
            except BaseException:
                await link.close()
                raise
        except BanksmanError as error:
            self._set("failed", str(error))
            raise
        finally:
            self._starting = None
        self._link = link
        self.ready_ms = round((time.monotonic() - began) * 1000)
        self.name, self.protocol, self.instructions = link.name, link.protocol, link.instructions
        self.way, self.no_resources = link.way, not link.has("resources")
        self._care = asyncio.create_task(self._look_after(link), name=f"mcp care {self.server.id}")
        self._set("ready")
        return link

    def _heard(self) -> McpHearing:
        given = self.hearing

        def logged(level: str, text: str) -> None:
            self.log.add(f"[{level}] {text}")
            given.log(level, text)

        return McpHearing(
            tools_changed=self._list_soon,
            log=logged,
            roots=given.roots,
            elicitation=given.elicitation,
            sampling=given.sampling,
            held_s=given.held_s,
            folders=given.folders,
            log_level=self.server.log_level,
        )

    def _list_soon(self) -> None:
        """Servers tell of changes in bursts: two seconds later the list is read once (guests-M11)."""
        if self._listing is None or self._listing.done():
            self._listing = asyncio.create_task(self._list_again(), name=f"mcp list {self.server.id}")

    async def _list_again(self) -> None:
        await asyncio.sleep(self._pace.gather)
        link = self._link
        if link is None:
            return
        try:
            tools = await link.tools()
        except McpError as error:
            self.log.add(f"[banksman] {error}")
            return
        if link.tells_changes or tools != self.tools:
            self.tools = tools
            self._changed(self)

    async def _look_after(self, link: McpLink) -> None:
        """Ping it if it was used since the last look, end it when it rests long enough, start it again when it crashed.
        One that tells of no changes is asked for its list then, and each is told of changes of its folders."""
        missed, looked = 0, time.monotonic()
        while missed < MISSED and not link.gone.is_set():
            doubted = await self._until_look(link)
            now, before = time.monotonic(), looked
            looked, idle = now, now - self._used
            if link.gone.is_set():
                break
            if not self._busy and idle >= self._pace.idle:
                await self._rest()
                return
            if self.hearing.roots is not None and (await asyncio.to_thread(self.hearing.folders))[0]:
                await link.tell_folders()
            if doubted or self._busy or self._used >= before:
                missed = 0 if await self._answers(link) else missed + 1
                if missed:
                    self._doubt.set()
                elif not link.tells_changes:
                    self._list_soon()
        await self._revive(link.why if link.gone.is_set() else NO_ANSWER)

    async def _until_look(self, link: McpLink) -> bool:
        """Wait until it is to be looked at: it is gone, it is time, or (true) a call took too long."""
        waits = [asyncio.create_task(one.wait()) for one in (link.gone, self._doubt)]
        try:
            await asyncio.wait(waits, timeout=self._pace.ping_every, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()
        doubted = self._doubt.is_set()
        self._doubt.clear()
        return doubted

    async def _answers(self, link: McpLink) -> bool:
        try:
            await link.ping(self._pace.ping_limit)
        except McpError:
            return False
        return True

    async def _revive(self, why: str) -> None:
        await self._let_go()
        while self._tries < len(self._pace.pauses):
            self._set("failed", why)
            pause, self._tries = self._pace.pauses[self._tries], self._tries + 1
            self._starting = asyncio.create_task(self._start_after(pause), name=f"mcp start {self.server.id}")
            try:
                await asyncio.shield(self._starting)
            except BanksmanError as error:
                why = str(error)
                continue
            return
        self._tries += 1
        self._set("failed", why)

    async def _start_after(self, pause_s: float) -> McpLink:
        await asyncio.sleep(pause_s)
        return await self._start()

    def _set(self, state: McpServerState, why: str = "") -> None:
        if (state, why) != (self.state, self.why):
            self.state, self.why = state, why
            self._changed(self)


def _heard_of(start: "asyncio.Task[McpLink]") -> None:
    """A start that nobody waits for any more may fail: the state says so."""
    if not start.cancelled():
        start.exception()


async def _ended(task: "asyncio.Task[McpLink] | asyncio.Task[None] | None") -> None:
    """Broken off, unless it is the one that asks."""
    if task is not None and task is not asyncio.current_task():
        task.cancel()
        await asyncio.wait({task})


def _seldom(told: Progress | None) -> Progress | None:
    """The same, at most four times a second; the end is always told."""
    if told is None:
        return None
    last = 0.0

    def tell(done: float, total: float | None, text: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= PROGRESS_EVERY_S or (total is not None and done >= total):
            last = now
            told(done, total, text)

    return tell
