"""The Timeline tab: the lane's files as they were, to compare, to put back, to rewind to (lanes-D21)."""

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop.domain.chats.commands import CompareCheckpoints, LoadCheckpoints, MakeCheckpoint, RestoreCheckpoint
from desktop.domain.chats.updates import CheckpointInfo, CheckpointsCompared, CheckpointsListed
from desktop.domain.context.events import Rewound
from desktop.domain.core.checkpoint_events import CheckpointMade, FilesRestored
from desktop.domain.core.command import Command
from desktop.domain.display.text import display_text
from desktop.domain.events import Envelope
from desktop.domain.reports.events import CompletionReported, EvidenceRecorded
from desktop.domain.updates import CommandFailed, SessionOpened
from desktop.language import said, tr
from desktop.ui.changes.file_rows import row_list
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.panel import Panel, PanelSpec
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.history.checkpoint_rows import CheckpointDelegate
from desktop.ui.history.comparison import Comparison
from desktop.ui.history.name_checkpoint import NameDialog
from desktop.ui.history.timeline_model import CheckpointRow, TimelineModel
from desktop.ui.models.keyed_rows import ROW_ROLE
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.empty_state import EmptyState
from desktop.ui.widgets.layouts.flow_layout import FlowLayout
from desktop.ui.widgets.layouts.gaps import set_gaps

EMPTY = tr("No checkpoints yet.")
REWINDS = tr("Conversation and files as of this checkpoint")
FORKS = tr("A new chat in a lane of its own, with conversation and files as of this checkpoint")
_NO_CHAT = tr("Open a chat to see its timeline.")
_LOADING = tr("Loading checkpoints…")
_ONE = tr("Choose one checkpoint.")
_ONE_OR_TWO = tr("Choose one checkpoint, or two.")
_CHANGES = (CheckpointMade, FilesRestored, Rewound, EvidenceRecorded, CompletionReported)
_TWO, _LIST_HEIGHT = 2, 240


