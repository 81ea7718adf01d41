"""Pull requests of lanes: which one belongs to a lane, how it stood last, and what agents wrote there."""

import json
import logging
from datetime import datetime

from pydantic import ValidationError

from desktop.domain.pulls.pull_request import PullLink, PullSnapshot
from desktop.store.history.event_body import format_at, parse_at
from desktop.store.sqlite.connection import Database

_WAIT = "host_wait:"
logger = logging.getLogger(__name__)


class SqlitePulls:
    """Engine thread only. What is kept is on the disk when a method returns.

    Raises:
        StoreWriteFailed: it did not reach the disk.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def link(self, lane_id: str) -> PullLink:
        """The link between the lane and its pull request; an empty one when nothing is known."""
        rows = self._database.rows("SELECT body FROM pull_link WHERE lane_id = ?", (lane_id,))
        try:
            return PullLink.model_validate(json.loads(str(rows[0][0]))) if rows else PullLink(lane_id=lane_id)
        except (ValueError, ValidationError):
            logger.warning("The stored link of lane %s to a request cannot be read; it is left out.", lane_id)
            return PullLink(lane_id=lane_id)

    def save_link(self, link: PullLink) -> None:
        """Keep the link between a lane and its pull request."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO pull_link (lane_id, body) VALUES (?, ?) "
                "ON CONFLICT (lane_id) DO UPDATE SET body = excluded.body",
                (link.lane_id, json.dumps(link.model_dump(mode="json"))),
            )

    def snapshot(self, lane_id: str) -> PullSnapshot | None:
        """The lane's pull request as GitHub last told it; None: GitHub was never asked."""
        rows = self._database.rows("SELECT as_of, body FROM pull_snapshot WHERE lane_id = ?", (lane_id,))
        try:
            found = PullSnapshot.model_validate(json.loads(str(rows[0][1]))) if rows else None
            at = datetime.fromisoformat(str(rows[0][0])) if rows else None
        except (ValueError, ValidationError):
            logger.warning("The stored request of lane %s cannot be read; it is left out.", lane_id)
            return None
        return found.model_copy(update={"as_of": at}) if found is not None else None

    def save_snapshot(self, snapshot: PullSnapshot) -> None:
        """Keep the pull request as GitHub told it. A snapshot without a time is not kept: it says nothing about the
        request."""
        if snapshot.as_of is None:
            return
        kept = snapshot.model_copy(update={"problem": None, "as_of": None})
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO pull_snapshot (lane_id, as_of, body) VALUES (?, ?, ?) "
                "ON CONFLICT (lane_id) DO UPDATE SET (as_of, body) = (excluded.as_of, excluded.body)",
                (snapshot.lane_id, format_at(snapshot.as_of), json.dumps(kept.model_dump(mode="json"))),
            )

    def still_so(self, lane_id: str, as_of: datetime) -> None:
        """Note that the kept snapshot was still true at this time."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE pull_snapshot SET as_of = ? WHERE lane_id = ?", (format_at(as_of), lane_id))

    def waits(self) -> dict[str, datetime]:
        """Until when each host wanted to be asked nothing, by its name."""
        rows = self._database.rows("SELECT key, value FROM meta WHERE key GLOB ? || '*'", (_WAIT,))
        return {str(key).removeprefix(_WAIT): parse_at(str(value)) for key, value in rows}

    def save_wait(self, host: str, until: datetime | None) -> None:
        """Keep the time before which this host wants no request; None: it may be asked."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM meta WHERE key = ?", (_WAIT + host,))
            if until is not None:
                connection.execute("INSERT INTO meta VALUES (?, ?)", (_WAIT + host, format_at(until)))

    def add_agent_comment(self, lane_id: str, comment_id: str) -> None:
        """An agent of this program wrote this comment."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO pull_agent_comment (comment_id, lane_id) VALUES (?, ?)", (comment_id, lane_id)
            )

    def agent_comments(self, lane_id: str) -> frozenset[str]:
        """The ids of what agents wrote to this lane's requests."""
        rows = self._database.rows("SELECT comment_id FROM pull_agent_comment WHERE lane_id = ?", (lane_id,))
        return frozenset(str(comment_id) for (comment_id,) in rows)

    def forget(self, lane_id: str) -> None:
        """Remove everything about the pull request of a lane that is gone for good."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM pull_link WHERE lane_id = ?", (lane_id,))
            connection.execute("DELETE FROM pull_snapshot WHERE lane_id = ?", (lane_id,))
            connection.execute("DELETE FROM pull_agent_comment WHERE lane_id = ?", (lane_id,))
