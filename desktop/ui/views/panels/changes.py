"""The Changes tab: the files of the lane that differ from its base, and the difference of the one that is chosen."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QListView,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from desktop.domain.commands import LoadChanges
from desktop.domain.display import display_text
from desktop.domain.events import Envelope, FilesRestored, ToolCallFinished, TurnEnded
from desktop.domain.updates import CommandFailed, SessionOpened, Update
from desktop.domain.work import ChangedFile
from desktop.ui.format import changed_lines, clock_time, count, number
from desktop.ui.models.changes_model import ChangesModel, FileRow
from desktop.ui.models.keyed_rows import ROW_ROLE
from desktop.ui.sink import Clock, CommandSink
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.views.panels.file_rows import FileDelegate
from desktop.ui.widgets.diff_view import DiffView
from desktop.ui.widgets.elided_label import plain_tooltip
from desktop.ui.widgets.empty_state import EmptyState
from desktop.ui.widgets.gaps import set_gaps
from desktop.ui.widgets.icon_button import IconButton

NO_CHANGES = "No changes in this lane yet."
_BUSY_MS, _STILL_MS, _OLD_S, _AGES_MS = 200, 5_000, 60, 30_000
_LARGE_LINES, _LARGE_CHARS = 5_000, 1_000_000


class ChangesPanel(QWidget):
    """Asks for the changes when it is shown and when a tool touched files or a turn ended, one request at a time.

    The first request waits for the chat's first event: a chat that is being made has no lane yet.
    """

    counted = Signal(int)

    def __init__(self, sink: CommandSink, clock: Clock, parent: QWidget) -> None:
        super().__init__(parent)
        self._sink, self._clock = sink, clock
        self._region = parent
        self._under_way = ""
        self._stale = False
        self._is_there = False
        self._shown_large: set[str] = set()
        self.model = ChangesModel(self)
        self.setObjectName("changes_panel")
        self._build_top()
        self._build_list()
        self._build_difference()
        self._state = EmptyState("file-diff", "", "", self)
        self._stack = QStackedWidget(self)
        self._splitter = QSplitter(Qt.Orientation.Vertical, self)
        self._splitter.setObjectName("changes_splitter")
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setHandleWidth(max(1, theme().px(1)))
        self._splitter.addWidget(self._files)
        self._splitter.addWidget(self._difference)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([theme().px(200), theme().px(500)])
        self._stack.addWidget(self._splitter)
        self._stack.addWidget(self._state)
        column = QVBoxLayout(self)
        set_gaps(column, (0, SPACE_2, 0, 0), SPACE_1)
        column.addWidget(self._top)
        column.addWidget(self._problem_line)
        column.addWidget(self._stack, 1)
        self._busy = self._timer(_BUSY_MS, lambda: self._say_loading("Loading changes…"))
        self._still = self._timer(_STILL_MS, lambda: self._say_loading("Still loading…"))
        self._ages = QTimer(self)
        self._ages.setInterval(_AGES_MS)
        self._ages.timeout.connect(self._refresh_age)
        self._refresh()

    # For the inspector

    def show_session(self, session_id: str) -> None:
        """Show this chat's changes; "" for none."""
        if session_id == self.model.session_id:
            return
        self._end_loading()
        self._shown_large.clear()
        self.model.show_session(session_id)
        self._refresh()
        self._is_there = False
        self._stale = bool(session_id)

    def apply(self, updates: Sequence[Update]) -> None:
        """Take a batch of updates, in order."""
        if self.model.apply(updates):
            self._end_loading()
            self._refresh()
        for update in updates:
            if isinstance(update, CommandFailed) and update.command_id == self._under_way:
                self._end_loading()
                self.model.problem = update.text
                self._refresh()
            elif isinstance(update, SessionOpened) and update.session_id == self.model.session_id:
                self._is_there = True
            elif isinstance(update, Envelope) and update.session_id == self.model.session_id:
                self._is_there = True
                self._stale = self._stale or _may_change_files(update)
        self._load_if_seen()

    def load(self) -> None:
        """Ask for the changes now, unless that is under way; then once more after it."""
        if not self.model.session_id:
            return
        if self._under_way:
            self._stale = True
            return
        self._stale = False
        command = LoadChanges(session_id=self.model.session_id)
        self._under_way = command.command_id
        self._busy.start()
        self._still.start()
        self._sink.send(command)

    def event(self, event: QEvent) -> bool:
        """Becoming visible: load what is missing or old."""
        if event.type() == QEvent.Type.Show:
            self._stale = self._stale or bool(self.model.session_id)
            QTimer.singleShot(0, self, self._load_if_seen)
            self._ages.start()
        elif event.type() == QEvent.Type.Hide:
            self._ages.stop()
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The tooltip of a row is its whole path."""
        if isinstance(event, QHelpEvent) and watched is self._files.viewport():
            index = self._files.indexAt(event.pos())
            row = index.data(ROW_ROLE)
            if isinstance(row, FileRow):
                QToolTip.showText(event.globalPos(), plain_tooltip(row.title), self._files)
            return True
        return super().eventFilter(watched, event)

    # Building

    def _build_top(self) -> None:
        self._top = QWidget(self)
        row = QHBoxLayout(self._top)
        set_gaps(row, (SPACE_3, 0, SPACE_2, 0), SPACE_2)
        self._summary = _label(self._top, "strong", "changes_summary")
        self._figure = _label(self._top, "muted", "changes_figure")
        self._as_of = _label(self._top, "caption", "changes_as_of")
        self._again = IconButton("refresh-cw", "Refresh changes", self._top)
        self._again.setObjectName("changes_refresh")
        self._again.clicked.connect(self.load)
        row.addWidget(self._summary)
        row.addWidget(self._figure)
        row.addStretch(1)
        row.addWidget(self._as_of)
        row.addWidget(self._again)
        self._problem_line = QWidget(self)
        line = QHBoxLayout(self._problem_line)
        set_gaps(line, (SPACE_3, 0, SPACE_3, 0))
        self._problem = _label(self._problem_line, "", "changes_problem")
        self._problem.setProperty("role", "danger")
        self._problem.setWordWrap(True)
        again = QPushButton("Try again", self._problem_line)
        again.setObjectName("changes_try_again")
        again.setAutoDefault(False)
        again.clicked.connect(self.load)
        line.addWidget(self._problem, 1)
        line.addWidget(again)

    def _build_list(self) -> None:
        self._files = QListView(self)
        self._files.setObjectName("changes_files")
        self._files.setAccessibleName("Changed files")
        self._files.setProperty("kind", "side")
        self._files.setModel(self.model)
        self._files.setItemDelegate(FileDelegate(self._files))
        self._files.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._files.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._files.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._files.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._files.setUniformItemSizes(True)
        self._files.setMouseTracking(True)
        self._files.viewport().installEventFilter(self)
        self._files.selectionModel().currentChanged.connect(self._file_chosen)
        self.model.dataChanged.connect(self._show_difference)

    def _build_difference(self) -> None:
        self._difference = QStackedWidget(self)
        self._difference.setProperty("kind", "surface")
        self._diff = DiffView(self._difference, "changes_diff")
        self._instead = QWidget(self._difference)
        column = QVBoxLayout(self._instead)
        column.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._words = _label(self._instead, "muted", "changes_instead")
        self._words.setWordWrap(True)
        self._large = QPushButton("Show anyway", self._instead)
        self._large.setObjectName("changes_show_large")
        self._large.setAutoDefault(False)
        self._large.clicked.connect(self._show_anyway)
        column.addWidget(self._words)
        column.addWidget(self._large, 0, Qt.AlignmentFlag.AlignLeft)
        self._difference.addWidget(self._diff)
        self._difference.addWidget(self._instead)

    def _timer(self, ms: int, act: object) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(ms)
        if callable(act):
            timer.timeout.connect(act)
        return timer

    # Loading

    def _load_if_seen(self) -> None:
        if self._stale and self._is_there and not self._under_way and self._region.isVisible():
            self.load()

    def _end_loading(self) -> None:
        self._under_way = ""
        self._busy.stop()
        self._still.stop()

    def _say_loading(self, text: str) -> None:
        if self.model.loaded_at is None:
            self._show_state(text)

    # Showing

    def _refresh(self) -> None:
        files, added, removed = self.model.totals
        self._summary.setText(count(files, "file") if files else "")
        self._figure.setText(changed_lines(added, removed))
        self._problem.setText(display_text(self.model.problem, multiline=True))
        self._problem_line.setVisible(bool(self.model.problem))
        self._refresh_age()
        self._top.setVisible(self.model.loaded_at is not None)
        self.counted.emit(files)
        if files:
            self._stack.setCurrentWidget(self._splitter)
            if not self._files.currentIndex().isValid():
                self._files.setCurrentIndex(self.model.index(0, 0))
            self._show_difference()
        elif self.model.loaded_at is not None:
            self._show_state(NO_CHANGES)
        elif self.model.problem:
            self._show_state("The changes could not be read.")
        else:
            self._show_state("" if self.model.session_id else "Open a chat to see its changes.")

    def _show_state(self, text: str) -> None:
        self._state.set_texts(text)
        self._state.setVisible(bool(text))
        self._stack.setCurrentWidget(self._state)

    def _refresh_age(self) -> None:
        at = self.model.loaded_at
        old = at is not None and (self._clock() - at).total_seconds() > _OLD_S
        self._as_of.setText(f"as of {clock_time(at)}" if at is not None and old else "")

    def _file_chosen(self, _current: QModelIndex, _previous: QModelIndex) -> None:
        self._show_difference()

    def _show_difference(self) -> None:
        row = self._files.currentIndex().data(ROW_ROLE)
        if not isinstance(row, FileRow):
            self._diff.show_diff("")
            return
        words = self._words_instead(row.file)
        self._words.setText(words)
        self._large.setVisible(bool(words) and bool(row.file.unified))
        if words:
            self._difference.setCurrentWidget(self._instead)
        else:
            self._diff.show_diff(row.file.unified)
            self._difference.setCurrentWidget(self._diff)
        restyle(self._words, kind="muted")

    def _words_instead(self, file: ChangedFile) -> str:
        lines = file.added + file.removed
        if file.binary:
            return "This is a binary file. Its contents are not shown."
        if file.too_large and not file.unified:
            return (
                f"This diff is too large to load ({number(lines)} lines)."
                if lines
                else "This diff is too large to load."
            )
        large = file.too_large or lines > _LARGE_LINES or len(file.unified) > _LARGE_CHARS
        if large and file.path not in self._shown_large:
            return f"This diff is large ({number(lines)} lines)."
        return "" if file.unified else "Only the file's name or mode changed, or the file is empty."

    def _show_anyway(self) -> None:
        row = self._files.currentIndex().data(ROW_ROLE)
        if isinstance(row, FileRow):
            self._shown_large.add(row.file.path)
            self._show_difference()


def _may_change_files(envelope: Envelope) -> bool:
    event = envelope.event
    return isinstance(event, TurnEnded | FilesRestored) or (isinstance(event, ToolCallFinished) and bool(event.touched))


def _label(parent: QWidget, kind: str, name: str) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setObjectName(name)
    label.setProperty("kind", kind)
    return label
