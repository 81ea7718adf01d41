"""ReviewStore: what people noted about the changes of a lane."""

from typing import Protocol

from desktop.domain.changes.values import ReviewComment


class ReviewStore(Protocol):
    """Comments on lines, and which files were looked at. Engine thread only; on the disk when a method returns.

    Raises:
        StoreWriteFailed: it did not reach the disk.
    """

    def comments(self, lane_id: str) -> tuple[ReviewComment, ...]:
        """The comments of a lane, oldest first."""

    def save(self, lane_id: str, *comments: ReviewComment) -> None:
        """Add these, or replace what they were; all or none."""

    def remove(self, lane_id: str, comment_id: str) -> None:
        """The comment is gone; nothing when there is none."""

    def viewed(self, lane_id: str) -> dict[str, str]:
        """The files that were looked at, each with the hash of what was seen."""

    def mark(self, lane_id: str, path: str, sha256: str | None) -> None:
        """The file was looked at in this state; None: it was not."""

    def forget(self, lane_id: str) -> None:
        """Remove the comments and looks of a lane that is gone for good."""
