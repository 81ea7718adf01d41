"""Updates about completion reports: passing state, never stored."""

from desktop.domain.core.base import Frozen
from desktop.domain.reports.values import ReportView


class ReportsChanged(Frozen):
    """The reports of a chat with their verdicts as they are now, oldest first. Replaces what was told before."""

    session_id: str
    lane_id: str
    reports: tuple[ReportView, ...]


class LaneReportsChanged(Frozen):
    """The last report of each lane of the open repository that has one. Replaces the former list."""

    reports: tuple[tuple[str, ReportView], ...]
    """Pairs of a lane's id and the report."""


ReportUpdate = ReportsChanged | LaneReportsChanged
