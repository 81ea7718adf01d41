"""FrozenOrder: the order of a list that a person reads: it stands still, and what is new comes last."""

from collections.abc import Sequence


class FrozenOrder:
    """`keys`: in the order in which they are shown; `new`: those that were put behind the rest since `sort`."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.new: set[str] = set()

    def sort(self, keys: Sequence[str]) -> None:
        """Show exactly these, in this order."""
        self.keys, self.new = list(keys), set()

    def take(self, keys: Sequence[str]) -> None:
        """These are there now: what is gone leaves, what is new comes last, nothing else moves."""
        here, known = set(keys), set(self.keys)
        fresh = [key for key in keys if key not in known]
        self.keys = [key for key in self.keys if key in here] + fresh
        self.new = (self.new & here) | set(fresh)
