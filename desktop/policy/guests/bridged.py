"""Which tool of Banksman a guest means, in what it tells of a call that it makes over the bridge (guests-A56)."""

import json
import re
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from desktop.domain.core.base import Frozen

SERVER = "banksman"
"""The name by which guests know the bridge."""
_NAMES = (
    re.compile(rf"(?:Tool: )?(?:mcp(?:__|_|\.))?{SERVER}(?:__|_|/|\.|: ?)(?P<tool>[A-Za-z0-9_-]+)"),
    re.compile(rf"(?P<tool>[A-Za-z0-9_-]+) \({SERVER} MCP Server\)"),
)
_ASKED = re.compile(rf'Allow the {SERVER} MCP server to run tool "(?P<tool>[A-Za-z0-9_-]+)"\?')
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
    if fields is not None and SERVER in (fields.get("server"), fields.get("server_name")):
        return _wrapped(fields)
    for text in (*_meta_names(told.get("_meta")), told.get("title")):
        found = next((match for one in _NAMES if isinstance(text, str) and (match := one.fullmatch(text))), None)
        if found is not None:
            return NamedCall(tool=found["tool"], given=_shown(told.get("content")) if fields is None else fields)
    return None


def _wrapped(fields: Mapping[str, JsonValue]) -> NamedCall | None:
    """A call whose raw input names the server beside the tool, or asks whether it may be made."""
    tool, given = fields.get("tool"), fields.get("arguments")
    request = fields.get("request")
    if isinstance(request, dict):
        message, meta = request.get("message"), request.get("_meta")
        found = _ASKED.fullmatch(message) if isinstance(message, str) else None
        tool, given = found and found["tool"], meta.get("tool_params") if isinstance(meta, dict) else None
    return NamedCall(tool=tool, given=given if isinstance(given, dict) else {}) if isinstance(tool, str) else None


def _shown(content: JsonValue) -> dict[str, JsonValue] | None:
    """The arguments of a call that shows them as its only text."""
    parts = content if isinstance(content, list) else []
    inner = [one.get("content") for one in parts if isinstance(one, dict)]
    texts = [one["text"] for one in inner if isinstance(one, dict) and isinstance(one.get("text"), str)]
    try:
        found = json.loads(str(texts[0])) if len(texts) == 1 else None
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else None


def _shows_change(content: JsonValue) -> bool:
    parts = content if isinstance(content, list) else []
    return any(isinstance(one, dict) and one.get("type") == "diff" for one in parts)


def _meta_names(meta: JsonValue) -> Iterator[str]:
    """The names of tools in what a guest adds of its own, at most one level down."""
    own = meta if isinstance(meta, dict) else {}
    for fields in (own, *own.values()):
        if isinstance(fields, dict):
            yield from (name for one in _TOOL_NAMES if isinstance(name := fields.get(one), str))
