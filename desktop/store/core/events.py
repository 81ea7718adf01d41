"""EventStore: the log of every chat, as the rest of the program works with it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol

from desktop.domain.events import Envelope, Event
from desktop.domain.history.state_of import SessionState
from desktop.records import dataclass
from desktop.store.core.imports import ImportReport
from desktop.store.core.session_row import SessionRow

Listener = Callable[[Envelope], None]
Beside = Callable[[], None]


class OpenedChat(NamedTuple):
    """The whole path of a session, the state after all of it, and up to which event the state was kept, -1: not."""

    path: list[Envelope]
    state: SessionState
    kept_seq: int


@dataclass(frozen=True)
class Orphans:
    """Blobs that only one chat names, as seen up to the entry written as `upto`."""

    digests: frozenset[str]
    upto: int


class EventStore(Protocol):
    """Appends are kept when they return, and listeners are told of each, in order of writing.

    Whatever ends this process, nothing of them is lost. A cut of power loses nothing that was appended before the last
    append that was not `lazy`, or before the last `barrier` or `flush`.

    Every method raises `WrongThread` on another thread than the one that opened the store, and `StoreError` once it is
    closed or when it cannot be read.
    """

    def append_many(
        self, session_id: str, events: Sequence[Event], *, lazy: bool = False, beside: Beside | None = None
    ) -> list[Envelope]:
        """Record all of the events or none, in one commit; then tell the listeners of each. They are on the disk then,
        and all before them; `lazy`: they are after the next `barrier`. `beside`: writes other tables of this store,
        which is part of the commit.

        The first event of a session is `SessionStarted` or `SessionForked` and makes the session. The parent is the
        newest event, for `Rewound` its `to_event_id`, for `SessionForked` its `source_event_id`.

        Raises:
            RefusedEvent: no log can hold one of them. Nothing was recorded.
            UnknownSession: the session has not begun.
            UnknownEventId: there is no such event to rewind to or fork from.
            StoreWriteFailed: they did not reach the disk; the same events may be appended again.
        """

    async def barrier(self) -> None:
        """Return once everything that was appended before is on the disk. The thread is not blocked meanwhile.

        Raises:
            StoreWriteFailed: it is not known to be there, so nothing may follow from it.
        """

    def flush(self) -> None:
        """As `barrier`, and the thread waits."""

    def read(self, session_id: str, after: int = -1) -> list[Envelope]:
        """The session's own events with seq > after, oldest first; those left behind by a rewind included.

        Raises:
            UnknownSession: there is no such session.
        """

    def path(self, session_id: str) -> list[Envelope]:
        """The whole path of a session, for a fork with what it inherits.

        Raises:
            UnknownSession: there is no such session.
            CorruptLog: the parents form a cycle.
        """

    def opened(self, session_id: str, ahead: OpenedChat | None = None) -> tuple[list[Envelope], SessionState]:
        """`path`, and the state after all of it; `ahead`: what `Readings.chat` gave of it. Raises as `path`."""

    def keep_state(self, state: SessionState, head_hash: str) -> None:
        """Save the state of a session after its event of this hash, for `opened`, if that spares much. A failure is
        logged."""

    def head(self, session_id: str) -> Envelope | None:
        """The newest event of a session; None when there is no such session."""

    def is_empty(self) -> bool:
        """Whether nothing was ever recorded here that is still there."""

    def session_ids(self, project_id: str | None = None) -> list[str]:
        """The sessions of a project (None: of all), newest activity first."""

    def rows(self, project_id: str | None = None) -> list[SessionRow]:
        """The rows that a list shows of the sessions of a project (None: of all), newest activity first. Reads no
        log."""

    def recent(self, types: tuple[str, ...], since: datetime) -> list[Envelope]:
        """The events of these types since then, of all sessions, newest first."""

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` with each envelope after its commit, on the engine thread. What it raises is logged."""

    def adopt(self, staging: Path, report: ImportReport) -> None:
        """Take over what `Readings.prepare_import` made of a file, in one commit.

        Raises:
            ImportRefused: what was prepared cannot be read.
            StoreWriteFailed: it did not reach the disk.
        """

    def refuse_forked(self, session_id: str) -> None:
        """Refuse to go on when another chat continues this one.

        Raises:
            StoreError: another does; says what to do.
        """

    def delete(self, session_id: str, orphans: Orphans) -> Envelope:
        """Remove a chat for good; its newest entry, for a closing anchor. `orphans`: what `Readings.orphans` found.

        Raises:
            StoreError: another chat continues it. Nothing was removed.
            UnknownSession: there is no such session.
            StoreWriteFailed: it could not be removed; all of it is there.
        """

    def rebuild_index(self) -> None:
        """Make the lists of chats from the log again. The log is not touched."""
