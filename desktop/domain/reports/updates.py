"""Updates about completion reports: passing state, never stored."""

from typing import ClassVar

from desktop.domain.core.update import Stand, Update
from desktop.domain.reports.values import ReportView


class ReportsChanged(Update):
    """The reports of a chat with their verdicts as they are now, oldest first. Replaces what was told before."""

    session_id: str
    lane_id: str
    reports: tuple[ReportView, ...]


class LaneReportsChanged(Update):
    """The last report of each lane of the open repository that has one. Replaces the former list."""

    stands: ClassVar[Stand | None] = Stand.NOTICES
    reports: tuple[tuple[str, ReportView], ...]
    """Pairs of a lane's id and the report."""
