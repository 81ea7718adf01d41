"""The Changes tab: a scope, its files, the diff of the chosen one, comments on it, and the commit box."""

from PySide6.QtCore import QEvent, QModelIndex, QTimer, Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.changes.commands import MarkViewed
from desktop.domain.changes.updates import LaneChangesLoaded, ViewedChanged
from desktop.domain.changes.values import ChangeScope
from desktop.domain.core.work import ChangedFile
from desktop.domain.display.text import display_text
from desktop.language import said, tr, trn
from desktop.ui.changes.chosen_file import ChosenFile
from desktop.ui.changes.fold import ReviewFold
from desktop.ui.changes.frame import ChangesFrame
from desktop.ui.changes.loader import STILL, ChangesLoader
from desktop.ui.changes.picks import Picks
from desktop.ui.changes.scope_bar import OtherScope
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.lane_book import DELETED
from desktop.ui.core.panel import UNCOUNTED
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.models.line_key import LineKey
from desktop.ui.text.format import changed_lines, clock_time, count
from desktop.ui.widgets.card_parts import say

NO_CHANGES = tr("No changes in this lane yet.")
_NOTHING = {
    "uncommitted": tr("Nothing that is not committed."),
    "last_turn": tr("The last turn changed no files."),
    "turn": tr("This turn changed no files."),
    "outside": tr("Nothing changed outside a turn."),
    "checkpoint": tr("Nothing changed since then."),
    "commit": tr("This commit changes no files."),
}
RESTORE = tr("It can be restored for 30 days, from “Deleted lanes…” over the chat.")
PRIMARY = tr("This is your own checkout. Its changes are only shown here.")
_OLD_S, _AGES_MS = 60, 30_000


