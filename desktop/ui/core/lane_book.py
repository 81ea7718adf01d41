"""LaneBook: what the window knows of lanes: their records, what git says of them, and what is wrong with some."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from desktop.domain.core.work import SessionSummary
from desktop.domain.lanes.lane import Lane, LaneFinding, LaneStatus
from desktop.domain.lanes.updates import (
    HandoverChanged,
    LaneRunChanged,
    LanesChanged,
    LaneStatusChanged,
    StackRunChanged,
)
from desktop.domain.pulls.pull_request import PullSnapshot
from desktop.domain.pulls.updates import PullRequestChanged
from desktop.domain.reports.updates import LaneReportsChanged
from desktop.domain.reports.values import ReportView
from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.sidebar_row import Lists

DELETED = tr("The lane of this chat was deleted.")


class LaneBook:
    """`lanes`: all of the open repository that are not deleted, oldest first; `runs`: what runs in
    them and who has their ports; `stack_run`: the last run of rebases that could be undone; `handover`: which lane the
    person's checkout shows; `reports`: the last report of each lane that has one; `pulls`: how the pull
    request of each stood last. Each is another object whenever something in it changed."""

    def __init__(self) -> None:
        self.lanes: tuple[Lane, ...] = ()
        self.findings: dict[str, LaneFinding] = {}
        self.statuses: dict[str, LaneStatus] = {}
        self.runs: dict[str, LaneRunChanged] = {}
        self.stack_run: StackRunChanged | None = None
        self.handover = HandoverChanged(lane_id="")
        self.reports: dict[str, ReportView] = {}
        self.pulls: dict[str, PullSnapshot] = {}
        self.hearing = self._hears()

    def lane(self, lane_id: str) -> Lane | None:
        """The lane of that id, None if it is not there (any more)."""
        return next((lane for lane in self.lanes if lane.id == lane_id), None)

    def status(self, lane_id: str) -> LaneStatus | None:
        """The newest reading of a lane, None before the first."""
        return self.statuses.get(lane_id)

    def finding(self, lane_id: str) -> LaneFinding | None:
        """What is wrong with a lane, None for nothing."""
        return self.findings.get(lane_id)

    def lists(self, chats: Sequence[SessionSummary], seen: Mapping[str, datetime]) -> Lists:
        """What the sidebar shows, with these chats."""
        return Lists(
            chats,
            self.lanes,
            seen,
            statuses=self.statuses,
            findings=self.findings,
            reports=self.reports,
            pulls=self.pulls,
        )

    def _hears(self) -> Hearing:
        return (
            Hearing()
            .on(LanesChanged, self._take)
            .on(LaneStatusChanged, self._on_statuses)
            .on(LaneRunChanged, self._on_run)
            .on(StackRunChanged, self._on_stack_run)
            .on(LaneReportsChanged, self._on_reports)
            .on(PullRequestChanged, self._on_pull)
            .on(HandoverChanged, self._on_handover)
        )

    def _on_statuses(self, update: LaneStatusChanged) -> None:
        self.statuses = {**self.statuses, **{status.lane_id: status for status in update.statuses}}

    def _on_run(self, update: LaneRunChanged) -> None:
        self.runs = {**self.runs, update.lane_id: update}

    def _on_stack_run(self, update: StackRunChanged) -> None:
        same = self.stack_run is not None and self.stack_run.run_id == update.run_id
        self.stack_run = update if update.can_undo or same else self.stack_run

    def _on_reports(self, update: LaneReportsChanged) -> None:
        self.reports = dict(update.reports)

    def _on_pull(self, update: PullRequestChanged) -> None:
        self.pulls = {**self.pulls, update.snapshot.lane_id: update.snapshot}

    def _on_handover(self, update: HandoverChanged) -> None:
        self.handover = update

    def _take(self, update: LanesChanged) -> None:
        self.lanes = update.lanes
        self.findings = {finding.lane_id: finding for finding in update.findings}
        known = {lane.id for lane in update.lanes}
        if not known.issuperset(self.statuses):
            self.statuses = {lane_id: status for lane_id, status in self.statuses.items() if lane_id in known}
