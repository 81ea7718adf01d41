"""PostgreSQL: reads in a transaction that refuses writes, approved writes that check their effect, its catalogue."""

import time
from collections.abc import Sequence

from pydantic import SecretStr

from desktop.config.databases import DatabaseConnection
from desktop.domain.gate.effects import EffectPreview
from desktop.services.databases.base import (
    BATCH,
    ConnectionCheck,
    DatabaseError,
    Parameter,
    QueryAnswer,
    QueryLimits,
    RowGatherer,
    TableLine,
    WritePlan,
    elapsed_ms,
)
from desktop.services.databases.effect_check import effect_problem
from desktop.services.databases.kept_rows import KeptTable, Row
from desktop.services.databases.postgres.calls import prepare_read
from desktop.services.databases.postgres.connections import (
    PostgresAccess,
    Server,
    Statement,
    changed_rows,
    committed,
    prepare,
)
from desktop.services.databases.postgres.effects import effects, lost_rows, table_sizes
from desktop.services.databases.postgres.preview import preview_postgres
from desktop.services.databases.postgres.rows import kept_of, put_rows_back, rows_now
from desktop.services.databases.postgres.schema import describe_table, list_tables

_CHECK_TIME_S = 5.0
_RIGHTS = """
SELECT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS super,
EXISTS (
    SELECT 1 FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
    AND (has_table_privilege(c.oid, 'INSERT') OR has_table_privilege(c.oid, 'UPDATE')
         OR has_table_privilege(c.oid, 'DELETE') OR has_table_privilege(c.oid, 'TRUNCATE'))
) AS writes
"""
_SUPERUSER = "This account is a superuser. Use one that may only read what agents need."
_WRITER = "This account can change tables. For reading, one without write grants is safer."


class PostgresEngine:
    """A database on a PostgreSQL server. Each call has a connection of its own."""

    def __init__(self, connection: DatabaseConnection, password: SecretStr | None) -> None:
        self._access = PostgresAccess(connection, password)

    async def read(self, sql: str, params: Sequence[Parameter], limits: QueryLimits) -> QueryAnswer:
        """As `DatabaseEngine.read`. The extended protocol takes one statement only; the server says beforehand what it
        calls.

        Raises:
            UnlistedCall: it is something that nobody judged; nothing has run.
        """
        started = time.monotonic()
        async with self._access.reading(limits.time_limit_s) as server:
            statement, values = await prepare_read(server, sql, params)
            gatherer = RowGatherer(limits)
            cursor = await statement.cursor(*values)
            while batch := await cursor.fetch(BATCH):
                if not gatherer.add(batch):
                    break
            return _answer(statement, gatherer, started)

    async def write(self, sql: str, params: Sequence[Parameter], limits: QueryLimits, plan: WritePlan) -> QueryAnswer:
        """As `DatabaseEngine.write`."""
        started = time.monotonic()
        async with self._access.writing(limits.time_limit_s, transaction=plan.transactional) as server:
            sizes: dict[str, int] = {}
            if plan.approved is not None and plan.transactional and not plan.counted:
                sizes = await table_sizes(server, plan.tables)
            statement, values = await prepare(server, sql, params)
            rows = await statement.fetch(*values)
            gatherer = RowGatherer(limits)
            gatherer.add(rows)
            changed = changed_rows(str(statement.get_statusmsg() or ""))
            answer = _answer(statement, gatherer, started).model_copy(update={"changed": changed})
            kept, not_kept = None, "only rows can be kept"
            if plan.transactional:
                await server.execute("SET CONSTRAINTS ALL IMMEDIATE")  # what waits for the end is counted too
                await _check_effect(server, plan, sizes)
                if plan.counted:
                    kept, not_kept = await kept_of(self._access, server, changed)
                await committed(server)
        return answer.model_copy(update={"duration_ms": elapsed_ms(started), "kept": kept, "not_kept": not_kept})

    async def rows_now(self, tables: tuple[KeptTable, ...], limits: QueryLimits) -> tuple[tuple[Row | None, ...], ...]:
        """As `KeepingEngine.rows_now`."""
        return tuple(await rows_now(self._access, tables, limits.time_limit_s))

    async def put_rows_back(self, tables: tuple[KeptTable, ...], limits: QueryLimits) -> None:
        """As `KeepingEngine.put_rows_back`."""
        await put_rows_back(self._access, tables, limits.time_limit_s)

    async def preview(self, sql: str, params: Sequence[Parameter], plan: WritePlan) -> EffectPreview:
        """As `DatabaseEngine.preview`; in a transaction that is always rolled back."""
        return await preview_postgres(self._access, sql, params, plan)

    async def tables(self, limits: QueryLimits) -> tuple[TableLine, ...]:
        """As `DatabaseEngine.tables`."""
        async with self._access.reading(limits.time_limit_s) as server:
            return await list_tables(server)

    async def describe(self, table: str, limits: QueryLimits) -> str:
        """As `DatabaseEngine.describe`."""
        async with self._access.reading(limits.time_limit_s) as server:
            return await describe_table(server, table)

    async def check(self) -> ConnectionCheck:
        """As `DatabaseEngine.check`; writes nothing, it reads the account's rights."""
        try:
            async with self._access.reading(_CHECK_TIME_S) as server:
                version = str(await server.fetchval("SHOW server_version"))
                rights = await server.fetchrow(_RIGHTS)
        except DatabaseError as error:
            return ConnectionCheck(problem=str(error))
        writes = bool(rights["super"] or rights["writes"])
        advice = _SUPERUSER if rights["super"] else _WRITER if writes else ""
        return ConnectionCheck(version=f"PostgreSQL {version}", can_write=writes, advice=advice)


async def _check_effect(server: Server, plan: WritePlan, sizes: dict[str, int]) -> None:
    """Raises DatabaseError if the transaction did more than was approved (gate-Q22)."""
    if plan.approved is None:
        return
    if plan.counted:
        found = tuple((await effects(server)).values())
    else:
        found = tuple(lost_rows(sizes, await table_sizes(server, plan.tables)))
    problem = effect_problem(plan.approved, found)
    if problem:
        raise DatabaseError(problem, "effect_changed")


def _answer(statement: Statement, gatherer: RowGatherer, started: float) -> QueryAnswer:
    attributes = statement.get_attributes()
    return QueryAnswer(
        columns=tuple(str(attribute.name) for attribute in attributes),
        types=tuple(str(attribute.type.name) for attribute in attributes),
        rows=tuple(gatherer.rows),
        stopped=gatherer.stopped,
        duration_ms=elapsed_ms(started),
    )
