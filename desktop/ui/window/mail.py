"""Mail: which window of several sent a command, so that its answer goes there; all else goes to every window."""

from collections.abc import Callable, Sequence

from desktop.domain.changes.commands import TerminalInput, TerminalShown
from desktop.domain.changes.updates import (
    ChangeReverted,
    ChangesCommitted,
    CommitHeld,
    CommitStateLoaded,
    DiffLoaded,
    LaneChangesLoaded,
    LanePushed,
    MessageSuggested,
    PushesPlanned,
)
from desktop.domain.chats.updates import (
    CompactionOffered,
    ContextMeterChanged,
    RewindPreviewed,
    SessionExported,
    SessionForkedOff,
    SessionImported,
    StoreDamaged,
)
from desktop.domain.commands import Command
from desktop.domain.lanes.updates import (
    BehindLoaded,
    DeletePlanned,
    HandoverChanged,
    LaneBasesListed,
    LaneCreated,
    LaneMerged,
    LaneRunChanged,
    LanesChanged,
    LanesDeleted,
    LanesLaunched,
    LaneStatusChanged,
    MergePlanned,
    SpaceReclaimed,
    StackRunChanged,
    WorktreesListed,
)
from desktop.domain.proofs.updates import (
    CaptureLoaded,
    ComparisonLoaded,
    ProofAdded,
    ProofContentLoaded,
    ProofSaved,
    ProofsCounted,
    ProofsPublished,
    PublishPlanned,
    WindowCaptured,
    WindowsListed,
)
from desktop.domain.pulls.updates import (
    CheckLoaded,
    CheckLogLoaded,
    ChecksRerun,
    ForeignPictureLoaded,
    PullMergePlanned,
    PullRequestChanged,
    PullRequestCreated,
    PullRequestMerged,
    PullRequestPlanned,
    PullRequestsListed,
    PullTextSuggested,
)
from desktop.domain.reports.updates import LaneReportsChanged
from desktop.domain.rounds.updates import ResolutionPreview
from desktop.domain.terminals.updates import TerminalQuoted
from desktop.domain.updates import (
    AuditExported,
    CommandFailed,
    DatabaseKeysChanged,
    EndpointChecked,
    EngineReady,
    EngineStopped,
    KeysChanged,
    ProjectOpened,
    RetryScheduled,
    RulesListed,
    SandboxReported,
    SessionOpened,
    SessionsChanged,
    SettingsChanged,
    TextSaved,
    Update,
)
from desktop.ui.core.engine_facts import CHAIN
from desktop.ui.core.sink import CommandSink

_REMEMBERED = 2000
_TO_SENDER = (
    CommandFailed, SessionOpened, LaneChangesLoaded, DiffLoaded, ChangeReverted, ChangesCommitted, CommitHeld,
    CommitStateLoaded, MessageSuggested, ResolutionPreview,
    PushesPlanned, LanePushed, MergePlanned, LaneMerged, DeletePlanned, LanesDeleted, SpaceReclaimed, TerminalQuoted,
    CheckLoaded, CheckLogLoaded, ChecksRerun, ForeignPictureLoaded, PullMergePlanned, PullRequestCreated,
    PullRequestMerged, PullRequestPlanned, PullRequestsListed, PullTextSuggested,
    BehindLoaded, LaneBasesListed, LaneCreated, LanesLaunched, WorktreesListed,
    CaptureLoaded, ComparisonLoaded, ProofAdded, ProofContentLoaded, ProofSaved, ProofsCounted, PublishPlanned,
    ProofsPublished, WindowCaptured, WindowsListed,
)  # fmt: skip
"""What names the command that it answers."""
_ANSWERS: dict[type, tuple[str, str]] = {
    SessionForkedOff: ("fork_session", "source_session_id"),
    RewindPreviewed: ("preview_rewind", "session_id"),
    CompactionOffered: ("compact", "session_id"),
    SessionExported: ("export_session", "session_id"),
    AuditExported: ("export_audit", "session_id"),
    TextSaved: ("save_text", "session_id"),
    SessionImported: ("import_session", ""),
}


