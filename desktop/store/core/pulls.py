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
        """What ties the lane to a request; one that says nothing when nothing is known."""

    def save_link(self, link: PullLink) -> None:
        """This ties the lane to its request from here on."""

    def snapshot(self, lane_id: str) -> PullSnapshot | None:
        """How the lane's request stood when the host was last asked; None: it never was."""

    def save_snapshot(self, snapshot: PullSnapshot) -> None:
        """This is how it stands. One without a time is not kept: it says nothing about the request."""

    def still_so(self, lane_id: str, as_of: datetime) -> None:
        """Nothing differs from what is kept, as of then."""

    def waits(self) -> dict[str, datetime]:
        """Until when each host wanted to be asked nothing, by its name."""

    def save_wait(self, host: str, until: datetime | None) -> None:
        """This host wants to be asked nothing before then, None: it may be asked."""

    def add_agent_comment(self, lane_id: str, comment_id: str) -> None:
        """An agent of this program wrote this comment."""

    def agent_comments(self, lane_id: str) -> frozenset[str]:
        """The ids of what agents wrote to this lane's requests."""

    def forget(self, lane_id: str) -> None:
        """Nothing is known of this lane, which is gone for good."""
