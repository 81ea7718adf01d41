"""MySQL and MariaDB. With a server at `BANKSMAN_TEST_MYSQL=user:password@host:port/database` (an empty one, which is
overwritten) the engine itself is tried; without one, what needs none."""

import asyncio
import os
import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from pydantic import SecretStr

from desktop.config.databases import DatabaseConnection
from desktop.domain.gate.effects import TableEffect
from desktop.services.databases.base import DatabaseError, QueryLimits, WritePlan
from desktop.services.databases.connections import Databases
from desktop.services.databases.mysql.connections import load_driver
from desktop.services.databases.mysql.engine import MysqlEngine
from desktop.services.databases.mysql.preview import statement_effect
from desktop.services.databases.where_rows import rows_meant
from tests.services.databases.conftest import Shop

pytestmark = pytest.mark.asyncio
SERVER = re.fullmatch(r"([^:@]+):([^@]*)@([^:/]+):(\d+)/(\w+)", os.environ.get("BANKSMAN_TEST_MYSQL", ""))
DELETE = "DELETE FROM parent WHERE id < 3"
TABLES = (
    "DROP VIEW IF EXISTS names",
    "DROP TABLE IF EXISTS child, parent, log, item, old",
    "CREATE TABLE parent (id int PRIMARY KEY, name varchar(20) NOT NULL)",
    "CREATE TABLE child (id int PRIMARY KEY, pid int, v text,"
    " FOREIGN KEY (pid) REFERENCES parent (id) ON DELETE CASCADE)",
    "CREATE TABLE log (msg text)",
    "CREATE TABLE item (id int AUTO_INCREMENT PRIMARY KEY, price decimal(10, 2))",
    "CREATE TABLE old (x int) ENGINE = MyISAM",
    "CREATE TRIGGER gone AFTER DELETE ON parent FOR EACH ROW INSERT INTO log VALUES ('gone')",
    "INSERT INTO parent VALUES (1, 'a'), (2, 'b'), (3, 'c')",
    "INSERT INTO child VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 2, NULL)",
)


@pytest_asyncio.fixture
async def mysql(tmp_path: object) -> AsyncIterator[Shop]:
    if SERVER is None:
        pytest.skip("no BANKSMAN_TEST_MYSQL")
    user, password, host, port, database = SERVER.groups()
    made = load_driver().connect(host=host, port=int(port), user=user, password=password, database=database)
    with made.cursor() as cursor:
        for sql in TABLES:
            cursor.execute(sql)
    made.commit()
    made.close()
    connection = DatabaseConnection(name="my", dialect="mysql", host=host, port=int(port), database=database, user=user)

    async def secret(one: DatabaseConnection) -> SecretStr:
        return SecretStr(password)

    databases = Databases(lambda: (connection,), secret)
    yield Shop(databases, "my", "mysql", None, secret)  # type: ignore[arg-type]


@pytest.mark.promise("gate-Q15")
@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM parent",
        "CREATE TABLE t (x int)",
        "SELECT * FROM parent INTO OUTFILE '/tmp/banksman'",
        "SELECT 1; SELECT 2",
    ],
)
async def test_what_comes_past_the_judgement_is_refused_by_the_server(mysql: Shop, sql: str) -> None:
    with pytest.raises(DatabaseError):
        await mysql.read(sql)
    assert await mysql.rows("SELECT count(*) FROM parent") == [("3",)]


async def test_a_commit_past_the_judgement_gives_no_way_to_write(mysql: Shop) -> None:
    for sql in ("COMMIT", "ROLLBACK"):
        await mysql.read(sql)
    with pytest.raises(DatabaseError):
        await mysql.read(DELETE)


async def test_rows_values_and_limits(mysql: Shop) -> None:
    answer = await mysql.read("SELECT id, v FROM child WHERE pid = ? OR v = ? ORDER BY id", 1, "'; --")
    assert answer.rows == (("1", "x"), ("2", "y"))
    assert await mysql.rows("SELECT v FROM child WHERE id = 3") == [(None,)]
    assert await mysql.rows("SELECT 'a%s' LIKE 'a%'") == [("1",)]
    many = "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 900) SELECT n FROM c"
    cut = await mysql.read(many, max_rows=250)
    assert (len(cut.rows), cut.stopped) == (250, "rows")


async def test_a_long_query_stops_at_the_time_limit(mysql: Shop) -> None:
    slow = (
        "SELECT count(*) FROM information_schema.columns a, information_schema.columns b, information_schema.columns c"
    )
    with pytest.raises(DatabaseError, match=r"^Stopped after 1 s\.$"):
        await mysql.within(1).read(slow)


