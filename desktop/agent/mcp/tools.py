"""The accepted tools of a chat's servers as tools of the chat: judged, asked about and recorded like all others."""

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from weakref import WeakKeyDictionary, WeakValueDictionary

from pydantic import ConfigDict, JsonValue

from desktop.agent.mcp.card import LAST_CALLS, Known, call_card, last_call
from desktop.agent.mcp.hub import ChatServer
from desktop.agent.mcp.live import LiveServer
from desktop.agent.mcp.results import call_result, failure
from desktop.domain.core.content import Card
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Assessment, Category
from desktop.domain.gate.redaction import Redactor
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.mcp.values import McpServer, McpTool
from desktop.policy.call_facts import SqlFacts
from desktop.policy.mcp.arguments import arguments_problem, sql_arguments
from desktop.policy.mcp.facts import McpFacts, may_grant, session_key
from desktop.policy.mcp.names import model_name, shown_name
from desktop.policy.mcp.pins import ToolStanding
from desktop.policy.mcp.schemas import told
from desktop.policy.sql.lazy import assess_sql
from desktop.records import dataclass
from desktop.services.mcp.checking import Checker
from desktop.services.mcp.results import MAX_TEXT_BYTES, read_answer
from desktop.tools.arguments import ArgumentsError
from desktop.tools.text import duration_words, one_line
from desktop.tools.tool import Evidence, Tool, ToolArgs, ToolContext, ToolResult

MOST_TOGETHER = 4
"""Calls of one chat (guests-M22)."""


class McpArguments(ToolArgs):
    """What a model gives a tool of a server: any object; what is in it stands in the schema of the tool."""

    model_config = ConfigDict(extra="allow")

    @property
    def given(self) -> dict[str, JsonValue]:
        """All of it, in its order."""
        return dict(self.__pydantic_extra__ or {})


ServerTool = Tool[McpArguments]
_Listed = tuple[tuple[ToolStanding, ...], tuple[bool, bool], tuple[ServerTool, ...]]


class ServerTools:
    """The tools of servers. One is made once and is the same value then, as the judge compares them. `redactor` gives
    what takes known secrets out of what is shown."""

    def __init__(self, redactor: Callable[[], Redactor], sandbox: Callable[[], SandboxReport | None]) -> None:
        """`sandbox`: what holds servers of this computer, as it was last tried."""
        self._redactor, self._sandbox = redactor, sandbox
        self._made: WeakKeyDictionary[LiveServer, dict[str, ServerTool]] = WeakKeyDictionary()
        self._listed: WeakKeyDictionary[LiveServer, _Listed] = WeakKeyDictionary()
        self._last: WeakKeyDictionary[LiveServer, deque[str]] = WeakKeyDictionary()
        self._rooms: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    def of(self, server: ChatServer) -> tuple[ServerTool, ...]:
        """The tools of a server that a person accepted; the same value as before while nothing is otherwise with it.
        Those that are other by now are withdrawn: no model is told of them, and the gate says why to one that calls
        them still."""
        if not server.server.enabled or server.live.is_down:
            return ()
        known, stands = self._listed.get(server.live), (server.usable, server.server.guests)
        if known is None or known[0] is not server.tools or known[1] != stands:
            made = tuple(self._tool(server, one) for one in server.tools if one.pinned is not None)
            known = self._listed[server.live] = (server.tools, stands, made)
        return known[2]

    def _room(self, session_id: str) -> asyncio.Semaphore:
        """Which lets as many calls of a chat through together as may be."""
        return self._rooms.setdefault(session_id, asyncio.Semaphore(MOST_TOGETHER))

    def _tool(self, server: ChatServer, standing: ToolStanding) -> ServerTool:
        made = self._made.setdefault(server.live, {})
        pinned, on = standing.pinned, server.usable and standing.state == "on"
        said = (pinned.sha256, pinned.called, pinned.policy, pinned.treat_as_read) if pinned is not None else ()
        key = f"{standing.tool.name} {said} {_accepted(server)} {on} {standing.state} {server.server.guests}"
        if key not in made:
            last = self._last.setdefault(server.live, deque(maxlen=LAST_CALLS))
            made[key] = _Calls(server, standing, on, self._redactor, last, self._room, self._sandbox).tool()
        return made[key]


