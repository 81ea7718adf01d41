"""The Ledger tab: what the chat changed outside of the conversation, and what takes it back (memory-UL1)."""

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from desktop.domain.core.checkpoint_events import FilesRestored
from desktop.domain.display.text import display_text
from desktop.domain.events import Envelope, ToolCallFinished, TurnEnded
from desktop.domain.gate.events import ReviewReverted, RuleRemoved, RuleSaved
from desktop.domain.ledger.effects import Effect
from desktop.domain.ledger.updates import LedgerLoaded
from desktop.domain.undo.events import UndoFinished, UndoReach
from desktop.domain.updates import SessionOpened
from desktop.language import said, tr
from desktop.ui.changes.file_rows import row_list
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.panel import Panel, PanelSpec
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.ledger.model import LedgerModel
from desktop.ui.ledger.undoing import Undoing
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.empty_state import EmptyState
from desktop.ui.widgets.layouts.flow_layout import FlowLayout
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.strip import Strip

EMPTY = tr("Nothing was changed yet.")
_TURN = tr("Undo all that this turn changed; what would be done is shown first")
_BACK = tr("Undo this and all that came after it; what would be done is shown first")
CHOOSE = tr("Choose an entry to see how it can be undone.")
CUT_OFF = tr("Banksman closed within an undo. What it came to is done, the rest stands.")
_CHANGES = (ToolCallFinished, TurnEnded, ReviewReverted, FilesRestored, RuleSaved, RuleRemoved, UndoFinished)


