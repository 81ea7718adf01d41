"""Update: what the engine tells the windows; Outcome: what comes of a command; Answer: one for the asker alone."""

from collections.abc import Iterable
from enum import IntEnum
from typing import ClassVar

from desktop.domain.core.passing import Passing


class Stand(IntEnum):
    """In which order a window that opens later takes what stands: each needs only what is told before it."""

    ENGINE = 0
    PROGRAM = 1
    PROJECT = 2
    LISTS = 3
    NOTICES = 4
    DETAILS = 5


class Update(Passing):
    """One thing that the engine tells the windows. Unless it is an Answer it goes to every window. `stands`: a window
    that opens later is told the newest of its kind, in this order; None: it has passed by then."""

    stands: ClassVar[Stand | None] = None

    @property
    def is_long(self) -> bool:
        """Whether a window takes milliseconds to take it, so that nothing is to follow in the same batch."""
        return False

    def standing(self) -> "Iterable[tuple[str, Update]]":
        """The updates that a window which opens later is told instead of this one, each under a key: of one kind and
        key only the newest stands."""
        return () if self.stands is None else (("", self),)


class Outcome(Update):
    """The result of a command, or a step on the way to it, for which the part of a window that sent it waits. Every
    window is told."""

    command_id: str


class Answer(Outcome):
    """An outcome for the window that asked alone. With no `command_id` ("") nobody asked: it is for all."""
