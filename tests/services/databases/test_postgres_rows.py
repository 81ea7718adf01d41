"""Rows from before a write of PostgreSQL: seen by a second transaction, put back where nothing else changed them."""

from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio

from desktop.services.databases.base import DatabaseError, QueryAnswer
from desktop.services.databases.kept_rows import KeptTable, loaded
from tests.services.databases.conftest import Shop

pytestmark = pytest.mark.asyncio
SCHEMA = """
CREATE TABLE "Odd ""t"" s" (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE, n double precision, raw bytea,
    at timestamptz, span interval, tags text[], doc jsonb, twice double precision GENERATED ALWAYS AS (n * 2) STORED
);
INSERT INTO "Odd ""t"" s" (name, n, raw, at, span, tags, doc) VALUES
    ('one', 0.1, '\\x00ff', 'infinity', '1 mon 2 days', '{a,"b c"}', '{"k": [1, 2.50]}'),
    ('two', '-0', NULL, '2026-03-01 08:00:00.123456+02', NULL, '{}', 'null'),
    ('drei', 'NaN', '', NULL, NULL, NULL, NULL);
CREATE TABLE pair (a text, b int, v text, PRIMARY KEY (b, a));
INSERT INTO pair VALUES ('x', 1, 'p'), ('y', 1, NULL);
CREATE TABLE self (id int PRIMARY KEY, up int REFERENCES self (id));
INSERT INTO self VALUES (1, NULL), (2, 1), (3, 2);
CREATE TABLE late (id int PRIMARY KEY);
CREATE FUNCTION later() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN INSERT INTO late VALUES (NEW.id); RETURN NULL; END $$;
CREATE TABLE waits (id int PRIMARY KEY);
CREATE CONSTRAINT TRIGGER waiting AFTER INSERT ON waits DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION later();
CREATE TABLE many (id int PRIMARY KEY, v text);
INSERT INTO many SELECT n, 'v' || n FROM generate_series(1, 1500) AS n;
CREATE TABLE notes (id int PRIMARY KEY, pid int REFERENCES parent (id) ON DELETE SET NULL);
INSERT INTO notes VALUES (1, 1), (2, 3);
CREATE TABLE years (y int, v text, PRIMARY KEY (y)) PARTITION BY RANGE (y);
CREATE TABLE years1 PARTITION OF years FOR VALUES FROM (0) TO (10);
CREATE TABLE years2 PARTITION OF years FOR VALUES FROM (10) TO (20);
INSERT INTO years VALUES (1, 'a'), (11, 'b');
"""
ALL = ('"Odd ""t"" s"', "pair", "self", "late", "waits", "many", "notes", "years", "parent", "child", "item")


@pytest_asyncio.fixture
async def direct(postgres: Shop) -> AsyncIterator[asyncpg.Connection]:
    """The same database, past our connections."""
    one = postgres.databases.find("pg")
    connection = await asyncpg.connect(host=one.host, user=one.user, database=one.database)
    await connection.execute(SCHEMA)
    await connection.execute("DROP TRIGGER gone ON child")  # writes to a table without a key
    yield connection
    await connection.close()


async def content(direct: asyncpg.Connection) -> dict[str, list[str]]:
    found = {}
    for name in ALL:
        rows = await direct.fetch(f"SELECT t::text FROM {name} AS t ORDER BY 1")
        found[name] = [str(row[0]) for row in rows]
    return found


def kept(answer: QueryAnswer) -> tuple[KeptTable, ...]:
    assert answer.kept is not None, answer.not_kept
    return loaded(answer.kept)


def turned(tables: tuple[KeptTable, ...]) -> tuple[KeptTable, ...]:
    return tuple(one._replace(rows=tuple(row.turned() for row in reversed(one.rows))) for one in tables)


ODD = 'UPDATE "Odd ""t"" s" SET'


