"""LaneBook: what the window knows of lanes: their records, what git says of them, and what is wrong with some."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from desktop.domain.core.update import Update
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
from desktop.ui.core.sidebar_row import Lists

DELETED = "The lane of this chat was deleted."


class LaneBook:
    """Takes every update. `lanes`: all of the open repository that are not deleted, oldest first; `runs`: what runs in
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

    def apply(self, updates: Sequence[Update]) -> None:
        """Take updates in order; those about anything else are passed over."""
        for update in updates:
            if isinstance(update, LanesChanged):
                self._take(update)
            elif isinstance(update, LaneStatusChanged):
                self.statuses = {**self.statuses, **{status.lane_id: status for status in update.statuses}}
            elif isinstance(update, LaneRunChanged):
                self.runs = {**self.runs, update.lane_id: update}
            elif isinstance(update, StackRunChanged):
                same = self.stack_run is not None and self.stack_run.run_id == update.run_id
                self.stack_run = update if update.can_undo or same else self.stack_run
            elif isinstance(update, LaneReportsChanged):
                self.reports = dict(update.reports)
            elif isinstance(update, PullRequestChanged):
                self.pulls = {**self.pulls, update.snapshot.lane_id: update.snapshot}
            elif isinstance(update, HandoverChanged):
                self.handover = update

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

    def _take(self, update: LanesChanged) -> None:
        self.lanes = update.lanes
        self.findings = {finding.lane_id: finding for finding in update.findings}
        known = {lane.id for lane in update.lanes}
        if not known.issuperset(self.statuses):
            self.statuses = {lane_id: status for lane_id, status in self.statuses.items() if lane_id in known}
