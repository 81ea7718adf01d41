"""PullActions: carries out what a person asks of the PR tab: dialogs, confirmations, the browser, the message field."""

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QObject

from desktop.domain.display.text import display_text
from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls.commands import SetPullState, UpdatePullBranch
from desktop.domain.pulls.pull_request import PullSnapshot
from desktop.domain.pulls.updates import PullRequestCreated
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.lanes.window import WindowLanes
from desktop.ui.pulls.dialogs.create import CreatePullDialog
from desktop.ui.pulls.dialogs.link import LinkPullDialog
from desktop.ui.pulls.dialogs.list import PullListDialog
from desktop.ui.pulls.dialogs.merge import MergePullDialog
from desktop.ui.pulls.hindrances import USE_FORK
from desktop.ui.pulls.pages.checks import PullChecks
from desktop.ui.pulls.pages.overview import PullOverview
from desktop.ui.pulls.panel import PullPanel
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.links import Links

To = Literal["closed", "open", "ready", "draft"]
_QUESTIONS: dict[str, tuple[To, str, str, str]] = {
    "ready": ("ready", tr("Mark #{n} as ready for review?"), tr("Reviewers are told."), tr("Ready for review")),
    "draft": (
        "draft",
        tr("Turn #{n} into a draft?"),
        tr("It cannot be merged until it is marked as ready again."),
        tr("Draft"),
    ),
    "close": (
        "closed",
        tr("Close #{n} without merging?"),
        tr("Everybody who follows it is told. The branch and the lane stay as they are."),
        tr("Close request"),
    ),
    "reopen": ("open", tr("Open #{n} again?"), tr("Everybody who follows it is told."), tr("Open again")),
}
_STATES: dict[To, tuple[str, ...]] = {
    "closed": ("closed",),
    "open": ("open", "draft"),
    "ready": ("open",),
    "draft": ("draft",),
}

NO_PULL, NOT_OPEN = tr("There is no pull request to merge."), tr("Pull request #{n} is not open.")
NO_LANE = tr("This chat has no lane. Open one that has, to list the pull requests.")


@dataclass(frozen=True)
class PullDoors:
    """The places that the PR tab opens elsewhere in the window. `show_tab` shows a tab of the inspector ("changes",
    "pr"), `show_settings` a page of the settings; `push` pushes the lane that is shown."""

    show_tab: Callable[[str], object]
    show_settings: Callable[[str], object]
    push: Callable[[], object]