async def test_a_cancelled_query_ends_on_the_server(mysql: Shop) -> None:
    running = asyncio.create_task(mysql.read("SELECT sleep(60)"))
    await asyncio.sleep(0.5)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    left = "SELECT count(*) FROM information_schema.processlist WHERE info LIKE 'SELECT sleep%'"
    async with asyncio.timeout(20):
        while await mysql.rows(left) != [("0",)]:
            await asyncio.sleep(0.05)


async def test_a_preview_counts_the_named_table_and_changes_nothing(mysql: Shop) -> None:
    preview = await mysql.preview(DELETE)
    assert preview.tables == (
        TableEffect(table="parent", deleted=2, rows_before=3, columns=("id", "name"), before=(("1", "a"), ("2", "b"))),
    )
    assert preview.triggers == ("gone",)
    assert len(preview.cascades) == 1
    assert preview.warnings == ("Rows changed by triggers and foreign keys are not counted.",)
    assert await mysql.rows("SELECT count(*) FROM parent") == [("3",)]
    inserted = await mysql.preview("INSERT INTO item (price) VALUES (1), (2)")
    assert (inserted.tables[0].inserted, len(inserted.not_undone)) == (2, 1)


@pytest.mark.promise("gate-Q23")
async def test_there_is_no_preview_of_what_could_not_be_taken_back(mysql: Shop) -> None:
    assert "InnoDB" in (await mysql.preview("DELETE FROM old WHERE x = 1")).problem
    assert "commits it at once" in (await mysql.preview("ALTER TABLE parent ADD COLUMN z int")).problem
    assert "commits it at once" in (await mysql.preview("TRUNCATE TABLE child")).problem


@pytest.mark.promise("gate-Q22")
async def test_a_write_within_its_preview_is_committed_and_a_wider_one_rolled_back(mysql: Shop) -> None:
    preview = await mysql.preview(DELETE)
    assert (await mysql.write(DELETE, approved=preview)).changed == 2
    await mysql.write("INSERT INTO parent VALUES (?, ?), (?, ?), (0, 'z')", 1, "a", 2, "b")
    with pytest.raises(DatabaseError, match="it would have changed 3 rows, 2 were approved"):
        await mysql.write(DELETE, approved=preview)
    assert await mysql.rows("SELECT count(*) FROM parent") == [("4",)]


async def test_the_catalogue_lists_and_describes(mysql: Shop) -> None:
    await mysql.write("CREATE VIEW names AS SELECT name FROM parent")
    tables = {table.name: table for table in await mysql.databases.tables("my")}
    assert (tables["child"].columns, tables["names"].kind) == (3, "view")
    assert "FOREIGN KEY" in await mysql.databases.describe("my", "child")
    assert await mysql.databases.describe("my", "absent") == ""
    check = await mysql.databases.check(mysql.databases.find("my"))
    assert (check.problem, check.can_write) == ("", True)


async def test_an_unreachable_server_is_named_without_the_password() -> None:
    connection = DatabaseConnection(name="x", dialect="mysql", host="127.0.0.1", port=1, database="d", user="u")
    with pytest.raises(DatabaseError) as raised:
        await MysqlEngine(connection, SecretStr("s3cret-word")).read("SELECT 1", (), QueryLimits())
    assert raised.value.code == "unreachable"
    assert "s3cret-word" not in str(raised.value)
    assert (await MysqlEngine(connection, None).check()).problem


@pytest.mark.parametrize(
    ("sql", "query"),
    [
        ("DELETE FROM t WHERE a = 1", "SELECT * FROM t WHERE a = 1 LIMIT 20"),
        ("UPDATE t AS x SET a = 2 WHERE x.b > 3", "SELECT * FROM t AS x WHERE x.b > 3 LIMIT 20"),
        ("DELETE FROM t", "SELECT * FROM t LIMIT 20"),
        ("DELETE t FROM t JOIN u ON t.a = u.a", ""),
        ("UPDATE t JOIN u ON t.a = u.a SET t.b = 1", ""),
        ("DELETE FROM t WHERE a = sleep(5)", ""),
        ("INSERT INTO t VALUES (1)", ""),
        ("DELETE FROM", ""),
    ],
)
async def test_the_rows_a_statement_means_are_asked_for_only_where_that_is_sure(sql: str, query: str) -> None:
    assert rows_meant(sql, "mysql") == query


async def test_the_number_of_the_server_is_taken_for_the_named_table() -> None:
    plan = WritePlan(counted=True, tables=("shop.parent",))
    assert statement_effect(plan, 3, DELETE) == TableEffect(table="parent", deleted=3)
    assert statement_effect(plan, 2, "insert into parent values (1), (2)").inserted == 2
