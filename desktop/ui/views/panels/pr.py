"""The PR tab: the pull request of the shown chat's lane, or why there is none; its pages and their keys."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop.domain.display import display_text
from desktop.domain.pr_commands import ChooseRemote, PlanPullRequest, RefreshPullRequest, ShowPullRequest
from desktop.domain.pr_updates import PullRequestChanged, PullRequestPlanned
from desktop.domain.pull_request import PullSnapshot
from desktop.domain.updates import CommandFailed, Update
from desktop.ui.format import clock_time
from desktop.ui.sink import Clock, CommandSink
from desktop.ui.theme.theme import theme
from desktop.ui.views.panels.pr_checks import PullChecks
from desktop.ui.views.panels.pr_comments import PullComments, conversation
from desktop.ui.views.panels.pr_desk import PullDesk
from desktop.ui.views.panels.pr_header import PullHeader
from desktop.ui.views.panels.pr_lists import PullCommits, PullFiles
from desktop.ui.views.panels.pr_none import AGAIN, CANCEL, NoPull, Stand, none_stand, stand_of
from desktop.ui.views.panels.pr_overview import PullOverview
from desktop.ui.views.panels.pr_parts import column_in
from desktop.ui.views.panels.pr_threads import PullThreads
from desktop.ui.waiting import Waiting
from desktop.ui.widgets.strip import Strip
from desktop.ui.widgets.tab_strip import TabStrip

PAGES = (
    ("overview", "Overview"), ("checks", "Checks"), ("threads", "Threads"), ("comments", "Comments"),
    ("files", "Files"), ("commits", "Commits"),
)  # fmt: skip
NO_CHAT = "Open a chat to see its pull request."
IN_CHECKOUT = "Pull requests are opened from lanes."
_AGES_MS = 30_000
_LOW = 660
_GO_TO = {Qt.Key.Key_C: "checks", Qt.Key.Key_T: "threads", Qt.Key.Key_F: "files", Qt.Key.Key_O: "overview",
          Qt.Key.Key_M: "comments", Qt.Key.Key_I: "issues"}  # fmt: skip


class PullPanel(QWidget):
    """Asks for the request while it is on screen. `counted`: what waits in it (failing checks and open
    threads); `told`: something else is known."""

    counted = Signal(int)
    told = Signal()

    def __init__(self, sink: CommandSink, clock: Clock, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("pr_panel")
        self.desk = PullDesk(sink, clock, self)
        self._shown_lane = ""
        self._went = self._cancelled = False
        self._planned: PullRequestPlanned | None = None
        self._planning = self._planned_for = ""
        self._wait = Waiting("Loading pull request…", "Still loading…", self)
        self._words = self._failure = ""
        self.header, self.none = PullHeader(self.desk, self), NoPull(self)
        self._strip = Strip("pr_problem", self, "warning")
        self._strip_again = self._strip.add_button("Try again", "pr_problem_again")
        self.tabs = TabStrip("pr_tab", "Pages of the pull request", PAGES, self)
        self.overview, self.checks = PullOverview(self.desk, self), PullChecks(self.desk, self)
        self.threads, self.comments = PullThreads(self.desk, self), PullComments(self.desk, self)
        self.files, self.commits = PullFiles(self.desk, self), PullCommits(self.desk, self)
        self._pages: dict[str, QWidget] = {
            "overview": self.overview, "checks": self.checks, "threads": self.threads, "comments": self.comments,
            "files": self.files, "commits": self.commits,
        }  # fmt: skip
        self._fillers: dict[str, Callable[[], None]] = {
            "overview": self.overview.refresh, "checks": self.checks.refresh, "threads": self.threads.refresh,
            "comments": self.comments.refresh, "files": self.files.refresh, "commits": self.commits.refresh,
        }  # fmt: skip
        self._stack, self._book = QStackedWidget(self), QStackedWidget(self)
        self._lay_out()
        self._ages = QTimer(self, interval=_AGES_MS)
        self._connect()
        self.show_page("overview")
        self.refresh()

    # for the inspector

    def add_page(self, key: str, label: str, page: QWidget) -> None:
        """One more page, named `pr_tab_<key>`."""
        self._pages[key] = page
        self._book.addWidget(page)
        self.tabs.add_tab(key, label)

    def show_session(self, session_id: str) -> None:
        """Show the request of this chat's lane; "" for none."""
        self.desk.fold.show_session(session_id)
        self._follow_lane()
        self.refresh()

    def apply(self, updates: Sequence[Update]) -> None:
        """Take a batch of updates, in order."""
        changed = self.desk.fold.apply(updates)
        self.desk.orders.apply(updates)
        self.checks.apply(updates)
        for update in updates:
            if isinstance(update, PullRequestPlanned) and update.command_id == self._planning:
                self._planned, self._planning, changed = update, "", True
            elif isinstance(update, PullRequestChanged) and not update.loading:
                self._end_waiting(update.snapshot.lane_id)
            elif isinstance(update, CommandFailed) and update.command_id:
                changed = self._take_failure(update) or changed
        if changed:
            self._follow_lane()
            self.refresh()

    def _end_waiting(self, lane_id: str) -> None:
        if lane_id == self._shown_lane:
            self._wait.end()
            self._words = ""

    def _take_failure(self, update: CommandFailed) -> bool:
        """Of what this panel itself asked for; whether something else is to be shown."""
        if update.command_id == self._planning:
            self._planning = ""
            return False
        if update.command_id != self._wait.command_id:
            return False
        self._wait.end()
        self._words = ""
        if self.desk.snapshot is None:
            self._failure = update.text
        else:
            self.desk.noted.emit(update.text, True)
        return True

    def show_page(self, key: str) -> None:
        """Show one of the pages; an unknown key changes nothing."""
        if key in self._pages:
            self.tabs.set_value(key)
            self._book.setCurrentWidget(self._pages[key])
            self._fit_header()
            self._fill()

    @property
    def page(self) -> str:
        """The page that is shown."""
        return self.tabs.value

    def ask_again(self) -> None:
        """Ask the forge now."""
        self._cancelled, self._failure = False, ""
        if self.desk.lane_id:
            command = RefreshPullRequest(lane_id=self.desk.lane_id)
            self._wait.end()
            self._wait.begin(command.command_id)
            self.desk.send(command)
            self.refresh()

    # showing

    def refresh(self) -> None:
        """Show what is known."""
        snapshot = self.desk.snapshot
        number = len(snapshot.failing) + len(snapshot.open_threads) if snapshot is not None and snapshot.pull else 0
        open_now = snapshot is not None and snapshot.pull is not None and snapshot.pull.state in ("open", "draft")
        self.counted.emit(number if open_now else 0)
        self.told.emit()
        if snapshot is not None and snapshot.pull is not None:
            self._show_pull(snapshot)
        else:
            self._show_none(snapshot)

    def _show_pull(self, snapshot: PullSnapshot) -> None:
        self._stack.setCurrentIndex(0)
        self.header.refresh()
        self._say_problem(snapshot)
        for key, label in PAGES:
            number = {
                "checks": len(snapshot.failing) or len(snapshot.checks), "threads": len(snapshot.open_threads),
                "comments": len(conversation(snapshot)), "files": len(snapshot.files),
                "commits": len(snapshot.commits),
            }.get(key, 0)  # fmt: skip
            self.tabs.set_label(key, f"{label} {number}" if number else label)
        self._fill()

    def _say_problem(self, snapshot: PullSnapshot) -> None:
        problem = snapshot.problem
        if problem is None:
            self._strip.say("")
            return
        stand = stand_of(problem)
        title = stand.title
        if problem.kind == "offline" and snapshot.as_of is not None:
            title, stand = f"Offline · as of {clock_time(snapshot.as_of)}", Stand(buttons=(AGAIN,))
        self._strip.say(f"{title} {stand.sentence}".strip(), "danger" if problem.kind == "unauthorised" else "warning")
        self._strip_again.setText("Connect GitHub…" if "connect" in stand.buttons else "Try again")
        self._strip_again.setProperty("act", "connect" if "connect" in stand.buttons else AGAIN)

    def _show_none(self, snapshot: PullSnapshot | None) -> None:
        self._stack.setCurrentIndex(1)
        fold, lane = self.desk.fold, self.desk.fold.lane
        if not fold.session_id:
            self.none.show_stand(Stand(NO_CHAT))
        elif lane is not None and lane.type == "primary":
            self.none.show_stand(Stand(IN_CHECKOUT, "This chat works in your own checkout.", ("list",)))
        elif fold.is_there and not fold.lane_id:
            self.none.show_stand(Stand(IN_CHECKOUT, "This chat has no lane.", ()))
        elif snapshot is None or self._words or (snapshot.problem is None and fold.loading and snapshot.as_of is None):
            self._show_waiting()
        elif snapshot.problem is not None:
            self.none.show_stand(stand_of(snapshot.problem), remotes=fold.remotes)
        else:
            self._show_no_pull()

    def _show_waiting(self) -> None:
        if self._failure:
            self.none.show_stand(Stand("The pull request could not be read.", display_text(self._failure), (AGAIN,)))
        elif self._cancelled:
            self.none.show_stand(Stand("The pull request was not loaded.", "", (AGAIN,)))
        else:
            self.none.show_stand(Stand(self._words, "", (CANCEL,) if self._wait.still else ()))

    def _show_no_pull(self) -> None:
        lane, status, planned = self.desk.fold.lane, self.desk.fold.status, self._planned
        base = planned.base if planned is not None else lane.base_ref if lane is not None else ""
        files = planned.files if planned is not None else status.changed_files if status is not None else None
        ahead = status.ahead if status is not None else None
        hindrances = planned.hindrances if planned is not None and ahead != 0 else ()
        self.none.show_stand(none_stand(files, base or "its base", ahead=ahead), hindrances)
        self._plan()

    def _plan(self) -> None:
        """Ask what is in the way of a request, once for each state of the lane."""
        status = self.desk.fold.status
        state = f"{self.desk.lane_id}:{status.model_dump_json(exclude={'read_at'}) if status is not None else ''}"
        if state == self._planned_for or not self.isVisible() or self._planning:
            return
        self._planned_for = state
        command = PlanPullRequest(lane_id=self.desk.lane_id)
        self._planning = command.command_id
        self.desk.send(command)

    def _fill(self) -> None:
        """Only the page that is shown is filled."""
        filler = self._fillers.get(self.page)
        if filler is not None and self.desk.pull is not None:
            filler()

    # asking

    def event(self, event: QEvent) -> bool:
        """Becoming visible, or no longer: the forge is asked only for what somebody looks at."""
        if event.type() == QEvent.Type.Show:
            self._ages.start()
            QTimer.singleShot(0, self, self._follow_lane)
        elif event.type() == QEvent.Type.Hide:
            self._ages.stop()
            self._follow_lane()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The header takes less where there is little room."""
        super().resizeEvent(event)
        self._fit_header()

    def _fit_header(self) -> None:
        self.header.set_low(self.height() < theme().px(_LOW) and self.page != "overview")

    def _follow_lane(self) -> None:
        lane, fold = self.desk.fold.lane, self.desk.fold
        wanted = fold.lane_id if self.isVisible() and lane is not None and lane.type != "primary" else ""
        if wanted == self._shown_lane:
            return
        former, self._shown_lane = self._shown_lane, wanted
        self._planned, self._planning, self._planned_for = None, "", ""
        self._cancelled, self._failure = False, ""
        self._wait.end()
        self._words = ""
        if former:
            self.desk.send(ShowPullRequest(lane_id=former, shown=False))
        if wanted:
            command = ShowPullRequest(lane_id=wanted)
            if self.desk.snapshot is None:
                self._wait.begin(command.command_id)
            self.desk.send(command)
        self.refresh()

    def _on_waiting(self, words: str) -> None:
        self._words = words
        self.refresh()

    def _on_asked(self, name: str) -> None:
        if name == AGAIN:
            self.ask_again()
        elif name == CANCEL:
            self._cancelled = True
            self._wait.end()
            self._words = ""
            self.refresh()
        else:
            self.desk.act_asked.emit(name)

    def _on_remote(self, remote: str) -> None:
        self.desk.send(ChooseRemote(lane_id=self.desk.lane_id, remote=remote))

    # keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """`g` and a letter go to a page, [ and ] to the row before and after."""
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.AltModifier)
        went, self._went = self._went, plain and event.key() == Qt.Key.Key_G
        key = Qt.Key(event.key())
        if went and plain and key in _GO_TO and self.desk.pull is not None:
            self.show_page(_GO_TO[key])
            self._focus_page()
        elif event.text() in ("[", "]"):
            self._step(-1 if event.text() == "[" else 1)
        elif not self._went:
            super().keyPressEvent(event)

    def _focus_page(self) -> None:
        lists = {"checks": self.checks.list, "threads": self.threads.list, "files": self.files.list,
                 "commits": self.commits.list}  # fmt: skip
        target = lists.get(self.page, self.tabs)
        target.setFocus(Qt.FocusReason.TabFocusReason)

    def _step(self, step: int) -> None:
        lists = {"checks": self.checks.list, "threads": self.threads.list, "files": self.files.list,
                 "commits": self.commits.list}  # fmt: skip
        if self.page in lists:
            lists[self.page].step(step)

    # making

    def _lay_out(self) -> None:
        for page in self._pages.values():
            self._book.addWidget(page)
        pull = QWidget(self)
        column = column_in(pull, self.header, self._strip, self.tabs, self._book, spacing=0)
        for at in range(3):
            column.setStretch(at, 0)
        self._stack.addWidget(pull)
        self._stack.addWidget(self.none)
        column_in(self, self._stack)

    def _connect(self) -> None:
        self._wait.said.connect(self._on_waiting)
        self.tabs.chosen.connect(self.show_page)
        self.desk.tab_asked.connect(self.show_page)
        self.none.asked.connect(self._on_asked)
        self.none.remote_chosen.connect(self._on_remote)
        self._strip_again.clicked.connect(lambda: self._on_asked(str(self._strip_again.property("act"))))
        for tick in (self.header.take_ages, self.threads.take_ages, self.comments.take_ages):
            self._ages.timeout.connect(tick)
