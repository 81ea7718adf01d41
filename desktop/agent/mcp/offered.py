"""Which of the tools of its servers a chat's model is told of: all, or those it searched for and used (M23)."""

import json
import operator
from collections.abc import Callable
from functools import partial
from weakref import WeakKeyDictionary

from desktop.agent.core.session import Session
from desktop.agent.mcp.hub import ChatServer
from desktop.agent.mcp.tools import ServerTool, ServerTools, is_always
from desktop.domain.guests.values import guest_of
from desktop.policy.mcp.names import PREFIX, model_name, shown_name
from desktop.policy.mcp.search import Searched, ToolIndex
from desktop.records import dataclass
from desktop.tools.calls.mcp import FoundServerTool, ServerToolSearch

MOST_TOOLS = 40
MOST_CHARS = 12_000
ServersOf = Callable[[Session], tuple[ChatServer, ...]]


@dataclass(frozen=True)
class _Known:
    """The tools of a chat as they were looked at last, `parts` by server. `index` None: they are few enough to be told
    all. `always`: the names of those that a person wants told at all times."""

    parts: tuple[tuple[ServerTool, ...], ...]
    tools: tuple[ServerTool, ...]
    shown: dict[str, str]
    index: ToolIndex | None
    always: frozenset[str]


_Told = tuple[_Known, tuple[str, ...], tuple[ServerTool, ...]]


class OfferedTools:
    """`servers` gives those of a chat. Engine thread."""

    def __init__(self, servers: ServersOf, made: ServerTools) -> None:
        self._servers, self._made = servers, made
        self._known: WeakKeyDictionary[Session, _Known] = WeakKeyDictionary()
        self._told: WeakKeyDictionary[Session, _Told] = WeakKeyDictionary()

    def of(self, session: Session) -> tuple[ServerTool, ...]:
        """The tools that a chat has now. Asked several times for each call, so that nothing is done for every tool
        while they are the same."""
        servers = self._servers(session)
        if not servers:
            return ()
        known = self._look(session, servers)
        if known.index is None or guest_of(session.state.endpoint_id):  # a guest searches in its own way
            return known.tools
        told, used = self._told.get(session), session.state.mcp_tools
        if told is None or told[0] is not known or told[1] != used:
            wanted = known.always | set(used)
            told = self._told[session] = (known, used, tuple(tool for tool in known.tools if tool.name in wanted))
        return told[2]

    def search(self, session: Session) -> ServerToolSearch | None:
        """The search of a chat, None where it is told of all its tools."""
        servers = self._servers(session)
        if not servers or self._look(session, servers).index is None:
            return None
        return partial(self._find, session)

    def _find(self, session: Session, query: str, server: str) -> tuple[FoundServerTool, ...]:
        known = self._look(session, self._servers(session))
        if known.index is None:
            return ()
        begins = f"{PREFIX}{server}__" if server else ""
        places = known.index.find(query, len(known.tools) if begins else 8)
        tools = [known.tools[place] for place in places if known.tools[place].name.startswith(begins)][:8]
        return tuple(FoundServerTool(tool.name, known.shown[tool.name], tool.description) for tool in tools)

    def _look(self, session: Session, servers: tuple[ChatServer, ...]) -> _Known:
        parts, known = tuple(map(self._made.of, servers)), self._known.get(session)
        if known is None or len(known.parts) != len(parts) or any(map(operator.is_not, known.parts, parts)):
            tools = tuple(tool for part in parts for tool in part)
            offered = tuple(tool for tool in tools if not tool.withdrawn)
            ids = ((server.server.id, one.name) for server in servers for one in server.tools)
            shown = {model_name(*pair): shown_name(*pair) for pair in ids}
            index = _index(tools) if _are_many(offered) else None
            known = self._known[session] = _Known(parts, tools, shown, index, is_always(servers))
        return known


def _are_many(tools: tuple[ServerTool, ...]) -> bool:
    if len(tools) > MOST_TOOLS:
        return True
    return sum(len(json.dumps(tool.schema, ensure_ascii=False)) for tool in tools) > MOST_CHARS


def _index(tools: tuple[ServerTool, ...]) -> ToolIndex:
    searched = (Searched(tool.name, tool.description, tuple(tool.schema.get("properties", {}))) for tool in tools)
    return ToolIndex(searched)
