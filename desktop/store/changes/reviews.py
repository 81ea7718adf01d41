"""The notes of people on the changes of a lane: comments on lines, and which files they looked at."""

import json
import logging
import os

from pydantic import ValidationError

from desktop.domain.changes.values import ReviewComment
from desktop.store.sqlite.connection import Database

logger = logging.getLogger(__name__)


class SqliteReviews:
    """Engine thread only. What is kept is on the disk when a method returns.

    Raises:
        StoreWriteFailed: it did not reach the disk.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def comments(self, lane_id: str) -> tuple[ReviewComment, ...]:
        """The comments of a lane, oldest first."""
        rows = self._database.rows("SELECT body FROM review_comment WHERE lane_id = ? ORDER BY rowid", (lane_id,))
        found = (_comment(str(body)) for (body,) in rows)
        return tuple(comment for comment in found if comment is not None)

    def save(self, lane_id: str, *comments: ReviewComment) -> None:
        """Add these, or replace what they were; all or none."""
        rows = [(one.comment_id, lane_id, json.dumps(one.model_dump(mode="json"))) for one in comments]
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT INTO review_comment (comment_id, lane_id, body) VALUES (?, ?, ?) "
                "ON CONFLICT (comment_id) DO UPDATE SET body = excluded.body WHERE lane_id = excluded.lane_id",
                rows,
            )

    def remove(self, lane_id: str, comment_id: str) -> None:
        """The comment is gone; nothing when there is none."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM review_comment WHERE lane_id = ? AND comment_id = ?", (lane_id, comment_id))

    def viewed(self, lane_id: str) -> dict[str, str]:
        """The files that were looked at, each with the hash of what was seen."""
        rows = self._database.rows("SELECT path, sha256 FROM viewed_file WHERE lane_id = ?", (lane_id,))
        return {os.fsdecode(path): str(sha256) for path, sha256 in rows if isinstance(path, bytes)}

    def mark(self, lane_id: str, path: str, sha256: str | None) -> None:
        """The file was looked at in this state; None: it was not."""
        key = (lane_id, os.fsencode(path))
        with self._database.transaction() as connection:
            if sha256 is None:
                connection.execute("DELETE FROM viewed_file WHERE lane_id = ? AND path = ?", key)
            else:
                connection.execute(
                    "INSERT INTO viewed_file (lane_id, path, sha256) VALUES (?, ?, ?) "
                    "ON CONFLICT (lane_id, path) DO UPDATE SET sha256 = excluded.sha256",
                    (*key, sha256),
                )

    def forget(self, lane_id: str) -> None:
        """Remove the comments and looks of a lane that is gone for good."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM review_comment WHERE lane_id = ?", (lane_id,))
            connection.execute("DELETE FROM viewed_file WHERE lane_id = ?", (lane_id,))


def _comment(body: str) -> ReviewComment | None:
    try:
        return ReviewComment.model_validate(json.loads(body))
    except (ValueError, ValidationError):
        logger.warning("A stored comment cannot be read; it is left out: %.200s", body)
        return None
