"""RewindFold: the rows that left the conversation when a person went back, kept under the row that stands for them."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from desktop.domain import events as ev
from desktop.domain.context.events import Rewound
from desktop.language import tr
from desktop.ui.chats.folds.row_store import RowStore
from desktop.ui.chats.folds.rows import Row, holds
from desktop.ui.text.format import count

BRING_BACK = ("bring_back", tr("Bring back"))
BROUGHT_FILES = "files"
STREAMED = -1
_MESSAGES = frozenset({"user", "assistant", "agent_message"})
_TELLING = _MESSAGES | {"calls", "plan", "thinking", "rewound"}


class RewindContext(Protocol):
    """What the parts of a fold share."""

    store: RowStore

    def append(self, row: Row) -> None:
        """Add a row at the end."""


class RewindFold:
    """Knows of every event folded so far where it stands. Rows that left come back with `Rewound.undo_of`.

    An older slice may hold the entry that was gone back to; `adopt` then takes its rows out too.
    """

    def __init__(self, fold: RewindContext) -> None:
        self._fold = fold
        self._seqs: dict[str, int] = {}
        self._left: dict[str, list[Row]] = {}
        self._shown: dict[str, int] = {}
        self._unmet: list[tuple[str, Rewound]] = []

    def note(self, envelope: ev.Envelope) -> None:
        """Remember where an event stands."""
        self._seqs[envelope.event_id] = envelope.seq

    def apply(self, envelope: ev.Envelope, event: Rewound) -> None:
        """Go back, or bring back: what left is behind one row at the end."""
        self._hide_all()
        rows, met = self._leave(event)
        key = f"row:{envelope.seq}"
        self._left[key] = rows
        if not met:
            self._unmet.append((key, event))
        if not met or _tells(rows):
            row = Row(key, "rewound", envelope.seq, envelope.at, text=rewound_words(rows), event_id=envelope.event_id)
            files = BROUGHT_FILES if event.checkpoint_id else ""
            aliases = (_alias(envelope.event_id),)
            self._fold.append(replace(row, actions=(BRING_BACK,), aliases=aliases, icon="history", detail=files))

    def adopt(self, older: "RewindFold") -> None:
        """Take out of the rows of an older slice what had left when this one began."""
        self._hide_all()
        older._hide_all()
        unmet: list[tuple[str, Rewound]] = []
        for key, event in self._unmet:
            rows, met = older._leave(event)
            self._left[key] = [*rows, *self._left[key]]
            self._rename(key, drop=met and not _tells(self._left[key]))
            if not met:
                unmet.append((key, event))
        self._unmet = [*older._unmet, *unmet]
        self._left |= older._left
        self._seqs |= older._seqs

    def show(self, key: str, shown: bool) -> None:
        """Show the rows that left under the row that stands for them, or hide them again."""
        store, index = self._fold.store, self._fold.store.index_of(key)
        if index < 0 or shown == (key in self._shown):
            return
        if not shown:
            store.remove(index + 1, self._shown.pop(key))
        else:
            rows = self._left.get(key, [])
            self._shown[key] = len(rows)
            for place, row in enumerate(rows, start=index + 1):
                store.insert(place, replace(row, muted=True, actions=(), live=False, left=True))
        row = store.rows[index]
        store.replace(index, replace(row, live=False, lines=(), revision=row.revision + 1, level=_level(shown)))

    def is_shown(self, key: str) -> bool:
        """Whether the rows behind this one are shown."""
        return key in self._shown

    def seq_of(self, event_id: str) -> int | None:
        """Where an event stands; None: it was not folded yet."""
        return self._seqs.get(event_id)

    def key_of(self, event_id: str) -> str:
        """The row behind which the row of an entry is hidden, "" if it is not."""
        rows = ((key, row) for key, kept in self._left.items() if key not in self._shown for row in kept)
        found = next((key for key, row in rows if holds(row, event_id)), "")
        return found if self._fold.store.index_of(found) >= 0 else ""

    def _leave(self, event: Rewound) -> tuple[list[Row], bool]:
        """Take out what is no longer on the path; whether all of it was here."""
        store = self._fold.store
        before = store.index_of(_alias(event.undo_of)) if event.undo_of else -1
        if before >= 0:
            key = store.rows[before].key
            gone = self._cut(before + 1)
            store.remove(before)
            self._unmet = [(one, rewound) for one, rewound in self._unmet if one != key]
            for row in self._left.pop(key, []):
                store.insert(len(store), row)
            return gone, True
        seq = self._seqs.get(event.to_event_id)
        if seq is None:
            return self._cut(0), False
        first = len(store)
        while first > 0 and (store.rows[first - 1].seq > seq or store.rows[first - 1].seq == STREAMED):
            first -= 1
        return self._cut(first), True

    def _cut(self, first: int) -> list[Row]:
        store = self._fold.store
        rows = list(store.rows[first:])
        if rows:
            store.remove(first, len(rows))
        return rows

    def _hide_all(self) -> None:
        for key in list(self._shown):
            self.show(key, shown=False)

    def _rename(self, key: str, *, drop: bool) -> None:
        """Count anew what is behind a row, wherever the row stands now."""
        store, index = self._fold.store, self._fold.store.index_of(key)
        text = rewound_words(self._left[key])
        if index >= 0 and drop:
            store.remove(index)
        elif index >= 0:
            store.replace(index, replace(store.rows[index], text=text, revision=store.rows[index].revision + 1))
        for rows in self._left.values():
            rows[:] = [replace(row, text=text) if row.key == key else row for row in rows if row.key != key or not drop]


def rewound_words(rows: Iterable[Row]) -> str:
    """What stands behind the row: "12 rewound messages"."""
    messages = sum(row.kind in _MESSAGES for row in rows)
    return count(messages, "rewound message") if messages else tr("rewound steps")


def _tells(rows: Iterable[Row]) -> bool:
    return any(row.kind in _TELLING for row in rows)


def _alias(event_id: str) -> str:
    return f"rewound:{event_id}"


def _level(shown: bool) -> str:
    return "open" if shown else "info"