class LedgerPanel(Panel):
    """Asks for the ledger when it is shown and when something in it may have changed. What would be undone is shown
    before a person has it done."""

    def __init__(self, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self._undoing = Undoing(requests, self)
        self._stale = self._there = False
        self.model = LedgerModel(self)
        hearing = Hearing().on(SessionOpened, self._on_opened).on(Envelope, self._on_event)
        self.hearing = hearing.after(self._load_if_seen)
        self.setObjectName("ledger_panel")
        self._figure = QLabel(self)
        self._figure.setObjectName("ledger_figure")
        self._figure.setProperty("kind", "muted")
        self._again = IconButton("refresh-cw", tr("Refresh the ledger"), self)
        self._again.setObjectName("ledger_refresh")
        self._list = row_list(self, "ledger_list", tr("Changes of this chat, newest first"), self.model)
        self._words = QLabel(CHOOSE, self)
        self._words.setObjectName("ledger_words")
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setProperty("kind", "muted")
        self._words.setWordWrap(True)
        self._undo = small_button(tr("Undo this…"), "ledger_undo", self)
        self._turn = small_button(tr("This turn…"), "ledger_turn", self)
        self._back = small_button(tr("Back here…"), "ledger_back", self)
        self._turn.setAccessibleName(tr("Undo this turn"))
        self._back.setAccessibleName(tr("Undo back to here"))
        self._cut_off = ""
        self._rest = Strip("ledger_cut_off", self, role="warning")
        self._rest.add_button(tr("Go on…"), "ledger_rest").clicked.connect(lambda: self._plan(self._cut_off, "rest"))
        self._state = EmptyState("history", "", "", self)
        self._stack = QStackedWidget(self)
        self._lay_out()
        self._list.selectionModel().selectionChanged.connect(self._on_selection)
        self._again.clicked.connect(self.load)
        self._undoing.loaded.connect(self._on_loaded)
        self._undoing.failed.connect(self._on_failed)
        self._undo.clicked.connect(lambda: self._plan_chosen("this"))
        self._turn.clicked.connect(lambda: self._plan_chosen("turn"))
        self._back.clicked.connect(lambda: self._plan_chosen("back"))
        self._refresh()

    def show_session(self, session_id: str) -> None:
        """Show this chat's ledger; "" for none."""
        if session_id != self.model.session_id:
            self.model.show_session(session_id)
            self._stale, self._there = bool(session_id), False
            self._refresh()

    def load(self) -> None:
        """Ask for the ledger."""
        session_id = self.model.session_id
        if session_id:
            self._stale = False
            self._undoing.load(session_id)

    def event(self, event: QEvent) -> bool:
        """Becoming visible: load what is missing or old."""
        if event.type() == QEvent.Type.Show:
            QTimer.singleShot(0, self, self._load_if_seen)
        return super().event(event)

    @property
    def chosen(self) -> Effect | None:
        """The selected effect."""
        rows = [index.row() for index in self._list.selectionModel().selectedIndexes()]
        return self.model.rows[rows[0]].effect if rows and rows[0] < len(self.model.rows) else None

    def select(self, row: int) -> None:
        """Select this row, from 0."""
        self._list.setCurrentIndex(self.model.index(row, 0))

    def _on_loaded(self, loaded: LedgerLoaded) -> None:
        if loaded.session_id == self.model.session_id:
            self.model.take(loaded.effects)
            self._cut_off = loaded.cut_off
            self._rest.say(CUT_OFF if loaded.cut_off else "", role="warning")
            self._refresh(loaded.more)
        if loaded.told:
            self.noted.emit(display_text(loaded.told), "Stopped" in loaded.told)

    def _on_opened(self, update: SessionOpened) -> None:
        self._there = self._there or update.session_id == self.model.session_id

    def _on_event(self, update: Envelope) -> None:
        if update.session_id == self.model.session_id:
            self._there = True
            self._stale = self._stale or isinstance(update.event, _CHANGES)

    def _on_failed(self, sentence: str) -> None:
        self.noted.emit(sentence, True)

    def _load_if_seen(self) -> None:
        if self._stale and self._there and self.isVisible():
            self.load()

    def _refresh(self, more: int = 0) -> None:
        rows = self.model.rows
        older = tr(", the newest of {value}", value=len(rows) + more) if more else ""
        self._figure.setText(count(len(rows), "change") + older if rows else "")
        words = EMPTY if self.model.loaded else ""
        self._state.set_texts(words if self.model.session_id else tr("Open a chat to see what it changed."))
        self._stack.setCurrentIndex(0 if rows else 1)
        self._on_selection()

    def _on_selection(self, *_changes: object) -> None:
        effect = self.chosen
        self._words.setText(CHOOSE if effect is None else _explained(effect))
        none = CHOOSE if effect is None else ""
        left, of_turn = effect is not None and effect.left, effect is not None and effect.turn_id
        set_off(self._undo, none or ("" if left else tr("This entry cannot be undone by itself.")))
        set_off(self._turn, none or ("" if of_turn else tr("No turn made this entry.")), _TURN)
        set_off(self._back, none, _BACK)

    def _plan_chosen(self, reach: UndoReach) -> None:
        if self.chosen is not None:
            self._plan(self.chosen.effect_id, reach)

    def _plan(self, effect_id: str, reach: UndoReach) -> None:
        self._undoing.plan(self.model.session_id, effect_id, reach)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        set_gaps(top, (SPACE_3, 0, SPACE_2, 0), SPACE_2)
        top.addWidget(self._figure)
        top.addStretch(1)
        top.addWidget(self._again)
        whole = QWidget(self)
        rows = QVBoxLayout(whole)
        set_gaps(rows, (0, 0, 0, SPACE_2), SPACE_2)
        rows.addWidget(self._list, 1)
        words = QVBoxLayout()
        set_gaps(words, (SPACE_3, 0, SPACE_3, 0), SPACE_2)
        words.addWidget(self._words)
        buttons = QWidget(whole)
        flow = FlowLayout(buttons, gap_x=theme().px(SPACE_1), gap_y=theme().px(SPACE_1))
        for button in (self._undo, self._turn, self._back):
            flow.addWidget(button)
        words.addWidget(buttons)
        rows.addLayout(words)
        self._stack.addWidget(whole)
        self._stack.addWidget(self._state)
        column = QVBoxLayout(self)
        set_gaps(column, (0, SPACE_2, 0, 0), SPACE_1)
        column.addLayout(top)
        column.addWidget(self._rest)
        column.addWidget(self._stack, 1)


def _explained(effect: Effect) -> str:
    done = {"undone": tr("This was undone."), "partly": tr("This was partly undone.")}.get(effect.state, "")
    return display_text(
        " ".join(part for part in (done, said(effect.how) if not done else "", said(effect.not_covered)) if part)
    )


def _made(requests: Requests, _clock: Clock, parent: QWidget) -> Panel:
    return LedgerPanel(requests, parent)


LEDGER = PanelSpec("ledger", tr("Ledger"), tr("Show what was changed, and undo"), ("Alt+7",), "undo-2", _made)
