"""Which connections a chat has, what they are allowed, and what is said when there is no preview."""

import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from desktop.config.databases import DatabaseConnection
from desktop.policy.sql.assess import assess_sql
from desktop.policy.sql.verdict import SqlStatement, SqlVerdict
from desktop.services.databases.base import DatabaseError
from desktop.services.databases.cells import cell_text
from desktop.services.databases.connections import Databases
from desktop.services.databases.placeholders import placeholder_problem
from desktop.services.databases.preview import no_preview_reason, stands_alone, write_plan
from tests.services.databases.conftest import Shop, make_sqlite, sqlite_connection

DELETE = "DELETE FROM parent WHERE id < 3"


def server(**changes: object) -> DatabaseConnection:
    fields = {"name": "pg", "dialect": "postgres", "host": "db.example.org", "database": "d", "user": "u"}
    return DatabaseConnection.model_validate({**fields, **changes})


def verdict(kind: str, class_: str, code: str = "write") -> SqlVerdict:
    statement = SqlStatement.model_validate({"kind": kind, "class_": class_, "code": code})
    return SqlVerdict.model_validate({"proven_read": False, "code": code, "reason": "r", "statements": (statement,)})


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "App", "dialect": "sqlite", "path": "a.db"},
        {"name": "-a", "dialect": "sqlite", "path": "a.db"},
        {"name": "a" * 41, "dialect": "sqlite", "path": "a.db"},
        {"name": "a", "dialect": "sqlite"},
        {"name": "a", "dialect": "sqlite", "path": ":memory:"},
        {"name": "a", "dialect": "oracle", "path": "a.db"},
        {"name": "a", "dialect": "postgres", "host": "h", "database": "d"},
        {"name": "a", "dialect": "postgres", "host": "u@h", "database": "d", "user": "u"},
        {"name": "a", "dialect": "mysql", "host": "h\n", "database": "d", "user": "u"},
        {"name": "a", "dialect": "sqlite", "path": "a.db", "time_limit_s": 0},
        {"name": "a", "dialect": "sqlite", "path": "a.db", "time_limit_s": 601},
        {"name": "a", "dialect": "mysql", "host": "h", "database": "d", "user": "u", "port": 70000},
        {"name": "a", "dialect": "sqlite", "path": "a.db", "password": "x"},
    ],
)
def test_a_connection_without_name_target_or_measure_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        DatabaseConnection.model_validate(fields)


def test_a_target_is_said_in_words_without_a_password() -> None:
    assert server().target == "u@db.example.org:5432/d"
    assert server(dialect="mariadb", port=3310).target == "u@db.example.org:3310/d"
    assert sqlite_connection("/data/a.db").target == "/data/a.db"


def test_a_name_may_be_left_out_only_when_there_is_one() -> None:
    one, two = server(name="staging"), server(name="live")
    assert Databases(lambda: (one,)).find("") == one
    with pytest.raises(DatabaseError, match=r"Name a connection\. Connections: live, staging\."):
        Databases(lambda: (one, two)).find("")
    with pytest.raises(DatabaseError, match=r'There is no connection "nope"\. Connections: live, staging\.'):
        Databases(lambda: (one, two)).find("nope")
    with pytest.raises(DatabaseError, match=r"Connections: none\."):
        Databases(tuple).find("")


def test_a_connection_is_there_only_for_its_projects(lane: Path) -> None:
    bound = server(name="bound", enabled_projects=("/src/shop",))
    databases = Databases(lambda: (server(name="free"), bound))
    assert [one.name for one in databases.for_lane("/src/shop", lane).enabled] == ["bound", "free"]
    assert [one.name for one in databases.for_lane("/src/other", lane).enabled] == ["free"]
    assert databases.for_lane("/src/shop", None).enabled != ()


def test_settings_that_change_are_seen_at_once() -> None:
    connections = [server(name="one")]
    databases = Databases(lambda: connections)
    connections.append(server(name="two"))
    assert [one.name for one in databases.enabled] == ["one", "two"]


