"""Calls of a guest that are under way, and what was seen of it meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import field
from typing import Any

from pydantic import JsonValue

from desktop.domain.guests.values import GuestAbilities
from desktop.policy.guests.permission import GuestEdit
from desktop.records import dataclass
from desktop.tools.tool import ToolContext, ToolResult

Told = dict[str, JsonValue]
Does = Callable[[ToolContext], Awaitable[ToolResult]]


@dataclass
class Write:
    """A file that the guest wants written. `done`: whether it belongs to the call that it was given to."""

    path: str
    content: str
    done: asyncio.Future[bool]


@dataclass
class OpenCall:
    """One call that was asked about. `answer`: what the guest is told, None: that it was withdrawn. `heard`: what comes
    of it: a write, or what was told of its end. `left`: the changes that it showed and has not made yet. `shown`:
    what it said of it when it asked, which is no output of it. `ours`: it came over the bridge; `does`: what we do for
    it, None: it does it itself. `request`: what carries out the request of the guest that it belongs to."""

    call_id: str
    name: str
    given: dict[str, JsonValue]
    answer: asyncio.Future[bool | None]
    left: list[GuestEdit] = field(default_factory=list)
    heard: asyncio.Queue[Write | Told | None] = field(default_factory=asyncio.Queue)
    task: asyncio.Task[None] | None = None
    runs: bool = False
    ours: bool = False
    does: Does | None = None
    shown: JsonValue = None
    request: asyncio.Task[Any] | None = None

    def say(self, allowed: bool | None) -> None:
        """Answer the guest, unless it was answered."""
        if not self.answer.done():
            self.answer.set_result(allowed)


@dataclass
class Seen:
    """What a guest was seen to do, since it was last added to what is known of it. `against`: calls made without
    asking that the gate would have asked about. `shows_output`: of commands, None: it made none."""

    asked: int = 0
    unasked: int = 0
    against: int = 0
    writes: bool = False
    reads: bool = False
    terminals: bool = False
    shows_output: bool | None = None

    def added_to(self, known: GuestAbilities) -> GuestAbilities:
        """What is known with this."""
        return known.model_copy(
            update={
                "asked": known.asked + self.asked,
                "unasked": known.unasked + self.unasked,
                "unasked_against_gate": known.unasked_against_gate + self.against,
                "writes_through_us": known.writes_through_us or self.writes,
                "reads_through_us": known.reads_through_us or self.reads,
                "terminal_through_us": known.terminal_through_us or self.terminals,
                "shows_output": known.shows_output if self.shows_output is None else self.shows_output,
            }
        )
