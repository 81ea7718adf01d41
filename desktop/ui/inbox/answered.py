"""AnsweredToday: what a person answered since midnight, and the way to take back what it led to."""

from datetime import UTC

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.inbox.commands import LoadAnswered
from desktop.domain.inbox.updates import AnsweredLoaded
from desktop.domain.ledger.updates import LedgerLoaded
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.core.sink import Clock
from desktop.ui.inbox.rows import InboxEntry
from desktop.ui.ledger.undoing import Undoing

_YESES = frozenset({"allow_once", "allow_always"})


class AnsweredToday(QObject):
    """`loaded`: the entries are there (AnsweredLoaded). `undoable` (key of an entry, whether there is an undo for it);
    `told`: a sentence about an undo."""

    loaded = Signal(object)
    undoable = Signal(str, bool)
    told = Signal(str)

    def __init__(self, requests: Requests, clock: Clock, place: QWidget) -> None:
        super().__init__(place)
        self._requests, self._clock = requests, clock
        self._undoing = Undoing(requests, place)
        self._asked = Request()
        self._entry: InboxEntry | None = None
        self._undoing.loaded.connect(self._on_ledger)
        self._undoing.failed.connect(self.told)

    def load(self) -> None:
        """Ask what was answered since midnight where the person is."""
        self._asked.drop()
        midnight = self._clock().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        since = midnight.astimezone(UTC)
        self._asked = self._requests.ask(LoadAnswered(since=since), self, answer(AnsweredLoaded, self.loaded.emit))

    def look(self, entry: InboxEntry | None) -> None:
        """Look whether there is an undo for it."""
        self._entry = entry
        card = entry.card if entry is not None else None
        if entry is not None and card is not None:
            self.undoable.emit(entry.key, False)
            if card.answer.outcome in _YESES:
                self._undoing.load(card.session_id)

    def undo(self) -> None:
        """Show what taking back the call of this answer would do."""
        if self._entry is not None and (card := self._entry.card) is not None:
            self._undoing.plan(card.session_id, card.call_id, "this")

    def _on_ledger(self, ledger: LedgerLoaded) -> None:
        entry = self._entry
        card = entry.card if entry is not None else None
        if ledger.told:
            self.told.emit(ledger.told)
        if entry is not None and card is not None and card.session_id == ledger.session_id:
            mine = [effect for effect in ledger.effects if effect.effect_id == card.call_id]
            self.undoable.emit(entry.key, any(effect.left for effect in mine))
