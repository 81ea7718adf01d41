"""History: the message list of the next model request, rebuilt from the events of a session.

A pure function of the path (an event and all its ancestors): the same path gives the same list, byte for byte, and
every prefix of a log gives a list that a model service accepts. Rule numbers stand at the code that carries them out.
"""

from collections.abc import Iterable, Sequence

from desktop.domain.context.events import Compacted, ContextCleared
from desktop.domain.core.errors import CorruptLog, UnknownEventId, UnknownSession
from desktop.domain.events import Envelope
from desktop.domain.history.fold import Entry, PathFold
from desktop.domain.history.fold import SyntheticKind as SyntheticKind
from desktop.domain.history.parts import is_blank
from desktop.domain.history.render import Rendered, Renderer
from desktop.domain.history.words import EMPTY_ERROR as EMPTY_ERROR
from desktop.domain.history.words import NOT_EXECUTED as NOT_EXECUTED
from desktop.domain.history.words import OPENING as OPENING
from desktop.domain.history.words import RESULT_REMOVED as RESULT_REMOVED
from desktop.domain.history.words import SUMMARY_ACK as SUMMARY_ACK
from desktop.domain.history.words import SUMMARY_PREFIX as SUMMARY_PREFIX
from desktop.domain.history.words import UNKNOWN_OUTCOME as UNKNOWN_OUTCOME
from desktop.domain.history.words import WORDING as WORDING
from desktop.domain.history.words import Message as Message
from desktop.records import dataclass

_ENDINGS = frozenset({"context_cleared", "compacted"})
"""Events that leave what was said before them behind, or most of it."""


@dataclass(frozen=True)
class Reconstruction:
    """A message list and where it comes from.

    `spans`: (message, block) index → id of the event that holds the block; None: the block is synthetic.
    `synthetic`: call id → why its result is synthetic. `unrecoverable`: ids of calls whose input is lost, in order of
    the list. `dropped_results`: call ids of visible results in the effective context that answer no call in it.
    `warnings`: sentences about the log, for the log file.
    """

    messages: list[Message]
    spans: dict[tuple[int, int], str | None]
    synthetic: dict[str, SyntheticKind]
    unrecoverable: tuple[str, ...]
    dropped_results: tuple[str, ...]
    warnings: tuple[str, ...]


def to_messages(log: Iterable[Envelope], *, at: str | None = None, session_id: str | None = None) -> list[Message]:
    """`reconstruct(…).messages`."""
    return reconstruct(log, at=at, session_id=session_id).messages


def reconstruct(log: Iterable[Envelope], *, at: str | None = None, session_id: str | None = None) -> Reconstruction:
    """The message list at event `at`, else at the last event of `session_id`; the order of `log` does not matter.

    `session_id` defaults to the only session of the log, else `main`.

    Raises:
        UnknownEventId: `at` names no event of the log.
        UnknownSession: the log is not empty, and `session_id` names no session of it.
        ValueError: the log holds several sessions, none is `main`, and neither `at` nor `session_id` is given.
        CorruptLog: the parents form a cycle.
    """
    events = {envelope.event_id: envelope for envelope in log}
    fold, _, warnings = _fold_at(events, _head(events, at, session_id))
    return _reconstruction(Renderer(fold), warnings)


class HistoryBuilder:
    """The message list of a live session, one event at a time: equals `to_messages` over all events added so far.

    `add` and `messages` cost the same at any length of the log as long as events follow the last one; a rewind or an
    event out of order makes the next `messages` walk the path again, and a clear, a compaction or a removal makes it
    render the list again. Belongs to one task.

    `log`: where whoever adds the events keeps them, each under an id of its own; None: the builder keeps them.
    """

    def __init__(self, session_id: str | None = None, log: Sequence[Envelope] | None = None) -> None:
        self._session_id = session_id
        self._log = log
        self._own: dict[str, Envelope] = {}
        self._fold: PathFold | None = None
        self._renderer: Renderer | None = None
        self._head: Envelope | None = None
        self._warnings: tuple[str, ...] = ()
        self._missing: str | None = None

    def add(self, envelope: Envelope) -> None:
        """Take in one more event of the session, or of a session it descends from."""
        known = envelope.event_id in self._own
        if self._log is None:
            self._own[envelope.event_id] = envelope
        head = self._head
        follows = (
            not known
            and head is not None
            and envelope.session_id == head.session_id
            and envelope.parent_id == head.event_id
            and envelope.seq > head.seq
            and envelope.event_id != self._missing
        )
        if follows and self._fold is not None:
            self._fold.add(envelope)
            self._head = envelope
        else:
            self._fold = self._renderer = None

    @property
    def ready(self) -> bool:
        """Whether what was added is read, so that `messages` costs what is new."""
        return self._renderer is not None

    def take_over(self, other: "HistoryBuilder") -> None:
        """Be as far as `other`, which was given the same events and may have read them on another thread; it is of no
        use afterwards."""
        self._fold, self._renderer, self._head = other._fold, other._renderer, other._head
        self._warnings, self._missing = other._warnings, other._missing

    def messages(self) -> list[Message]:
        """The list as it is now; the messages in it are not to be changed. Raises as `reconstruct` does."""
        return [rendered.message for rendered in self.rendered()]

    def rendered(self) -> list[Rendered]:
        """The messages as they are now, each with the events of its blocks. What did not change since the last call is
        the same object. Raises as `reconstruct` does."""
        return self._current()[1].messages()

    @property
    def from_vendor(self) -> bool:
        """Whether the list, as it was asked for last, holds what a model service did by itself."""
        return self._renderer is not None and self._renderer.from_vendor

    def entries(self) -> list[Entry]:
        """The messages and results of the effective context in order of the log, without the removed ones."""
        fold = self._current()[0]
        return [entry for entry in fold.context if entry.event_id not in fold.hidden and (entry.role or entry.answers)]

    def path(self) -> list[Envelope]:
        """The events on the path to the head, the oldest first; costs the length of the path."""
        self._current()
        return _path(self._events(), self._head)[0] if self._head is not None else []

    def reconstruction(self) -> Reconstruction:
        """The list as it is now, with where it comes from. Raises as `reconstruct` does."""
        return _reconstruction(self._current()[1], self._warnings)

    def _current(self) -> tuple[PathFold, Renderer]:
        if self._fold is None or self._renderer is None:
            events = self._events()
            self._head = _head(events, None, self._session_id)
            self._fold, self._missing, self._warnings = _fold_at(events, self._head)
            self._renderer = Renderer(self._fold)
        return self._fold, self._renderer

    def _events(self) -> dict[str, Envelope]:
        return self._own if self._log is None else {envelope.event_id: envelope for envelope in self._log}


