"""The PR tab: the pull request of the shown chat's lane, or why there is none."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop.domain.core.ids import new_id
from desktop.domain.display.text import display_text
from desktop.domain.pulls.commands import ChooseRemote, PlanPullRequest, RefreshPullRequest, ShowPullRequest
from desktop.domain.pulls.pull_request import PullSnapshot
from desktop.domain.pulls.updates import OwnForkUsed, PullRequestChanged, PullRequestPlanned
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.panel import Panel, PanelSpec
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.core.sink import Clock
from desktop.ui.pulls.none import AGAIN, CANCEL, NoPull, PullStand, none_stand, stand_of
from desktop.ui.pulls.page import PullPage
from desktop.ui.pulls.page_stack import PullPages
from desktop.ui.pulls.parts import column_in
from desktop.ui.pulls.shown import ShownPull
from desktop.ui.text.waiting import Waiting

NO_CHAT = tr("Open a chat to see its pull request.")
IN_CHECKOUT = tr("Pull requests are opened from lanes.")
_AGES_MS = 30_000


class PullPanel(Panel):
    """Asks for the request while it is on screen. `counted`: what waits in it (failing checks and open
    threads); `told`: something else is known."""

    told = Signal()

    def __init__(self, requests: Requests, clock: Clock, more: Sequence[type[PullPage]], parent: QWidget) -> None:
        """`more`: pages of other themes, after the own ones."""
        super().__init__(parent)
        self._more = tuple(more)
        self.setObjectName("pr_panel")
        self.shown = ShownPull(requests, clock, self)
        self._asked, self._planning = Request(), Request()
        self._changed = False
        self.hearing = self._hears()
        self._shown_lane = ""
        self._cancelled = False
        self._planned: PullRequestPlanned | None = None
        self._planned_for = ""
        self._viewer = new_id("view_")
        self._wait = Waiting(tr("Loading pull request…"), tr("Still loading…"), self)
        self._words = self._failure = ""
        self.none = NoPull(clock, self)
        self._pages: PullPages | None = None
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.none)
        column_in(self, self._stack)
        self._ages = QTimer(self, interval=_AGES_MS)
        self._ages.timeout.connect(self._take_ages)
        self._wait.said.connect(self._on_waiting)
        self.shown.tab_asked.connect(self.show_page)
        self.none.asked.connect(self._on_asked)
        self.none.remote_chosen.connect(self._on_remote)
        self.refresh()

    # for the inspector

    @property
    def pages(self) -> PullPages:
        """The pages that show a request; made when one is first seen, for most chats have none."""
        if self._pages is None:
            self._pages = PullPages(self.shown, self._more, self)
            self._pages.asked.connect(self._on_asked)
            self.setFocusProxy(self._pages)
            self._stack.addWidget(self._pages)
        return self._pages

    def show_session(self, session_id: str) -> None:
        """Show the request of this chat's lane; "" for none."""
        self.shown.fold.show_session(session_id)
        self._follow_lane()
        self.refresh()

    def _hears(self) -> Hearing:
        hearing = Hearing(self.shown.fold.hearing).then(self._note_changes).inside(self.shown.orders.hearing)
        hearing.on(OwnForkUsed, self._on_fork_used).on(PullRequestChanged, self._on_pull)
        return hearing.after(self._show_changed)

    def _note_changes(self) -> None:
        self._changed = self.shown.fold.take_changed() or self._changed

    def _on_planned(self, planned: PullRequestPlanned) -> None:
        self._planned, self._changed = planned, True

    def _on_fork_used(self, update: OwnForkUsed) -> None:
        if update.lane_id == self._shown_lane:
            self._planned_for, self._changed = "", True

    def _on_pull(self, update: PullRequestChanged) -> None:
        if not update.loading and update.snapshot.lane_id == self._shown_lane:
            self._end_waiting()

    def _on_failed(self, failed: CommandFailed) -> None:
        """The request could not be read."""
        self._end_waiting()
        self._changed = True
        if self.shown.snapshot is None:
            self._failure = failed.text
        else:
            self.shown.noted.emit(failed.text, True)

    def _show_changed(self) -> None:
        if self._changed:
            self._changed = False
            self._follow_lane()
            self.refresh()

    def _wait_for(self, command: RefreshPullRequest | ShowPullRequest) -> None:
        self._wait.begin()
        self._asked.drop()
        self._asked = self.shown.requests.ask(command, self, failed=self._on_failed)

    def _end_waiting(self) -> None:
        self._wait.end()
        self._asked.drop()
        self._words = ""

    def show_page(self, key: str) -> None:
        """Show one of the pages; an unknown key changes nothing."""
        self.pages.show_page(key)

    def ask_again(self) -> None:
        """Ask the forge now."""
        self._cancelled, self._failure = False, ""
        if self.shown.lane_id:
            self._wait.end()
            self._wait_for(RefreshPullRequest(lane_id=self.shown.lane_id))
            self.refresh()

    # showing

    def refresh(self) -> None:
        """Show what is known."""
        snapshot = self.shown.snapshot
        number = len(snapshot.failing) + len(snapshot.open_threads) if snapshot is not None and snapshot.pull else 0
        open_now = snapshot is not None and snapshot.pull is not None and snapshot.pull.state in ("open", "draft")
        self.counted.emit(number if open_now else 0)
        self.told.emit()
        if snapshot is not None and snapshot.pull is not None:
            self._show_pull(snapshot)
        else:
            self._show_none(snapshot)

    def _show_pull(self, snapshot: PullSnapshot) -> None:
        if self._pages is not None or self.isVisible():
            self.pages.refresh(snapshot)
            self._stack.setCurrentWidget(self.pages)

    def _show_none(self, snapshot: PullSnapshot | None) -> None:
        self._stack.setCurrentWidget(self.none)
        fold, lane = self.shown.fold, self.shown.fold.lane
        if not fold.session_id:
            self.none.show_stand(PullStand(NO_CHAT))
        elif lane is not None and lane.type == "primary":
            self.none.show_stand(PullStand(IN_CHECKOUT, tr("This chat works in your own checkout."), ("list",)))
        elif fold.is_there and not fold.lane_id:
            self.none.show_stand(PullStand(IN_CHECKOUT, tr("This chat has no lane."), ()))
        elif snapshot is None or self._words or (snapshot.problem is None and fold.loading and snapshot.as_of is None):
            self._show_waiting()
        elif snapshot.problem is not None:
            self.none.show_stand(stand_of(snapshot.problem), remotes=fold.remotes)
        else:
            self._show_no_pull()

    def _show_waiting(self) -> None:
        if self._failure:
            self.none.show_stand(
                PullStand(tr("The pull request could not be read."), display_text(self._failure), (AGAIN,))
            )
        elif self._cancelled:
            self.none.show_stand(PullStand(tr("The pull request was not loaded."), "", (AGAIN,)))
        else:
            self.none.show_stand(PullStand(self._words, "", (CANCEL,) if self._wait.still else ()))

    def _show_no_pull(self) -> None:
        lane, status, planned = self.shown.fold.lane, self.shown.fold.status, self._planned
        base = planned.base if planned is not None else lane.base_ref if lane is not None else ""
        files = planned.files if planned is not None else status.changed_files if status is not None else None
        ahead = status.ahead if status is not None else None
        hindrances = planned.hindrances if planned is not None and ahead != 0 else ()
        self.none.show_stand(none_stand(files, base or tr("its base", context="behind it"), ahead=ahead), hindrances)
        self._plan()

    def _plan(self) -> None:
        """Ask what is in the way of a request, once for each state of the lane."""
        status = self.shown.fold.status
        state = f"{self.shown.lane_id}:{status.model_dump_json(exclude={'read_at'}) if status is not None else ''}"
        if state == self._planned_for or not self.isVisible() or self._planning.is_waiting:
            return
        self._planned_for = state
        command = PlanPullRequest(lane_id=self.shown.lane_id)
        self._planning = self.shown.requests.ask(command, self, answer(PullRequestPlanned, self._on_planned))

    # asking

    def event(self, event: QEvent) -> bool:
        """Becoming visible, or no longer: the forge is asked only for what somebody looks at."""
        if event.type() == QEvent.Type.Show:
            self._ages.start()
            if self._pages is None and self.shown.pull is not None:
                self.refresh()
            QTimer.singleShot(0, self, self._follow_lane)
        elif event.type() == QEvent.Type.Hide:
            self._ages.stop()
            self._follow_lane()
        return super().event(event)

    def _follow_lane(self) -> None:
        lane, fold = self.shown.fold.lane, self.shown.fold
        wanted = fold.lane_id if self.isVisible() and lane is not None and lane.type != "primary" else ""
        if wanted == self._shown_lane:
            return
        former, self._shown_lane = self._shown_lane, wanted
        self._planned, self._planned_for = None, ""
        self._planning.drop()
        self._cancelled, self._failure = False, ""
        self._end_waiting()
        if former:
            self.shown.send(ShowPullRequest(lane_id=former, shown=False, viewer=self._viewer))
        if wanted:
            command = ShowPullRequest(lane_id=wanted, viewer=self._viewer)
            if self.shown.snapshot is None:
                self._wait_for(command)
            else:
                self.shown.send(command)
        self.refresh()

    def _on_waiting(self, words: str) -> None:
        self._words = words
        self.refresh()

    def _on_asked(self, name: str) -> None:
        if name == AGAIN:
            self.ask_again()
        elif name == CANCEL:
            self._cancelled = True
            self._end_waiting()
            self.refresh()
        else:
            self.shown.act_asked.emit(name)

    def _on_remote(self, remote: str) -> None:
        self.shown.send(ChooseRemote(lane_id=self.shown.lane_id, remote=remote))

    def _take_ages(self) -> None:
        if self._pages is not None:
            self._pages.take_ages()


def pull_panel(more: Sequence[type[PullPage]]) -> PanelSpec:
    """The tab with these pages of other themes after its own."""

    def made(requests: Requests, clock: Clock, parent: QWidget) -> Panel:
        return PullPanel(requests, clock, more, parent)

    return PanelSpec("pr", "PR", tr("Show pull request"), ("Alt+2",), "git-pull-request", made)
