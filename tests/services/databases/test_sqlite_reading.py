"""What a SQLite connection for reading lets through, also when statements come past the judgement."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from desktop.services.databases.base import DatabaseError, QueryLimits, Stop
from desktop.services.databases.connections import Databases
from desktop.services.databases.sqlite.connections import open_reading, reading_mode
from desktop.services.databases.sqlite.engine import SqliteEngine
from tests.services.databases.conftest import SHOP, Shop, make_sqlite, sqlite_connection

pytestmark = pytest.mark.asyncio
ENDLESS = "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT sum(n) FROM c"


@pytest.mark.promise("gate-Q15")
@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH '{new}' AS other",
        "VACUUM INTO '{new}'",
        "VACUUM",
        "CREATE TEMP TABLE t (x)",
        "CREATE TABLE t (x)",
        "DELETE FROM parent",
        "DELETE FROM parent RETURNING *",
        "INSERT INTO parent VALUES (9, 'z')",
        "UPDATE parent SET name = 'z'",
        "DROP TABLE parent",
        "SELECT load_extension('x')",
        "SELECT fts3_tokenizer('simple')",
        "PRAGMA user_version = 3",
        "PRAGMA user_version(3)",
        "PRAGMA journal_mode(delete)",
        "PRAGMA writable_schema = ON",
        "PRAGMA query_only = OFF",
        "PRAGMA trusted_schema = ON",
        "BEGIN IMMEDIATE",
        "ANALYZE",
        "SELECT 1; SELECT 2",
    ],
)
async def test_what_comes_past_the_judgement_is_refused_and_leaves_no_trace(shop: Shop, lane: Path, sql: str) -> None:
    before, bytes_before = sorted(lane.iterdir()), shop.sha256()
    with pytest.raises(DatabaseError):
        await shop.read(sql.format(new=lane / "new.db"))
    assert sorted(lane.iterdir()) == before
    assert shop.sha256() == bytes_before


async def test_rows_come_with_columns_and_null_is_no_text(shop: Shop) -> None:
    answer = await shop.read("SELECT id, v FROM child WHERE pid IN (?, ?) ORDER BY id", 1, 2)
    assert answer.columns == ("id", "v")
    assert answer.rows == (("1", "x"), ("2", "y"), ("3", None))
    assert answer.stopped == ""


@pytest.mark.promise("gate-Q13")
async def test_values_are_bound_and_never_part_of_the_text(shop: Shop) -> None:
    answer = await shop.read("SELECT ? AS a, ? AS b, ? AS c, ? AS d", "'; DROP TABLE parent; --", 2, 1.5, None)
    assert answer.rows == (("'; DROP TABLE parent; --", "2", "1.5", None),)


async def test_fetching_stops_at_the_row_limit_and_says_so(shop: Shop) -> None:
    answer = await shop.read("SELECT id FROM parent ORDER BY id", max_rows=2)
    assert (len(answer.rows), answer.stopped) == (2, "rows")
    whole = await shop.read("SELECT id FROM parent ORDER BY id", max_rows=3)
    assert (len(whole.rows), whole.stopped) == (3, "")


async def test_fetching_stops_at_the_byte_limit(shop: Shop) -> None:
    engine = SqliteEngine(shop.file)
    answer = await engine.read("SELECT hex(zeroblob(200)) FROM parent", (), QueryLimits(max_bytes=1000))
    assert (len(answer.rows), answer.stopped) == (2, "bytes")


async def test_an_endless_query_is_stopped_at_the_time_limit(shop: Shop) -> None:
    with pytest.raises(DatabaseError, match=r"^Stopped after 0\.2 s\.$") as raised:
        await SqliteEngine(shop.file).read(ENDLESS, (), QueryLimits(time_limit_s=0.2))
    assert raised.value.code == "timeout"


async def test_a_cancelled_query_ends_its_thread(shop: Shop) -> None:
    running = asyncio.create_task(SqliteEngine(shop.file).read(ENDLESS, (), QueryLimits(time_limit_s=600)))
    await asyncio.sleep(0.1)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    with closing(sqlite3.connect(shop.file)) as connection:
        connection.execute("DELETE FROM log")  # nothing holds the file


async def test_search_tables_json_and_catalogue_functions_can_be_read(lane: Path) -> None:
    script = """
    CREATE VIRTUAL TABLE found USING fts5 (body); INSERT INTO found VALUES ('hello world');
    CREATE VIRTUAL TABLE old USING fts4 (body); INSERT INTO old VALUES ('hello there');
    CREATE VIRTUAL TABLE box USING rtree (id, x0, x1); INSERT INTO box VALUES (1, 2, 3);
    CREATE VIEW v AS SELECT id, name FROM parent;
    """
    file = make_sqlite(lane / "search.db", SHOP + script)
    shop = Shop(Databases(lambda: (sqlite_connection(file),)), "app", "sqlite", file)
    assert await shop.rows("SELECT highlight(found, 0, '<', '>') FROM found WHERE found MATCH 'hello'") == [
        ("<hello> world",)
    ]
    assert await shop.rows("SELECT body FROM old WHERE old MATCH 'there'") == [("hello there",)]
    assert await shop.rows("SELECT id FROM box WHERE x0 < 3") == [("1",)]
    assert await shop.rows("SELECT value FROM json_each('[1, 2]')") == [("1",), ("2",)]
    assert await shop.rows("SELECT json_extract('{\"a\": 5}', '$.a')") == [("5",)]
    assert len(await shop.rows("SELECT name FROM pragma_table_info('parent')")) == 2
    assert len(await shop.rows("PRAGMA table_info(parent)")) == 2
    assert await shop.rows("PRAGMA user_version") == [("0",)]
    assert len(await shop.rows("SELECT * FROM v")) == 3


async def test_a_wal_database_is_read_while_another_program_writes_it(lane: Path) -> None:
    file = make_sqlite(lane / "wal.db", "PRAGMA journal_mode = WAL;" + SHOP)
    shop = Shop(Databases(lambda: (sqlite_connection(file),)), "app", "sqlite", file)
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("INSERT INTO log VALUES ('fresh')")
        writer.commit()
        assert await shop.rows("SELECT msg FROM log") == [("fresh",)]


async def test_a_wal_database_in_a_closed_folder_needs_to_have_no_log(lane: Path) -> None:
    file = make_sqlite(lane / "wal.db", "PRAGMA journal_mode = WAL;" + SHOP)
    assert reading_mode(file, folder_writable=True) == "mode=ro"
    assert reading_mode(file, folder_writable=False) == "mode=ro&immutable=1"
    (lane / "wal.db-wal").write_bytes(b"")
    with pytest.raises(DatabaseError, match="write-ahead log"):
        reading_mode(file, folder_writable=False)
    plain = make_sqlite(lane / "plain.db")
    assert reading_mode(plain, folder_writable=False) == "mode=ro"


async def test_what_is_no_database_is_named_in_words(lane: Path) -> None:
    (lane / "text.db").write_text("no database " * 100)
    for name, words in (("text.db", "not a database"), ("absent.db", "There is no file")):
        databases = Databases(lambda name=name: (sqlite_connection(lane / name),))
        with pytest.raises(DatabaseError, match=words):
            await databases.read("app", "SELECT 1")


async def test_text_that_is_not_utf_8_and_bytes_are_shown_without_failing(shop: Shop) -> None:
    assert await shop.rows("SELECT CAST(x'ff41' AS text), x'000102'") == [("\ufffdA", "<3 bytes>")]


async def test_odd_texts_and_values_are_errors_of_the_driver(shop: Shop) -> None:
    for sql, params in (("SELECT 1\0", ()), ("SELEC", ()), ("SELECT ?", (2**70,)), ("SELECT ?", ())):
        with pytest.raises(DatabaseError):
            await shop.read(sql, *params)


@pytest.mark.promise("gate-Q16")
async def test_a_reading_connection_is_made_sure_of(shop: Shop) -> None:
    with closing(open_reading(shop.file, Stop(1.0))) as connection, pytest.raises(sqlite3.DatabaseError):
        connection.execute("CREATE TABLE t (x)")


async def test_the_catalogue_lists_and_describes(shop: Shop) -> None:
    tables = await shop.databases.tables("app")
    assert [(table.name, table.columns) for table in tables] == [("child", 3), ("log", 1), ("parent", 2)]
    text = await shop.databases.describe("app", "CHILD")
    assert "CREATE TABLE child" in text
    assert "CREATE TRIGGER gone" in text
    assert 'refers to "parent" ("id"), on update NO ACTION, on delete CASCADE' in text
    assert await shop.databases.describe("app", "absent") == ""
    await shop.write("ANALYZE")
    assert {table.name: table.rows for table in await shop.databases.tables("app")}["parent"] == 3


async def test_a_check_says_version_and_whether_it_could_write(shop: Shop, lane: Path) -> None:
    check = await shop.databases.check(shop.databases.find("app"))
    assert check.version.startswith("SQLite 3")
    assert check.can_write is True
    missing = await shop.databases.check(sqlite_connection(lane / "absent.db"))
    assert "There is no file" in missing.problem


async def test_a_database_that_another_program_holds_is_said_to_be_locked(shop: Shop) -> None:
    with closing(sqlite3.connect(shop.file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(DatabaseError, match=r"locked|Stopped after"):
            await SqliteEngine(shop.file).read("SELECT 1 FROM parent", (), QueryLimits(time_limit_s=0.3))
        assert (await SqliteEngine(shop.file).check()).problem != ""


async def test_a_file_that_only_can_be_read_is_said_to_be_so(shop: Shop) -> None:
    with closing(sqlite3.connect(shop.file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert (await shop.databases.check(shop.databases.find("app"))).can_write is False
    assert await shop.rows("SELECT count(*) FROM parent") == [("3",)]
