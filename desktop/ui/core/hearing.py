"""Hearing: which updates a part of the window takes, and what it does with each; a batch reaches those parts alone."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Protocol, Self, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog

from desktop.domain.core.update import Update

Kind = TypeVar("Kind", bound=Update)


class Batch:
    """Updates that came together, in order. `kinds`: the classes that are among them."""

    def __init__(self, updates: Sequence[Update]) -> None:
        self.updates = updates
        self.kinds = frozenset(map(type, updates))


def _never() -> bool:
    return False


class Hearer(Protocol):
    """One entry of a hearing."""

    def hear(self, batch: Batch) -> None:
        """Take of the batch what is declared."""

    def settle(self) -> None:
        """The batch is over."""


class Hearing:
    """What a part hears. Its entries take a batch one after the other, in the order in which they were declared; of one
    entry the updates come in the order of the batch. An update's class is compared, not its base classes."""

    def __init__(self, *inside: "Hearing") -> None:
        """`inside`: what the parts of this part hear."""
        self._entries: tuple[Hearer, ...] = inside

    def on(self, kind: type[Kind], take: Callable[[Kind], object]) -> Self:
        """Call `take` with each update of this kind. Neighbouring calls of `on` are one entry."""
        last = self._entries[-1] if self._entries else None
        each = last if isinstance(last, _Each) else _Each()
        if each is not last:
            self._entries += (each,)
        each.add(kind, take)
        return self

    def together(self, kinds: Iterable[type[Update]], take: Callable[[list[Update]], object]) -> Self:
        """Call `take` once with all updates of these kinds that a batch has, if it has one."""
        self._entries += (_Together(frozenset(kinds), take),)
        return self

    def every(self, take: Callable[[Sequence[Update]], object]) -> Self:
        """Call `take` with each whole batch: for what does not know before which kinds it will want."""
        self._entries += (_Every(take),)
        return self

    def then(self, act: Callable[[], object], unless: Callable[[], bool] = _never) -> Self:
        """Call `act` each time the entries before this one have taken theirs, whatever there was for them."""
        self._entries += (_Then(act, unless),)
        return self

    def after(self, act: Callable[[], object], unless: Callable[[], bool] = _never) -> Self:
        """Call `act` when all have taken the batch, whatever was in it."""
        self._entries += (_After(act, unless),)
        return self

    def inside(self, *others: "Hearing") -> Self:
        """Let what these hear be heard here."""
        self._entries += others
        return self

    def without(self, kind: type[Kind], dropped: Callable[[Kind], bool]) -> "Hearing":
        """What hears as this one does, but for the updates of this kind that are `dropped`."""
        sifted = Hearing()
        sifted._entries = (_Sifted(self, kind, dropped),)
        return sifted

    def join(self, other: "Hearing", owner: QObject) -> None:
        """Let this be heard from the next batch on, last of all, until `owner` is destroyed (a dialog: closed)."""
        self._entries += (other,)
        leave = partial(self.leave, other)
        owner.destroyed.connect(leave)
        if isinstance(owner, QDialog):
            owner.finished.connect(leave)

    def leave(self, other: "Hearing", _why: object = None) -> None:
        """Let it not be heard any more."""
        self._entries = tuple(entry for entry in self._entries if entry is not other)

    def take(self, updates: Sequence[Update]) -> None:
        """Hand a whole batch over. Called on the UI thread."""
        self.hear(Batch(updates))
        self.settle()

    def hear(self, batch: Batch) -> None:
        """Hand a piece of a batch over."""
        for entry in self._entries:
            entry.hear(batch)

    def settle(self) -> None:
        """All pieces of the batch were handed over."""
        for entry in self._entries:
            entry.settle()


class _Sifted:
    """Hands on all but some of one kind."""

    def __init__(self, hearing: Hearing, kind: type[Kind], dropped: Callable[[Kind], bool]) -> None:
        self._hearing, self._kind = hearing, kind

        def is_kept(update: Update) -> bool:
            return not (isinstance(update, kind) and dropped(update))

        self._is_kept = is_kept

    def hear(self, batch: Batch) -> None:
        """Leave out what is dropped."""
        if self._kind in batch.kinds:
            batch = Batch([update for update in batch.updates if self._is_kept(update)])
        self._hearing.hear(batch)

    def settle(self) -> None:
        """The batch is over."""
        self._hearing.settle()


class _Each:
    """Neighbouring kinds, each with what takes it."""

    def __init__(self) -> None:
        self._takes: dict[type[Update], Callable[[Update], None]] = {}

    def add(self, kind: type[Kind], take: Callable[[Kind], object]) -> None:
        """Raises ValueError for a kind that is taken here already: one of the two would be overlooked."""
        if kind in self._takes:
            raise ValueError(f"{kind.__name__} is taken twice.")

        def taken(update: Update) -> None:
            if isinstance(update, kind):
                take(update)

        self._takes[kind] = taken

    def hear(self, batch: Batch) -> None:
        """Take them in the order of the batch."""
        if not batch.kinds.isdisjoint(self._takes):
            for update in batch.updates:
                take = self._takes.get(type(update))
                if take is not None:
                    take(update)

    def settle(self) -> None:
        """Nothing is left to do."""


class _Together:
    """Kinds that are taken in one call."""

    def __init__(self, kinds: frozenset[type[Update]], take: Callable[[list[Update]], object]) -> None:
        self._kinds, self._take = kinds, take

    def hear(self, batch: Batch) -> None:
        """Take those of the batch."""
        if not batch.kinds.isdisjoint(self._kinds):
            self._take([update for update in batch.updates if type(update) in self._kinds])

    def settle(self) -> None:
        """Nothing is left to do."""


class _Every:
    """All kinds, in one call."""

    def __init__(self, take: Callable[[Sequence[Update]], object]) -> None:
        self._take = take

    def hear(self, batch: Batch) -> None:
        """Take the batch."""
        self._take(batch.updates)

    def settle(self) -> None:
        """Nothing is left to do."""


class _Then:
    """What follows the entries before it."""

    def __init__(self, act: Callable[[], object], unless: Callable[[], bool]) -> None:
        self._act, self._unless = act, unless

    def hear(self, batch: Batch) -> None:
        """Do it."""
        if not self._unless():
            self._act()

    def settle(self) -> None:
        """Nothing is left to do."""


class _After:
    """What is done once all have taken the batch."""

    def __init__(self, act: Callable[[], object], unless: Callable[[], bool]) -> None:
        self._act, self._unless = act, unless

    def hear(self, batch: Batch) -> None:
        """Wait for its end."""

    def settle(self) -> None:
        """Do it."""
        if not self._unless():
            self._act()