@dataclass(frozen=True)
class _Calls:
    """The calls of one accepted tool. `chat`: its server, as a chat has it. `on`: it is as it was
    accepted and may be called. `last`: what became of the last calls of its server; `room`: by chat, what lets a few of
    its calls through together."""

    chat: ChatServer
    standing: ToolStanding
    on: bool
    redactor: Callable[[], Redactor]
    last: deque[str]
    room: Callable[[str], asyncio.Semaphore]
    sandbox: Callable[[], SandboxReport | None]

    @property
    def server(self) -> McpServer:
        """The server as it is configured."""
        return self.chat.server

    def tool(self) -> ServerTool:
        """As a tool of chats."""
        definition, facts = self.definition, self.facts
        shown = told(definition.description, definition.input_schema)
        category = Category.READ if facts.read else Category.BASH
        return Tool(
            name=model_name(self.server.id, self.standing.name),
            description=shown.description or shown_name(self.server.id, self.standing.name),
            args=McpArguments,
            told_schema=shown.schema_,
            category=category,
            parallel=facts.read,
            grants=frozenset({"once", "session", "project"}),
            withdrawn=not self.on or facts.policy == "never",
            touches_lane=facts.writes_lane,
            for_guests=self.server.guests,
            card=self.card,
            assess=partial(self.assess, checker=Checker(definition.input_schema), facts=facts),
            run=self.run,
        )

    @property
    def definition(self) -> McpTool:
        """The tool as a person accepted it."""
        pinned = self.standing.pinned
        return pinned.tool if pinned is not None else self.standing.tool

    @property
    def facts(self) -> McpFacts:
        """What the gate knows of each call."""
        pinned, claims = self.standing.pinned, self.definition.annotations
        policy = pinned.policy if pinned is not None else "ask"
        if policy == "ask":
            policy = dict(self.server.tools).get(self.definition.name, "ask")
        never = policy == "never" and self.standing.state in ("on", "never")
        return McpFacts(
            server=self.server.id,
            tool=self.standing.name,
            pin_sha256=pinned.sha256 if pinned is not None else "",
            pin="accepted" if self.on or never else "changed",
            destructive=claims.get("destructiveHint") is True,
            open_world=claims.get("openWorldHint") is True,
            read=pinned is not None and pinned.treat_as_read,
            policy=policy,
            writes_lane=self.server.folder == "write",
            server_sha256=_accepted(self.chat),
        )

    def card(self, args: McpArguments) -> Card:
        """What people see of a call."""
        redactor, last = self.redactor(), tuple(self.last)
        known = Known(self.server, self.standing.name, self.chat.folder, last, self.sandbox())
        return call_card(known, self.definition, args.given, lambda text: redactor.redact(text).text)

    def assess(self, args: McpArguments, ctx: ToolContext, *, checker: Checker, facts: McpFacts) -> Evidence:
        """What the gate needs to know of one call. Raises ArgumentsError: the server's own schema refuses it."""
        given = args.given
        if self.on:
            self._check(given, checker)
        sql = self._sql(given)
        free = may_grant(facts, sql=sql is not None)
        category = Category.READ if facts.read else Category.BASH
        return Evidence(
            assessment=Assessment(category=category, remember_key=session_key(facts) if free else None),
            sql=sql,
            network=facts.open_world or bool(self.server.url) or self.server.network != "off",
            mcp=facts,
        )

    async def run(self, args: McpArguments, ctx: ToolContext) -> ToolResult:
        """Call the server. Raises ToolError: it did not do it."""
        name, began = self.definition.name, time.monotonic()
        try:
            told, during = partial(_moved, ctx), self.chat.asking.during(ctx)
            async with self.room(ctx.session_id):
                answer = await self.chat.live.call(name, self.facts.pin_sha256, dict(args.given), told, during)
        except BanksmanError as error:
            self._remember("failed", began, str(error))
            raise failure(self.server.id, error) from error
        raw = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
        schema = self.definition.output_schema
        fits = Checker(schema).problems if schema else None
        read = read_answer(raw)
        result = call_result(self.server.id, read, fits, ctx.blobs)
        structured = json.dumps(read.structured, ensure_ascii=False)[:MAX_TEXT_BYTES] if read.structured else ""
        said = read.text or structured or "\n".join(read.notes)
        self._remember("error" if result.is_error else result.summary, began, said)
        return result

    def _check(self, given: dict[str, JsonValue], checker: Checker) -> None:
        large = arguments_problem(given)
        problems = (large,) if large else (*checker.problems(given), *checker.unknown_fields(given))
        if problems:
            fields = ", ".join(_fields(self.definition.input_schema)) or "none"
            name = model_name(self.server.id, self.standing.name)
            raise ArgumentsError(f"Invalid arguments for {name}: {'; '.join(problems)}. Fields: {fields}.")

    def _sql(self, given: dict[str, JsonValue]) -> SqlFacts | None:
        """The SQL of a call in the dialect that a person named for the server; of several texts the one that asks."""
        verdicts = [assess_sql(one.text, self.server.dialect) for one in sql_arguments(given, self.server.sql)]
        if not verdicts:
            return None
        target = shown_name(self.server.id, self.standing.name)
        return SqlFacts(
            connection=self.server.id, verdict=min(verdicts, key=lambda one: one.proven_read), target=target
        )

    def _remember(self, end: str, began: float, said: str) -> None:
        """For the cards of the next calls. Secrets are taken out before anything is cut."""
        line = f"{self.standing.name} · {end} · {duration_words(time.monotonic() - began)}"
        self.last.append(last_call(line, self.redactor().redact(said).text))


def is_always(servers: tuple[ChatServer, ...]) -> frozenset[str]:
    """The names of those that a person wants offered at all times."""
    found = ((server.server.id, one) for server in servers for one in server.tools)
    return frozenset(model_name(sid, one.name) for sid, one in found if one.pinned and one.pinned.always)


def _accepted(server: ChatServer) -> str:
    return server.pin.sha256 if server.pin is not None else ""


def _moved(ctx: ToolContext, done: float, total: float | None, text: str) -> None:
    """The bar of the row, and one line of the server's own words."""
    ctx.progress(one_line(f"{done:g}{f' of {total:g}' if total else ''} {text}".strip()), 0)


def _fields(schema: dict[str, JsonValue]) -> list[str]:
    fields, needed = schema.get("properties"), schema.get("required")
    names = list(fields) if isinstance(fields, dict) else []
    return [name if isinstance(needed, list) and name in needed else f"{name} (optional)" for name in names[:50]]
