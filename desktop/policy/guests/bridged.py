"""Which tool of Banksman a guest means, in what it tells of a call that it makes over the bridge (guests-A56)."""

import re
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from desktop.domain.core.base import Frozen

SERVER = "banksman"
"""The name by which guests know the bridge."""
_NAMES = (
    re.compile(rf"(?:Tool: )?(?:mcp(?:__|_|\.))?{SERVER}(?:__|_|/|\.|: ?)(?P<tool>[a-z0-9_]+)"),
    re.compile(rf"(?P<tool>[a-z0-9_]+) \({SERVER} MCP Server\)"),
)
_WITH_EFFECT = frozenset({"edit", "delete", "move", "execute", "fetch", "switch_mode"})
_TOOL_NAMES = ("toolName", "tool_name", "name", "tool")


class NamedCall(Frozen):
    """A call as a guest names it. `given`: its arguments, None where it does not tell them."""

    tool: str
    given: dict[str, JsonValue] | None = None


def named_call(told: Mapping[str, JsonValue]) -> NamedCall | None:
    """The tool of the bridge that this is about, None where it is about anything else. What shows a change, names
    files, or is of a kind that has an effect of its own is no such call, whatever it is named."""
    if told.get("kind") in _WITH_EFFECT or told.get("locations") or _shows_change(told.get("content")):
        return None
    raw = told.get("rawInput")
    fields = raw if isinstance(raw, dict) else None
    if fields is not None and fields.get("server") == SERVER and isinstance(fields.get("tool"), str):
        inner = fields.get("arguments")
        return NamedCall(tool=str(fields["tool"]), given=inner if isinstance(inner, dict) else {})
    for text in (*_meta_names(told.get("_meta")), told.get("title")):
        found = next((match for one in _NAMES if isinstance(text, str) and (match := one.fullmatch(text))), None)
        if found is not None:
            return NamedCall(tool=found["tool"], given=fields)
    return None


def _shows_change(content: JsonValue) -> bool:
    parts = content if isinstance(content, list) else []
    return any(isinstance(one, dict) and one.get("type") == "diff" for one in parts)


def _meta_names(meta: JsonValue) -> Iterator[str]:
    """The names of tools in what a guest adds of its own, at most one level down."""
    own = meta if isinstance(meta, dict) else {}
    for fields in (own, *own.values()):
        if isinstance(fields, dict):
            yield from (name for one in _TOOL_NAMES if isinstance(name := fields.get(one), str))