class Mail:
    """Windows are numbers here. What answers the command of a window that is closed reaches nobody."""

    def __init__(self, sink: CommandSink) -> None:
        self._sink = sink
        self._senders: dict[str, int] = {}
        self._askers: dict[tuple[str, str], int] = {}

    def sink_of(self, window: int) -> CommandSink:
        """What that window sends its commands through."""
        return _WindowSink(self, window)

    def send(self, window: int, command: Command) -> None:
        """Note whose command it is, and hand it over."""
        if isinstance(command, TerminalShown | TerminalInput):  # many a second, and nothing answers them
            self._sink.send(command)
            return
        self._senders[command.command_id] = window
        while len(self._senders) > _REMEMBERED:
            del self._senders[next(iter(self._senders))]
        fields = command.model_dump(include={"type", "session_id"})
        self._askers[(fields["type"], str(fields.get("session_id", "")))] = window
        self._sink.send(command)

    def for_window(self, window: int, updates: Sequence[Update]) -> list[Update]:
        """Those of the updates that this window is to take, in order."""
        return [update for update in updates if self._addressee(update) in (None, window)]

    def _addressee(self, update: Update) -> int | None:
        """The window that an update is for, None for all."""
        if isinstance(update, _TO_SENDER):
            return self._senders.get(update.command_id) if update.command_id else None
        kind, field = _ANSWERS.get(type(update), ("", ""))
        if not kind:
            return None
        fields = update.model_dump(include={field}) if field else {}
        return self._askers.get((kind, str(fields.get(field, ""))))


class _WindowSink:
    """The commands of one window."""

    def __init__(self, mail: Mail, window: int) -> None:
        self._mail, self._window = mail, window

    def send(self, command: Command) -> None:
        """Hand the command over and return at once."""
        self._mail.send(self._window, command)


class Standing:
    """What a window that opens later must be told: the newest of each, in an order in which it can be taken."""

    def __init__(self) -> None:
        self._newest: dict[tuple[int, str], Update] = {}

    def note(self, updates: Sequence[Update]) -> None:
        """Keep what stands."""
        for update in updates:
            if isinstance(update, LaneStatusChanged):
                for status in update.statuses:
                    self._newest[(_AFTER_LISTS, status.lane_id)] = LaneStatusChanged(statuses=(status,))
            kind = _STANDING.get(type(update))
            if isinstance(update, HandoverChanged):
                update = update.model_copy(update={"text": ""})
            if kind is not None and (name := kind[1](update)) is not None:
                self._newest[(kind[0], name)] = update

    def updates(self) -> list[Update]:
        """All of it, for one batch."""
        return [self._newest[key] for key in sorted(self._newest)]


def _once(_update: Update) -> str | None:
    return ""


def _of_chat(update: Update) -> str | None:
    return update.session_id if isinstance(update, ContextMeterChanged | RetryScheduled) else None


def _of_endpoint(update: Update) -> str | None:
    return update.endpoint_id if isinstance(update, EndpointChecked) and update.ok else None


def _of_lane(update: Update) -> str | None:
    return update.lane_id if isinstance(update, LaneRunChanged) else None


def _of_pull(update: Update) -> str | None:
    return update.snapshot.lane_id if isinstance(update, PullRequestChanged) else None


def _changed_record(update: Update) -> str | None:
    return update.session_id if isinstance(update, CommandFailed) and update.code == CHAIN else None


_ONCE = (
    EngineReady, SettingsChanged, KeysChanged, DatabaseKeysChanged, SandboxReported, RulesListed, ProjectOpened,
    SessionsChanged, LanesChanged, StackRunChanged, HandoverChanged, LaneReportsChanged, StoreDamaged,
    EngineStopped,
)  # fmt: skip
_AFTER_LISTS = len(_ONCE)
_STANDING: dict[type, tuple[int, Callable[[Update], str | None]]] = {
    **{kind: (place, _once) for place, kind in enumerate(_ONCE)},
    EndpointChecked: (20, _of_endpoint), ContextMeterChanged: (21, _of_chat), RetryScheduled: (22, _of_chat),
    CommandFailed: (23, _changed_record), LaneRunChanged: (24, _of_lane), PullRequestChanged: (25, _of_pull),
}  # fmt: skip
