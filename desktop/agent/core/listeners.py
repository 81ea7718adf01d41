"""Listeners: who wants to be told of something, for two parts that would otherwise need each other to be made."""

from collections.abc import Callable
from typing import Generic, ParamSpec

P = ParamSpec("P")


class Listeners(Generic[P]):
    """Made before both: the one that tells is given this and calls it, the other adds what it does then. Nobody has to
    listen."""

    def __init__(self) -> None:
        self._told: list[Callable[P, None]] = []

    def add(self, told: Callable[P, None]) -> None:
        """Call this too from here on, after those that were added before."""
        self._told.append(told)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Tell everybody."""
        for told in self._told:
            told(*args, **kwargs)
