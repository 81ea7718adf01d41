"""PostgreSQL, on a real server: reads that cannot write, writes that check their effect, previews, the catalogue."""

import asyncio
from pathlib import Path

import pytest
from pydantic import SecretStr

from desktop.config.databases import DatabaseConnection
from desktop.services.databases.base import DatabaseError, QueryLimits
from desktop.services.databases.connections import Databases
from desktop.services.databases.postgres.engine import PostgresEngine
from tests.services.databases.conftest import Shop

pytestmark = pytest.mark.asyncio
DELETE = "DELETE FROM parent WHERE id < 3"
ENDLESS = "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n FROM c) SELECT count(*) FROM c"


@pytest.mark.promise("gate-Q15")
@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("WITH gone AS (DELETE FROM parent RETURNING *) SELECT * FROM gone", "read-only transaction"),
        ("DELETE FROM parent", "read-only transaction"),
        ("EXPLAIN ANALYZE DELETE FROM parent", "read-only transaction"),
        ("DO $$ BEGIN DELETE FROM parent; END $$", "^Not run: the server"),
        ("SELECT nextval('item_id_seq')", "^Not run: the server says that it calls nextval"),
        ("SELECT * FROM parent FOR UPDATE", "read-only transaction"),
        ("CREATE TEMP TABLE t (x int)", "^Not run: the server"),
        ("SELECT 1; SELECT 2", "multiple commands"),
        ("COMMIT; DELETE FROM parent", "multiple commands"),
        ("SELECT * FROM absent", "does not exist"),
    ],
)
async def test_what_comes_past_the_judgement_is_refused_by_the_server(postgres: Shop, sql: str, words: str) -> None:
    with pytest.raises(DatabaseError, match=words):
        await postgres.read(sql)
    assert await postgres.rows("SELECT count(*) FROM parent") == [("3",)]


async def test_a_commit_past_the_judgement_gives_no_way_to_write(postgres: Shop) -> None:
    for sql in ("COMMIT", "SET TRANSACTION READ WRITE", "ROLLBACK"):
        with pytest.raises(DatabaseError, match=r"^Not run: the server"):
            await postgres.read(sql)
    with pytest.raises(DatabaseError, match="read-only transaction"):
        await postgres.read(DELETE)


async def test_an_endless_query_stops_at_the_time_limit(postgres: Shop) -> None:
    with pytest.raises(DatabaseError, match=r"^Stopped after 1 s\.$") as raised:
        await postgres.within(1).read(ENDLESS)
    assert raised.value.code == "timeout"


async def test_a_cancelled_query_ends_on_the_server(postgres: Shop) -> None:
    running = asyncio.create_task(postgres.read(ENDLESS))
    left = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'WITH RECURSIVE c%' AND state = 'active'"
    async with asyncio.timeout(20):
        while await postgres.rows(left) != [("1",)]:
            await asyncio.sleep(0.05)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        while await postgres.rows(left) != [("0",)]:
            await asyncio.sleep(0.05)


async def test_values_are_shown_as_the_server_writes_them(postgres: Shop) -> None:
    sql = """SELECT interval '1 month 2 days', 'infinity'::timestamptz, 1.50::numeric, '{"a": 1}'::jsonb, true,
             '{1,2}'::int[], '\\x0102'::bytea, null::int, '10.0.0.1'::inet, '[1,3)'::int4range"""
    assert await postgres.rows(sql) == [
        ("1 mon 2 days", "infinity", "1.50", '{"a": 1}', "true", "[1, 2]", "<2 bytes>", None, "10.0.0.1", "[1, 3)")
    ]


async def test_values_are_bound_by_the_type_the_server_wants(postgres: Shop) -> None:
    answer = await postgres.read(
        "SELECT $1::timestamptz AT TIME ZONE 'UTC', $2::numeric, $3::float8, $4::text, $5::int",
        "2020-01-02 00:00Z", "1.25", 3, "'; --", None,
    )  # fmt: skip
    assert answer.rows == (("2020-01-02 00:00:00", "1.25", "3.0", "'; --", None),)
    with pytest.raises(DatabaseError, match="invalid input"):
        await postgres.read("SELECT $1::int", "x")


