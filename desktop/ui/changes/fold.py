"""ReviewFold: what the Changes tab must know of the shown chat: its lane, its turns and checkpoints, what git says."""

from desktop.domain.changes.updates import ChangeReverted, ChangesCommitted
from desktop.domain.changes.values import ChangeScope
from desktop.domain.core.checkpoint_events import CheckpointMade, FilesRestored
from desktop.domain.display.text import display_text
from desktop.domain.events import (
    Envelope,
    LaneAttached,
    SessionForked,
    SessionStarted,
    ToolCallFinished,
    TurnEnded,
    TurnStarted,
)
from desktop.domain.lanes.lane import Lane, LaneFinding, LaneStatus
from desktop.domain.lanes.updates import LanesChanged, LaneStatusChanged
from desktop.domain.updates import SessionOpened, SessionsChanged
from desktop.language import tr
from desktop.ui.core.hearing import Hearing

_TURNS, _CHECKPOINTS = 12, 5


class ReviewFold:
    """`is_there`: the chat has been opened, so its lane is known if it has one."""

    def __init__(self) -> None:
        self.session_id = ""
        self.is_there = False
        self._lanes: dict[str, Lane] | None = None
        self._findings: dict[str, LaneFinding] = {}
        self._statuses: dict[str, LaneStatus] = {}
        self._lane_of: dict[str, str] = {}
        self._turns: dict[int, str] = {}
        self._checkpoints: dict[int, tuple[str, str]] = {}
        self._told: tuple[int, str] = (-1, "")
        self._touched = False
        self.hearing = self._hears()

    def show_session(self, session_id: str) -> None:
        """Forget the former chat's turns."""
        self.session_id, self.is_there = session_id, False
        self._turns, self._checkpoints, self._told = {}, {}, (-1, "")

    def take_touched(self) -> bool:
        """Whether the lane's files may differ since this was asked last."""
        touched, self._touched = self._touched, False
        return touched

    @property
    def lane_id(self) -> str:
        """The lane of the shown chat, "" for none yet."""
        return self._told[1] or self._lane_of.get(self.session_id, "")

    @property
    def lane(self) -> Lane | None:
        """Its record."""
        return (self._lanes or {}).get(self.lane_id)

    @property
    def is_gone(self) -> bool:
        """The lane was deleted: both lists were told, and its chat alone stands in one."""
        return self._lanes is not None and self.session_id in self._lane_of and bool(self.lane_id) and self.lane is None

    @property
    def status(self) -> LaneStatus | None:
        """What git said of it last."""
        return self._statuses.get(self.lane_id)

    @property
    def finding(self) -> LaneFinding | None:
        """What is wrong with it."""
        return self._findings.get(self.lane_id)

    def others(self) -> list[tuple[str, ChangeScope]]:
        """Scopes beside the three that are always there, in words: turns, checkpoints with a name, outside of turns."""
        numbered = list(enumerate((self._turns[seq] for seq in sorted(self._turns)), start=1))
        found = [
            (tr("Turn {number}", number=n), ChangeScope(kind="turn", reference=turn))
            for n, turn in reversed(numbered[-_TURNS:])
        ]
        kept = [self._checkpoints[seq] for seq in sorted(self._checkpoints, reverse=True)][:_CHECKPOINTS]
        found += [
            (tr("Since “{name}”", name=display_text(name)), ChangeScope(kind="checkpoint", reference=one))
            for one, name in kept
        ]
        if numbered:
            found.append((tr("Changed outside a turn"), ChangeScope(kind="outside")))
        return found

    def _hears(self) -> Hearing:
        hearing = Hearing().on(Envelope, self._on_event).on(SessionOpened, self._on_opened)
        hearing.on(SessionsChanged, self._on_chats).on(LanesChanged, self._on_lanes)
        hearing.on(LaneStatusChanged, self._on_statuses)
        return hearing.on(ChangeReverted, self._on_changed).on(ChangesCommitted, self._on_changed)

    def _on_event(self, update: Envelope) -> None:
        self._touched = self._take(update) or self._touched

    def _on_opened(self, update: SessionOpened) -> None:
        if update.session_id == self.session_id:
            self.is_there = True
            for envelope in update.envelopes:
                self._take(envelope)

    def _on_chats(self, update: SessionsChanged) -> None:
        self._lane_of = {chat.session_id: chat.lane_id for chat in update.sessions}

    def _on_lanes(self, update: LanesChanged) -> None:
        self._lanes = {lane.id: lane for lane in update.lanes}
        self._findings = {finding.lane_id: finding for finding in update.findings}

    def _on_changed(self, update: ChangeReverted | ChangesCommitted) -> None:
        self._touched = self._touched or update.lane_id == self.lane_id

    def _take(self, envelope: Envelope) -> bool:
        if envelope.session_id != self.session_id:
            return False
        self.is_there = True
        event = envelope.event
        if isinstance(event, SessionStarted | SessionForked | LaneAttached) and event.lane_id:
            self._told = max(self._told, (envelope.seq, event.lane_id))
        elif isinstance(event, TurnStarted):
            self._turns[envelope.seq] = event.turn_id
        elif isinstance(event, CheckpointMade) and event.name:
            self._checkpoints[envelope.seq] = (event.checkpoint_id, event.name)
        touched = isinstance(event, ToolCallFinished) and bool(event.touched)
        return touched or isinstance(event, TurnEnded | FilesRestored)

    def _on_statuses(self, update: LaneStatusChanged) -> None:
        former = self.status
        self._statuses.update({status.lane_id: status for status in update.statuses})
        now = self.status
        if former is not None and now is not None and _figures(former) != _figures(now):
            self._touched = True


def _figures(status: LaneStatus) -> tuple[object, ...]:
    return (
        status.head,
        status.staged,
        status.unstaged,
        status.untracked,
        status.conflicted,
        status.changed_files,
        status.added,
        status.removed,
    )
