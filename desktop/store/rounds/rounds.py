"""What pull requests wait for: items, rounds of work on them, and how the rounds are to go; by the request's key."""

import json
import logging
from collections.abc import Iterable
from datetime import datetime
from typing import TypeVar

from pydantic import ValidationError

from desktop.domain.core.base import Frozen
from desktop.domain.core.errors import StoreError
from desktop.domain.rounds.items import IssueItem, PipelineRun, PipelineSettings, RoundRecord
from desktop.store.history.event_body import format_at
from desktop.store.sqlite.connection import Database

logger = logging.getLogger(__name__)

V = TypeVar("V", bound=Frozen)


class SqliteResolutions:
    """Engine thread only. What is kept is on the disk when a method returns. `pull`: see `pull_key`.

    Raises:
        StoreWriteFailed: it did not reach the disk.
        StoreError: a value is none that may be kept (lanes-P22); what is stored is unchanged.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def items(self, pull: str) -> tuple[IssueItem, ...]:
        """The inventory, oldest first."""
        rows = self._database.rows("SELECT body FROM pull_item WHERE pull = ? ORDER BY rowid", (pull,))
        found = (_read(IssueItem, str(body)) for (body,) in rows)
        return tuple(item for item in found if item is not None)

    def save_items(self, pull: str, items: Iterable[IssueItem], synced_at: datetime | None = None) -> None:
        """Add these, or replace what they were; all or none. `synced_at`: the forge told this then."""
        rows = [(pull, item.id, _body(item)) for item in items]
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT INTO pull_item (pull, item_id, body) VALUES (?, ?, ?) "
                "ON CONFLICT (pull, item_id) DO UPDATE SET body = excluded.body WHERE body <> excluded.body",
                rows,
            )
            if synced_at is not None:
                connection.execute(
                    "INSERT INTO pull_pipeline (pull, synced_at) VALUES (?, ?) "
                    "ON CONFLICT (pull) DO UPDATE SET synced_at = excluded.synced_at",
                    (pull, format_at(synced_at)),
                )

    def synced_at(self, pull: str) -> datetime | None:
        """The time at which the forge last told what is in the inventory, None for never."""
        rows = self._database.rows("SELECT synced_at FROM pull_pipeline WHERE pull = ?", (pull,))
        try:
            return datetime.fromisoformat(str(rows[0][0])) if rows and rows[0][0] else None
        except ValueError:
            return None

    def rounds(self, pull: str) -> tuple[RoundRecord, ...]:
        """The rounds of a pull request, first to last."""
        rows = self._database.rows("SELECT body FROM pull_round WHERE pull = ? ORDER BY number", (pull,))
        found = (_read(RoundRecord, str(body)) for (body,) in rows)
        return tuple(one for one in found if one is not None)

    def save_round(self, pull: str, record: RoundRecord) -> None:
        """Add this round, or replace what it was."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO pull_round (pull, number, body) VALUES (?, ?, ?) "
                "ON CONFLICT (pull, number) DO UPDATE SET body = excluded.body",
                (pull, record.number, _body(record)),
            )

    def settings(self, pull: str) -> PipelineSettings:
        """The settings of a pull request's rounds; the defaults where nothing was chosen."""
        return self._kept(pull, "settings", PipelineSettings) or PipelineSettings()

    def save_settings(self, pull: str, settings: PipelineSettings) -> None:
        """Keep the settings of a pull request's rounds."""
        self._keep(pull, "settings", _body(settings))

    def run(self, pull: str) -> PipelineRun:
        """The state of a pull request's rounds; idle where none began."""
        return self._kept(pull, "run", PipelineRun) or PipelineRun()

    def save_run(self, pull: str, run: PipelineRun) -> PipelineRun:
        """Keep the state of a pull request's rounds. The round never goes back: the higher of both is kept and
        returned."""
        body = _body(run)
        kept = run.model_copy(update={"round": max(run.round, self.run(pull).round)})
        self._keep(pull, "run", body if kept == run else _body(kept))
        return kept

    def _kept(self, pull: str, column: str, kind: type[V]) -> V | None:
        rows = self._database.rows("SELECT settings, run FROM pull_pipeline WHERE pull = ?", (pull,))
        if not rows:
            return None
        body = rows[0][0 if column == "settings" else 1]
        return None if body is None else _read(kind, str(body))

    def _keep(self, pull: str, column: str, body: str) -> None:
        with self._database.transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO pull_pipeline (pull) VALUES (?)", (pull,))
            if column == "settings":
                connection.execute("UPDATE pull_pipeline SET settings = ? WHERE pull = ?", (body, pull))
            else:
                connection.execute("UPDATE pull_pipeline SET run = ? WHERE pull = ?", (body, pull))


def _body(value: Frozen) -> str:
    """As it is stored, checked once more: a copy of a value is not."""
    try:
        text = json.dumps(value.model_dump(mode="json", warnings=False), allow_nan=False)
        type(value).model_validate(json.loads(text))
    except (ValueError, ValidationError) as error:
        raise StoreError(f"This cannot be kept: {error}") from error
    return text


def _read(kind: type[V], body: str) -> V | None:
    try:
        return kind.model_validate(json.loads(body))
    except (ValueError, ValidationError):
        logger.warning("A stored %s of a pull request cannot be read; it is left out.", kind.__name__)
        return None