async def test_fetching_stops_at_its_limits(postgres: Shop) -> None:
    answer = await postgres.read("SELECT * FROM generate_series(1, 100000)", max_rows=250)
    assert (len(answer.rows), answer.stopped) == (250, "rows")
    wide = await postgres.read("SELECT repeat('x', 300000) FROM generate_series(1, 50)")
    assert (len(wide.rows), wide.stopped) == (3, "bytes")


async def test_a_preview_counts_statement_cascade_and_trigger_and_changes_nothing(postgres: Shop) -> None:
    preview = await postgres.preview(DELETE)
    assert [(one.table, one.by, one.inserted, one.updated, one.deleted) for one in preview.tables] == [
        ("parent", "statement", 0, 0, 2),
        ("child", "cascade", 0, 0, 3),
        ("log", "trigger", 3, 0, 0),
    ]
    assert preview.triggers == ("gone",)
    assert preview.cascades == ("child (pid) → parent (CASCADE)",)
    parent, child, log = preview.tables
    assert (parent.rows_before, parent.columns, parent.before) == (3, ("id", "name"), (("1", "a"), ("2", "b")))
    assert child.before == (("1", "1", "x"), ("2", "1", "y"), ("3", "2", "NULL"))
    assert log.after == (("gone 1",), ("gone 2",), ("gone 3",))
    assert "What triggers do outside this database." in preview.not_undone
    assert await postgres.rows("SELECT (SELECT count(*) FROM parent), (SELECT count(*) FROM log)") == [("3", "0")]


async def test_an_update_shows_rows_from_before_and_after(postgres: Shop) -> None:
    preview = await postgres.preview("UPDATE parent SET name = name || '!' WHERE id > 1")
    assert preview.tables[0].before == (("2", "b"), ("3", "c"))
    assert preview.tables[0].after == (("2", "b!"), ("3", "c!"))


async def test_rows_that_are_only_locked_are_not_shown_as_changed(postgres: Shop) -> None:
    sql = "WITH one AS (INSERT INTO child VALUES (9, 3, 'new')) UPDATE parent SET name = 'z' WHERE id = 1"
    preview = await postgres.preview(sql)
    assert {one.table: one.before for one in preview.tables} == {"parent": (("1", "a"),), "child": ()}


async def test_sequences_that_advanced_are_named(postgres: Shop) -> None:
    preview = await postgres.preview("INSERT INTO item (price) VALUES (1)")
    assert "Sequence public.item_id_seq stays advanced." in preview.not_undone
    assert preview.tables[0].after[0][0] == "1"


async def test_a_schema_change_is_tried_and_taken_back(postgres: Shop) -> None:
    dropped = await postgres.preview("DROP TABLE child")
    assert [(one.table, one.deleted) for one in dropped.tables] == [("child", 3)]
    assert "Removes table child." in dropped.warnings
    assert (await postgres.preview("ALTER TABLE parent ADD COLUMN z int")).warnings == (
        "Adds column parent.z integer.",
    )
    assert [one.deleted for one in (await postgres.preview("TRUNCATE child")).tables] == [3]
    assert await postgres.rows("SELECT count(*) FROM child") == [("3",)]


async def test_a_statement_that_would_fail_says_why(postgres: Shop) -> None:
    preview = await postgres.preview("INSERT INTO child VALUES (9, 99, 'x')")
    assert preview.problem.startswith("it would fail: insert or update on table")


async def test_no_preview_by_itself_on_a_server(postgres: Shop) -> None:
    assert (await postgres.preview(DELETE, on_click=False)).on_click
    assert (await postgres.preview("VACUUM parent")).problem == "it cannot be in a transaction"


