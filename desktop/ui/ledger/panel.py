"""The Ledger tab: what the chat changed outside of the conversation, and what takes it back (memory-UL1)."""

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from desktop.domain.commands import RemoveRule, RevertChange
from desktop.domain.core.checkpoint_events import FilesRestored
from desktop.domain.core.command import Command
from desktop.domain.events import Envelope, ToolCallFinished
from desktop.domain.gate.events import ReviewReverted, RuleRemoved, RuleSaved
from desktop.domain.ledger.commands import LoadLedger
from desktop.domain.ledger.effects import Effect
from desktop.domain.ledger.updates import LedgerLoaded
from desktop.domain.updates import CommandFailed, SessionOpened
from desktop.ui.changes.file_rows import row_list
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.panel import Panel, PanelSpec
from desktop.ui.core.requests import Requests, answer
from desktop.ui.core.sink import Clock
from desktop.ui.ledger.model import LedgerModel
from desktop.ui.text.format import count
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.empty_state import EmptyState
from desktop.ui.widgets.layouts.gaps import set_gaps

EMPTY = "Nothing was changed yet."
CHOOSE = "Choose an entry to see how it can be undone."
_CHANGES = (ToolCallFinished, ReviewReverted, FilesRestored, RuleSaved, RuleRemoved)


class LedgerPanel(Panel):
    """Asks for the ledger when it is shown and when something in it may have changed.

    `restore_asked`: the lane's files are wanted back as of this checkpoint; what would change is shown first.
    """

    restore_asked = Signal(str)

    def __init__(self, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self._requests = requests
        self._stale = self._there = False
        self.model = LedgerModel(self)
        hearing = Hearing().on(SessionOpened, self._on_opened).on(Envelope, self._on_event)
        self.hearing = hearing.after(self._load_if_seen)
        self.setObjectName("ledger_panel")
        self._figure = QLabel(self)
        self._figure.setObjectName("ledger_figure")
        self._figure.setProperty("kind", "muted")
        self._again = IconButton("refresh-cw", "Refresh the ledger", self)
        self._again.setObjectName("ledger_refresh")
        self._list = row_list(self, "ledger_list", "Changes of this chat, newest first", self.model)
        self._words = QLabel(CHOOSE, self)
        self._words.setObjectName("ledger_words")
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setProperty("kind", "muted")
        self._words.setWordWrap(True)
        self._undo = small_button("Undo this", "ledger_undo", self)
        self._back = small_button("Undo back to here…", "ledger_back", self)
        self._back.setToolTip("All files of the lane as they were before this; what would change is shown first")
        self._state = EmptyState("history", "", "", self)
        self._stack = QStackedWidget(self)
        self._lay_out()
        self._list.selectionModel().selectionChanged.connect(self._on_selection)
        self._again.clicked.connect(self.load)
        self._undo.clicked.connect(self._on_undo)
        self._back.clicked.connect(self._on_back)
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
            loaded = answer(LedgerLoaded, self._on_loaded)
            self._requests.ask(LoadLedger(session_id=session_id), self, loaded, failed=self._on_failed)

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
            self._refresh(loaded.more)

    def _on_opened(self, update: SessionOpened) -> None:
        self._there = self._there or update.session_id == self.model.session_id

    def _on_event(self, update: Envelope) -> None:
        if update.session_id == self.model.session_id:
            self._there = True
            self._stale = self._stale or isinstance(update.event, _CHANGES)

    def _on_failed(self, failed: CommandFailed) -> None:
        self.noted.emit(failed.text, True)

    def _load_if_seen(self) -> None:
        if self._stale and self._there and self.isVisible():
            self.load()

    def _refresh(self, more: int = 0) -> None:
        rows = self.model.rows
        older = f", the newest of {len(rows) + more}" if more else ""
        self._figure.setText(count(len(rows), "change") + older if rows else "")
        words = EMPTY if self.model.loaded else ""
        self._state.set_texts(words if self.model.session_id else "Open a chat to see what it changed.")
        self._stack.setCurrentIndex(0 if rows else 1)
        self._on_selection()

    def _on_selection(self, *_changes: object) -> None:
        effect = self.chosen
        self._words.setText(CHOOSE if effect is None else _explained(effect))
        standing = effect is not None and effect.state == "standing"
        undo = standing and effect is not None and self._order(effect) is not None
        self._undo.setEnabled(undo)
        self._undo.setToolTip("" if undo or effect is None else "This entry cannot be undone by itself")
        self._back.setEnabled(effect is not None and bool(effect.checkpoint_id))

    def _order(self, effect: Effect) -> Command | None:
        """What takes back this effect alone, None where nothing does."""
        if effect.kind == "files":
            return RevertChange(session_id=effect.session_id, call_id=effect.effect_id)
        if effect.kind == "rule" and effect.scope is not None:
            return RemoveRule(rule_id=effect.effect_id, scope=effect.scope)
        return None

    def _on_undo(self) -> None:
        effect = self.chosen
        order = self._order(effect) if effect is not None else None
        if order is not None:
            self._stale = True
            self._requests.ask(order, self, failed=self._on_failed)

    def _on_back(self) -> None:
        if self.chosen is not None:
            self.restore_asked.emit(self.chosen.checkpoint_id)

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
        buttons = QHBoxLayout()
        set_gaps(buttons, (0, 0, 0, 0), SPACE_1)
        buttons.addWidget(self._undo)
        buttons.addWidget(self._back)
        buttons.addStretch(1)
        words.addLayout(buttons)
        rows.addLayout(words)
        self._stack.addWidget(whole)
        self._stack.addWidget(self._state)
        column = QVBoxLayout(self)
        set_gaps(column, (0, SPACE_2, 0, 0), SPACE_1)
        column.addLayout(top)
        column.addWidget(self._stack, 1)


def _explained(effect: Effect) -> str:
    done = {"undone": "This was undone.", "partly": "This was partly undone."}.get(effect.state, "")
    return " ".join(part for part in (done, effect.how if not done else "", effect.not_covered) if part)


def _made(requests: Requests, _clock: Clock, parent: QWidget) -> Panel:
    return LedgerPanel(requests, parent)


LEDGER = PanelSpec("Ledger", "Show what was changed, and undo", ("Alt+7",), "undo-2", _made)
