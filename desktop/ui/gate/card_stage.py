"""CardStage: the one live card of a place, a tray or the inbox: it is made, answered, redrawn, and goes."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Protocol

from PySide6.QtCore import QObject, QSettings, QTimer, Signal
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from desktop.domain.core.update import Update
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.gate.pending import Answer
from desktop.domain.preview.events import CommandTried
from desktop.domain.updates import EngineReady, EngineStopped, SessionsChanged
from desktop.records import dataclass
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.context import CardContext
from desktop.ui.gate.cards.drafts import CardDrafts
from desktop.ui.gate.cards.kinds.handover import Handover
from desktop.ui.gate.cards.make import make_card
from desktop.ui.gate.cards.note import NO_LONGER_OPEN, TrayNote, already_answered
from desktop.ui.gate.cards.sent import SentAnswers
from desktop.ui.gate.input_fold import PendingItem, Resolution
from desktop.ui.theme.theme import theme

_AGES_MS = 30_000
_CLOSED_CODES = frozenset({"input_closed", "input_unknown"})


class Inputs(Protocol):
    """What is known of open inputs."""

    def resolution(self, input_id: str) -> Resolution | None:
        """How it was closed, None while it is open."""

    def effect(self, input_id: str) -> EffectPreview | None:
        """What a preview found, None for nothing."""

    def tried(self, input_id: str) -> CommandTried | None:
        """What came of trying it, None for nothing."""

    def drop(self, input_id: str) -> None:
        """It is not open, as the engine says."""

    def dismiss(self, input_id: str) -> None:
        """Take away what a restart closed."""


@dataclass(frozen=True)
class CardMeans:
    """What cards are made with. `monotonic` (seconds) is for the guard; drafts are kept in `settings`."""

    requests: Requests
    clock: Clock
    settings: QSettings
    monotonic: Callable[[], float] = time.monotonic


def _alone(_card: InputCard) -> Sequence[QWidget]:
    return ()


class CardStage(QObject):
    """`place` is the widget in which the card stands, in `column`; `note` says what came too late. `dress` gives a new
    card what the place adds to it, and says which controls Tab comes to behind those of the card. Nothing here takes
    the focus but a card that replaces one which had it.

    `going`: the card is about to go; `shown`: another card, or none, is there. `reshaped`: the card may need another
    height. `left`: Esc left the card, or the last one went while it had the focus. `answered`: an answer was given on
    the card (input, answer).
    """

    going = Signal()
    shown = Signal()
    reshaped = Signal()
    left = Signal()
    answered = Signal(object, object)
    audit_asked = Signal()
    full_auto_asked = Signal(str, object)

    def __init__(
        self,
        means: CardMeans,
        place: QWidget,
        column: QVBoxLayout,
        note: TrayNote,
        inputs: Inputs,
        dress: Callable[[InputCard], Sequence[QWidget]] = _alone,
    ) -> None:
        super().__init__(place)
        self._clock, self._monotonic = means.clock, means.monotonic
        self._place, self._column, self._note, self._inputs = place, column, note, inputs
        self._dress = dress
        self._drafts = CardDrafts(means.settings)
        self._engine_stopped = False
        self.lane = ""
        self.card: InputCard | None = None
        self.sent = SentAnswers(means.requests, self)
        self.hearing = Hearing().inside(self.sent.hearing)
        for kind, stopped in ((EngineStopped, True), (EngineReady, False), (SessionsChanged, False)):
            self.hearing.on(kind, partial(self._set_engine_stopped, stopped))
        theme().changed.connect(self._look_changed)
        self.sent.failed.connect(self._answer_failed)
        self.sent.refused.connect(self._wanted_failed)
        self.sent.came.connect(self._came)
        self.sent.redraw.connect(self._redraw)
        self.sent.sandbox_wanted.connect(self.full_auto_asked)
        self.sent.sending.connect(self._redraw)
        self._ages = QTimer(self)
        self._ages.setInterval(_AGES_MS)
        self._ages.timeout.connect(self._refresh_age)

    def show(self, item: PendingItem | None) -> None:
        """Show the card of this input, made anew; None: no card."""
        for _ in self.steps(item):
            pass

    def steps(self, item: PendingItem | None) -> Iterator[None]:
        """What `show` does, in steps none of which is long; the card is there with the last."""
        had_focus = self.has_focus
        self._drop_card()
        if item is not None:
            card = self._make(item)
            yield from card.filling()
            yield
            self._put(card, item)
            yield
            self.card = card
        self.shown.emit()
        if had_focus and self.card is not None and self.card.isVisibleTo(self._place):
            self.card.setFocus()
        elif had_focus and self.card is None:
            self.left.emit()

    def show_again(self, item: PendingItem) -> None:
        """Put a new card in the place of the shown one; what was done to it holds for the new one where it can."""
        if self.card is None:
            return
        kept = Handover.of(self.card)
        self.show(item)
        if self.card is not None:
            kept.to(self.card, self.reshaped.emit)

    @property
    def has_focus(self) -> bool:
        """Whether the focus is in the place."""
        focus = QApplication.focusWidget()
        return focus is not None and self._place.isAncestorOf(focus)

    def keep_ages(self, kept: bool) -> None:
        """Whether the age on the card is written anew every half minute."""
        if kept and not self._ages.isActive():
            self._ages.start()
        elif not kept:
            self._ages.stop()

    def input_resolved(self, input_id: str) -> None:
        """It was closed: what was half typed for it is forgotten, unless a restart closed it."""
        resolution = self._inputs.resolution(input_id)
        if resolution is not None and resolution.event.reason != "restart":
            self._drafts.clear(input_id)
        self.sent.forget(input_id)

    def _make(self, item: PendingItem) -> InputCard:
        sent = self.sent
        effect = sent.effect(item.input_id) or self._inputs.effect(item.input_id)
        later = (sent.edited(item.input_id), effect, self._inputs.tried(item.input_id))
        context = CardContext(item, self.lane, self._clock, self._monotonic, self._drafts, *later)
        card = make_card(context, self._place)
        card.answered.connect(lambda answer: self._answer(item, answer))
        card.wanted.connect(sent.want)
        card.discarded.connect(lambda: sent.discard_edit(item.input_id))
        card.audit_asked.connect(self.audit_asked)
        card.left.connect(self.left)
        card.reshaped.connect(self.reshaped)
        card.continued.connect(lambda: sent.go_on(item))
        card.unconfirmed.connect(lambda: sent.give_up(item.input_id))
        card.dismissed.connect(lambda: self._inputs.dismiss(item.input_id))
        return card

    def _put(self, card: InputCard, item: PendingItem) -> None:
        """In its place, as far as its answer is."""
        sent, behind = self.sent, self._dress(card)
        card.set_engine_stopped(self._engine_stopped)
        if sent.is_under_way(item.input_id):
            card.set_sending()
        if sent.error(item.input_id):
            card.fail(sent.error(item.input_id))
        self._column.addWidget(card)
        for part in card.findChildren(QWidget):
            part.ensurePolished()
        for before, after in pairwise([card, *card.tab_chain(), *behind]):
            QWidget.setTabOrder(before, after)

    def _answer(self, item: PendingItem, answer: Answer) -> None:
        self.sent.answer(item, answer)
        self.answered.emit(item, answer)

    def _drop_card(self) -> None:
        card, self.card = self.card, None
        if card is None:
            return
        self.going.emit()
        self._column.removeWidget(card)
        card.hide()
        card.setParent(None)
        card.deleteLater()

    def _shows(self, input_id: str) -> InputCard | None:
        return self.card if self.card is not None and self.card.item.input_id == input_id else None

    def _answer_failed(self, input_id: str, code: str, sentence: str) -> None:
        resolution = self._inputs.resolution(input_id)
        if resolution is not None and resolution.event.reason != "restart":
            self._note.tell(already_answered(resolution))
        elif code in _CLOSED_CODES:
            self._drop(input_id)
        elif (card := self._shows(input_id)) is not None:
            card.fail(sentence)

    def _wanted_failed(self, input_id: str, code: str, sentence: str) -> None:
        if self._inputs.resolution(input_id) is not None:
            return
        if code in _CLOSED_CODES:
            self._drop(input_id)
        elif (card := self._shows(input_id)) is not None:
            card.refuse(sentence)

    def _drop(self, input_id: str) -> None:
        self._drafts.clear(input_id)
        self._inputs.drop(input_id)
        self._note.tell(NO_LONGER_OPEN)

    def _came(self, input_id: str, update: Update) -> None:
        if (card := self._shows(input_id)) is None:
            return
        if card.lacks(update):
            self.show_again(card.item)
        else:
            card.take(update)

    def _redraw(self, input_id: str) -> None:
        """The same input in another version: the focus goes to its frame."""
        if (card := self._shows(input_id)) is not None:
            self.show(card.item)

    def _set_engine_stopped(self, stopped: bool, _update: Update) -> None:
        self._engine_stopped = stopped
        if stopped:
            self.sent.engine_stopped()
        if self.card is not None:
            self.card.set_engine_stopped(stopped)

    def _look_changed(self) -> None:
        if self.card is not None:
            self.show_again(self.card.item)

    def _refresh_age(self) -> None:
        if self.card is not None and self._place.isVisible():
            self.card.refresh_age()