class ChangesPanel(ChangesFrame):
    """Asks for the changes when it is shown and when files may differ, one question at a time.

    The first question waits for the chat's first event: a chat that is being made has no lane yet. `counted`: how many
    files; `emptied`: there is no file to show; `listed`: another list is shown.
    """

    emptied = Signal()
    listed = Signal()

    def __init__(self, requests: Requests, clock: Clock, parent: QWidget) -> None:
        super().__init__(requests, self._is_ticked, parent)
        self._clock = clock
        self._region = parent
        self._stale = self._gone = False
        self._scopes: dict[str, ChangeScope] = {}
        self.fold, self.picks = ReviewFold(), Picks()
        self.list: LaneChangesLoaded | None = None
        self.loader = ChangesLoader(requests, self)
        self.hearing = (
            Hearing(self.fold.hearing)
            .then(self._follow)
            .inside(self.notes.hearing)
            .on(ViewedChanged, self._on_viewed)
            .after(self._load_if_seen)
        )
        self.chosen = ChosenFile(self.loader, self.pane, self.notes, self._offers)
        self._connect()
        self._ages = QTimer(self, interval=_AGES_MS)
        self._ages.timeout.connect(self._refresh_age)
        self.show_state("")
        self._refresh()

    # for the inspector

    def show_session(self, session_id: str) -> None:
        """Show this chat's changes; "" for none."""
        if session_id == self.fold.session_id:
            return
        self.fold.show_session(session_id)
        self._stale = bool(session_id)
        self._take_lane()
        self._take_end()
        self._refresh()

    def load(self) -> None:
        """Ask for the changes now; a lane that is gone has none."""
        self._stale = False
        if not self._gone:
            self.loader.load()

    def event(self, event: QEvent) -> bool:
        """Becoming visible: load what is missing or old."""
        if event.type() == QEvent.Type.Show:
            self._stale = self._stale or bool(self.fold.session_id)
            QTimer.singleShot(0, self, self._load_if_seen)
            self._ages.start()
        elif event.type() == QEvent.Type.Hide:
            self._ages.stop()
        return super().event(event)

    # what a person does

    def choose_scope(self, scope: ChangeScope) -> None:
        """Show another change; it is remembered for the lane."""
        self._scopes[self.loader.lane_id] = scope
        self._forget_list()
        self.loader.set_scope(scope)
        self._take_scope()
        self._refresh()

    def step_file(self, step: int) -> None:
        """Go to the next (1) or previous (-1) file."""
        paths = self.tree.paths()
        if not paths:
            return
        here = paths.index(self.chosen.path) if self.chosen.path in paths else -step
        self.choose_file(paths[min(max(0, here + step), len(paths) - 1)])

    def choose_file(self, path: str) -> None:
        """Show the diff of a file of the list; closed folders above it open."""
        at = self.tree.index_of(path)
        if at < 0:
            for end in (n for n, char in enumerate(path) if char == "/"):
                self.tree.set_closed(path[:end], False)
            at = self.tree.index_of(path)
        if at >= 0:
            self.files.setCurrentIndex(self.tree.index(at, 0))

    def mark_viewed(self, viewed: bool | None = None, path: str = "") -> None:
        """The chosen file, or another, was looked at; None: the other way round."""
        file = self._file_of(path) if path else self.chosen.file
        if file is not None:
            now = not self.tree.is_viewed(file.path) if viewed is None else viewed
            command = MarkViewed(lane_id=self.loader.lane_id, path=file.path, sha256=file.sha256, viewed=now)
            self.notes.order(command)

    @property
    def is_committing(self) -> bool:
        """Whether files and lines can be ticked for a commit."""
        return self.loader.scope.kind == "uncommitted" and not self.can_act

    @property
    def is_reading(self) -> bool:
        """Whether the list is not there yet, and will be."""
        return self.list is None and not self._gone and self.problem_line.isHidden()

    @property
    def can_act(self) -> str:
        """Why nothing can be reverted or committed, "" if it can."""
        lane = self.fold.lane
        if lane is not None and lane.type == "primary":
            return PRIMARY
        return display_text(self.fold.finding.text) if self.fold.finding is not None else ""

    # loading

    def _follow(self) -> None:
        """What the fold knows now."""
        former = self.loader.lane_id
        self._take_lane()
        self._take_end()
        if self.fold.take_touched() and former == self.loader.lane_id:
            self._stale = True

    def _on_viewed(self, update: ViewedChanged) -> None:
        if update.lane_id == self.loader.lane_id:
            self.tree.know(update.paths, self.notes.counts())
            self._take_viewed()

    def _take_lane(self) -> None:
        lane_id = self.fold.lane_id
        if lane_id == self.loader.lane_id and self.fold.session_id == self.loader.session_id:
            return
        other = lane_id != self.loader.lane_id
        if other:
            self.pane.view.leave_writing()
        self.loader.show(lane_id, self.fold.session_id)
        self.notes.show("" if self.fold.is_gone else lane_id, self.fold.session_id)
        self._stale = bool(self.fold.session_id)
        if other or not lane_id:
            self.picks.clear()
            self.loader.scope = self._scopes.get(lane_id, ChangeScope())
            self.tree.know((), {})
            self._forget_list()
        self._take_scope()
        self._refresh()

    def _take_end(self) -> None:
        """The lane was deleted: nothing of it is shown any more; or it is back."""
        gone = self.fold.is_gone
        if gone == self._gone:
            return
        self._gone = gone
        self.pane.view.leave_writing()
        self.loader.drop()
        self.notes.show("" if gone else self.loader.lane_id, self.fold.session_id)
        self.picks.clear()
        self.say_problem("")
        self._forget_list()
        self._stale = not gone and bool(self.fold.session_id)
        self._refresh()

    def _load_if_seen(self) -> None:
        there = self.fold.is_there and self.loader.lane_id and not self._gone
        ready = self._stale and there and self._region.isVisible()
        if not ready or self.pane.view.writing:
            return
        if self.list is None:
            self.load()
        else:
            self._stale = False
            self.loader.load_soon()

    def _forget_list(self) -> None:
        self.list = None
        self.tree.show(())
        self.chosen.choose(None)

    def _on_list(self, loaded: LaneChangesLoaded) -> None:
        self.bar.set_counts(dict(loaded.counts))
        if loaded.problem:
            self._on_failed("list", loaded.problem)
            return
        self.list = loaded
        self.picks.follow(loaded.files)
        self.tree.know(loaded.viewed, self.notes.counts())
        self.tree.show(loaded.files)
        self.say_problem("")
        self._refresh()
        file = self._file_of(self.chosen.path)
        if file is None:
            paths = self.tree.paths()
            self.chosen.choose(None)
            self.files.setCurrentIndex(QModelIndex())
            if paths:
                self.choose_file(paths[0])
        else:
            self.chosen.follow(file)
            self._take_viewed()
        self.listed.emit()

    def _on_failed(self, what: str, text: str) -> None:
        if what == "diff":
            self.chosen.say_failed(text)
            return
        self.say_problem(tr("Could not read changes: {problem}", problem=display_text(said(text), multiline=True)))
        self._refresh()
        self.counted.emit(UNCOUNTED)

    def _on_waiting(self, what: str, words: str) -> None:
        still = words in STILL
        if what == "list":
            if self.list is None:
                self.show_state(words, cancel=still)
                self.pane.say(words)
        else:
            self.chosen.say_waiting(words, still=still)

    def _cancel_list(self) -> None:
        self.loader.drop()
        self.show_state(tr("The changes were not read."), again=True)

    # the chosen file

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        row = self.files.row if current.isValid() else None
        if row is not None and row.file is not None and row.path != self.chosen.path:
            self.chosen.choose(row.file)
            self._take_viewed()

    def _offers(self) -> tuple[bool, bool]:
        """Whether lines can be ticked, and reverted; with changes of white space left out their places do not fit."""
        can = not self.can_act and not self.loader.ignore_space
        return can and self.is_committing, can and self.loader.scope.kind != "commit"

    def _file_of(self, path: str) -> ChangedFile | None:
        return next((file for file in self.tree.files if file.path == path), None)

    # showing

    def _take_viewed(self) -> None:
        self.pane.set_viewed(self.tree.is_viewed(self.chosen.path))
        seen = sum(self.tree.is_viewed(file.path) for file in self.tree.files)
        say(self.bar.seen, trn(seen, "{n} viewed", "{n} viewed") if seen else "")

    def _take_scope(self) -> None:
        scope = self.loader.scope
        others = [OtherScope(words, one) for words, one in self.fold.others()]
        self.bar.set_others(others)
        words = next((other.words for other in others if other.scope == scope), "")
        if scope.kind == "commit":
            words = tr("Commit {commit}", commit=display_text(scope.reference))
        self.bar.set_scope(scope, words)
        self.tree.ticks = self._tick_of if self.is_committing else None
        self.tree.refresh()

    def _tick_of(self, file: ChangedFile) -> int:
        return self.picks.state(file) if file.status != "conflicted" else -1

    def _is_ticked(self, key: LineKey) -> bool:
        return self.chosen.file is not None and self.picks.is_ticked(self.chosen.file, key)

    def _refresh(self) -> None:
        files = self.tree.files
        more = self.list.more if self.list is not None else 0
        self.bar.summary.setText(self.tree.count_words(more))
        self.bar.set_figure(changed_lines(sum(f.added for f in files), sum(f.removed for f in files)))
        self.more.setText(tr("{files} more", files=count(more, "file")))
        self.more.setVisible(more > 0)
        self.bar.setVisible(bool(self.loader.lane_id) and not self._gone)
        self._say_conflicts()
        self.primary_note.setVisible(self.can_act == PRIMARY)
        self._take_scope()
        self._take_viewed()
        self._refresh_age()
        self.counted.emit(len(files) + more)
        self._take_state()
        self.chosen.show()

    def _say_conflicts(self) -> None:
        torn = sum(file.status == "conflicted" for file in self.tree.files)
        status = self.fold.status
        self.conflict_words.setText(
            tr("{files} in conflict", files=count(torn, "file")) if torn else tr("A rebase or merge is not done.")
        )
        open_one = status is not None and bool(status.operation) and not self._gone
        self.conflict_line.setVisible(bool(torn) or open_one)

    def _take_state(self) -> None:
        finding = self.fold.finding
        if self._gone:
            self.show_state(DELETED, more=RESTORE)
        elif self.tree.files:
            self.show_files()
        elif finding is not None and self.list is None:
            self.show_state(display_text(finding.text))
        elif self.list is not None:
            self.show_state(_NOTHING.get(self.loader.scope.kind, NO_CHANGES))
        elif not self.problem_line.isHidden():
            self.show_state(tr("The changes could not be read."))
        else:
            self.show_state("" if self.fold.session_id else tr("Open a chat to see its changes."))
            return
        if not self.tree.files:
            self.emptied.emit()

    def _refresh_age(self) -> None:
        at = self.list.at if self.list is not None else None
        old = at is not None and (self._clock() - at).total_seconds() > _OLD_S
        say(self.bar.as_of, tr("as of {time}", time=clock_time(at)) if at is not None and old else "")

    def _connect(self) -> None:
        self.primary_note.setText(PRIMARY)
        self.loader.listed.connect(self._on_list)
        self.loader.failed.connect(self._on_failed)
        self.loader.waiting.connect(self._on_waiting)
        self.notes.changed.connect(self._on_notes)
        self.bar.chosen.connect(self.choose_scope)
        self.bar.refresh_asked.connect(self.load)
        self.bar.filtered.connect(self._on_filter)
        self.bar.flat_asked.connect(self._on_flat)
        self.cancel.clicked.connect(self._cancel_list)
        for button in (self.try_again, self.problem_again):
            button.clicked.connect(self.load)
        self.more.clicked.connect(self._load_all)
        self.files.selectionModel().currentChanged.connect(self._on_current)
        self.files.viewed_asked.connect(lambda path, viewed: self.mark_viewed(viewed, path))
        self.pane.viewed_asked.connect(self.mark_viewed)
        self.pane.space_asked.connect(self._on_space)
        self.pane.view.writing_changed.connect(lambda _writing: self._load_if_seen())

    def _on_notes(self) -> None:
        self.tree.know([file.path for file in self.tree.files if self.tree.is_viewed(file.path)], self.notes.counts())
        self.chosen.show()

    def _on_filter(self, text: str) -> None:
        self.tree.filter = text
        self.tree.refresh()
        self._refresh()

    def _on_flat(self, flat: bool) -> None:
        self.tree.flat = flat
        self.tree.refresh()

    def _on_space(self, ignored: bool) -> None:
        self.loader.ignore_space = ignored
        self.pane.set_ignores_space(ignored)
        self.chosen.reference = None
        self.loader.drop()
        self.load()

    def _load_all(self) -> None:
        if self.list is not None:
            self.loader.limit = len(self.list.files) + self.list.more
            self.load()
