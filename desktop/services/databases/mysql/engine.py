"""MySQL and MariaDB: reads in a read-only session, approved writes that check their effect, the catalogue."""

import time
from collections.abc import Sequence

from pydantic import SecretStr

from desktop.config.databases import DatabaseConnection
from desktop.domain.gate.effects import EffectPreview
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
)
from desktop.services.databases.effect_check import effect_problem
from desktop.services.databases.mysql.connections import (
    Cursor,
    MysqlAccess,
    Server,
    begin_reading,
    begin_writing,
    execute,
    load_driver,
)
from desktop.services.databases.mysql.preview import lost_rows, preview_in_transaction, statement_effect, table_sizes
from desktop.services.databases.mysql.schema import describe_table, list_tables, may_write

_CHECK_TIME_S = 5.0


class MysqlEngine:
    """A database on a MySQL server. Each call has a connection of its own, in a worker thread."""

    def __init__(self, connection: DatabaseConnection, password: SecretStr | None) -> None:
        self._access = MysqlAccess(connection, password)
        self._database = connection.database

    async def read(self, sql: str, params: Sequence[Parameter], limits: QueryLimits) -> QueryAnswer:
        """As `DatabaseEngine.read`."""
        return await self._access.run(lambda server: self._read(server, sql, params, limits), Stop(limits.time_limit_s))

    async def write(self, sql: str, params: Sequence[Parameter], limits: QueryLimits, plan: WritePlan) -> QueryAnswer:
        """As `DatabaseEngine.write`."""
        return await self._access.run(
            lambda server: _write(server, sql, params, limits, plan), Stop(limits.time_limit_s)
        )

    async def preview(self, sql: str, params: Sequence[Parameter], plan: WritePlan) -> EffectPreview:
        """As `DatabaseEngine.preview`; tables of InnoDB only, in a transaction that is always rolled back."""
        started = time.monotonic()
        try:
            found = await self._access.run(
                lambda server: preview_in_transaction(server, self._database, sql, params, plan), Stop(PREVIEW_TIME_S)
            )
        except DatabaseError as error:
            words = f"it would fail: {error}" if error.code == "driver" else str(error)
            return EffectPreview(problem=words, duration_ms=elapsed_ms(started))
        return found.model_copy(update={"duration_ms": elapsed_ms(started)})

    async def tables(self, limits: QueryLimits) -> tuple[TableLine, ...]:
        """As `DatabaseEngine.tables`."""

        def work(server: Server) -> tuple[TableLine, ...]:
            begin_reading(server)
            return list_tables(server, self._database)

        return await self._access.run(work, Stop(limits.time_limit_s))

    async def describe(self, table: str, limits: QueryLimits) -> str:
        """As `DatabaseEngine.describe`."""

        def work(server: Server) -> str:
            begin_reading(server)
            return describe_table(server, self._database, table)

        return await self._access.run(work, Stop(limits.time_limit_s))

    async def check(self) -> ConnectionCheck:
        """As `DatabaseEngine.check`; writes nothing, it reads the account's rights."""

        def work(server: Server) -> ConnectionCheck:
            begin_reading(server)
            writes = may_write(server)
            advice = "This account can change tables. For reading, one without write grants is safer." if writes else ""
            return ConnectionCheck(version=str(server.get_server_info()), can_write=writes, advice=advice)

        try:
            return await self._access.run(work, Stop(_CHECK_TIME_S))
        except DatabaseError as error:
            return ConnectionCheck(problem=str(error))

    def _read(self, server: Server, sql: str, params: Sequence[Parameter], limits: QueryLimits) -> QueryAnswer:
        started = time.monotonic()
        begin_reading(server)
        cursor = server.cursor(load_driver().cursors.SSCursor)
        try:
            execute(cursor, sql, params)
            gatherer = RowGatherer(limits)
            while batch := cursor.fetchmany(BATCH):
                if not gatherer.add(batch):
                    self._access.kill(server)  # so that the rest is not sent
                    break
            answer = _answer(cursor, gatherer, started)
        finally:
            _close(cursor)
        if not gatherer.full:
            server.rollback()
        return answer


def _write(server: Server, sql: str, params: Sequence[Parameter], limits: QueryLimits, plan: WritePlan) -> QueryAnswer:
    started = time.monotonic()
    if plan.transactional:
        begin_writing(server)
    sizes = table_sizes(server, plan.tables) if plan.approved is not None and not plan.counted else {}
    gatherer = RowGatherer(limits)
    with server.cursor() as cursor:
        execute(cursor, sql, params)
        changed = int(cursor.rowcount) if plan.counted else None
        if cursor.description:
            gatherer.add(cursor.fetchall())
        answer = _answer(cursor, gatherer, started)
    if plan.transactional:
        if plan.approved is not None:
            found = [statement_effect(plan, changed or 0, sql)] if plan.counted else list(lost_rows(server, sizes))
            problem = effect_problem(plan.approved, found)
            if problem:
                server.rollback()
                raise DatabaseError(problem, "effect_changed")
        server.commit()
    return answer.model_copy(update={"changed": changed, "duration_ms": elapsed_ms(started)})


def _answer(cursor: Cursor, gatherer: RowGatherer, started: float) -> QueryAnswer:
    columns = tuple(str(column[0]) for column in cursor.description or ())
    return QueryAnswer(
        columns=columns, rows=tuple(gatherer.rows), stopped=gatherer.stopped, duration_ms=elapsed_ms(started)
    )


def _close(cursor: Cursor) -> None:
    driver = load_driver()
    try:
        cursor.close()
    except (driver.MySQLError, OSError):
        return
