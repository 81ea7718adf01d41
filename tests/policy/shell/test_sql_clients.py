"""Database clients on a command line: which SQL they would run, and the judgement over it (gate-Q25)."""

import shlex

import pytest

from desktop.policy.shell.read.sql_clients import sql_in_argv


def codes(command: str, *, stdin: bool = False) -> list[str]:
    return [verdict.code for verdict in sql_in_argv(tuple(shlex.split(command)), stdin=stdin)]


@pytest.mark.parametrize(
    "command",
    [
        "psql -c 'select 1'",
        "psql -cselect\\ 1",
        "psql -h db -U bob -d app -c 'select 1'",
        "psql -qtAXc 'select 1' app bob",
        "psql --command='select 1'",
        "psql --command 'select 1' --no-psqlrc",
        "psql --comm='select 1'",
        "psql --csv -c 'select 1'",
        "/usr/bin/psql postgresql://h/app -c 'select 1'",
        "psql -v ON_ERROR_STOP=1 -c 'select 1'",
        "psql -c 'select 1' -- app",
        "mysql -uroot -psecret -e 'select 1' app",
        "mysql -p -e 'show tables' app",
        "mysql --execute='show databases'",
        "mariadb -h db -e 'select 1;'",
        "mysql --default_character_set=utf8 -Bse 'select 1'",
        "mysql.exe -e 'select 1'",
        "sqlite3 app.db 'select 1'",
        "sqlite3 -readonly -header -csv app.db 'select 1'",
        "sqlite3 app.db --json 'select 1'",
        "sqlite3 -separator , app.db 'select 1'",
        "sqlite3 -- app.db 'select 1'",
        "sqlite3 :memory: 'select 1'",
        "duckdb app.db -c 'select 1'",
        "duckdb -json -s 'from t'",
        "duckdb app.db 'select 1'",
        "sqlcmd -S h -d app -Q 'select 1'",
        "sqlcmd -Q'select 1' -W -s,",
        "sqlcmd --query 'select 1'",
        "bq query --use_legacy_sql=false 'select 1'",
        "bq --project_id x query --nouse_legacy_sql -n 5 'select 1'",
        "snowsql -c conn -q 'select 1'",
        "snowsql --query='select 1'",
        "clickhouse-client --query 'select 1'",
        "clickhouse client -q 'select 1'",
        "clickhouse local --query='select 1'",
    ],
)
def test_one_read_on_the_command_line_is_proven(command: str) -> None:
    assert codes(command) == ["proven_read"]


@pytest.mark.promise("gate-Q25")
@pytest.mark.parametrize(
    "command",
    [
        "psql -f x.sql",
        "psql --file=x.sql",
        "psql",
        "psql app",
        "psql -c '\\! ls'",
        "psql -c '\\copy t to x'",
        "psql -c",
        "psql --unknown -c 'select 1'",
        "psql -Y",
        "psql --command",
        "psql --no- -c 'select 1'",
        "psql -c 'select $X'",
        "psql -c 'select 1 where a = ${X}'",
        "psql -c 'select $(id)'",
        "mysql app",
        "mysql",
        "mysql -e '\\. x.sql'",
        "mysql --unknown=1 -e 'select 1'",
        "sqlite3 db '.shell x'",
        "sqlite3 db '.tables'",
        "sqlite3 db",
        "sqlite3",
        "sqlite3 -unknown db 'select 1'",
        "sqlite3 -separator",
        "sqlite3 -cmd",
        "sqlite3 db '\n  .read x'",
        "duckdb x.db",
        "duckdb -f x.sql",
        "duckdb -c '.shell x'",
        "sqlcmd -i x.sql",
        "sqlcmd -Q 'select $(x)'",
        "sqlcmd -Q ':r x.sql'",
        "sqlcmd -Q '!!dir'",
        "sqlcmd",
        "sqlplus a/b @x",
        "sqlplus -S a/b",
        "bq query 'select 1' extra",
        "bq query",
        "bq rm t",
        "bq load t x",
        "bq query --destination_table=t 'select 1'",
        "bq mk d",
        "snowsql -f x.sql",
        "snowsql -q 'select &x'",
        "snowsql -q '!source x'",
        "snowsql",
        "clickhouse-client",
        "clickhouse-client --queries-file x.sql",
        "clickhouse server",
        "pg_dump app",
        "pg_dumpall",
        "pg_restore x",
        "mysqldump app",
        "mysqladmin drop app",
        "dropdb app",
        "createdb app",
        "mariadb-dump app",
    ],
)
def test_what_cannot_be_seen_is_opaque(command: str) -> None:
    assert codes(command) == ["opaque"]


@pytest.mark.parametrize(
    "command",
    [
        "ls -l",
        "",
        "psql --version",
        "psql -l",
        "mysql --help",
        "sqlite3 -version",
        "pg_dump --version",
        "bq ls",
        "bq",
        "bq show x",
        "bq head -n 5 t",
        "echo psql -c 'drop table t'",
        "clickhouse",
        "psqlx -c 'drop table t'",
    ],
)
def test_what_runs_no_sql_gives_nothing(command: str) -> None:
    assert codes(command) == []


@pytest.mark.promise("gate-Q25")
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("psql -c 'select 1' -c 'drop table t'", ["proven_read", "destructive"]),
        ("psql -c 'select 1' -f x.sql", ["proven_read", "opaque"]),
        ("psql -qc 'delete from t'", ["destructive"]),
        ("psql -c 'select 1; select 2'", ["proven_read"]),
        ("mysql --init-command='drop table t' -e 'select 1'", ["destructive", "proven_read"]),
        ("mysql --init-command='select 1' app", ["proven_read", "opaque"]),
        ("sqlite3 -cmd 'drop table t' db 'select 1'", ["destructive", "proven_read"]),
        ("sqlite3 -cmd '.load x' db 'select 1'", ["opaque", "proven_read"]),
        ("sqlite3 -init x.sql db 'select 1'", ["proven_read", "opaque"]),
        ("sqlite3 db 'select 1' 'delete from t'", ["proven_read", "destructive"]),
        ("sqlite3 -cmd 'select 1' db", ["proven_read", "opaque"]),
        ("sqlcmd -q 'select 1'", ["proven_read", "opaque"]),
        ("clickhouse-client -q 'drop table t'", ["destructive"]),
        ("duckdb -c \"from 'x.csv'\"", ["external_source"]),
    ],
)
def test_every_text_of_a_command_line_is_judged(command: str, expected: list[str]) -> None:
    assert codes(command) == expected


def test_a_pipe_without_a_text_is_opaque_and_beside_a_text_does_not_matter() -> None:
    assert codes("mysql", stdin=True) == ["opaque"]
    assert codes("psql -c 'select 1'", stdin=True) == ["proven_read"]


def test_a_helper_says_what_it_can_lose() -> None:
    verdict = sql_in_argv(("dropdb", "app"), stdin=False)[0]
    assert (verdict.class_, verdict.destructive, verdict.fragment) == ("destructive", True, "dropdb app")


def test_an_opaque_text_names_itself_and_why() -> None:
    verdict = sql_in_argv(("psql", "-f", "x.sql"), stdin=False)[0]
    assert verdict.fragment == "psql -f x.sql"
    assert "file" in verdict.reason
