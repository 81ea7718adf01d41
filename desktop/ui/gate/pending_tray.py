"""The pending tray: what waits for a person in the shown chat, one card at a time, above the composer."""

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QSettings, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.domain.core.update import Update
from desktop.domain.events import Envelope
from desktop.domain.updates import SessionOpened
from desktop.language import tr
from desktop.ui.core.accessible import read_as_role
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.gate.card_stage import CardMeans, CardStage
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.context import announce
from desktop.ui.gate.cards.navigation import FOLDED, FoldLine, Navigation
from desktop.ui.gate.cards.note import TrayNote
from desktop.ui.gate.cards.wording import title_of
from desktop.ui.gate.pending_model import PendingModel, decided_by_rule
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.layouts.gaps import set_gaps

_SHARE, _SHARE_LOW, _LOW = 0.6, 0.85, 300
_ROOMY = 560


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
        self.settings = settings if settings is not None else QSettings()
        self._centre: QWidget | None = None
        self._folded = False
        self._count = 0
        self._height = 1
        self._most = 2**20
        self._known: set[str] = set()
        self.setObjectName("pending_tray")
        read_as_role(self, QAccessible.Role.Grouping)
        self.model = PendingModel(self)
        self._note = TrayNote(self)
        self._navigation = Navigation(self)
        self._fold_line = FoldLine(self)
        self._column = QVBoxLayout(self)
        set_gaps(self._column, (0, 0, 0, 0), SPACE_2)
        self._column.addWidget(self._note)
        self._column.addWidget(self._fold_line)
        self._fold_line.hide()
        self._navigation.hide()
        means = CardMeans(requests, clock, self.settings, monotonic)
        self._stage = CardStage(means, self, self._column, self._note, self.model, self._dress)
        self.hearing = Hearing().together((Envelope, SessionOpened), self._on_log).inside(self._stage.hearing)
        self._connect()
        self.hide()

    def _connect(self) -> None:
        self._navigation.previous.clicked.connect(lambda: self._step(-1))
        self._navigation.next.clicked.connect(lambda: self._step(1))
        self._navigation.collapse.clicked.connect(lambda: self.set_folded(not self._folded))
        self._navigation.folded.connect(lambda: self.set_folded(True))
        self._fold_line.pressed.connect(lambda: self.set_folded(False))
        theme().changed.connect(self._look_changed)
        self.model.resolved.connect(self._stage.input_resolved)
        self.model.changed.connect(self._inputs_changed)
        self._stage.going.connect(self._keep_navigation)
        self._stage.shown.connect(self._show_card)
        self._stage.reshaped.connect(self._fit)
        self._stage.left.connect(self.focus_left)
        self._stage.audit_asked.connect(self.audit_asked)
        self._stage.full_auto_asked.connect(self.full_auto_asked)
        self._note.changed.connect(self._note_changed)

    # For the window

    def show_session(self, session_id: str, summary_lane: str) -> None:
        """Show what waits in this chat, once its SessionOpened comes. `summary_lane`: its lane's name, for titles."""
        self._stage.lane = summary_lane
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
        if self._stage.card is None:
            return False
        self.set_folded(False)
        self._stage.card.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def focus_step(self, step: int) -> bool:
        """Focus the next (1) or previous (-1) card; the shown one if none has the focus. False past the ends."""
        if self._stage.card is None:
            return False
        if not self._stage.has_focus:
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
        had_focus = self._stage.has_focus
        self._folded = folded
        self._show_card()
        if had_focus and folded:
            self._navigation.collapse.setFocus(Qt.FocusReason.OtherFocusReason)

    # What changed

    def _on_log(self, updates: Sequence[Update]) -> None:
        open_before = {item.input_id for item in self.model.inputs()}
        self._stage.sent.take_revised(updates)
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
        card = self._stage.card
        shown = card.item if card is not None else None
        if shown is None or shown not in items:
            again = next((item for item in items if shown is not None and item.input_id == shown.input_id), None)
            if again is not None and not again.interrupted:
                self._stage.show_again(again)
            else:
                self._stage.show(again or (items[0] if items else None))
        else:
            self._show_card()
        for item in new:
            if not item.interrupted:
                announce(self, item.request)

    # Showing

    def _index(self) -> int:
        items = self.model.inputs()
        if self._stage.card is None or self._stage.card.item not in items:
            return 0
        return items.index(self._stage.card.item)

    def _step(self, step: int) -> None:
        items = self.model.inputs()
        index = self._index() + step
        if 0 <= index < len(items):
            self._stage.show(items[index])

    def _dress(self, card: InputCard) -> Sequence[QWidget]:
        card.set_navigation(self._navigation)
        return self._navigation.previous, self._navigation.next, self._navigation.collapse

    def _keep_navigation(self) -> None:
        """The card that has it goes."""
        self._navigation.setParent(self)
        self._navigation.hide()

    def _show_card(self) -> None:
        card = self._stage.card
        items = self.model.inputs()
        self._stage.keep_ages(card is not None)
        if card is None:
            self._fold_line.hide()
            self.setVisible(not self._note.isHidden())
            self._fit()
            return
        self._navigation.show_position(self._index(), len(items), is_folded=self._folded)
        if self._folded:
            title = title_of(card.item.request, self._stage.lane).text
            self._fold_line.show_line(tr("{items} waiting: {title}", items=len(items), title=title), card.item)
            self._fold_line.row.addWidget(self._navigation)
            self._navigation.show()
        elif not card.isAncestorOf(self._navigation):
            card.set_navigation(self._navigation)
        self._fold_line.setVisible(self._folded)
        card.setVisible(not self._folded)
        self.setAccessibleName(tr("Waiting, {items}", items=len(items)))
        self.show()
        self._fit()

    def _note_changed(self, text: str) -> None:
        if text:
            self.told.emit(text)
        self.setVisible(bool(text) or self._stage.card is not None)
        self._fit()

    # Size

    def _look_changed(self) -> None:
        self._fold_line.setFixedHeight(theme().px(FOLDED))

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
        if self._folded and self._stage.card is not None:
            rows += theme().px(FOLDED)
        elif self._stage.card is not None:
            self._stage.card.make_fit(self.width(), most - rows)
            rows += self._stage.card.height_at(self.width())
        self._height = max(1, min(rows, most))
        self.setFixedHeight(self._height)
