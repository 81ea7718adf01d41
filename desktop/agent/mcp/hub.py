"""McpHub: which servers a chat has, how each stands, and the running ones, each for a project or for one lane."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from weakref import WeakKeyDictionary

from desktop.agent.core.session import Session
from desktop.agent.mcp.asking.folders import ServerFolders
from desktop.agent.mcp.asking.models import McpSampling
from desktop.agent.mcp.asking.people import McpAsking
from desktop.agent.mcp.book import NAMED_NONE, Booked, BookedServer, McpBook, pin_scope
from desktop.agent.mcp.live import Connect, LiveServer
from desktop.agent.mcp.reach import McpReach, SignIn
from desktop.agent.mcp.secrets import McpSecrets
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.listeners import Listeners
from desktop.domain.gate.redaction import Redactor
from desktop.domain.mcp.updates import McpFault
from desktop.domain.mcp.values import LANE_MARK, McpPin, McpServer, McpTool
from desktop.policy.mcp.pins import ToolStanding, standings
from desktop.records import dataclass
from desktop.services.mcp.config import ReadServers
from desktop.services.mcp.launching import McpLauncher, McpPlace
from desktop.services.mcp.link import McpError, McpTransport
from desktop.services.mcp.stdio import StdioTransport
from desktop.services.peers.ring import LogRing

HOMES = "homes"

_Stood = tuple[tuple[McpTool, ...], McpPin | None, frozenset[str], tuple[ToolStanding, ...]]
LiveKey = tuple[str, str, str]
"""Project, server, and the lane's folder ("": one for all chats of the project)."""


@dataclass(frozen=True)
class Seat:
    """Where a server runs: for this project, in this folder. `lane`: it is one for each lane, and this is its lane."""

    project_id: str
    folder: Path
    lane: bool

    def key(self, server: McpServer) -> LiveKey:
        """By which the running server is known."""
        return self.project_id, server.id, str(self.folder) if self.lane else ""


@dataclass(frozen=True)
class ChatServer:
    """A server as one chat has it. `tools`: how each stands now; those of a server that nobody started yet, as they
    were accepted. `asking`: what it may ask for by itself; `folder`: where it runs. `sign_in`: whether a person has to,
    or did."""

    booked: BookedServer
    live: LiveServer
    tools: tuple[ToolStanding, ...]
    asking: McpAsking
    folder: Path
    sign_in: SignIn = "none"

    @property
    def server(self) -> McpServer:
        """How it is configured."""
        return self.booked.server

    @property
    def pin(self) -> McpPin | None:
        """What a person accepted of it."""
        return self.booked.pin

    @property
    def usable(self) -> bool:
        """Whether it may be started, and a person accepted it as it is."""
        return self.pin is not None and not self.booked.problem and not self.live.is_down


@dataclass(frozen=True)
class HubParts:
    """What servers are made of. `homes`: the folder of their home folders; `taken`: names that no tool may have."""

    book: McpBook
    launcher: McpLauncher
    secrets: McpSecrets
    reach: McpReach
    homes: Path
    taken: frozenset[str]
    sampling: McpSampling


