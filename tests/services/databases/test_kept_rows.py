"""Rows from before a write of SQLite: kept in its transaction, put back where nothing else changed them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.policy.sql.assess import assess_sql
from desktop.services.databases.base import DatabaseError, QueryAnswer, QueryLimits, Stop
from desktop.services.databases.kept_rows import KeptTable, dumped, loaded, net
from desktop.services.databases.preview import write_plan
from desktop.services.databases.sqlite.engine import SqliteEngine
from desktop.services.databases.sqlite.rows import put_rows_back, rows_now

pytestmark = pytest.mark.asyncio
LIMITS = QueryLimits()
SCHEMA = """
CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE, n REAL, raw BLOB, twice AS (n * 2));
CREATE TABLE child (a TEXT, b INT, t_id INT REFERENCES t (id) ON DELETE CASCADE, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE TABLE audit (id INTEGER PRIMARY KEY, what TEXT);
CREATE TABLE bare (x);
CREATE TRIGGER t_new AFTER INSERT ON t BEGIN INSERT INTO audit (what) VALUES ('new ' || NEW.name); END;
INSERT INTO t (id, name, n, raw) VALUES (1, 'one', 1.5, x'00ff'), (2, 'two', NULL, NULL), (3, 'drei', 3, x'01');
INSERT INTO child VALUES ('a', 1, 1), ('b', 1, 1), ('c', 2, 3);
INSERT INTO bare VALUES (1);
CREATE VIRTUAL TABLE words USING fts5 (w);
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "app.db"
    with closing(sqlite3.connect(file)) as made:
        made.executescript(SCHEMA)
    return file


def content(path: Path) -> dict[str, list[object]]:
    with closing(sqlite3.connect(path)) as read:
        return {name: read.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in ("t", "child")} | {
            name: read.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall() for name in ("audit", "bare")
        }


def triggers(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as read:
        return [name for (name,) in read.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]


async def write(path: Path, sql: str) -> QueryAnswer:
    plan = write_plan("sqlite", sql, assess_sql(sql, "sqlite"))
    return await SqliteEngine(path).write(sql, (), LIMITS, plan)


def tables_of(answer: QueryAnswer) -> tuple[KeptTable, ...]:
    assert answer.kept is not None, answer.not_kept
    return loaded(answer.kept)


@pytest.mark.promise("memory-UL3")
@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM t WHERE id = 1",
        "DELETE FROM t",
        "UPDATE t SET n = n + 1, raw = x'aa'",
        "UPDATE t SET id = id + 10 WHERE id <> 3 AND id <> 1",
        "INSERT INTO t (name, n) VALUES ('four', 1e300), ('five', -0.0)",
        "UPDATE child SET b = b + 1",
        "INSERT INTO t (id, name) VALUES (1, 'one') ON CONFLICT (id) DO UPDATE SET name = 'uno'",
    ],
)
async def test_every_row_is_as_it_was_also_by_keys_and_triggers(path: Path, sql: str) -> None:
    before = content(path)
    tables = tables_of(await write(path, sql))
    after = content(path)
    assert before != after
    engine = SqliteEngine(path)
    await engine.put_rows_back(tables, LIMITS)
    assert content(path) == before
    assert await engine.rows_now(tables, LIMITS) == tuple(tuple(row.before for row in one.rows) for one in tables)
    turned = tuple(one._replace(rows=tuple(row.turned() for row in one.rows)) for one in tables)
    await engine.put_rows_back(turned, LIMITS)
    assert content(path) == after
    assert triggers(path) == ["t_new"]


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("INSERT INTO bare VALUES (2)", "the table bare has no key"),
        ("REPLACE INTO t (id, name) VALUES (1, 'x')", "REPLACE deletes rows that no trigger sees"),
        ("DROP TABLE bare", "only rows can be kept"),
        (
            "WITH RECURSIVE c(n) AS (SELECT 9 UNION ALL SELECT n + 1 FROM c WHERE n < 1010) "
            "INSERT INTO t (id, name) SELECT n, n FROM c",
            "more than 1,000 rows changed",
        ),
        ("INSERT INTO t (name, raw) VALUES ('big', zeroblob(5000000))", "they have more than 4 MiB"),
        ("INSERT INTO t (name) VALUES (CAST(x'ff' AS TEXT))", "utf-8"),
        ("INSERT INTO words VALUES ('a')", "what changed is in a virtual table"),
    ],
)
async def test_what_cannot_be_kept_says_why_and_is_done_all_the_same(path: Path, sql: str, why: str) -> None:
    before = content(path)
    answer = await write(path, sql)
    assert answer.kept is None
    assert why in answer.not_kept.casefold() or why in answer.not_kept
    if not any(word in sql for word in ("DROP", "words", "CAST")):
        assert content(path) != before


@pytest.mark.parametrize(
    ("table", "sql"),
    [
        ("k (id TEXT COLLATE NOCASE PRIMARY KEY, v)", "UPDATE k SET id = 'a' WHERE id = 'A'"),
        ("k (id TEXT PRIMARY KEY, v)", "UPDATE k SET v = 1.0 WHERE id = 'c'"),
        ("k (id TEXT PRIMARY KEY, v)", "UPDATE k SET v = -0.0 WHERE id = 'b'"),
        ("k (id TEXT PRIMARY KEY, v UNIQUE)", "UPDATE k SET v = v - 1"),
        ("k (id TEXT PRIMARY KEY, v)", "DELETE FROM k"),
    ],
)
async def test_rows_come_back_to_the_letter_and_once_more(path: Path, table: str, sql: str) -> None:
    def rows() -> list[str]:
        with closing(sqlite3.connect(path)) as read:
            return [repr(row) for row in read.execute("SELECT * FROM k ORDER BY id")]

    with closing(sqlite3.connect(path)) as made:
        made.executescript(f"CREATE TABLE {table}; INSERT INTO k VALUES ('A', -1), ('b', 0.0), ('c', 1);")
    before = rows()
    tables = tables_of(await write(path, sql))
    after = rows()
    assert before != after
    put_rows_back(path, tables, Stop(5))
    assert rows() == before
    turned = tuple(one._replace(rows=tuple(row.turned() for row in reversed(one.rows))) for one in tables)
    put_rows_back(path, turned, Stop(5))
    assert rows() == after


