"""PullStore: which request belongs to a lane, how it stood last, and what agents wrote there."""

from datetime import datetime
from typing import Protocol

from desktop.domain.pulls.pull_request import PullLink, PullSnapshot


class PullStore(Protocol):
    """Engine thread only. What is kept is on the disk when a method returns.

    Raises:
        StoreWriteFailed: it did not reach the disk.
    """

    def link(self, lane_id: str) -> PullLink:
        """The link between the lane and its pull request; an empty one when nothing is known."""

    def save_link(self, link: PullLink) -> None:
        """Keep the link between a lane and its pull request."""

    def snapshot(self, lane_id: str) -> PullSnapshot | None:
        """The lane's pull request as the host last told it; None: the host was never asked."""

    def save_snapshot(self, snapshot: PullSnapshot) -> None:
        """Keep the pull request as the host told it. A snapshot without a time is not kept: it says nothing about the
        request."""

    def still_so(self, lane_id: str, as_of: datetime) -> None:
        """Note that the kept snapshot was still true at this time."""

    def waits(self) -> dict[str, datetime]:
        """Until when each host wanted to be asked nothing, by its name."""

    def save_wait(self, host: str, until: datetime | None) -> None:
        """Keep the time before which this host wants no request; None: it may be asked."""

    def add_agent_comment(self, lane_id: str, comment_id: str) -> None:
        """An agent of this program wrote this comment."""

    def agent_comments(self, lane_id: str) -> frozenset[str]:
        """The ids of what agents wrote to this lane's requests."""

    def forget(self, lane_id: str) -> None:
        """Remove everything about the pull request of a lane that is gone for good."""