class McpHub:
    """Engine thread only; files are read on worker threads. `changed` is told when a server stands otherwise.
    `turns`: by chat the turn that it is in."""

    def __init__(self, parts: HubParts, redactor: Callable[[], Redactor]) -> None:
        self.book, self.secrets = parts.book, parts.secrets
        self._parts, self._redactor = parts, redactor
        self._live: dict[LiveKey, LiveServer] = {}
        self._of: WeakKeyDictionary[Session, tuple[tuple[BookedServer, Seat], ...]] = WeakKeyDictionary()
        self._stood: WeakKeyDictionary[LiveServer, _Stood] = WeakKeyDictionary()
        self._reading = asyncio.Lock()
        self._begun: set[asyncio.Task[None]] = set()
        self.changed = Listeners[[]]()
        self.turns: dict[str, str] = {}
        self._named: dict[str, tuple[str, ReadServers]] = {}
        self._asking: dict[LiveKey, McpAsking] = {}

    async def look(self, session: Session) -> None:
        """Find out which servers a chat has now. One whose tools nobody has seen yet is started, not waited for."""
        root = session.files.root if session.files is not None else None
        _, named = self._named.get(session.root.session_id, ("", NAMED_NONE))
        if root is None or (self.book.is_empty(root) and not named.servers):
            self._of.pop(session, None)
            return
        project_id, checkout = session.state.project_id, Path(session.state.project_path or root)
        async with self._reading:
            booked = await asyncio.to_thread(self.book.booked, project_id, root, checkout, named)
        found = tuple((one, seat_of(one.server, project_id, checkout, root)) for one in booked.servers)
        self._of[session] = found
        for one, seat in found:
            if one.pin is None and not one.problem:
                self.begin(one, seat)

    async def booked(self, project_id: str, root: Path | None) -> Booked:
        """All servers of a project, as its files and editors say now."""
        named: dict[str, McpServer] = {}
        faults: list[McpFault] = []
        for project, read in self._named.values():
            if project == project_id:
                named |= {one.id: one for one in read.servers}
                faults += read.faults
        all_named = ReadServers(tuple(named.values()), tuple(faults))
        async with self._reading:
            return await asyncio.to_thread(self.book.booked, project_id, root, None, all_named)

    def name(self, chat_id: str, project_id: str, read: ReadServers) -> None:
        """Take what an editor names for a chat, in place of what it named before; nothing of it is started."""
        self._named.pop(chat_id, None)
        if read.servers or read.faults:
            self._named[chat_id] = (project_id, read)

    def servers(self, session: Session) -> tuple[ChatServer, ...]:
        """The servers of a chat, as `look` found them. Asks nobody."""
        return tuple(self.standing(one, seat) for one, seat in self._of.get(session, ()))

    def standing(self, booked: BookedServer, seat: Seat) -> ChatServer:
        """How a server stands at its seat, by what it listed last, there or elsewhere."""
        pin = self.book.pins.get(pin_scope(booked.server, seat.project_id), booked.server.id)
        refused = self.book.refusals(booked.server, seat.project_id)
        booked = BookedServer(booked.server, booked.place, booked.basis, pin, refused)
        live = self.live(booked, seat)
        tools = self._listed(live, seat)
        if tools is None:
            tools = tuple(one.tool for one in pin.tools) if pin is not None else ()
        found = self._stand(live, tools, booked)
        sign_in = self._parts.reach.standing(booked.server)
        return ChatServer(booked, live, found, self._asking[self._key(booked, seat)], seat.folder, sign_in)

    def _stand(self, live: LiveServer, tools: tuple[McpTool, ...], booked: BookedServer) -> tuple[ToolStanding, ...]:
        """How tools stand; worked out anew when the list, or what a person said of them, is another."""
        known, pin, refused = self._stood.get(live), booked.pin, booked.refused
        if known is None or known[1] is not pin or known[2] != refused or (known[0] is not tools and known[0] != tools):
            found = tuple(standings(live.server.id, tools, pin, self._parts.taken, refused))
            known = self._stood[live] = (tools, pin, refused, found)
        return known[3]

    def with_pin(self, found: ChatServer, pin: McpPin) -> list[ToolStanding]:
        """How the tools of a server would stand with another pin."""
        listed = [one.tool for one in found.tools if one.state != "gone"]
        return standings(found.server.id, listed, pin, self._parts.taken)

    def live(self, booked: BookedServer, seat: Seat) -> LiveServer:
        """The server that runs, or would run, at this seat. One that is configured otherwise by now is ended."""
        key, server = self._key(booked, seat), booked.server
        known = self._live.get(key)
        if known is not None and known.server != server:
            self._end(known)
            known = None
        if known is None:
            log = LogRing(lambda line: self._redactor().redact(line).text)
            folders = ServerFolders(server, seat.folder)
            made = LiveServer(server, self._connecting(server, seat, folders), self._heard, log)
            self._asking[key] = McpAsking(server, folders, self._turn_of, self._parts.sampling)
            made.hearing = self._asking[key].hearing
            known = self._live[key] = made
        return known

    def _key(self, booked: BookedServer, seat: Seat) -> LiveKey:
        """By which it is known. One of a repository that nobody accepted so takes no other's place: what an agent
        writes into the file of its lane would end the server of all chats."""
        key = seat.key(booked.server)
        known = self._live.get(key)
        if booked.server.scope == "person" or not booked.problem or known is None or known.server == booked.server:
            return key
        return *key[:2], f"{key[2]}#{booked.sha256}"

    def begin(self, booked: BookedServer, seat: Seat) -> None:
        """Start a server that nobody tried yet; nobody waits for it."""
        live = self.live(booked, seat)
        if not live.tried:
            self._soon(self._begin(live), f"mcp begin {booked.server.id}")

    def lives(self, project_id: str, server_id: str) -> tuple[LiveServer, ...]:
        """All that run, or did, of one server of a project."""
        return tuple(live for key, live in self._live.items() if key[:2] == (project_id, server_id))

    async def drop(self, server_id: str) -> None:
        """End all that run of a server which is configured no more."""
        for key in [key for key in self._live if key[1] == server_id]:
            await self._live.pop(key).close()
        await self._parts.reach.forget(server_id)

    async def close(self) -> None:
        """End all servers."""
        ending = [asyncio.create_task(live.close()) for live in self._live.values()]
        if ending or self._begun:
            await asyncio.wait({*ending, *self._begun})
        self._live.clear()

    def _listed(self, live: LiveServer, seat: Seat) -> tuple[McpTool, ...] | None:
        if live.tools is not None:
            return live.tools
        others = self.lives(seat.project_id, live.server.id)
        return next((one.tools for one in others if one.tools is not None), None)

    def _turn_of(self, session_id: str) -> str:
        return self.turns.get(session_id, "")

    def _heard(self, live: LiveServer) -> None:
        self.changed()

    async def _begin(self, live: LiveServer) -> None:
        try:
            await live.link()
        except BanksmanError:
            return  # its state says why

    def _end(self, live: LiveServer) -> None:
        self._soon(live.close(), f"mcp end {live.server.id}")

    def _soon(self, work: Coroutine[None, None, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._begun.add(task)
        task.add_done_callback(self._begun.discard)

    def _connecting(self, server: McpServer, seat: Seat, folders: ServerFolders) -> Connect:
        """How a connection for this server is made: what would be started is looked at anew each time (gate-M3)."""

        async def connect(log: LogRing) -> McpTransport:
            async with self._reading:
                booked = await asyncio.to_thread(self.book.entry, server, "", seat.project_id, seat.folder)
            if booked.problem:
                raise McpError(booked.problem, "off")
            if server.url:
                return await self._parts.reach.transport(server)
            place = await self._place(server, seat)
            await asyncio.to_thread(folders.begin)
            return StdioTransport(self._parts.launcher, place, log)

        return connect

    async def _place(self, server: McpServer, seat: Seat) -> McpPlace:
        folder = seat.folder.resolve()
        words = tuple(word.replace(LANE_MARK, str(folder)) for word in server.command)
        if server.folder == "write" and not seat.lane:
            server = server.model_copy(update={"folder": "read"})
        env: Mapping[str, str] = await self.secrets.filled(server.id, server.env)
        home = self._parts.homes / (f"{seat.project_id}.{server.id}" if server.is_foreign else server.id)
        return McpPlace(server, words, folder if server.folder != "none" else None, home, env, seat.project_id)


def seat_of(server: McpServer, project_id: str, checkout: Path, lane: Path) -> Seat:
    """Where the server of a chat runs: in its lane, or in the main checkout for all chats."""
    return Seat(project_id, lane if server.per_lane else checkout, server.per_lane)
