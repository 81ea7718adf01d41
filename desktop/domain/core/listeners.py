"""Listeners and Voices: who wants to be told of something, or to have a say in it, for two parts that would otherwise
need each other to be made."""

from collections.abc import Callable, Iterator
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Listeners(Generic[P]):
    """The link between a part that tells and parts that listen, made before both: the one that tells is given this and
    calls it, the other adds what it does then. Nobody has to listen."""

    def __init__(self) -> None:
        self._told: list[Callable[P, None]] = []

    def add(self, told: Callable[P, None]) -> None:
        """Call this too from here on, after those that were added before."""
        self._told.append(told)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Tell everybody."""
        for told in self._told:
            told(*args, **kwargs)


class Voices(Generic[P, R]):
    """The link between a part that asks and parts that answer: the one that asks calls it, and those that were added
    answer."""

    def __init__(self) -> None:
        self._asked: list[Callable[P, R]] = []

    def add(self, asked: Callable[P, R]) -> None:
        """Ask this too from here on, after those that were added before."""
        self._asked.append(asked)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Iterator[R]:
        """The answers one by one; who is not reached is not asked."""
        for asked in self._asked:
            yield asked(*args, **kwargs)