@pytest.mark.asyncio
async def test_a_file_named_relative_to_the_lane_is_that_of_the_lane_and_never_outside(lane: Path) -> None:
    make_sqlite(lane / "app.db")
    make_sqlite(lane.parent / "outside.db")
    (lane / "link.db").symlink_to(lane.parent / "outside.db")
    own = Databases(lambda: (sqlite_connection("app.db"),)).for_lane("/src/shop", lane)
    assert (await own.read("app", "SELECT count(*) FROM parent")).rows == (("3",),)
    assert own.is_lane_file(own.find("app"))
    for path in ("link.db", "../outside.db", str(lane / "link.db")):
        leading_out = Databases(lambda path=path: (sqlite_connection(path),)).for_lane("/src/shop", lane)
        assert not leading_out.is_lane_file(leading_out.find("app"))
        with pytest.raises(DatabaseError, match="leads out of the lane"):
            await leading_out.read("app", "SELECT 1")
    assert Databases(lambda: (sqlite_connection("app.db"),)).enabled == ()


@pytest.mark.asyncio
async def test_a_preview_comes_by_itself_only_for_files_of_the_lane(shop: Shop, lane: Path) -> None:
    assert (await shop.preview(DELETE, on_click=False)).tables
    elsewhere = shop.databases.for_lane("", lane.parent / "other")
    shop.databases = elsewhere
    assert (await shop.preview(DELETE, on_click=False)).on_click
    assert (await shop.preview(DELETE)).tables


@pytest.mark.promise("gate-Q21")
@pytest.mark.asyncio
async def test_production_is_never_previewed_without_a_click(lane: Path) -> None:
    file = make_sqlite(lane / "app.db")
    databases = Databases(lambda: (sqlite_connection(file, production=True),), lane_root=lane)
    shop = Shop(databases, "app", "sqlite", file)
    assert (await shop.preview(DELETE, on_click=False)).on_click
    assert (await shop.preview(DELETE)).tables


@pytest.mark.asyncio
async def test_a_read_only_connection_writes_nothing(lane: Path) -> None:
    file = make_sqlite(lane / "app.db")
    shop = Shop(Databases(lambda: (sqlite_connection(file, read_only=True),)), "app", "sqlite", file)
    with pytest.raises(DatabaseError, match="app is read-only"):
        await shop.write(DELETE)


@pytest.mark.asyncio
async def test_a_preview_of_an_unknown_connection_says_so(shop: Shop) -> None:
    shop.name = "nope"
    assert 'no connection "nope"' in (await shop.preview(DELETE)).problem


@pytest.mark.asyncio
async def test_a_password_is_asked_for_servers_and_not_for_files(shop: Shop, lane: Path) -> None:
    asked: list[str] = []

    async def password(connection: DatabaseConnection) -> SecretStr | None:
        asked.append(connection.name)
        return None

    absent = server(host=str(lane))
    databases = Databases(lambda: (absent, sqlite_connection(shop.file)), password)
    await databases.read("app", "SELECT 1")
    assert asked == []
    with pytest.raises(DatabaseError):
        await databases.read("pg", "SELECT 1")
    assert asked == ["pg"]


@pytest.mark.parametrize(
    ("dialect", "kind", "class_", "code", "words"),
    [
        ("sqlite", "SELECT", "opaque", "opaque", "cannot tell"),
        ("postgres", "GRANT", "privilege", "privilege", "rights"),
        ("postgres", "COMMIT", "transaction", "transaction", "transactions"),
        ("postgres", "SET", "session_state", "session_state", "settings"),
        ("postgres", "DELETE", "destructive", "function_not_listed", "function"),
        ("postgres", "VACUUM", "schema", "schema", "cannot be in a transaction"),
        ("mysql", "ALTER TABLE", "schema", "schema", "commits it at once"),
        ("mariadb", "DROP TABLE", "destructive", "destructive", "commits it at once"),
        ("mysql", "COMMENT", "schema", "schema", "commits it at once"),
        ("sqlite", "DELETE", "destructive", "destructive", ""),
        ("postgres", "DROP TABLE", "destructive", "destructive", ""),
    ],
)
def test_what_can_be_tried_at_all(dialect: str, kind: str, class_: str, code: str, words: str) -> None:
    reason = no_preview_reason(dialect, verdict(kind, class_, code))  # type: ignore[arg-type]
    assert words in reason
    assert bool(reason) == bool(words)


