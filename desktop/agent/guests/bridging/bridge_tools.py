"""BridgeTools: the tools of ours that the guest of a chat is offered, by the names that it is told (guests-A55)."""

import hashlib
from collections.abc import Collection, Iterable
from typing import Any

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.gate.judge import Judge
from desktop.tools.tool import Tool

LONGEST_NAME = 48
"""Guests put the name of the server before it, and model services take 64 characters."""


class BridgeTools:
    """Of one chat. `taken`: names that the guest takes from no server, because its own tools have them."""

    def __init__(self, session: Session, judge: Judge, taken: Collection[str] = ()) -> None:
        self._session, self._judge, self._taken = session, judge, taken

    def offered(self) -> dict[str, Tool[Any]]:
        """Those that are offered now, by name."""
        return told_names(self._judge.offered(self._session), self._taken)

    def named(self, name: str) -> Tool[Any] | None:
        """The tool that a name means in any mode, None for none."""
        known = self._judge.known(self._session)
        tool = known.resolve(name)
        if tool is not None:
            return tool if tool.for_guests else None
        return told_names(known.tools, self._taken).get(name)


def told_names(tools: Iterable[Tool[Any]], taken: Collection[str] = ()) -> dict[str, Tool[Any]]:
    """Those of these that are for guests, by the names that they are told."""
    return {_told_name(tool, taken): tool for tool in tools if tool.for_guests}


def descriptions(tools: dict[str, Tool[Any]]) -> list[JsonValue]:
    """What a guest is told of these: texts and schemas of the registry."""
    return [{"name": name, "description": tool.description, "inputSchema": tool.schema} for name, tool in tools.items()]


def _told_name(tool: Tool[Any], taken: Collection[str]) -> str:
    name = tool.aliases[0] if tool.name in taken and tool.aliases else tool.name
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME - 9]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"
