"""What waits for a person in the shown chat: open inputs, oldest first, folded from its events."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from desktop.domain.core.update import Update
from desktop.domain.events import Envelope, InputResolved, SessionStarted, TurnStarted
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.preview.events import CommandTried
from desktop.domain.updates import SessionOpened
from desktop.ui.gate.input_fold import OF_INPUTS, InputFold, PendingItem, Resolution


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
        self._own, self._others = InputFold(keeps_closed=True), InputFold(keeps_closed=False)
        self._dismissed: set[str] = set()
        self._last_turn_seq = -1
        self._below: dict[str, str] = {}

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
            if not isinstance(update, Envelope | SessionOpened):
                continue
            said = (update,) if isinstance(update, Envelope) else update.envelopes
            if update.session_id != self.session_id:
                newly += [closed for one in said if (closed := self._take_other(one)) in open_before]
                continue
            if isinstance(update, SessionOpened) and update.first:
                self._clear()
            closed_here = [self._take_own(one) for one in said]
            newly += [one for one in closed_here if isinstance(update, Envelope) and one in open_before]
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
        gone = (self._own.forget(input_id), self._others.forget(input_id))
        if any(gone):
            self.changed.emit()

    def inputs(self) -> tuple[PendingItem, ...]:
        """Open inputs, oldest first, then those a restart interrupted and no later turn has left behind."""
        waiting = []
        interrupted = []
        for item in sorted(self._own.asked.values(), key=lambda i: i.seq):
            resolution = self._own.resolutions.get(item.input_id)
            if resolution is None:
                waiting.append(item)
            elif self._is_interrupted(item, resolution):
                interrupted.append(replace(item, interrupted=True))
        waiting += [item for item in self._others.asked.values() if self._is_below(item.session_id)]
        return (*sorted(waiting, key=lambda item: item.asked_at), *interrupted)

    def resolution(self, input_id: str) -> Resolution | None:
        """How an input of this session was closed; None while it is open or was never seen."""
        return self._own.resolutions.get(input_id) or self._others.resolutions.get(input_id)

    def effect(self, input_id: str) -> EffectPreview | None:
        """What a preview that a person asked for found; None when there was none."""
        return self._own.effects.get(input_id) or self._others.effects.get(input_id)

    def tried(self, input_id: str) -> CommandTried | None:
        """What came of trying a command in a copy the last time; None when it was not tried."""
        return self._own.tries.get(input_id) or self._others.tries.get(input_id)

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

    def _take_other(self, envelope: Envelope) -> str:
        """Take what another chat asks, if it is somebody's sub-agent; the input that it closed."""
        if envelope.kind == "session_started":
            event = envelope.event
            if isinstance(event, SessionStarted) and event.parent_session_id:
                self._below[envelope.session_id] = event.parent_session_id
        if envelope.session_id not in self._below or envelope.kind not in OF_INPUTS:
            return ""
        return self._others.take(envelope)

    def _take_own(self, envelope: Envelope) -> str:
        if isinstance(envelope.event, TurnStarted):
            self._last_turn_seq = max(self._last_turn_seq, envelope.seq)
        return self._own.take(envelope)

    def _clear(self) -> None:
        self._own.clear()
        self._last_turn_seq = -1
