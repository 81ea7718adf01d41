"""Titles of calls: whose words they are. The window says those of the program's own tools in its language."""

from collections.abc import Mapping
from typing import Protocol

from pydantic import JsonValue

from desktop.domain.core.content import Card

_FOREIGN = frozenset({"bash", "think", "guest_call", "guest_question"})
"""Tools whose title is a command, or what another's agent calls it."""
_TITLED = "read_file"
"""A call of another's agent that has its own title where that agent gives one."""


class Titled(Protocol):
    """A decision about a call, as it is recorded."""

    @property
    def card(self) -> Card | None:
        """What a person saw of it."""

    @property
    def tool(self) -> str:
        """The tool, "" for none."""

    @property
    def name_called(self) -> str:
        """What the model called."""

    @property
    def input(self) -> JsonValue:
        """The arguments as they came."""


def is_verbatim(tool: str, given: JsonValue | Mapping[str, JsonValue]) -> bool:
    """Whether no letter of the title may differ: a command, the name of a server's tool, or words of another's agent.
    `given`: the arguments of the call."""
    if tool == _TITLED:
        return isinstance(given, Mapping) and bool(given.get("title"))
    return tool in _FOREIGN or tool.startswith("mcp__")


def title_of(decided: Titled) -> tuple[str, bool]:
    """The title of a call, and whether no letter of it may differ."""
    title = decided.card.title if decided.card is not None else decided.name_called
    return title, decided.card is None or is_verbatim(decided.tool, decided.input)
