"""Lanes that were created: their names, branches, folders and states."""

import json
import logging

from pydantic import ValidationError

from desktop.domain.lanes.lane import Lane
from desktop.store.history.event_body import format_at
from desktop.store.sqlite.connection import Database, Value

logger = logging.getLogger(__name__)

_WITHOUT_PORTS = ("archived", "deleted")


class SqliteLanes:
    """One row per lane, replaced when the lane changes. Engine thread only. Nothing else writes them, so what was read
    is kept until the next `save`: every step asks for lanes, those of all times too.

    Its ports are those of its lease, whatever the record that is saved says of them. The lease ends with its use.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._read: dict[tuple[str, str], tuple[Lane, ...]] = {}

    def save(self, lane: Lane) -> None:
        """Add the lane, or replace what is known of it; on the disk when this returns.

        Raises:
            StoreWriteFailed: it did not reach the disk.
        """
        self._read.clear()
        with self._database.transaction() as connection:
            if lane.state in _WITHOUT_PORTS:
                connection.execute("DELETE FROM port_lease WHERE lane_id = ?", (lane.id,))
            leased = connection.execute("SELECT base FROM port_lease WHERE lane_id = ?", (lane.id,)).fetchone()
            ports = {"ports": leased[0] if leased else 0, "port_count": lane.port_count if leased else 0}
            body = json.dumps(lane.model_copy(update=ports).model_dump(mode="json"))
            connection.execute(
                "INSERT INTO lane (lane_id, project_id, created_at, body) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (lane_id) DO UPDATE SET (project_id, created_at, body) = "
                "(excluded.project_id, excluded.created_at, excluded.body)",
                (lane.id, lane.project_id, format_at(lane.created_at), body),
            )

    def get(self, lane_id: str) -> Lane | None:
        """The lane; None when there is none."""
        lanes = self._lanes("SELECT body FROM lane WHERE lane_id = ?", lane_id)
        return lanes[0] if lanes else None

    def of_project(self, project_id: str) -> list[Lane]:
        """All lanes of a project, archived ones too, oldest first."""
        return list(self._lanes("SELECT body FROM lane WHERE project_id = ? ORDER BY created_at, lane_id", project_id))

    def _lanes(self, sql: str, key: str) -> tuple[Lane, ...]:
        self._database.check()
        if (sql, key) not in self._read:
            lanes = (_lane(body) for (body,) in self._database.rows(sql, (key,)))
            self._read[sql, key] = tuple(lane for lane in lanes if lane is not None)
        return self._read[sql, key]


def _lane(body: Value) -> Lane | None:
    try:
        return Lane.model_validate(json.loads(str(body)))
    except (ValueError, ValidationError):
        logger.warning("A stored lane cannot be read; it is left out: %.200s", body)
        return None
