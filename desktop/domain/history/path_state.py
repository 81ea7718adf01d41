"""The state that follows the path of a conversation and not the order of writing: the path itself, and the todos on
it."""

from collections.abc import Iterable, Iterator, Sequence

from desktop.domain.core.errors import CorruptLog, UnknownEventId
from desktop.domain.core.work import Todo
from desktop.domain.core.work_events import TodosChanged
from desktop.domain.events import Envelope
from desktop.domain.history.picked import picked


def path_to(log: Iterable[Envelope], event_id: str) -> list[Envelope]:
    """The event and all its ancestors that the log holds, oldest first.

    Raises:
        UnknownEventId: the log does not hold the event.
        CorruptLog: the parents form a cycle.
    """
    events = {envelope.event_id: envelope for envelope in log}
    if event_id not in events:
        raise UnknownEventId(f"There is no entry {event_id} in this chat.")
    path: list[Envelope] = []
    current: str | None = event_id
    while current is not None and current in events:
        path.append(events.pop(current))
        current = path[-1].parent_id
    if current is not None and any(current == envelope.event_id for envelope in path):
        raise CorruptLog(f"The parents of event {event_id} form a cycle.")
    return path[::-1]


def back(log: Sequence[Envelope]) -> Iterator[Envelope]:
    """The path of the newest event of a log in order of writing, newest first, without looking at the rest of it."""
    wanted: str | None = log[-1].event_id if log else None
    for envelope in reversed(log):
        if envelope.event_id == wanted:
            yield envelope
            wanted = envelope.parent_id


def todos_on(path: Sequence[Envelope]) -> tuple[Todo, ...]:
    """The list that is in force at the end of a path."""
    return next((event.todos for _, event in picked(reversed(path), TodosChanged)), ())