@pytest.mark.promise("memory-UL3")
@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM parent WHERE id = 1",  # with its children, and a note that loses its parent
        "DELETE FROM parent",
        "UPDATE parent SET name = name || '!'",
        "INSERT INTO parent VALUES (7, 'g'), (8, 'h')",
        "INSERT INTO parent VALUES (1, 'z') ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name",
        "INSERT INTO child VALUES (9, 3, 'z')",  # locks its parent, which stays as it is
        f"{ODD} n = n + 1, raw = '\\xaa', at = now(), tags = '{{q}}', doc = '{{}}' WHERE id < 3",
        f"{ODD} n = 0 WHERE id = 2",
        'DELETE FROM "Odd ""t"" s"',
        'INSERT INTO "Odd ""t"" s" (name, span) VALUES (\'four\', \'3 hours\')',
        "UPDATE pair SET b = b + 1, v = v || 'x'",
        "DELETE FROM self",
        "INSERT INTO self VALUES (4, 5), (5, 4)",
        "INSERT INTO waits VALUES (5)",
        "DELETE FROM many WHERE id <= 1000",
        "UPDATE years SET y = y + 14 WHERE y = 1",
        "DELETE FROM years",
        "INSERT INTO item (price) VALUES (1.50)",
    ],
)
async def test_every_row_is_as_it_was_and_once_more(postgres: Shop, direct: asyncpg.Connection, sql: str) -> None:
    before = await content(direct)
    tables = kept(await postgres.write(sql))
    after = await content(direct)
    assert before != after
    await postgres.databases.put_rows_back("pg", tables)
    assert await content(direct) == before
    now = await postgres.databases.rows_now("pg", tables)
    assert now == tuple(tuple(row.before for row in one.rows) for one in tables)
    await postgres.databases.put_rows_back("pg", turned(tables))
    assert await content(direct) == after


TWICE = """
CREATE FUNCTION again() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN UPDATE pair SET v = 'again' WHERE a = NEW.a AND b = NEW.b AND v IS DISTINCT FROM 'again'; RETURN NULL; END $$;
CREATE TRIGGER twice AFTER UPDATE ON pair FOR EACH ROW EXECUTE FUNCTION again();
"""
EMPTIES = """
CREATE FUNCTION empty() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN TRUNCATE late; RETURN NULL; END $$;
CREATE TRIGGER empties AFTER UPDATE ON pair FOR EACH STATEMENT EXECUTE FUNCTION empty();
"""


@pytest.mark.parametrize(
    ("made", "sql", "why"),
    [
        ("", "INSERT INTO log VALUES ('x')", "the table log has no key"),
        ("", "DELETE FROM many", "more than 1,000 rows changed"),
        ("", "UPDATE pair SET v = repeat('x', 5000000) WHERE a = 'x'", "they have more than 4 MiB"),
        ("", "TRUNCATE late", "only rows can be kept"),
        (TWICE, "UPDATE pair SET v = 'q' WHERE a = 'x'", "the rows of pair could not be told from others"),
        (EMPTIES, "UPDATE pair SET v = 'q' WHERE a = 'x'", "it changed more than rows"),
    ],
)
async def test_what_cannot_be_kept_says_why_and_is_done_all_the_same(
    postgres: Shop, direct: asyncpg.Connection, made: str, sql: str, why: str
) -> None:
    await direct.execute(made or "SELECT 1")
    await direct.execute("INSERT INTO late VALUES (77)")
    before = {**await content(direct), "log": await direct.fetch("SELECT * FROM log")}
    answer = await postgres.write(sql)
    assert (answer.kept, answer.not_kept) == (None, why)
    assert {**await content(direct), "log": await direct.fetch("SELECT * FROM log")} != before


