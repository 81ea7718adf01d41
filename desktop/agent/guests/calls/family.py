"""Family: which calls of a guest are parts of which, in one turn: it may have sub-agents of its own (guests-A33)."""

from desktop.domain.guests.values import HeldBy
from desktop.tools.guests.peer import CallOrigin


class Family:
    """By the ids that the guest gives its calls. `label`: how people know the guest."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._parents: dict[str, str] = {}
        self._rows: dict[str, list[str]] = {}
        self._origins: dict[str, CallOrigin] = {}

    def heard(self, key: str, parent: str) -> None:
        """The guest says this of a call; what it said first counts."""
        self._parents[key] = self._parents.get(key) or parent

    def parent(self, key: str) -> str:
        """The call that it is a part of; "" for none, for one that the guest did not tell of, and in a ring."""
        parent, seen = self._parents.get(key, ""), {key}
        at = parent
        while at:
            if at in seen or at not in self._parents:
                return ""
            seen.add(at)
            at = self._parents[at]
        return parent

    def row(self, key: str) -> str:
        """The newest of our calls that stands for this one, "" where there is none yet."""
        return self._rows.get(key, [""])[-1]

    def begin(self, call_id: str, key: str, held_by: HeldBy, part_of: str = "") -> None:
        """One of our calls stands for it from here on. `key`: "" where the guest has none for it; `part_of`: our call
        above it."""
        asker = f"sub-agent of {self._label}" if part_of else self._label
        again = self.row(key) if key else ""
        self._origins[call_id] = CallOrigin(asker, held_by, part_of, again)
        if key:
            self._rows.setdefault(key, []).append(call_id)

    def origin(self, call_id: str) -> CallOrigin | None:
        """As `GuestPeer.origin`."""
        return self._origins.get(call_id)