@pytest.mark.parametrize(
    "again",
    [
        "",
        "CREATE TABLE bare2 (x)",
        "CREATE TABLE bare2 (id INTEGER PRIMARY KEY, x, more)",
        "CREATE TABLE bare2 (id INTEGER, x PRIMARY KEY)",
        "CREATE VIEW bare2 AS SELECT 1 AS id, 2 AS x",
    ],
)
async def test_a_table_that_was_dropped_and_made_again_is_left_alone(path: Path, again: str) -> None:
    with closing(sqlite3.connect(path)) as made:
        made.executescript("CREATE TABLE bare2 (id INTEGER PRIMARY KEY, x); INSERT INTO bare2 VALUES (1, 1);")
    tables = tables_of(await write(path, "DELETE FROM bare2"))
    with closing(sqlite3.connect(path)) as other:
        other.executescript(f"DROP TABLE bare2; {again};")
    with pytest.raises(DatabaseError, match="not the one that was written"):
        rows_now(path, tables, Stop(5))
    with pytest.raises(DatabaseError, match="not the one that was written"):
        put_rows_back(path, tables, Stop(5))


async def test_a_row_that_was_changed_since_stops_it_and_nothing_is_changed(path: Path) -> None:
    tables = tables_of(await write(path, "UPDATE t SET n = 7"))
    with closing(sqlite3.connect(path)) as other:
        other.execute("UPDATE t SET n = 8 WHERE id = 3")
        other.commit()
    now = content(path)
    with pytest.raises(DatabaseError, match="not as the write left it"):
        put_rows_back(path, tables, Stop(5))
    assert content(path) == now


async def test_a_key_that_would_change_more_stops_it(path: Path) -> None:
    tables = tables_of(await write(path, "INSERT INTO t (id, name) VALUES (9, 'nine')"))
    with closing(sqlite3.connect(path)) as other:
        other.execute("INSERT INTO child VALUES ('z', 1, 9)")
        other.commit()
    now = content(path)
    with pytest.raises(DatabaseError, match="own keys"):
        put_rows_back(path, tables, Stop(5))
    assert content(path) == now
    assert triggers(path) == ["t_new"]


async def test_a_row_that_others_refer_to_stays(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.executescript("CREATE TABLE ref (id INTEGER PRIMARY KEY, t INT REFERENCES t (id));")
    tables = tables_of(await write(path, "UPDATE t SET n = 0 WHERE id = 1"))
    fresh = tables_of(await write(path, "INSERT INTO t (id, name) VALUES (9, 'nine')"))
    with closing(sqlite3.connect(path)) as other:
        other.execute("INSERT INTO ref VALUES (1, 9)")
        other.commit()
    with pytest.raises(DatabaseError, match="FOREIGN KEY"):
        put_rows_back(path, fresh, Stop(5))
    put_rows_back(path, tables, Stop(5))
    assert rows_now(path, tables, Stop(5))[0][0][2] == 1.5


_VALUES = st.sampled_from(["1", "2", "3", "4", "NULL", "'x'", "n + 1", "id * 2", "-1.5"])
_STATEMENTS = st.one_of(
    st.builds("UPDATE t SET n = {} WHERE id <= {}".format, _VALUES, st.integers(0, 4)),
    st.builds("INSERT INTO t (n) VALUES ({})".format, st.sampled_from(["1", "2.5", "x'00'"])),
    st.builds("DELETE FROM t WHERE id = {}".format, st.integers(0, 5)),
    st.builds("UPDATE child SET b = b + {}".format, st.integers(0, 3)),
    st.builds("UPDATE t SET id = id + {}".format, st.integers(0, 3)),
    st.builds("DELETE FROM child WHERE b < {}".format, st.integers(0, 4)),
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(statements=st.lists(_STATEMENTS, min_size=1, max_size=5))
async def test_any_writes_taken_back_newest_first_leave_the_rows_as_they_were(
    tmp_path: Path, statements: list[str]
) -> None:
    path = tmp_path / "app.db"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as made:
        made.executescript(SCHEMA)
    before, kept = content(path), []
    for sql in statements:
        try:
            kept.append(tables_of(await write(path, sql)))
        except DatabaseError:
            continue  # a key would be there twice
    for tables in reversed(kept):
        put_rows_back(path, tables, Stop(5))
    assert content(path) == before


async def test_net_changes_and_their_bytes() -> None:
    found = net([((1, "a"), (1, "b")), ((1, "b"), None), (None, (2, "x")), ((2, "x"), None)], lambda row: row[:1])
    assert [(row.key, row.before, row.after) for row in found] == [((1,), (1, "a"), None)]
    table = KeptTable("t", ("id", "v"), ("id",), net([(None, (1, float("inf"))), (None, (2, b"\0"))], lambda r: r[:1]))
    assert loaded(dumped([table])) == (table,)
    for wrong in (b"[{}]", b"3", b"{", b'[{"name":"t","columns":[],"keys":[],"rows":[[[[]],null,null]]}]'):
        with pytest.raises(ValueError, match=r"kept rows|Expecting"):
            loaded(wrong)