class PullActions(QObject):
    """The actions of the PR tab: with the lane, in the browser, or elsewhere in the window."""

    def __init__(
        self,
        panel: PullPanel,
        lanes: WindowLanes,
        links: Links,
        doors: PullDoors,
    ) -> None:
        super().__init__(panel)
        self._panel, self._lanes, self._links = panel, lanes, links
        self._doors = doors
        self._kept: dict[str, tuple[str, str]] = {}
        panel.shown.act_asked.connect(self.act)
        panel.shown.link_asked.connect(links.ask)
        panel.shown.noted.connect(lanes.note)

    def act(self, name: str) -> None:
        """Do what a button, a menu or the palette asks for; a name that means nothing here does nothing."""
        lane, panel = self._panel.shown.fold.lane, self._panel
        acts: dict[str, Callable[[], object]] = {
            "refresh": panel.ask_again,
            "browser": self._open_browser,
            "copy_link": self._copy_link,
            "edit": self._edit,
            "merge": self._merge,
            "create": self._create,
            "list": self._list,
            "link": self._link,
            USE_FORK: lambda: self._create(with_fork=True),
            "update_branch": self._update_branch,
            "connect": lambda: self._doors.show_settings("github"),
            "changes": lambda: self._doors.show_tab("changes"),
            "commit": lambda: self._doors.show_tab("changes"),
            "push": self._push,
            "threads": lambda: panel.show_page("threads"),
            "checks": lambda: panel.show_page("checks"),
            "rerun": self._rerun,
            "open": self._open,
            "show": lambda: self._doors.show_tab("pr"),
        }
        of_lane = {
            "archive": "archive",
            "update": "update",
            "rebase": "update",
            "conflicts": "conflicts",
            "operation": "conflicts",
        }
        if name in _QUESTIONS:
            self._ask_state(name)
        elif name in of_lane and lane is not None:
            self._lanes.act(of_lane[name], lane.id)
        elif name in acts:
            acts[name]()

    # dialogs

    def _open(self) -> None:
        """The request, or the dialog that makes one."""
        self._doors.show_tab("pr")
        snapshot = self._panel.shown.snapshot
        if snapshot is not None and snapshot.pull is None and snapshot.problem is None:
            self._create()

    def _create(self, *, with_fork: bool = False) -> None:
        lane = self._lane()
        if lane is None:
            return
        dialog = CreatePullDialog(
            lane,
            self._panel.shown.requests,
            self.act,
            self._lanes.window,
            kept=self._kept.get(lane.id, ("", "")),
            done=self._on_created,
        )
        dialog.finished.connect(lambda result: self._keep(lane.id, dialog.written if not result else ("", "")))
        self._lanes.show(dialog, dialog.hearing)
        if with_fork:
            dialog.use_fork()

    def _keep(self, lane_id: str, written: tuple[str, str]) -> None:
        """What was written in a dialog that was closed comes back with the next."""
        self._kept[lane_id] = written

    def _on_created(self, created: PullRequestCreated) -> None:
        words = (
            tr("Pull request #{number} already exists for this branch; linked.", number=created.number)
            if created.adopted
            else tr("Pull request #{number} is open.", number=created.number)
        )
        self._lanes.note("\n".join([words, *created.notices]), bool(created.notices))
        self._doors.show_tab("pr")

    def _merge(self) -> None:
        lane, pull = self._lane(), self._panel.shown.pull
        if lane is not None and pull is not None and pull.state == "open":
            dialog = MergePullDialog(lane, pull, self._panel.shown.requests, self.act, self._lanes.window)
            self._lanes.show(dialog)
        else:
            self._lanes.note(NO_PULL if pull is None else NOT_OPEN.format(n=pull.number))

    def _link(self) -> None:
        lane, pull = self._lane(), self._panel.shown.pull
        if lane is not None:
            number = pull.number if pull is not None else 0
            dialog = LinkPullDialog(lane, number, self._panel.shown.requests, self._lanes.window)
            self._lanes.show(dialog, dialog.hearing)

    def _list(self) -> None:
        shown = self._panel.shown
        if shown.lane_id:
            repository = shown.snapshot.repository if shown.snapshot is not None else None
            owner = repository.owner if repository is not None else ""
            dialog = PullListDialog(shown.lane_id, shown.requests, shown.clock, self._lanes.window, owner)
            dialog.link_asked.connect(self._links.ask)
            dialog.lane_wanted.connect(self._lanes.show_lane)
            self._lanes.show(dialog)
        else:
            self._lanes.note(NO_LANE)

    def _edit(self) -> None:
        self._panel.show_page("overview")
        self._panel.pages.of(PullOverview).edit()

    def _copy_link(self) -> None:
        self._panel.pages.header.copy_link()

    def _rerun(self) -> None:
        self._panel.pages.of(PullChecks).rerun()

    def _ask_state(self, name: str) -> None:
        pull = self._panel.shown.pull
        if pull is None:
            return
        to, title, text, go = _QUESTIONS[name]
        question = Question(
            "pr_state_dialog",
            title.format(n=pull.number),
            text,
            (tr("Cancel"), "pr_state_cancel"),
            (go, "pr_state_go"),
            dangerous=name == "close",
        )
        dialog = AskDialog(question, self._lanes.window)
        dialog.agreed.connect(lambda: self._set_state(to))
        self._lanes.show(dialog)

    def _set_state(self, to: To) -> None:
        shown = self._panel.shown

        def landed(snapshot: PullSnapshot) -> bool:
            return snapshot.pull is not None and snapshot.pull.state in _STATES[to]

        shown.orders.give(SetPullState(lane_id=shown.lane_id, to=to), "state", landed, self._tell)

    def _update_branch(self) -> None:
        shown = self._panel.shown
        pull = shown.pull
        if pull is None:
            return
        seen = pull.head_oid

        def landed(snapshot: PullSnapshot) -> bool:
            return snapshot.pull is not None and snapshot.pull.head_oid != seen

        command = UpdatePullBranch(lane_id=shown.lane_id, head_oid=seen)
        shown.orders.give(command, "update_branch", landed, lambda problem: self._tell_update(shown.lane_id, problem))

    def _tell_update(self, lane_id: str, problem: str) -> None:
        if "conflict" in problem.lower():
            self._lanes.offer(display_text(problem), tr("Rebase in lane…"), lambda: self._lanes.act("update", lane_id))
        else:
            self._tell(problem)

    def _tell(self, problem: str) -> None:
        if problem:
            self._lanes.note(problem, True)

    def _push(self) -> None:
        self._doors.show_tab("changes")
        self._doors.push()

    def _open_browser(self) -> None:
        shown = self._panel.shown
        if shown.pull is not None and shown.pull.url:
            if shown.pull.repository.host:
                self._links.trust(shown.pull.repository.host)
            self._links.ask(shown.pull.url)

    def _lane(self) -> Lane | None:
        lane = self._panel.shown.fold.lane
        return lane if lane is not None and lane.type != "primary" else None
