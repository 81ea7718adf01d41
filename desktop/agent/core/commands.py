"""Commands: a part of the engine that carries out commands of its own."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from desktop.domain.core.command import Command

Handler = Callable[[Any], Awaitable[None]]


class Commands(Protocol):
    """What it cannot do it raises as CommandError, with a sentence for the person."""

    def handlers(self) -> dict[type[Command], Handler]:
        """By kind of command, what carries it out. No two parts carry out the same."""