@pytest.mark.promise("gate-Q23")
@pytest.mark.asyncio
@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM parent WHERE notify(id)",
        "UPDATE parent SET name = load_extension('x') WHERE id = 1",
        "INSERT INTO parent (id) VALUES (notify(9))",
    ],
)
async def test_a_change_that_calls_an_unknown_function_is_not_tried_even_on_a_click(lane: Path, sql: str) -> None:
    file = make_sqlite(lane / "app.db")
    shop = Shop(Databases(lambda: (sqlite_connection(file),), lane_root=lane), "app", "sqlite", file)
    for on_click in (False, True):
        shown = await shop.preview(sql, on_click=on_click)
        assert shown.problem == "it calls a function that is not known to be harmless"
        assert not shown.on_click


def test_what_cannot_be_read_has_no_preview() -> None:
    assert "cannot tell" in no_preview_reason("sqlite", assess_sql("DELETE FROM t WHERE a @@@ b", "sqlite"))


def test_a_text_that_is_not_one_statement_has_no_preview() -> None:
    assert "cannot tell" in no_preview_reason("sqlite", SqlVerdict(proven_read=False, code="parse_error", reason="r"))


def test_what_stands_alone_is_told_by_its_words() -> None:
    assert stands_alone("postgres", SqlStatement(kind="CREATE DATABASE"))
    assert not stands_alone("postgres", SqlStatement(kind="CREATE TABLE"))
    assert not stands_alone("sqlite", SqlStatement(kind="VACUUMED"))
    concurrently = write_plan("postgres", "CREATE INDEX CONCURRENTLY i ON t (a)", verdict("CREATE INDEX", "schema"))
    assert (concurrently.transactional, concurrently.counted) == (False, False)
    assert write_plan("postgres", "DELETE FROM t", verdict("DELETE", "destructive")).counted
    assert write_plan("sqlite", "odd", SqlVerdict(proven_read=False, code="opaque", reason="r")).transactional


@pytest.mark.promise("gate-Q13")
@pytest.mark.parametrize(
    ("sql", "dialect", "values", "fits"),
    [
        ("SELECT ?", "sqlite", 1, True),
        ("SELECT ?, '?', \"?\" -- ?\n /* ? */", "sqlite", 1, True),
        ("SELECT ?2, ?", "sqlite", 3, True),
        ("SELECT json_extract(a, '$.x')", "sqlite", 0, True),
        ("SELECT ?", "sqlite", 0, False),
        ("SELECT 1", "sqlite", 1, False),
        ("SELECT :name", "sqlite", 1, False),
        ("SELECT $1, $2, $1", "postgres", 2, True),
        ("SELECT '$1', $$ $2 $$, $a$ $3 $a$, E'\\'$4'", "postgres", 0, True),
        ("SELECT a ? 'b', c::int FROM t WHERE d = $1", "postgres", 1, True),
        ("SELECT $2", "postgres", 1, False),
        ("SELECT 'it\\'s ?', ? # ?", "mysql", 1, True),
        ("SELECT `?` -- ?", "mariadb", 0, True),
    ],
)
def test_values_and_placeholders_are_counted_against_each_other(
    sql: str, dialect: str, values: int, fits: bool
) -> None:
    assert (placeholder_problem(sql, dialect, values) == "") == fits  # type: ignore[arg-type]


def test_values_are_shown_as_people_write_them() -> None:
    value = {"n": None, "t": True, "b": b"ab", "l": [1, {"x": b"a"}]}
    assert cell_text(value) == '{"n": null, "t": true, "b": "<2 bytes>", "l": [1, {"x": "<1 bytes>"}]}'
    assert cell_text(timedelta(days=-1, hours=-2, microseconds=-5)) == "-1 days 02:00:00.000005"
    assert cell_text(timedelta(minutes=61)) == "01:01:00"
    assert cell_text(datetime(2020, 1, 2, 3, 4, tzinfo=UTC)) == "2020-01-02 03:04:00+00:00"
    assert cell_text(date(2020, 1, 2)) == "2020-01-02"
    assert cell_text(Decimal("1E+2")) == "100"
    assert cell_text(Decimal("NaN")) == "NaN"
    assert cell_text({3, 1}) == '["1", "3"]'


def test_no_driver_and_no_parser_is_imported_before_it_is_used() -> None:
    code = (
        "import sys, desktop.agent.engine\n"
        "from desktop.tools.registry import discover\n"
        "discover()\n"
        "print(sorted({'asyncpg', 'pymysql', 'sqlglot'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
