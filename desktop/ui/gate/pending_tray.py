"""The pending tray: what waits for a person in the shown chat, one card at a time, above the composer."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, QSettings, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QResizeEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from desktop.domain.core.update import Update
from desktop.domain.events import Envelope
from desktop.domain.updates import EngineReady, EngineStopped, SessionOpened, SessionsChanged
from desktop.ui.core.accessible import read_as_role
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.context import CardContext, announce
from desktop.ui.gate.cards.drafts import CardDrafts
from desktop.ui.gate.cards.kinds.handover import Handover
from desktop.ui.gate.cards.make import make_card
from desktop.ui.gate.cards.navigation import FOLDED, FoldLine, Navigation
from desktop.ui.gate.cards.note import NO_LONGER_OPEN, TrayNote, already_answered
from desktop.ui.gate.cards.sent import SentAnswers
from desktop.ui.gate.cards.wording import title_of
from desktop.ui.gate.pending_model import PendingItem, PendingModel, decided_by_rule
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.layouts.gaps import set_gaps

_SHARE, _SHARE_LOW, _LOW = 0.6, 0.85, 300
_ROOMY, _AGES_MS = 400, 30_000
_CLOSED_CODES = frozenset({"input_closed", "input_unknown"})


class PendingTray(QWidget):
    """Shows the oldest open input of a chat and sends its answer. Hidden while nothing waits.

    It never takes the focus by itself. `focus_left`: Esc left the card, or the last card went while it had the focus;
    the composer should take the focus. `count_changed`: how many inputs are open. `told`: a sentence about an answer
    that came too late (shown here as well). `covered`: so many more requests were decided by a rule just saved, and
    the first of them. `audit_asked`: a card's "Show in Audit". `full_auto_asked`: a plan needs it, and it needs a word.
    """

    focus_left = Signal()
    count_changed = Signal(int)
    told = Signal(str)
    covered = Signal(int, str)
    audit_asked = Signal()
    full_auto_asked = Signal(str, object)

    def __init__(
        self,
        requests: Requests,
        clock: Clock,
        parent: QWidget | None = None,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        settings: QSettings | None = None,
    ) -> None:
        super().__init__(parent)
        self._clock, self._monotonic = clock, monotonic
        self.settings = settings if settings is not None else QSettings()
        self._drafts = CardDrafts(self.settings)
        self._lane = ""
        self._centre: QWidget | None = None
        self._card: InputCard | None = None
        self._folded = False
        self._engine_stopped = False
        self._count = 0
        self._height = 1
        self._most = 2**20
        self._known: set[str] = set()
        self._sent = SentAnswers(requests, self)
        self.setObjectName("pending_tray")
        read_as_role(self, QAccessible.Role.Grouping)
        self.model = PendingModel(self)
        self.model.resolved.connect(self._input_resolved)
        self.model.changed.connect(self._inputs_changed)
        self.hearing = Hearing().together((Envelope, SessionOpened), self._on_log).inside(self._sent.hearing)
        for kind, stopped in ((EngineStopped, True), (EngineReady, False), (SessionsChanged, False)):
            self.hearing.on(kind, partial(self._set_engine_stopped, stopped))
        self._note = TrayNote(self)
        self._navigation = Navigation(self)
        self._fold_line = FoldLine(self)
        self._column = QVBoxLayout(self)
        set_gaps(self._column, (0, 0, 0, 0), SPACE_2)
        self._column.addWidget(self._note)
        self._column.addWidget(self._fold_line)
        self._fold_line.hide()
        self._navigation.hide()
        self._connect()
        self.hide()

    def _connect(self) -> None:
        self._navigation.previous.clicked.connect(lambda: self._step(-1))
        self._navigation.next.clicked.connect(lambda: self._step(1))
        self._navigation.collapse.clicked.connect(lambda: self.set_folded(not self._folded))
        self._navigation.folded.connect(lambda: self.set_folded(True))
        self._fold_line.pressed.connect(lambda: self.set_folded(False))
        theme().changed.connect(self._look_changed)
        self._sent.failed.connect(self._answer_failed)
        self._sent.refused.connect(self._wanted_failed)
        self._sent.came.connect(self._came)
        self._sent.redraw.connect(self._redraw)
        self._sent.sandbox_wanted.connect(self.full_auto_asked)
        self._sent.sending.connect(self._redraw)
        self._ages = QTimer(self)
        self._ages.setInterval(_AGES_MS)
        self._ages.timeout.connect(self._refresh_age)
        self._note.changed.connect(self._note_changed)

    # For the window

    def show_session(self, session_id: str, summary_lane: str) -> None:
        """Show what waits in this chat, once its SessionOpened comes. `summary_lane`: its lane's name, for titles."""
        self._lane = summary_lane
        if session_id != self.model.session_id:
            self._known.clear()
            self._folded = False
            self._note.tell("")
            self.model.show_session(session_id)

    def set_centre(self, centre: QWidget) -> None:
        """The region of which the tray takes at most 60 % in height (85 % of a very low one); else the parent."""
        if self._centre is not None:
            self._centre.removeEventFilter(self)
        self._centre = centre
        centre.installEventFilter(self)
        self._fit()

    def set_most(self, height: int) -> None:
        """The height that is left for the tray where that is less than its share."""
        if height != self._most:
            self._most = height
            self._fit()

    def focus_card(self) -> bool:
        """Put the focus on the frame of the shown card, unfolding the tray. False when nothing waits."""
        if self._card is None:
            return False
        self.set_folded(False)
        self._card.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def focus_step(self, step: int) -> bool:
        """Focus the next (1) or previous (-1) card; the shown one if none has the focus. False past the ends."""
        if self._card is None:
            return False
        if not self._has_focus_inside():
            return self.focus_card()
        items = self.model.inputs()
        if not 0 <= self._index() + step < len(items):
            return False
        self._step(step)
        return self.focus_card()

    @property
    def is_folded(self) -> bool:
        """Whether only the line is shown."""
        return self._folded

    def set_folded(self, folded: bool) -> None:
        """Fold to one line, or unfold."""
        if folded == self._folded:
            return
        had_focus = self._has_focus_inside()
        self._folded = folded
        self._show_card()
        if had_focus and folded:
            self._navigation.collapse.setFocus(Qt.FocusReason.OtherFocusReason)

    # What changed

    def _on_log(self, updates: Sequence[Update]) -> None:
        open_before = {item.input_id for item in self.model.inputs()}
        self._sent.take_revised(updates)
        self.model.apply(updates)
        covered = [input_id for input_id in decided_by_rule(updates) if input_id in open_before]
        if covered:
            self.covered.emit(len(covered), covered[0])

    def _inputs_changed(self) -> None:
        items = self.model.inputs()
        ids = [item.input_id for item in items]
        new = [item for item in items if item.input_id not in self._known]
        if not self._known.intersection(ids):
            self._folded = False
        self._known = set(ids)
        if len(items) != self._count:
            self._count = len(items)
            self.count_changed.emit(self._count)
        shown = self._card.item if self._card is not None else None
        if shown is None or shown not in items:
            again = next((item for item in items if shown is not None and item.input_id == shown.input_id), None)
            draw = self._draw_again if again is not None and not again.interrupted else self._show_input
            draw(again or (items[0] if items else None))
        else:
            self._show_card()
        for item in new:
            if not item.interrupted:
                announce(self, item.request)

    def _input_resolved(self, input_id: str) -> None:
        resolution = self.model.resolution(input_id)
        if resolution is not None and resolution.event.reason != "restart":
            self._drafts.clear(input_id)
        self._sent.forget(input_id)

    def _answer_failed(self, input_id: str, code: str, sentence: str) -> None:
        resolution = self.model.resolution(input_id)
        if resolution is not None and resolution.event.reason != "restart":
            self._note.tell(already_answered(resolution))
        elif code in _CLOSED_CODES:
            self._drop(input_id)
        elif self._card is not None and self._card.item.input_id == input_id:
            self._card.fail(sentence)

    def _wanted_failed(self, input_id: str, code: str, sentence: str) -> None:
        if self.model.resolution(input_id) is not None:
            return
        if code in _CLOSED_CODES:
            self._drop(input_id)
        elif self._card is not None and self._card.item.input_id == input_id:
            self._card.refuse(sentence)

    def _drop(self, input_id: str) -> None:
        self._drafts.clear(input_id)
        self.model.drop(input_id)
        self._note.tell(NO_LONGER_OPEN)

    def _came(self, input_id: str, update: Update) -> None:
        if self._card is not None and self._card.item.input_id == input_id:
            self._card.take(update)

    def _redraw(self, input_id: str) -> None:
        """The same input in another version: the focus goes to its frame."""
        card = self._card
        if card is not None and card.item.input_id == input_id:
            self._show_input(card.item)

    def _set_engine_stopped(self, stopped: bool, _update: Update) -> None:
        self._engine_stopped = stopped
        if stopped:
            self._sent.engine_stopped()
        if self._card is not None:
            self._card.set_engine_stopped(stopped)

    # Showing

    def _index(self) -> int:
        items = self.model.inputs()
        if self._card is None or self._card.item not in items:
            return 0
        return items.index(self._card.item)

    def _step(self, step: int) -> None:
        items = self.model.inputs()
        index = self._index() + step
        if 0 <= index < len(items):
            self._show_input(items[index])

    def _show_input(self, item: PendingItem | None) -> None:
        had_focus = self._has_focus_inside()
        self._drop_card()
        if item is not None:
            self._card = self._make(item)
        self._show_card()
        if had_focus and self._card is not None and not self._folded:
            self._card.setFocus(Qt.FocusReason.OtherFocusReason)
        elif had_focus and self._card is None:
            self.focus_left.emit()

    def _make(self, item: PendingItem) -> InputCard:
        effect = self._sent.effect(item.input_id) or self.model.effect(item.input_id)
        later = (self._sent.edited(item.input_id), effect, self.model.tried(item.input_id))
        context = CardContext(item, self._lane, self._clock, self._monotonic, self._drafts, *later)
        card = make_card(context, self)
        card.answered.connect(lambda answer: self._sent.answer(item, answer))
        card.wanted.connect(self._sent.want)
        card.discarded.connect(lambda: self._sent.discard_edit(item.input_id))
        card.audit_asked.connect(self.audit_asked)
        card.left.connect(self.focus_left)
        card.reshaped.connect(self._fit)
        card.continued.connect(lambda: self._sent.go_on(item))
        card.unconfirmed.connect(lambda: self._sent.give_up(item.input_id))
        card.dismissed.connect(lambda: self.model.dismiss(item.input_id))
        card.set_navigation(self._navigation)
        card.set_engine_stopped(self._engine_stopped)
        if self._sent.is_under_way(item.input_id):
            card.set_sending()
        if self._sent.error(item.input_id):
            card.fail(self._sent.error(item.input_id))
        self._column.addWidget(card)
        for part in card.findChildren(QWidget):
            part.ensurePolished()
        chain = [card, *card.tab_chain(), self._navigation.previous, self._navigation.next, self._navigation.collapse]
        for before, after in pairwise(chain):
            QWidget.setTabOrder(before, after)
        return card

    def _look_changed(self) -> None:
        self._fold_line.setFixedHeight(theme().px(FOLDED))
        if self._card is not None:
            self._draw_again(self._card.item)

    def _draw_again(self, item: PendingItem | None) -> None:
        """Put a new card in the place of the shown one."""
        if self._card is None:
            return
        kept = Handover.of(self._card)
        self._show_input(item)
        if self._card is not None:
            kept.to(self._card, self._fit)

    def _drop_card(self) -> None:
        if self._card is None:
            return
        self._navigation.setParent(self)
        self._navigation.hide()
        self._column.removeWidget(self._card)
        self._card.hide()
        self._card.setParent(None)
        self._card.deleteLater()
        self._card = None

    def _show_card(self) -> None:
        card = self._card
        items = self.model.inputs()
        self._ages.stop()
        if card is None:
            self._fold_line.hide()
            self.setVisible(not self._note.isHidden())
            self._fit()
            return
        self._navigation.show_position(self._index(), len(items), is_folded=self._folded)
        if self._folded:
            title = title_of(card.item.request, self._lane).text
            self._fold_line.show_line(f"{len(items)} waiting: {title}", card.item)
            self._fold_line.row.addWidget(self._navigation)
            self._navigation.show()
        elif not card.isAncestorOf(self._navigation):
            card.set_navigation(self._navigation)
        self._fold_line.setVisible(self._folded)
        card.setVisible(not self._folded)
        self.setAccessibleName(f"Waiting, {len(items)}")
        self._ages.start()
        self.show()
        self._fit()

    def _note_changed(self, text: str) -> None:
        if text:
            self.told.emit(text)
        self.setVisible(bool(text) or self._card is not None)
        self._fit()

    def _refresh_age(self) -> None:
        if self._card is not None and self.isVisible():
            self._card.refresh_age()

    def _has_focus_inside(self) -> bool:
        focus = QApplication.focusWidget()
        return focus is not None and self.isAncestorOf(focus)

    # Size

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width, another height."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def sizeHint(self) -> QSize:
        """As high as the card needs, at most 60 % of the centre."""
        return QSize(super().sizeHint().width(), self._height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the height of the centre."""
        if watched is self._centre and event.type() == QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        parent = self.parentWidget()
        if self._centre is None and parent is not None:
            self.set_centre(parent)
            return
        self._navigation.keep_room(self.width() >= theme().px(_ROOMY))
        rows = 0 if self._note.isHidden() else self._note.heightForWidth(self.width()) + self._column.spacing()
        centre = self._centre.height() if self._centre is not None else 2**20
        most = min(self._most, int(centre * (_SHARE if centre >= theme().px(_LOW) else _SHARE_LOW)))
        if self._folded and self._card is not None:
            rows += theme().px(FOLDED)
        elif self._card is not None:
            self._card.make_fit(self.width(), most - rows)
            rows += self._card.height_at(self.width())
        self._height = max(1, min(rows, most))
        self.setFixedHeight(self._height)
