"""SQLite: reads that cannot write, approved writes that check their effect, its catalogue."""

import re
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from desktop.domain.gate.effects import EffectPreview, TableEffect
from desktop.services.databases.base import (
    BATCH,
    PREVIEW_TIME_S,
    ConnectionCheck,
    DatabaseError,
    Parameter,
    QueryAnswer,
    QueryLimits,
    RowGatherer,
    Stop,
    TableLine,
    WritePlan,
    elapsed_ms,
    in_thread,
)
from desktop.services.databases.effect_check import effect_problem
from desktop.services.databases.kept_rows import KeptTable, Row
from desktop.services.databases.sqlite.connections import FAILURES, failure, open_reading, open_writing
from desktop.services.databases.sqlite.meter import Meter
from desktop.services.databases.sqlite.preview import preview_sqlite
from desktop.services.databases.sqlite.rows import RowKeeper, kept_of, put_rows_back, rows_now
from desktop.services.databases.sqlite.schema import describe_table, list_tables

_CHECK_TIME_S = 5.0
_REPLACES = re.compile(r"\breplace\b", re.IGNORECASE)
ONLY_ROWS = "only rows can be kept"


class SqliteEngine:
    """A database in a SQLite file. Each call opens it anew, in a worker thread."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def read(self, sql: str, params: Sequence[Parameter], limits: QueryLimits) -> QueryAnswer:
        """As `DatabaseEngine.read`."""
        stop = Stop(limits.time_limit_s)
        return await in_thread(lambda: self._read(sql, params, limits, stop), stop)

    async def write(self, sql: str, params: Sequence[Parameter], limits: QueryLimits, plan: WritePlan) -> QueryAnswer:
        """As `DatabaseEngine.write`."""
        stop = Stop(limits.time_limit_s)
        return await in_thread(lambda: self._write(sql, params, limits, plan, stop), stop)

    async def preview(self, sql: str, params: Sequence[Parameter], plan: WritePlan) -> EffectPreview:
        """As `DatabaseEngine.preview`; on a private copy, or in place and rolled back for a large file when asked
        for."""
        stop = Stop(PREVIEW_TIME_S)
        return await in_thread(lambda: preview_sqlite(self._path, sql, params, plan, stop), stop)

    async def rows_now(self, tables: tuple[KeptTable, ...], limits: QueryLimits) -> tuple[tuple[Row | None, ...], ...]:
        """Each of these rows as it is now. Raises DatabaseError."""
        stop = Stop(limits.time_limit_s)
        return await in_thread(lambda: rows_now(self._path, tables, stop), stop)

    async def put_rows_back(self, tables: tuple[KeptTable, ...], limits: QueryLimits) -> None:
        """Each of these rows becomes what it was before. Raises DatabaseError: nothing was changed."""
        stop = Stop(limits.time_limit_s)
        await in_thread(lambda: put_rows_back(self._path, tables, stop), stop)

    async def tables(self, limits: QueryLimits) -> tuple[TableLine, ...]:
        """As `DatabaseEngine.tables`."""
        stop = Stop(limits.time_limit_s)
        return await in_thread(lambda: self._tables(stop), stop)

    async def describe(self, table: str, limits: QueryLimits) -> str:
        """As `DatabaseEngine.describe`."""
        stop = Stop(limits.time_limit_s)
        return await in_thread(lambda: self._describe(table, stop), stop)

    async def check(self) -> ConnectionCheck:
        """As `DatabaseEngine.check`."""
        stop = Stop(_CHECK_TIME_S)
        return await in_thread(lambda: self._check(stop), stop)

    def _read(self, sql: str, params: Sequence[Parameter], limits: QueryLimits, stop: Stop) -> QueryAnswer:
        started = time.monotonic()
        with closing(open_reading(self._path, stop)) as connection:
            try:
                return _gather(connection, sql, params, limits, started)
            except FAILURES as error:
                raise failure(error, stop) from error

    def _write(
        self, sql: str, params: Sequence[Parameter], limits: QueryLimits, plan: WritePlan, stop: Stop
    ) -> QueryAnswer:
        started = time.monotonic()
        with closing(open_writing(self._path, stop)) as connection:
            try:
                if not plan.transactional:
                    answer = _gather(connection, sql, params, limits, started)
                    return answer.model_copy(update={"not_kept": ONLY_ROWS})
                return _in_transaction(connection, sql, params, limits, plan)
            except FAILURES as error:
                raise failure(error, stop) from error

    def _tables(self, stop: Stop) -> tuple[TableLine, ...]:
        with closing(open_reading(self._path, stop)) as connection:
            try:
                return list_tables(connection)
            except FAILURES as error:
                raise failure(error, stop) from error

    def _describe(self, table: str, stop: Stop) -> str:
        with closing(open_reading(self._path, stop)) as connection:
            try:
                return describe_table(connection, table)
            except FAILURES as error:
                raise failure(error, stop) from error

    def _check(self, stop: Stop) -> ConnectionCheck:
        version = f"SQLite {sqlite3.sqlite_version}"
        try:
            with closing(open_reading(self._path, stop)):
                pass
        except DatabaseError as error:
            return ConnectionCheck(version=version, problem=str(error))
        try:
            with closing(open_writing(self._path, stop)) as connection:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("ROLLBACK")
        except (DatabaseError, sqlite3.Error):
            return ConnectionCheck(version=version, can_write=False)
        return ConnectionCheck(version=version, can_write=True)


def _in_transaction(
    connection: sqlite3.Connection, sql: str, params: Sequence[Parameter], limits: QueryLimits, plan: WritePlan
) -> QueryAnswer:
    """The statement in one transaction, committed only if its effect is within the approved one (gate-Q18,
    gate-Q22)."""
    started = time.monotonic()
    meter = Meter(connection)
    if plan.approved is not None and plan.counted:
        meter.install()
    keeper = _keeper(connection, sql, plan)
    connection.execute("BEGIN IMMEDIATE")
    try:
        sizes = () if plan.approved is None or plan.counted else _sizes(meter, plan.approved)
        answer = _gather(connection, sql, params, limits, started)
        if plan.approved is not None:
            problem = effect_problem(plan.approved, meter.effects() if plan.counted else sizes)
            if problem:
                raise DatabaseError(problem, "effect_changed")
        kept, not_kept = kept_of(keeper, answer.changed) if isinstance(keeper, RowKeeper) else (None, keeper)
        if connection.in_transaction:
            connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.set_progress_handler(None, 0)
            connection.execute("ROLLBACK")
    told = {"duration_ms": elapsed_ms(started), "kept": kept, "not_kept": not_kept}
    return answer.model_copy(update=told)


def _keeper(connection: sqlite3.Connection, sql: str, plan: WritePlan) -> RowKeeper | str:
    """What keeps the rows from before, or why nothing does."""
    if not plan.counted:
        return ONLY_ROWS
    if _REPLACES.search(sql):
        return "REPLACE deletes rows that no trigger sees"
    keeper = RowKeeper(connection)
    try:
        keeper.install()
    except (DatabaseError, *FAILURES) as error:
        return str(error)
    return keeper


def _sizes(meter: Meter, approved: EffectPreview) -> tuple[TableEffect, ...]:
    """For objects that are dropped with their rows: how many rows that is now."""
    return tuple(
        TableEffect(table=effect.table, deleted=meter.rows_in(effect.table) or 0)
        for effect in approved.tables
        if effect.deleted
    )


def _gather(
    connection: sqlite3.Connection, sql: str, params: Sequence[Parameter], limits: QueryLimits, started: float
) -> QueryAnswer:
    """Run the one statement and fetch in batches. A statement with RETURNING is always carried out whole."""
    with closing(connection.execute(sql, tuple(params))) as cursor:
        gatherer = RowGatherer(limits)
        while batch := cursor.fetchmany(BATCH):
            if not gatherer.add(batch):
                break
        columns = tuple(str(column[0]) for column in cursor.description or ())
        changed = cursor.rowcount if not gatherer.full else connection.execute("SELECT changes()").fetchone()[0]
    return QueryAnswer(
        columns=columns,
        rows=tuple(gatherer.rows),
        stopped=gatherer.stopped,
        changed=changed if changed >= 0 else None,
        duration_ms=elapsed_ms(started),
    )
