"""Offers: what themes offer to the tools of a chat, by the protocol that the tools ask for."""

from collections.abc import Callable
from typing import TypeVar, cast

from desktop.agent.core.session import Session
from desktop.records import dataclass

T = TypeVar("T")


@dataclass(frozen=True)
class Offer:
    """One thing that a theme offers; made by `offer`, which holds kind and function to each other."""

    kind: type[object]
    of: Callable[[Session], object | None]


def offer(kind: type[T], of: Callable[[Session], T | None]) -> Offer:
    """`of`: what a chat has of this kind, None for nothing. It asks nobody and returns at once."""
    return Offer(kind, of)


class Offers:
    """Made before the judge, which asks it for the tools, and before the themes, which give to it."""

    def __init__(self) -> None:
        self._given: dict[type[object], Callable[[Session], object | None]] = {}

    def give(self, *offers: Offer) -> None:
        """From here on chats have this.

        Raises:
            ValueError: somebody gave one of them before.
        """
        for one in offers:
            if one.kind in self._given:
                raise ValueError(f"{one.kind.__name__} is offered twice.")
            self._given[one.kind] = one.of

    def of(self, session: Session, kind: type[T]) -> T | None:
        """What this chat has of this kind, None for nothing."""
        given = self._given.get(kind)
        return cast("T | None", given(session)) if given is not None else None

    def require(self, *kinds: type[object]) -> None:
        """Say so at the start when something is missing that tools ask for.

        Raises:
            LookupError: with the names of what nobody offers.
        """
        missing = sorted(kind.__name__ for kind in kinds if kind not in self._given)
        if missing:
            raise LookupError(f"Nobody offers what tools ask for: {', '.join(missing)}.")
