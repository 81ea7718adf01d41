"""What a transaction of PostgreSQL has done so far, by the server's own counters."""

from collections.abc import Iterable, Sequence
from typing import Any

from desktop.domain.gate.effects import TableEffect
from desktop.services.databases.postgres.connections import Server, load_driver

MAX_COUNTED_TABLES = 10
_UNDO = "ROLLBACK TO SAVEPOINT banksman; RELEASE SAVEPOINT banksman"  # else what follows is of the subtransaction
_COUNTERS = """
SELECT s.relid, s.relid::regclass::text AS name, s.n_tup_ins, s.n_tup_upd, s.n_tup_del
FROM pg_stat_xact_user_tables AS s WHERE s.n_tup_ins + s.n_tup_upd + s.n_tup_del > 0 ORDER BY 2
"""


async def counting(server: Server) -> bool:
    """Whether the server counts changes of rows at all."""
    return bool(await server.fetchval("SHOW track_counts") == "on")


async def effects(server: Server) -> dict[int, TableEffect]:
    """Rows changed in this transaction by table, also by triggers and cascades; by the table's object id."""
    rows = await server.fetch(_COUNTERS)
    return {
        row["relid"]: TableEffect(
            table=row["name"], inserted=row["n_tup_ins"], updated=row["n_tup_upd"], deleted=row["n_tup_del"]
        )
        for row in rows
    }


async def table_sizes(server: Server, names: Sequence[str]) -> dict[str, int]:
    """Exact rows of the tables that exist, by the server's spelling of their names; slow ones are left out."""
    found: dict[str, int] = {}
    for name in names[:MAX_COUNTED_TABLES]:
        known = await server.fetchval("SELECT to_regclass($1)::text", name)
        if known is None:
            continue
        rows = await attempt(server, f"SELECT count(*) FROM {known}")  # noqa: S608 - a name as the server quotes it
        if rows:
            found[known] = rows[0][0]
    return found


async def attempt(server: Server, sql: str, *values: object, limit_ms: int = 1000) -> list[Sequence[Any]] | None:
    """Rows of a query of ours inside a transaction, None if it failed or took too long; the transaction goes on."""
    await server.execute(f"SAVEPOINT banksman; SET LOCAL statement_timeout = {limit_ms}")
    try:
        rows: list[Sequence[Any]] = await server.fetch(sql, *values)
    except load_driver().PostgresError:
        await server.execute(_UNDO)
        return None
    await server.execute(_UNDO)
    return rows


def lost_rows(before: dict[str, int], after: dict[str, int]) -> Iterable[TableEffect]:
    """For statements that remove rows without counting them: what each table has less."""
    for name, rows in before.items():
        gone = rows - after.get(name, 0)
        if gone > 0:
            yield TableEffect(table=name, deleted=gone, rows_before=rows)
