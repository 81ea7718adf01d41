"""What waits for a person in the shown chat: open inputs, oldest first, folded from its events."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from PySide6.QtCore import QObject, Signal

from desktop.domain.core.update import Update
from desktop.domain.events import Envelope, InputRequested, InputResolved, SessionStarted, TurnStarted
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.gate.events import EffectPreviewed, InputRevised
from desktop.domain.gate.pending import InputRequest
from desktop.domain.preview.events import CommandTried
from desktop.domain.updates import SessionOpened
from desktop.records import dataclass

_OF_INPUTS = frozenset({"input_requested", "input_revised", "input_resolved", "effect_previewed", "command_tried"})


@dataclass(frozen=True)
class PendingItem:
    """One card to draw. `interrupted`: a restart closed it before it was answered; it can only be looked at."""

    input_id: str
    session_id: str
    request: InputRequest
    asked_at: datetime
    seq: int
    interrupted: bool = False


@dataclass(frozen=True)
class Resolution:
    """How an input was closed, and when."""

    event: InputResolved
    at: datetime


def decided_by_rule(updates: Sequence[Update]) -> tuple[str, ...]:
    """The inputs that a rule closed while they waited, in order."""
    events = [update.event for update in updates if isinstance(update, Envelope)]
    return tuple(event.input_id for event in events if isinstance(event, InputResolved) and event.reason == "rule")


class PendingModel(QObject):
    """The open inputs of one session and of its sub-agents (memory-SU8). Records that only look back
    (`blocking` False) never enter.

    `changed` follows every change of the list; `resolved` (input id) comes before it, for each input that left.
    """

    changed = Signal()
    resolved = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session_id = ""
        self._requested: dict[str, PendingItem] = {}
        self._resolutions: dict[str, Resolution] = {}
        self._effects: dict[str, EffectPreview] = {}
        self._tries: dict[str, CommandTried] = {}
        self._dismissed: set[str] = set()
        self._last_turn_seq = -1
        self._below: dict[str, str] = {}
        self._asked_below: dict[str, PendingItem] = {}

    def show_session(self, session_id: str) -> None:
        """Follow this session from now on; its SessionOpened fills the list."""
        if session_id == self.session_id:
            return
        self.session_id = session_id
        self._clear()
        self.changed.emit()

    def apply(self, updates: Sequence[Update]) -> None:
        """Take what concerns the shown session, in order."""
        before = self.inputs()
        open_before = {item.input_id for item in before}
        newly: list[str] = []
        for update in updates:
            newly += self._take_others(update, open_before)
            if isinstance(update, SessionOpened) and update.session_id == self.session_id:
                if update.first:
                    self._clear()
                self._fold(update.envelopes)
            elif isinstance(update, Envelope) and update.session_id == self.session_id:
                self._fold((update,))
                if isinstance(update.event, InputResolved) and update.event.input_id in open_before:
                    newly.append(update.event.input_id)
        for input_id in newly:
            self.resolved.emit(input_id)
        if self.inputs() != before:
            self.changed.emit()

    def dismiss(self, input_id: str) -> None:
        """Take an interrupted card away, until the chat is opened again."""
        self._dismissed.add(input_id)
        self.changed.emit()

    def drop(self, input_id: str) -> None:
        """Take away an input of which the engine says that it is not open."""
        gone = (self._requested.pop(input_id, None), self._asked_below.pop(input_id, None))
        if any(gone):
            self.changed.emit()

    def inputs(self) -> tuple[PendingItem, ...]:
        """Open inputs, oldest first, then those a restart interrupted and no later turn has left behind."""
        waiting = []
        interrupted = []
        for item in sorted(self._requested.values(), key=lambda i: i.seq):
            resolution = self._resolutions.get(item.input_id)
            if resolution is None:
                waiting.append(item)
            elif self._is_interrupted(item, resolution):
                interrupted.append(replace(item, interrupted=True))
        waiting += [item for item in self._asked_below.values() if self._is_below(item.session_id)]
        return (*sorted(waiting, key=lambda item: item.asked_at), *interrupted)

    def resolution(self, input_id: str) -> Resolution | None:
        """How an input of this session was closed; None while it is open or was never seen."""
        return self._resolutions.get(input_id)

    def effect(self, input_id: str) -> EffectPreview | None:
        """What a preview that a person asked for found; None when there was none."""
        return self._effects.get(input_id)

    def tried(self, input_id: str) -> CommandTried | None:
        """What came of trying a command in a copy the last time; None when it was not tried."""
        return self._tries.get(input_id)

    def _is_interrupted(self, item: PendingItem, resolution: Resolution) -> bool:
        if resolution.event.reason != "restart" or item.input_id in self._dismissed:
            return False
        return self._last_turn_seq < item.seq

    def _is_below(self, session_id: str) -> bool:
        while session_id in self._below:
            session_id = self._below[session_id]
            if session_id == self.session_id:
                return True
        return False

    def _take_others(self, update: Update, open_before: set[str]) -> list[str]:
        """What another chat says; the inputs in the list that it closed."""
        if not isinstance(update, Envelope | SessionOpened) or update.session_id == self.session_id:
            return []
        said = (update,) if isinstance(update, Envelope) else update.envelopes
        return [input_id for envelope in said for input_id in self._take_below(envelope, open_before)]

    def _take_below(self, envelope: Envelope, open_before: set[str]) -> list[str]:
        """Take what another chat asks, if it is somebody's sub-agent; the inputs in the list that it closed."""
        if envelope.kind == "session_started":
            event = envelope.event
            if isinstance(event, SessionStarted) and event.parent_session_id:
                self._below[envelope.session_id] = event.parent_session_id
        if envelope.session_id not in self._below or envelope.kind not in _OF_INPUTS:
            return []
        event = envelope.event
        if isinstance(event, InputRequested) and event.request.blocking:
            self._asked_below[event.input_id] = _item(envelope, event)
        elif isinstance(event, InputRevised) and event.input_id in self._asked_below:
            asked = self._asked_below[event.input_id]
            self._asked_below[event.input_id] = replace(asked, request=event.request)
        elif isinstance(event, InputResolved) and self._asked_below.pop(event.input_id, None) is not None:
            self._resolutions.setdefault(event.input_id, Resolution(event, envelope.at))
            return [event.input_id] if event.input_id in open_before else []
        elif isinstance(event, EffectPreviewed):
            self._effects[event.input_id] = event.preview
        elif isinstance(event, CommandTried):
            self._tries[event.input_id] = event
        return []

    def _clear(self) -> None:
        self._requested.clear()
        self._resolutions.clear()
        self._effects.clear()
        self._tries.clear()
        self._last_turn_seq = -1

    def _fold(self, envelopes: Iterable[Envelope]) -> None:
        for envelope in envelopes:
            event = envelope.event
            if isinstance(event, InputRequested) and event.request.blocking:
                self._requested[event.input_id] = _item(envelope, event)
            elif isinstance(event, InputResolved):
                self._resolutions.setdefault(event.input_id, Resolution(event, envelope.at))
            elif isinstance(event, InputRevised) and event.input_id in self._requested:
                asked = self._requested[event.input_id]
                self._requested[event.input_id] = replace(asked, request=event.request)
            elif isinstance(event, EffectPreviewed):
                self._effects[event.input_id] = event.preview
            elif isinstance(event, CommandTried):
                self._tries[event.input_id] = event
            elif isinstance(event, TurnStarted):
                self._last_turn_seq = max(self._last_turn_seq, envelope.seq)


def _item(envelope: Envelope, event: InputRequested) -> PendingItem:
    return PendingItem(event.input_id, envelope.session_id, event.request, envelope.at, envelope.seq)