def _reconstruction(renderer: Renderer, warnings: tuple[str, ...]) -> Reconstruction:
    rendered = renderer.messages()
    return Reconstruction(
        messages=[one.message for one in rendered],
        spans={(m, b): origin for m, one in enumerate(rendered) for b, origin in enumerate(one.origins)},
        synthetic=renderer.synthetic,
        unrecoverable=renderer.unrecoverable,
        dropped_results=renderer.unasked(),
        warnings=warnings,
    )


# -- the path ----------------------------------------------------------------------------------------------------------


def _head(events: dict[str, Envelope], at: str | None, session_id: str | None) -> Envelope | None:
    """The event to reconstruct at; None: there are no events."""
    if at is not None:
        if at not in events:
            raise UnknownEventId(f"There is no event {at} in this log.")
        return events[at]
    if not events:
        return None
    sessions = {envelope.session_id for envelope in events.values()}
    if session_id is None:
        if len(sessions) > 1 and "main" not in sessions:
            raise ValueError("The log holds several sessions: say which one is meant.")
        session_id = "main" if len(sessions) > 1 else next(iter(sessions))
    elif session_id not in sessions:
        raise UnknownSession(f"There is no session {session_id} in this log.")
    return max((e for e in events.values() if e.session_id == session_id), key=lambda envelope: envelope.seq)


def _path(events: dict[str, Envelope], head: Envelope) -> tuple[list[Envelope], str | None]:
    """`head` and its ancestors, the oldest first, and the id of the parent that is not in the log, if one is not."""
    path = [head]
    seen = {head.event_id}
    parent_id = head.parent_id
    while parent_id is not None and parent_id in events:
        if parent_id in seen:
            raise CorruptLog(f"The parents of event {head.event_id} form a cycle at event {parent_id}.")
        seen.add(parent_id)
        path.append(events[parent_id])
        parent_id = path[-1].parent_id
    path.reverse()
    return path, parent_id


def _fold_at(events: dict[str, Envelope], head: Envelope | None) -> tuple[PathFold, str | None, tuple[str, ...]]:
    """The state at `head`, the parent that is missing, and the sentences about it."""
    fold = PathFold()
    if head is None:
        return fold, None, ()
    path, missing = _path(events, head)
    start, over = _context_start(path)
    for at, envelope in enumerate(path):
        if at < start:
            fold.skim(envelope)
        elif at not in over:
            fold.add(envelope)
    warning = f"Event {path[0].event_id} follows event {missing}, which is not in this log. The list starts at it."
    return fold, missing, (warning,) if missing is not None else ()


def _context_start(path: list[Envelope]) -> tuple[int, frozenset[int]]:
    """Where on the path the context begins that is left after its last clear or compaction, and which of those behind
    this place count no more because a later one does."""
    ends = [at for at, envelope in enumerate(path) if envelope.kind in _ENDINGS]
    places = {envelope.event_id: at for at, envelope in enumerate(path)} if ends else {}
    start, over = 0, list[int]()
    for at in ends:
        event = path[at].glance()
        kept = at + 1
        if isinstance(event, Compacted) and isinstance(event.summary, str) and not is_blank(event.summary):
            begin = places.get(event.keep_from, -1) if isinstance(event.keep_from, str) else -1
            if start <= begin < at:
                kept = begin
        elif not isinstance(event, ContextCleared):
            continue
        start = kept
        over.append(at)
    return start, frozenset(over[:-1])