async def test_a_write_within_its_preview_is_committed(postgres: Shop) -> None:
    preview = await postgres.preview(DELETE)
    assert (await postgres.write(DELETE, approved=preview)).changed == 2
    assert await postgres.rows("SELECT count(*) FROM log") == [("3",)]


@pytest.mark.promise("gate-Q22")
async def test_a_write_that_would_do_more_than_was_shown_is_rolled_back(postgres: Shop) -> None:
    preview = await postgres.preview(DELETE)
    await postgres.write("INSERT INTO child VALUES (9, 1, 'late')")
    with pytest.raises(DatabaseError) as raised:
        await postgres.write(DELETE, approved=preview)
    assert raised.value.code == "effect_changed"
    assert str(raised.value) == "Rolled back: it would have changed 10 rows, 8 were approved."
    assert await postgres.rows("SELECT count(*) FROM parent") == [("3",)]


async def test_a_table_that_grew_is_not_truncated(postgres: Shop) -> None:
    preview = await postgres.preview("TRUNCATE child")
    await postgres.write("INSERT INTO child VALUES (9, 1, 'late')")
    with pytest.raises(DatabaseError, match="4 rows, 3 were approved"):
        await postgres.write("TRUNCATE child", approved=preview)
    assert await postgres.rows("SELECT count(*) FROM child") == [("4",)]


async def test_returned_rows_and_values_of_a_write(postgres: Shop) -> None:
    answer = await postgres.write("INSERT INTO item (at, price) VALUES ($1, $2) RETURNING price", "2020-01-01", 2)
    assert (answer.rows, answer.changed) == ((("2.00",),), 1)


async def test_what_cannot_be_in_a_transaction_runs_alone(postgres: Shop) -> None:
    await postgres.write("CREATE INDEX CONCURRENTLY by_name ON parent (name)")
    await postgres.write("VACUUM parent")
    assert "by_name" in await postgres.databases.describe("pg", "parent")


async def test_the_catalogue_lists_and_describes(postgres: Shop) -> None:
    await postgres.write("CREATE VIEW names AS SELECT name FROM parent")
    tables = {table.name: table for table in await postgres.databases.tables("pg")}
    assert set(tables) == {"child", "item", "log", "names", "parent"}
    assert (tables["child"].columns, tables["names"].kind) == (3, "view")
    text = await postgres.databases.describe("pg", "public.child")
    assert "FOREIGN KEY (pid) REFERENCES parent(id) ON DELETE CASCADE" in text
    assert "CREATE TRIGGER gone" in text
    assert "SELECT name" in await postgres.databases.describe("pg", "NAMES")
    assert await postgres.databases.describe("pg", "absent") == ""


async def test_a_check_says_version_and_rights(postgres: Shop) -> None:
    check = await postgres.databases.check(postgres.databases.find("pg"))
    assert check.version.startswith("PostgreSQL ")
    assert (check.can_write, "superuser" in check.advice) == (True, True)
    await postgres.write("CREATE ROLE only_reads LOGIN")
    reader = postgres.databases.find("pg").model_copy(update={"user": "only_reads"})
    assert (await postgres.databases.check(reader)).can_write is False
    await postgres.write("DROP ROLE only_reads")


async def test_no_error_holds_the_password(postgres: Shop, tmp_path: Path) -> None:
    good = postgres.databases.find("pg")
    with pytest.raises(DatabaseError) as raised:
        await PostgresEngine(good, SecretStr("s3cret-word")).read("SELECT 's3cret-word'::int", (), QueryLimits())
    assert "s3cret-word" not in str(raised.value)
    absent = DatabaseConnection(name="x", dialect="postgres", host=str(tmp_path), database="d", user="u")

    async def password(connection: DatabaseConnection) -> SecretStr:
        return SecretStr("s3cret-word")

    with pytest.raises(DatabaseError) as unreachable:
        await Databases(lambda: (absent,), password).read("x", "SELECT 1")
    assert unreachable.value.code == "unreachable"
    assert "s3cret-word" not in str(unreachable.value)
