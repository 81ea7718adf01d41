"""LogAtHand: the log of an open chat with what is made of it, kept while somebody asks for it."""

import time
from collections.abc import Callable, Sequence

from desktop.domain.events import Envelope
from desktop.domain.history.builder import HistoryBuilder
from desktop.domain.history.packing import PackedLog
from desktop.store.core.events import EventStore


class LogAtHand:
    """`count`: how many events the log has; `asked_at`: when somebody asked for it last, by `time.monotonic`;
    `on_rest`: what lets go of what others made of it, each called once."""

    def __init__(self, session_id: str, events: EventStore, path: Sequence[Envelope]) -> None:
        self._session_id = session_id
        self._events = events
        self._log: PackedLog | None = PackedLog(path)
        self._history: HistoryBuilder | None = None
        self.count = len(path)
        self.asked_at = time.monotonic()
        self.on_rest: list[Callable[[], object]] = []

    @property
    def log(self) -> PackedLog:
        """The events in order of writing, read again after `rest`.

        Raises:
            StoreError: they had to be read, and could not be.
        """
        self.asked_at = time.monotonic()
        if self._log is None:
            self._log = PackedLog(self._events.path(self._session_id))
        return self._log

    @property
    def history(self) -> HistoryBuilder:
        """The message list of the log. Raises as `log`."""
        if self._history is None:
            self._history = HistoryBuilder(self._session_id, self.log)
        return self._history

    @property
    def is_resting(self) -> bool:
        """Whether the log has to be read when somebody asks for it."""
        return self._log is None

    def wake(self, path: Sequence[Envelope]) -> None:
        """Take a log that was read elsewhere; what was stored meanwhile is added."""
        if self._log is None:
            self._log = PackedLog([*path, *self._events.read(self._session_id, path[-1].seq)])

    def add(self, envelope: Envelope) -> None:
        """One more event is stored."""
        self.count += 1
        if self._log is not None:
            self._log.add(envelope)
        if self._history is not None:
            self._history.add(envelope)

    def rest(self) -> None:
        """Let go of everything that the store holds too, until somebody asks for it."""
        self._log = self._history = None
        calls, self.on_rest = self.on_rest, []
        for call in calls:
            call()
