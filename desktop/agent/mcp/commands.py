"""McpCommands: what people do with servers: configure, test, restart and accept them (guests-M11)."""

import asyncio
import getpass
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.mcp.book import pin_scope
from desktop.agent.mcp.hub import ChatServer, McpHub, seat_of
from desktop.agent.mcp.rows import row_of
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError, SettingsError
from desktop.domain.core.work import Project
from desktop.domain.mcp import commands as c
from desktop.domain.mcp.events import McpKeptOff, McpPinAccepted, McpServerChanged
from desktop.domain.mcp.updates import McpFault, McpLogLoaded, McpServersListed, McpServerTested
from desktop.domain.mcp.values import McpPin, McpPinnedTool
from desktop.policy.mcp.pins import ToolStanding
from desktop.services.mcp.config import remove_server, save_server
from desktop.services.mcp.fields import FieldFault, check
from desktop.services.mcp.named import named_servers

OTHER = "It is other than what you saw. Look at it again."
ACCEPTABLE = frozenset({"on", "new", "changed", "kept_off", "never"})


class McpCommands:
    """All on the engine thread; the file is changed by one at a time."""

    def __init__(
        self,
        hub: McpHub,
        log: ProjectLog,
        publish: Publish,
        project: Callable[[], Project | None],
        clock: Callable[[], datetime],
    ) -> None:
        self._hub, self._log, self._publish = hub, log, publish
        self._project, self._clock = project, clock
        self._one = asyncio.Lock()
        self._told: dict[tuple[str, str], McpServerChanged] = {}
        self._telling: asyncio.Task[None] | None = None
        self._closed = False
        hub.changed.add(self.tell_soon)

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about servers."""
        return {
            c.LoadMcpServers: self._load,
            c.SaveMcpServer: self.save,
            c.NameMcpServers: self._name,
            c.RemoveMcpServer: self._remove,
            c.TestMcpServer: self._test,
            c.RestartMcpServer: self._restart,
            c.SetMcpToolPolicy: self._set_policy,
            c.AcceptMcpPin: self._accept,
            c.KeepMcpOff: self._keep_off,
            c.LoadMcpLog: self._load_log,
        }

    def tell_soon(self) -> None:
        """A server stands otherwise: the windows are told how all do."""
        if not self._closed and (self._telling is None or self._telling.done()):
            self._telling = asyncio.create_task(self.tell(), name="mcp servers listed")

    async def close(self) -> None:
        """End all servers, and tell nothing any more."""
        self._closed = True
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.wait({self._telling})
        await self._hub.close()

    async def _load(self, command: c.LoadMcpServers) -> None:
        await self.tell(command.command_id)

    async def save(self, command: c.SaveMcpServer) -> None:
        """What a person saves they accept as it is; its tools stay accepted as they were."""
        server = command.server.model_copy(update={"scope": "person"})
        try:
            check(server)
            async with self._one:
                await asyncio.to_thread(save_server, self._hub.book.file, server, command.replaces)
        except (FieldFault, SettingsError) as error:
            raise CommandError("mcp", str(error)) from error
        for name, value in command.secrets:
            await self._hub.secrets.keep(server.id, name, value.get_secret_value())
        await self._moved(command.replaces, server.id)
        await self.tell(command.command_id)

    async def _name(self, command: c.NameMcpServers) -> None:
        self._hub.name(command.chat_id, command.project_id, named_servers(command.servers))
        await self.tell(command.command_id)

    async def _moved(self, old: str, new: str) -> None:
        """What was accepted of a server holds for it as a person saved it."""
        pins = self._hub.book.pins
        pin = pins.get("", old or new)
        if pin is None:
            return
        found = next((one for one in (await self._standing())[0] if one.server.id == new), None)
        if found is not None and found.server.scope == "person":
            booked = found.booked
            pins.put("", pin.model_copy(update={"server": new, "sha256": booked.sha256, "basis": booked.basis}))
        if old and old != new:
            pins.forget("", old)

    async def _remove(self, command: c.RemoveMcpServer) -> None:
        found = await self.found(command.server_id)
        if found.server.scope != "person":
            place = "a file of the repository" if found.server.scope == "repository" else "the settings of the editor"
            raise CommandError("mcp", f"This server stands in {place}: take it out there.")
        try:
            async with self._one:
                await asyncio.to_thread(remove_server, self._hub.book.file, command.server_id)
        except SettingsError as error:
            raise CommandError("mcp", str(error)) from error
        self._hub.book.pins.forget("", command.server_id)
        self._hub.book.refused.forget("", command.server_id)
        await self._hub.secrets.forget(command.server_id, (*found.server.env, *found.server.headers))
        await self._hub.drop(command.server_id)
        await self.tell(command.command_id)

    async def _test(self, command: c.TestMcpServer) -> None:
        found, began, ready_s, problem = await self.found(command.server_id), time.monotonic(), 0.0, ""
        try:
            link = await found.live.link()
            ready_s, began = time.monotonic() - began, time.monotonic()
            await link.ping()
        except BanksmanError as error:
            problem = str(error)
        tested = McpServerTested(
            server_id=command.server_id,
            ready_s=ready_s,
            ping_s=0.0 if problem else time.monotonic() - began,
            tools=len(found.live.tools or ()),
            problem=problem,
            command_id=command.command_id,
        )
        self._publish(tested)

    async def _restart(self, command: c.RestartMcpServer) -> None:
        found = await self.found(command.server_id)
        project = self._project()
        lives = self._hub.lives(project.id if project is not None else "", command.server_id)
        try:
            for live in lives or (found.live,):
                await live.restart()
        except BanksmanError as error:
            raise CommandError("mcp", f"{command.server_id} was not started: {error}") from error
        await self.tell(command.command_id)

    async def _set_policy(self, command: c.SetMcpToolPolicy) -> None:
        found = await self.found(command.server_id)
        pin = found.pin
        pinned = pin.tool(command.tool) if pin is not None else None
        if pin is None or pinned is None or pinned.sha256 != command.sha256:
            raise CommandError("mcp", OTHER)
        wanted = {"policy": command.policy, "treat_as_read": command.treat_as_read, "always": command.always}
        given = {name: value for name, value in wanted.items() if value is not None}
        changed = pinned.model_copy(update=given)
        tools = tuple(changed if one is pinned else one for one in pin.tools)
        self._keep(found, pin.model_copy(update={"tools": tools}))
        said = {command.tool: {name: value for name, value in given.items()}}
        self._log.append(McpPinAccepted(server=pin.server, sha256=pin.sha256, changed={**said}))
        await self.tell(command.command_id)

    async def _accept(self, command: c.AcceptMcpPin) -> None:
        """Bind a person's yes to exactly what they were shown: the server by its digest, each tool by its own.
        Tools that they saw to be gone are forgotten."""
        found, standing = await self._as_shown(command)
        names = dict(command.names)
        accepted = {name: _pinned(standing[name, sha256], names.get(sha256, "")) for name, sha256 in command.tools}
        gone = {one.tool.name for one in found.tools if one.state == "gone"}
        before = found.pin.tools if found.pin is not None else ()
        if found.pin is not None and found.pin.sha256 != command.sha256:  # what was said of it was said of another
            accepted = {name: _asked_again(one) for name, one in accepted.items()}
            before = tuple(map(_asked_again, before))
        kept = {one.tool.name: one for one in before if one.tool.name not in gone}
        pin = McpPin(
            server=command.server_id,
            sha256=command.sha256,
            basis=found.booked.basis,
            tools=tuple({**kept, **accepted}.values()),
            person=getpass.getuser(),
            day=self._clock().date().isoformat(),
        )
        self._check_names(found, pin, names)
        self._keep(found, pin)
        self._refuse(found, found.booked.refused - {command.sha256, *dict(command.tools).values()})
        self._log.append(McpPinAccepted(server=pin.server, sha256=pin.sha256, tools=dict(command.tools)))
        await self.tell(command.command_id)

    async def _keep_off(self, command: c.KeepMcpOff) -> None:
        """Bind a person's no to exactly what they were shown."""
        found, _ = await self._as_shown(command)
        itself = {command.sha256} if found.booked.problem else set()
        self._refuse(found, found.booked.refused | itself | set(dict(command.tools).values()))
        self._log.append(McpKeptOff(server=command.server_id, sha256=command.sha256, tools=dict(command.tools)))
        await self.tell(command.command_id)

    async def _as_shown(
        self, command: c.AcceptMcpPin | c.KeepMcpOff
    ) -> tuple[ChatServer, dict[tuple[str, str], ToolStanding]]:
        """The server with the tools that can be decided, by name and digest. Raises CommandError: what was shown is
        not what there is."""
        found = await self.found(command.server_id)
        named = isinstance(command, c.AcceptMcpPin) and bool(command.names)
        able = [one for one in found.tools if one.state in ACCEPTABLE or (named and one.is_nameless)]
        standing = {(one.tool.name, one.sha256): one for one in able}
        if found.booked.sha256 != command.sha256 or any(one not in standing for one in command.tools):
            raise CommandError("mcp", OTHER)
        return found, standing

    def _check_names(self, found: ChatServer, pin: McpPin, names: dict[str, str]) -> None:
        """Raises CommandError: a tool cannot be called as the person wants, or one has no name still."""
        accepted = {one.sha256 for one in pin.tools}
        for one in self._hub.with_pin(found, pin):
            if one.sha256 in accepted and one.state in ("invalid", "clash"):
                raise CommandError("mcp", f"It cannot be called {names.get(one.sha256, one.name)!r}: {one.why}")

    def _refuse(self, found: ChatServer, digests: frozenset[str]) -> None:
        """Keep what of a server a person said no to."""
        if digests != found.booked.refused:
            self._hub.book.refused.put(self._scope(found), found.server.id, digests)

    def _scope(self, found: ChatServer) -> str:
        project = self._project()
        return pin_scope(found.server, project.id if project is not None else "")

    def _keep(self, found: ChatServer, pin: McpPin) -> None:
        self._hub.book.pins.put(self._scope(found), pin)

    async def _load_log(self, command: c.LoadMcpLog) -> None:
        found = await self.found(command.server_id)
        lines = found.live.log.lines()
        self._publish(McpLogLoaded(server_id=command.server_id, lines=lines, command_id=command.command_id))

    async def ids(self) -> set[str]:
        """The ids of all servers of the open project."""
        return {one.server.id for one in (await self._standing())[0]}

    async def found(self, server_id: str) -> ChatServer:
        """The server of this id as it stands in the open project. Raises CommandError: there is none."""
        found = next((one for one in (await self._standing())[0] if one.server.id == server_id), None)
        if found is None:
            raise CommandError("mcp", f"There is no server {server_id!r} any more. Look at the list again.")
        return found

    async def _standing(self) -> tuple[tuple[ChatServer, ...], tuple[McpFault, ...]]:
        """All servers of the open project, as they stand in its main checkout."""
        project = self._project()
        if project is None:
            return (), ()
        root = Path(project.path)
        booked = await self._hub.booked(project.id, root)
        seats = ((one, seat_of(one.server, project.id, root, root)) for one in booked.servers)
        return tuple(self._hub.standing(one, seat) for one, seat in seats), booked.faults

    async def tell(self, command_id: str = "") -> None:
        """Tell the windows how all stand, and put on record what is new."""
        found, faults = await self._standing()
        rows = tuple(map(row_of, found))
        project = self._project()
        for row, one in zip(rows, found, strict=True):
            changed = McpServerChanged(
                server=row.id,
                state=row.state,
                pin=one.pin.sha256 if one.pin is not None else "",
                version=row.version,
                protocol=row.protocol,
                tools=tuple(tool.tool.name for tool in row.tools if tool.state == "on"),
                why=row.why,
            )
            key = (project.id if project is not None else "", row.id)
            if row.state != "starting" and self._told.get(key) != changed:
                self._told[key] = changed
                self._log.append(changed)
        file = str(self._hub.book.file)
        self._publish(McpServersListed(servers=rows, faults=faults, file=file, command_id=command_id))


def _pinned(standing: ToolStanding, called: str) -> McpPinnedTool:
    """The tool as it stands now, with what a person said of it before; as a read only while it is the same."""
    before = standing.pinned
    if before is None:
        return McpPinnedTool(tool=standing.tool, sha256=standing.sha256, called=called)
    same = before.sha256 == standing.sha256
    return McpPinnedTool(
        tool=standing.tool,
        sha256=standing.sha256,
        called=called or before.called,
        policy=before.policy if same or before.policy == "never" else "ask",
        treat_as_read=same and before.treat_as_read,
        always=before.always,
    )


def _asked_again(tool: McpPinnedTool) -> McpPinnedTool:
    """The tool without what let it run unasked."""
    policy = tool.policy if tool.policy == "never" else "ask"
    return tool.model_copy(update={"policy": policy, "treat_as_read": False})