class TimelinePanel(Panel):
    """Asks for the list when it is shown and when a checkpoint was made or something was proved.

    `restore_asked`: the files of this checkpoint are wanted back; `rewind_asked`: conversation and files as of it;
    `fork_asked`: a new chat in a lane of its own with both, as of this entry; `noted`: why something was not done, and
    that it is a failure.
    """

    restore_asked = Signal(str)
    rewind_asked = Signal(object)
    fork_asked = Signal(str)

    def __init__(self, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self._requests = requests
        self._stale = self._there = False
        self.model = TimelineModel(self)
        self.hearing = self._hears()
        self.setObjectName("timeline_panel")
        self._figure = QLabel(self)
        self._figure.setObjectName("timeline_figure")
        self._figure.setProperty("kind", "muted")
        self._new = small_button(tr("New checkpoint…"), "timeline_new", self)
        self._again = IconButton("refresh-cw", tr("Refresh the timeline"), self)
        self._again.setObjectName("timeline_refresh")
        self._list = row_list(self, "timeline_list", tr("Checkpoints, newest first"), self.model, CheckpointDelegate)
        self._list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._compare = small_button(tr("Compare"), "timeline_compare", self)
        self._restore = small_button(tr("Put back…"), "timeline_restore", self)
        self._rewind = small_button(tr("Rewind…"), "timeline_rewind", self)
        self._fork = IconButton("git-fork", tr("Fork from here"), self)
        self._fork.setObjectName("timeline_fork")
        self.comparison = Comparison(self)
        self._state = EmptyState("history", "", "", self)
        self._stack = QStackedWidget(self)
        self._lay_out()
        self._connect()
        self._refresh()

    def show_session(self, session_id: str) -> None:
        """Show this chat's timeline; "" for none."""
        if session_id == self.model.session_id:
            return
        self.model.show_session(session_id)
        self.comparison.clear()
        self._stale, self._there = bool(session_id), False
        self._refresh()

    def load(self) -> None:
        """Ask for the list."""
        if self.model.session_id:
            self._stale = False
            self._requests.send(LoadCheckpoints(session_id=self.model.session_id))

    def event(self, event: QEvent) -> bool:
        """Becoming visible: load what is missing or old."""
        if event.type() == QEvent.Type.Show:
            QTimer.singleShot(0, self, self._load_if_seen)
        return super().event(event)

    @property
    def chosen(self) -> list[CheckpointInfo]:
        """The selected checkpoints, newest first."""
        rows = sorted(index.row() for index in self._list.selectionModel().selectedIndexes())
        return [self.model.rows[row].info for row in rows if row < len(self.model.rows)]

    def _hears(self) -> Hearing:
        hearing = Hearing().on(CheckpointsListed, self._on_listed).on(CheckpointsCompared, self._on_compared)
        hearing.on(SessionOpened, self._on_opened).on(Envelope, self._on_event)
        return hearing.after(self._load_if_seen)

    def _on_listed(self, update: CheckpointsListed) -> None:
        if self.model.take(update):
            self._refresh()

    def _on_compared(self, update: CheckpointsCompared) -> None:
        self.comparison.take(update, self.model)

    def _on_opened(self, update: SessionOpened) -> None:
        self._there = self._there or update.session_id == self.model.session_id

    def _on_event(self, update: Envelope) -> None:
        if update.session_id == self.model.session_id:
            self._there = True
            self._stale = self._stale or isinstance(update.event, _CHANGES)

    def _on_failed(self, failed: CommandFailed) -> None:
        self.noted.emit(failed.text, True)

    def _ask(self, command: Command) -> None:
        self._requests.ask(command, self, failed=self._on_failed)

    def _load_if_seen(self) -> None:
        if self._stale and self._there and self.isVisible():
            self.load()

    def _refresh(self) -> None:
        rows = self.model.rows
        self._figure.setText(count(len(rows), "checkpoint") if rows else "")
        words = EMPTY if self.model.loaded else ""
        if self.model.problem:
            words = display_text(said(self.model.problem), multiline=True)
        self._state.set_texts(words if self.model.session_id else _NO_CHAT)
        self._stack.setCurrentIndex(0 if rows else 1)
        chat = "" if self.model.session_id else _NO_CHAT
        set_off(self._new, chat or ("" if self.model.loaded and not self.model.problem else words or _LOADING))
        self._on_selection()

    def _on_selection(self, *_changes: object) -> None:
        chosen = self.chosen
        self._compare.setText(tr("Compare two") if len(chosen) == _TWO else tr("Compare"))
        with_what = tr("With each other") if len(chosen) == _TWO else tr("With the files as they are now")
        set_off(self._compare, "" if len(chosen) in (1, _TWO) else _ONE_OR_TWO, with_what)
        one = "" if len(chosen) == 1 else _ONE
        set_off(self._restore, one, tr("The files only; what would change is shown first"))
        here = len(chosen) == 1 and chosen[0].session_id == self.model.session_id and bool(chosen[0].event_id)
        other = tr("This checkpoint was taken by another chat.") if len(chosen) == 1 and not here else ""
        for button, words in ((self._rewind, REWINDS), (self._fork, FORKS)):
            set_off(
                button, one or other or ("" if here else tr("No entry of the chat stands at this checkpoint.")), words
            )

    def _on_compare(self) -> None:
        chosen = self.chosen
        if len(chosen) not in (1, _TWO):
            return
        newer = chosen[0].checkpoint_id if len(chosen) == _TWO else ""
        older = chosen[-1].checkpoint_id
        self.comparison.ask(older, newer)
        self._ask(CompareCheckpoints(session_id=self.model.session_id, checkpoint_id=older, other=newer))

    def _on_file_wanted(self, checkpoint_id: str, paths: tuple[str, ...]) -> None:
        session_id = self.model.session_id
        self._ask(RestoreCheckpoint(session_id=session_id, checkpoint_id=checkpoint_id, paths=paths))

    def _on_new(self) -> None:
        session_id = self.model.session_id
        dialog = NameDialog(self)
        dialog.named.connect(lambda name: self._ask(MakeCheckpoint(session_id=session_id, name=name)))
        dialog.open()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        set_gaps(top, (SPACE_3, 0, SPACE_2, 0), SPACE_2)
        top.addWidget(self._figure)
        top.addStretch(1)
        top.addWidget(self._new)
        top.addWidget(self._again)
        upper = QWidget(self)
        rows = QVBoxLayout(upper)
        set_gaps(rows, (0, 0, 0, SPACE_1), SPACE_1)
        rows.addWidget(self._list, 1)
        below = QHBoxLayout()
        set_gaps(below, (SPACE_3, 0, SPACE_2, 0), 0)
        buttons = QWidget(upper)
        flow = FlowLayout(buttons, gap_x=theme().px(SPACE_1), gap_y=theme().px(SPACE_1))
        for button in (self._compare, self._restore, self._rewind, self._fork):
            flow.addWidget(button)
        below.addWidget(buttons)
        rows.addLayout(below)
        splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.setObjectName("timeline_splitter")
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(max(1, theme().px(1)))
        splitter.addWidget(upper)
        splitter.addWidget(self.comparison)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([theme().px(_LIST_HEIGHT), theme().px(2 * _LIST_HEIGHT)])
        self._stack.addWidget(splitter)
        self._stack.addWidget(self._state)
        column = QVBoxLayout(self)
        set_gaps(column, (0, SPACE_2, 0, 0), SPACE_1)
        column.addLayout(top)
        column.addWidget(self._stack, 1)

    def _connect(self) -> None:
        self._list.selectionModel().selectionChanged.connect(self._on_selection)
        self._list.doubleClicked.connect(self._on_compare)
        self._compare.clicked.connect(self._on_compare)
        self._new.clicked.connect(self._on_new)
        self._again.clicked.connect(self.load)
        self._restore.clicked.connect(lambda: self.restore_asked.emit(self.chosen[0].checkpoint_id))
        self._rewind.clicked.connect(lambda: self.rewind_asked.emit(self.chosen[0]))
        self._fork.clicked.connect(lambda: self.fork_asked.emit(self.chosen[0].event_id))
        self.comparison.file_wanted.connect(self._on_file_wanted)

    def select(self, *rows: int) -> None:
        """Select these rows, from 0."""
        self._list.clearSelection()
        model = self._list.selectionModel()
        for row in rows:
            model.select(self.model.index(row, 0), model.SelectionFlag.Select)

    def row(self, at: int) -> CheckpointRow:
        """The row at a place, from 0."""
        found: CheckpointRow = self.model.index(at, 0).data(ROW_ROLE)
        return found


def _made(requests: Requests, _clock: Clock, parent: QWidget) -> Panel:
    return TimelinePanel(requests, parent)


TIMELINE = PanelSpec("timeline", tr("Timeline"), tr("Show timeline"), ("Alt+6",), "history", _made)
