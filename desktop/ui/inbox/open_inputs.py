"""OpenInputs: all that waits for a person, in every chat of the program, as its events and the engine tell."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from desktop.domain.core.update import Update
from desktop.domain.events import Envelope
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.inbox.commands import LoadInbox
from desktop.domain.inbox.updates import ChatPlace, InboxLoaded
from desktop.domain.preview.events import CommandTried
from desktop.domain.updates import EngineReady
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.gate.input_fold import OF_INPUTS, InputFold, PendingItem, Resolution


class OpenInputs(QObject):
    """`changed`: other inputs are open, one says something else, or it is known where one is. `resolved` (input id)
    comes before it, for each that was closed.

    A window that opens later asks for what it missed; where the chat of an input is unknown, that is asked for too.
    """

    changed = Signal()
    resolved = Signal(str)

    def __init__(self, requests: Requests, parent: QObject) -> None:
        super().__init__(parent)
        self._requests = requests
        self._fold = InputFold(keeps_closed=False)
        self._places: dict[str, ChatPlace] = {}
        self._asked = Request()
        self._asked_for: frozenset[str] = frozenset()
        self._listeners: list[Callable[[Sequence[Update]], None]] = []
        self.hearing = Hearing().on(EngineReady, self._on_ready).together((Envelope,), self._on_log)

    @property
    def count(self) -> int:
        """How many decisions wait."""
        return len(self._fold.asked)

    def items(self) -> tuple[PendingItem, ...]:
        """What waits, oldest first."""
        return tuple(sorted(self._fold.asked.values(), key=lambda item: (item.asked_at, item.input_id)))

    def item(self, input_id: str) -> PendingItem | None:
        """One that waits, None where it does not (any more)."""
        return self._fold.asked.get(input_id)

    def place(self, session_id: str) -> ChatPlace | None:
        """Where a chat is, None while that is not known."""
        return self._places.get(session_id)

    def resolution(self, input_id: str) -> Resolution | None:
        """How an input was closed; None while it is open."""
        return self._fold.resolutions.get(input_id)

    def effect(self, input_id: str) -> EffectPreview | None:
        """What a preview found, None for nothing."""
        return self._fold.effects.get(input_id)

    def tried(self, input_id: str) -> CommandTried | None:
        """What came of trying it in a copy, None for nothing."""
        return self._fold.tries.get(input_id)

    def drop(self, input_id: str) -> None:
        """It is not open, as the engine says."""
        if self._fold.forget(input_id):
            self.changed.emit()

    def dismiss(self, input_id: str) -> None:
        """Nothing here was closed by a restart."""

    def load(self) -> None:
        """Ask for all of it."""
        if not self._asked.is_waiting:
            self._asked_for = frozenset(item.session_id for item in self._fold.asked.values())
            self._asked = self._requests.ask(LoadInbox(), self, answer(InboxLoaded, self._on_loaded))

    def _on_ready(self, _update: EngineReady) -> None:
        self.load()

    def _on_log(self, envelopes: Sequence[Update]) -> None:
        before = dict(self._fold.asked)
        for envelope in envelopes:
            if isinstance(envelope, Envelope) and envelope.kind in OF_INPUTS:
                closed = self._fold.take(envelope)
                if closed:
                    self.resolved.emit(closed)
        if self._fold.asked != before:
            self._look_for_places()
            self.changed.emit()

    def _on_loaded(self, loaded: InboxLoaded) -> None:
        """The engine knows all of them."""
        known = self._fold.asked
        self._fold.asked = {}
        for one in loaded.waiting:
            there = known.get(one.input_id)
            seq = there.seq if there is not None else 0
            self._fold.put(PendingItem(one.input_id, one.session_id, one.request, one.asked_at, seq))
            if one.effect is not None:
                self._fold.effects.setdefault(one.input_id, one.effect)
        self._places = {place.session_id: place for place in loaded.places}
        self._look_for_places()
        self.changed.emit()

    def _look_for_places(self) -> None:
        """A chat of which the engine told nothing when it was asked for it is not asked for again."""
        missing = {item.session_id for item in self._fold.asked.values()} - self._places.keys()
        if missing - self._asked_for:
            self.load()
