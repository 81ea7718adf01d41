"""InputFold: what waits for a person, folded from events of any chats."""

from dataclasses import replace
from datetime import datetime

from desktop.domain.events import Envelope, InputRequested, InputResolved
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.gate.events import EffectPreviewed, InputRevised
from desktop.domain.gate.pending import InputRequest
from desktop.domain.preview.events import CommandTried
from desktop.records import dataclass

OF_INPUTS = frozenset({"input_requested", "input_revised", "input_resolved", "effect_previewed", "command_tried"})
"""The kinds of events that say something of an input."""
_REMEMBERED = 500


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


class InputFold:
    """Blocking inputs; records that only look back never enter. `asked`: by id; `resolutions`, `effects`, `tries`: what
    came of them. `keeps_closed`: those that were closed stay in `asked`."""

    def __init__(self, *, keeps_closed: bool) -> None:
        self._keeps_closed = keeps_closed
        self.asked: dict[str, PendingItem] = {}
        self.resolutions: dict[str, Resolution] = {}
        self.effects: dict[str, EffectPreview] = {}
        self.tries: dict[str, CommandTried] = {}

    def take(self, envelope: Envelope) -> str:
        """Take one event; the id of the input that it closed, "" for none."""
        event = envelope.event
        if isinstance(event, InputRequested) and event.request.blocking:
            self.put(PendingItem(event.input_id, envelope.session_id, event.request, envelope.at, envelope.seq))
        elif isinstance(event, InputRevised) and event.input_id in self.asked:
            self.asked[event.input_id] = replace(self.asked[event.input_id], request=event.request)
        elif isinstance(event, EffectPreviewed):
            if self._wants(event.input_id):
                self.effects[event.input_id] = event.preview
        elif isinstance(event, CommandTried):
            if self._wants(event.input_id):
                self.tries[event.input_id] = event
        elif isinstance(event, InputResolved):
            return self._close(event, envelope.at)
        return ""

    def put(self, item: PendingItem) -> None:
        """This waits, unless it is known to be closed."""
        if self._keeps_closed or item.input_id not in self.resolutions:
            self.asked[item.input_id] = item

    def forget(self, input_id: str) -> bool:
        """It is not open, as the engine says; whether it was there."""
        return self.asked.pop(input_id, None) is not None

    def clear(self) -> None:
        """Know nothing."""
        for known in (self.asked, self.resolutions, self.effects, self.tries):
            known.clear()

    def _wants(self, input_id: str) -> bool:
        return self._keeps_closed or input_id in self.asked

    def _close(self, event: InputResolved, at: datetime) -> str:
        known = event.input_id in self.asked
        self.resolutions.setdefault(event.input_id, Resolution(event, at))
        if not self._keeps_closed:
            for kept in (self.asked, self.effects, self.tries):
                kept.pop(event.input_id, None)
            while len(self.resolutions) > _REMEMBERED:
                del self.resolutions[next(iter(self.resolutions))]
        return event.input_id if known else ""
