"""Generated statements, judged and then handed to a real PostgreSQL in which every hostile name would leave a mark."""

from collections import Counter

import asyncpg
import pytest

from desktop.policy.sql.assess import assess_sql
from desktop.services.databases.base import UnlistedCall
from desktop.services.databases.postgres.calls import prepare_read
from tests.fakes.postgres_server import PostgresServer
from tests.services.databases.conftest import Shop
from tests.services.databases.hostile_sql import EFFECTS, statements

pytestmark = pytest.mark.asyncio
SEED = 20_261_123
COUNT = 700
MARKING = """
CREATE TABLE vic AS SELECT 1 AS id, 'x'::text AS name;
CREATE TABLE mark_of AS SELECT lo_from_bytea(0, 'x') AS thing;
CREATE FUNCTION mark() RETURNS int LANGUAGE plpgsql AS
$$ BEGIN PERFORM lo_export((SELECT thing FROM mark_of), '{mark}'); RETURN 1; END $$;
"""
MARKS = "CREATE FUNCTION public.{name}({type}) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN mark(); END $$;"
STATE = """
SELECT (SELECT count(*) FROM vic), (SELECT count(*) FROM pg_largeobject_metadata),
    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'), (SELECT count(*) FROM pg_replication_slots),
    (SELECT stats_reset::text FROM pg_stat_bgwriter)
"""


async def carried_out(server: asyncpg.Connection, sql: str, *, proven: bool) -> str:
    """What the server made of it in a read-only transaction: "unlisted", "failed", "ran" or "known"."""
    await server.execute("BEGIN READ ONLY; SET LOCAL statement_timeout = '5s'")
    try:
        prepared, _ = await prepare_read(server, sql, ())
        if proven:
            await prepared.fetch()
        return "ran" if proven else "known"
    except UnlistedCall:
        return "unlisted"
    except asyncpg.PostgresError:
        return "failed"
    finally:
        await server.execute("ROLLBACK")


@pytest.mark.timeout(120)
async def test_no_generated_statement_that_is_judged_a_read_does_more(
    postgres: Shop, postgres_server: PostgresServer
) -> None:
    found = postgres.databases.find("pg")
    mark = postgres_server.folder / f"mark-{found.database}"
    server = await asyncpg.connect(host=found.host, user=found.user, database=found.database, statement_cache_size=0)
    marks = [MARKS.format(name=name, type=row) for name in EFFECTS for row in ("vic", "record")]
    marks += [MARKS.format(name=name, type="text") for name in ("dblink_exec", "dblink_connect")]
    await server.execute(MARKING.replace("{mark}", str(mark)) + "\n".join(marks))
    before = await server.fetchrow(STATE)
    seen: Counter[tuple[bool, str]] = Counter()
    missed = []
    for sql in statements(SEED, COUNT):
        proven = assess_sql(sql, "postgres").proven_read
        outcome = await carried_out(server, sql, proven=proven)
        seen[proven, outcome] += 1
        if proven and outcome == "unlisted":
            missed.append(sql)
    assert missed == []
    assert (await server.fetchrow(STATE), mark.exists()) == (before, False)
    await server.close()
    assert seen[False, "unlisted"] >= 120  # calls that the server knows and that only the judgement stood before
    assert seen[True, "ran"] >= 30
