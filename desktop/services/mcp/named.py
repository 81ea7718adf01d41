"""named_servers(): the servers that an editor names for a chat of its own, which nobody starts before they are
accepted (guests-R11)."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from desktop.domain.mcp.updates import McpFault
from desktop.domain.mcp.values import EDITOR, McpServer
from desktop.services.mcp.config import ReadServers
from desktop.services.mcp.fields import FieldFault
from desktop.services.mcp.repository import id_of, server_of

MOST = 50
_NAME_CHARS = 60


def named_servers(said: Sequence[JsonValue]) -> ReadServers:
    """The servers of the protocol's list, with what is wrong with the others. Nothing in a value is filled in: a mark
    for a variable makes its server unusable."""
    good: list[McpServer] = []
    faults: list[McpFault] = []
    for one in said[:MOST]:
        name = str(one.get("name", ""))[:_NAME_CHARS] if isinstance(one, dict) else ""
        server_id = id_of(name)
        try:
            if any(server_id == other.id for other in good):
                raise FieldFault("id", f"{name!r} cannot be told apart from another server.")
            good.append(_server(server_id, one))
        except FieldFault as fault:
            faults.append(McpFault(EDITOR, 0, str(fault), server_id))
    if len(said) > MOST:
        faults.append(McpFault(EDITOR, 0, f"It names more than {MOST} servers; the others are left out."))
    return ReadServers(tuple(good), tuple(faults))


def _server(server_id: str, said: JsonValue) -> McpServer:
    if not isinstance(said, dict):
        raise FieldFault("id", "It is no object.")
    fields: dict[str, object] = {name: said[name] for name in ("command", "args", "url") if name in said}
    fields |= {name: _pairs(name, said[name]) for name in ("env", "headers") if name in said}
    if isinstance(kind := said.get("type", "stdio"), str):
        fields["type"] = kind
    return server_of(server_id, fields, ()).model_copy(update={"scope": "editor"})


def _pairs(field: str, value: JsonValue) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for one in value if isinstance(value, list) else [None]:
        name, text = (one.get("name"), one.get("value")) if isinstance(one, dict) else (None, None)
        if not isinstance(name, str) or not isinstance(text, str):
            raise FieldFault(field, f"{field} is a list of names with their values.")
        found[name] = text
    return found
