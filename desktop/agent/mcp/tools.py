"""The accepted tools of a chat's servers as tools of the chat: judged, asked about and recorded like all others."""

import json
from functools import cache
from weakref import WeakKeyDictionary

from pydantic import ConfigDict, JsonValue

from desktop.agent.mcp.hub import ChatServer
from desktop.agent.mcp.live import LiveServer
from desktop.domain.core.content import Card, CodeBlock
from desktop.domain.core.permissions import Assessment, Category
from desktop.domain.mcp.values import McpTool
from desktop.policy.mcp.names import model_name, shown_name
from desktop.policy.mcp.pins import ToolStanding
from desktop.policy.mcp.schemas import told
from desktop.services.mcp.link import McpError
from desktop.tools.text import clip
from desktop.tools.tool import Evidence, Tool, ToolArgs, ToolContext, ToolError, ToolResult
from desktop.tools.untrusted import untrusted


class McpArguments(ToolArgs):
    """What a model gives a tool of a server: any object; what is in it stands in the schema of the tool."""

    model_config = ConfigDict(extra="allow")

    @property
    def given(self) -> dict[str, JsonValue]:
        """All of it."""
        return dict(self.model_extra or {})


class ServerTools:
    """The accepted tools of chats. One is made once and is the same value then, as the judge compares them."""

    def __init__(self) -> None:
        self._made: WeakKeyDictionary[LiveServer, dict[str, Tool[McpArguments]]] = WeakKeyDictionary()

    def of(self, servers: tuple[ChatServer, ...]) -> tuple[Tool[McpArguments], ...]:
        """The tools that a person accepted, of the servers that may be used."""
        return tuple(
            self._tool(server, standing)
            for server in servers
            if server.usable
            for standing in server.tools
            if standing.state == "on"
        )

    def _tool(self, server: ChatServer, standing: ToolStanding) -> Tool[McpArguments]:
        made = self._made.setdefault(server.live, {})
        reads = standing.pinned is not None and standing.pinned.treat_as_read
        key = f"{standing.sha256} {reads}"
        if key not in made:
            made[key] = _tool(server, standing)
        return made[key]


def _tool(server: ChatServer, standing: ToolStanding) -> Tool[McpArguments]:
    tool, pinned = standing.tool, standing.pinned
    title = shown_name(server.server.id, tool.name)
    reads = pinned is not None and pinned.treat_as_read

    def card(args: McpArguments) -> Card:
        text = json.dumps(args.given, indent=2, ensure_ascii=False)
        return Card(title=title, blocks=(CodeBlock(language="json", text=text),))

    def assess(args: McpArguments, ctx: ToolContext) -> Evidence:
        category = Category.READ if reads else Category.BASH
        return Evidence(assessment=Assessment(category=category, proven_read=reads))

    async def run(args: McpArguments, ctx: ToolContext) -> ToolResult:
        return await _called(server, standing, args, ctx)

    return Tool(
        name=model_name(server.server.id, tool.name),
        description=told(tool.description, tool.input_schema).description,
        args=_arguments(tool.sha256, _Held(tool)),
        category=Category.READ if reads else Category.BASH,
        parallel=False,
        card=card,
        assess=assess,
        run=run,
    )


async def _called(server: ChatServer, standing: ToolStanding, args: McpArguments, ctx: ToolContext) -> ToolResult:
    def moved(done: float, total: float | None, text: str) -> None:
        ctx.progress(f"{done:g}{f' of {total:g}' if total else ''} {text}".strip(), 0)

    name = standing.tool.name
    try:
        during = server.asking.during(ctx)
        answer = await server.live.call(name, standing.sha256, dict(args.given), moved, during)
    except McpError as error:
        raise ToolError(str(error), summary=error.kind) from error
    texts = [part.text for part in answer.content if part.type == "text"]
    text = clip("\n".join(texts) or "(no result)")
    source = f"mcp:{server.server.id}"
    return ToolResult(text=untrusted(source, text), is_error=bool(answer.is_error), untrusted=(source,))


class _Held:
    """A tool as an argument of a cached function, which the digest beside it names."""

    def __init__(self, tool: McpTool) -> None:
        self.tool = tool

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held)

    def __hash__(self) -> int:
        return 0


@cache
def _arguments(sha256: str, held: _Held) -> type[McpArguments]:
    """The arguments of a tool of this digest, with the schema that its server gave."""
    schema = told("", held.tool.input_schema).schema_

    class Arguments(McpArguments):
        @classmethod
        def model_json_schema(cls, *args: object, **more: object) -> dict[str, JsonValue]:
            """The schema of the server, as a model is told it."""
            return dict(schema)

    return Arguments