@pytest.mark.parametrize(
    ("since", "why"),
    [
        ("UPDATE parent SET name = 'other' WHERE id = 1", "A row of public.parent is not as the write left it."),
        ("DELETE FROM parent WHERE id = 1", "A row of public.parent is not as the write left it."),
        ("ALTER TABLE parent ADD more int", "The table public.parent is not the one that was written"),
        ("DROP TABLE parent CASCADE", "The table public.parent is not the one that was written"),
        ("ALTER TABLE parent DROP CONSTRAINT parent_pkey CASCADE", "is not the one that was written"),
    ],
)
async def test_nothing_is_put_back_where_something_else_changed(
    postgres: Shop, direct: asyncpg.Connection, since: str, why: str
) -> None:
    tables = kept(await postgres.write("UPDATE parent SET name = 'new' WHERE id = 1"))
    await direct.execute(since)
    there = await direct.fetchval("SELECT to_regclass('parent')")
    before = await direct.fetch("SELECT * FROM parent") if there else None
    with pytest.raises(DatabaseError, match=why):
        await postgres.databases.put_rows_back("pg", tables)
    assert (await direct.fetch("SELECT * FROM parent") if there else None) == before


async def test_rows_that_others_lean_on_meanwhile_stay(postgres: Shop, direct: asyncpg.Connection) -> None:
    """Deleting the parent again would take a child with it that came since."""
    tables = kept(await postgres.write("INSERT INTO parent VALUES (7, 'g')"))
    await direct.execute("INSERT INTO child VALUES (70, 7, 'mine')")
    before = await content(direct)
    with pytest.raises(DatabaseError, match="would change other rows"):
        await postgres.databases.put_rows_back("pg", tables)
    assert await content(direct) == before


async def test_own_triggers_are_silent_meanwhile_and_run_again_afterwards(
    postgres: Shop, direct: asyncpg.Connection
) -> None:
    await direct.execute(
        "CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN INSERT INTO late VALUES (OLD.id + 100) ON CONFLICT DO NOTHING; RETURN NULL; END $$;"
        "CREATE TRIGGER noting AFTER UPDATE ON parent FOR EACH ROW EXECUTE FUNCTION noted();"
        "CREATE TRIGGER always AFTER DELETE ON parent FOR EACH ROW EXECUTE FUNCTION noted();"
        "ALTER TABLE parent ENABLE ALWAYS TRIGGER always; CREATE TRIGGER off AFTER INSERT ON parent FOR EACH ROW "
        "EXECUTE FUNCTION noted(); ALTER TABLE parent DISABLE TRIGGER off"
    )
    states = "SELECT tgname::text, tgenabled::text FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1"
    before, triggers = await content(direct), await direct.fetch(states)
    tables = kept(await postgres.write("UPDATE parent SET name = 'n' WHERE id = 2"))
    assert {one.name for one in tables} == {"public.parent", "public.late"}
    await postgres.databases.put_rows_back("pg", tables)
    assert (await content(direct), await direct.fetch(states)) == (before, triggers)


async def test_what_a_deferred_key_refuses_changes_nothing(postgres: Shop, direct: asyncpg.Connection) -> None:
    await direct.execute("ALTER TABLE child ALTER CONSTRAINT child_pid_fkey DEFERRABLE INITIALLY DEFERRED")
    before = await content(direct)
    with pytest.raises(DatabaseError, match="foreign key"):
        await postgres.write("INSERT INTO child VALUES (9, 99, 'z')")
    assert await content(direct) == before


async def test_an_account_that_owns_nothing_puts_rows_back_too(postgres: Shop, direct: asyncpg.Connection) -> None:
    one = postgres.databases.find("pg")
    role = f"plain_{one.database}"
    await direct.execute(
        f"CREATE ROLE {role} LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}"
    )
    try:
        plain = postgres.as_user(role)
        before = await content(direct)
        tables = kept(await plain.write("DELETE FROM parent WHERE id = 1"))
        await plain.databases.put_rows_back("pg", tables)
        assert await content(direct) == before
        await direct.execute(
            "CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS "
            "$$ BEGIN INSERT INTO late SELECT coalesce(max(id), 0) + 1 FROM late; RETURN NULL; END $$;"
            "CREATE TRIGGER noting AFTER UPDATE ON parent FOR EACH ROW EXECUTE FUNCTION noted();"
        )
        tables = kept(await plain.write("UPDATE parent SET name = 'q' WHERE id = 2"))
        after = await content(direct)
        with pytest.raises(DatabaseError, match="would change other rows"):
            await plain.databases.put_rows_back("pg", tables)
        assert await content(direct) == after
    finally:
        await direct.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")
