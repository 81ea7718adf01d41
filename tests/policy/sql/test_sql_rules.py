"""The judgement of SQL rule by rule: codes, fragments, classes, limits, and what is told of each statement."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.policy.sql import lazy
from desktop.policy.sql.assess import assess_sql
from desktop.policy.sql.reasons import REASONS
from desktop.policy.sql.verdict import SqlVerdict

ROOT = Path(__file__).parents[3]


def judged(text: str, dialect: str = "postgres") -> SqlVerdict:
    return assess_sql(text, dialect)


@pytest.mark.promise("gate-Q1")
@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("SELECT 1 -- ; drop table x", "postgres"),
        ("EXPLAIN DELETE FROM t", "postgres"),
        ("PRAGMA table_info(t)", "sqlite"),
        ("SELECT 1; -- done", "postgres"),
        ("VALUES (1)", "postgres"),
        ("SELECT 1; SELECT 2", "postgres"),
        ("EXPLAIN (ANALYZE FALSE) SELECT 1", "postgres"),
        ("EXPLAIN (ANALYZE 'off', BUFFERS) SELECT 1", "postgres"),
        ("EXPLAIN (SELECT 1)", "postgres"),
        ("EXPLAIN ((SELECT 1))", "duckdb"),
        ("EXPLAIN ANALYZE SELECT * FROM users WHERE id = 1", "postgres"),
        ("EXPLAIN VERBOSE ANALYZE SELECT 1", "postgres"),
        ("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) WITH x AS (SELECT 1) TABLE x", "postgres"),
        ("EXPLAIN (SERIALIZE, ANALYSE) SELECT 1", "postgres"),
        ("EXPLAIN (ANALYZE) (SELECT 1)", "postgres"),
        ("EXPLAIN ANALYZE FROM t", "duckdb"),
        ("EXPLAIN ANALYZE SELECT 1", "mysql"),
        ("EXPLAIN ANALYZE FORMAT=TREE SELECT 1", "mysql"),
        ("DESC ANALYZE SELECT 1", "mysql"),
        ("EXPLAIN ANALYZE SELECT 1", "starrocks"),
        ("ANALYZE FORMAT=JSON SELECT 1", "mariadb"),
        ("ANALYZE SELECT 1", "mariadb"),
        ("EXPLAIN ANALYZE VERBOSE SELECT 1", "trino"),
        ("EXPLAIN ANALYZE SELECT 1", "athena"),
        ("EXPLAIN ANALYZE SELECT 1", "hive"),
        ("SELECT * FROM main.t", "duckdb"),
        ("SELECT * FROM memory.main.t", "duckdb"),
        ("SELECT * FROM system.information_schema.tables", "duckdb"),
        ("SELECT now(), max(a) FROM t", "mysql"),
        ("SELECT abs (1), a FROM t WHERE a IN (1)", "mysql"),
        ("SELECT a FROM t ORDER BY a OFFSET 10 ROWS FETCH NEXT 5 ROWS ONLY", "tsql"),
        ("SELECT a FROM t ORDER BY a OFFSET 1 ROW FETCH FIRST 5 ROWS ONLY", "tsql"),
        ("SHOW datestyle.x", "postgres"),
        ("SELECT TRY(1)", "trino"),
        ("SELECT transform(a, x -> x + 1) FROM t", "trino"),
        ("SELECT a.b.c.d.e FROM t", "bigquery"),
        ("SELECT * FROM pg_catalog.generate_series(1, 2)", "postgres"),
        ("SELECT pg_catalog.upper('x')", "postgres"),
        ("SELECT straße FROM maße", "postgres"),
        ("SELECT 0x1F, 1e5, .5 FROM t", "sqlite"),
        ("SELECT 1\r\nFROM t", "postgres"),
        ("SELECT * FROM t WHERE a = $1", "postgres"),
        ("SELECT p.a, x.b, q.* FROM p JOIN x ON 1 = 1 JOIN q ON 1 = 1", "oracle"),
        ("SELECT SYSDATE FROM dual", "oracle"),
        ("PRAGMA main.table_info(t)", "sqlite"),
        ("SELECT @@VERSION", "tsql"),
        ("SELECT last_insert_id()", "mysql"),
        ("SELECT q'[it's; fine]' FROM dual", "oracle"),
        ("SELECT \"a;b\" FROM t", "tsql"),
    ],
)  # fmt: skip
def test_a_pure_read_is_proven(text: str, dialect: str) -> None:
    verdict = judged(text, dialect)
    assert verdict.proven_read, verdict
    assert (verdict.code, verdict.class_, verdict.fragment) == ("proven_read", "read", "")
    assert all(statement.proven_read and statement.class_ == "read" for statement in verdict.statements)


CODES = [
    ("", "postgres", "empty", ""),
    (" \n\t", "postgres", "empty", ""),
    (";", "postgres", "empty", ""),
    ("-- nothing", "postgres", "empty", ""),
    ("/* nothing */", "sqlite", "empty", ""),
    ("SELECT '" + "a" * 70_000 + "'", "postgres", "too_long", ""),
    ("SELECT '" + "é" * 40_000 + "'", "postgres", "too_long", ""),
    ("SELECT " + ",".join("1" * 6_000), "postgres", "too_long", ""),
    ("(" * 3_000, "postgres", "too_deep", "("),
    ("SELECT 1\r", "postgres", "odd_characters", "\r"),
    ("SELECT\x001", "postgres", "odd_characters", "\x00"),
    ("SELECT\u00a01", "postgres", "odd_characters", "\u00a0"),
    ("SELECT '\u2028'", "postgres", "odd_characters", "\u2028"),
    ("SELECT '\ufeff'", "postgres", "odd_characters", "\ufeff"),
    ("SELECT '\ue000'", "postgres", "odd_characters", "\ue000"),
    ("SELECT ſum(1)", "postgres", "odd_characters", "ſum"),
    ("SELECT 1 aſ x", "postgres", "odd_characters", "aſ"),
    ("SELECT /*! 1 */ 2", "mysql", "executable_comment", "/*! 1 */"),
    ("SELECT 2 /*m!100100", "mariadb", "executable_comment", "/*m!100100"),
    ("SELECT /*+ x */ 1", "oracle", "hint_comment", "/*+ x */"),
    (r"SELECT 'a\''", "mysql", "hidden_mode", r"\'"),
    (r"SELECT 'a\''", "spark", "hidden_mode", r"\'"),
    (r"SELECT 'a\'", "postgres", "hidden_mode", r"'a\'"),
    ("SELECT 1FROM t", "postgres", "hidden_mode", "1F"),
    ("SELECT 1 /* /* */ */", "clickhouse", "hidden_mode", "/* /*"),
    ("SELECT 1", "nosuch", "unknown_dialect", ""),
    ("SELECT 1", "postgres, x=1", "unknown_dialect", ""),
    ("SELECT 'x", "postgres", "token_error", "'x"),
    ("SELECT 1 /* x", "postgres", "token_error", "/* x"),
    ("SELECT (", "postgres", "parse_error", "SELECT ("),
    ("EXPLAIN", "postgres", "parse_error", "EXPLAIN"),
    ("EXPLAIN", "sqlite", "parse_error", "EXPLAIN"),
    ("EXPLAIN (VERBOSE", "postgres", "parse_error", "EXPLAIN (VERBOSE"),
    ("EXPLAIN VERBOSE", "postgres", "parse_error", "EXPLAIN VERBOSE"),
    (r"\copy t to 'x'", "postgres", "opaque", "\\"),
    ("SELECT {{ x }}", "postgres", "opaque", "{{"),
    ("EXECUTE q", "postgres", "opaque", "EXECUTE q"),
    ("users", "postgres", "root_not_read", "users"),
    ("SELECT 'a'::mine", "postgres", "node_not_read", "mine"),
    ("SELECT HIGH_PRIORITY 1", "mysql", "node_not_read", "SELECT HIGH_PRIORITY 1"),
    ("SELECT * FROM t OPTION (USE PLAN N'x')", "tsql", "keyword_word", "USE PLAN N'x')"),
    ("EXPLAIN (FOO) SELECT 1", "postgres", "node_not_read", "EXPLAIN (FOO) SELECT 1"),
    ("EXPLAIN CREATE TABLE x (a int)", "postgres", "root_not_read", "EXPLAIN CREATE TABLE x (a int)"),
    ("SELECT my_f(a, (1)) + 1", "postgres", "function_not_listed", "my_f(a, (1))"),
    ("SELECT list(a)", "postgres", "function_not_listed", "list"),
    ('SELECT "lower"(a)', "postgres", "function_not_listed", '"lower"'),
    ("SELECT größe(a)", "snowflake", "function_not_listed", "größe(a)"),
    ("SELECT last_insert_id(5)", "mysql", "function_not_listed", "last_insert_id(5)"),
    ("SELECT public.lower('x')", "postgres", "function_qualified", "public.lower('x')"),
    ("SELECT (u).x FROM u", "postgres", "function_qualified", "(u).x"),
    ("SELECT * FROM s.generate_series(1, 2)", "postgres", "function_qualified", "s.generate_series(1, 2)"),
    ("SELECT x.f FROM t", "oracle", "function_qualified", "x.f"),
    ("SELECT f FROM dual", "oracle", "function_qualified", "f"),
    ("SELECT * FROM t FOR NO KEY UPDATE SKIP LOCKED", "postgres", "lock", "FOR NO KEY UPDATE SKIP LOCKED"),
    ("SELECT * FROM t LOCK IN SHARE MODE", "mysql", "lock", "LOCK IN SHARE MODE"),
    ("SELECT * FROM t WITH (UPDLOCK)", "tsql", "lock", "SELECT * FROM t WITH (UPDLOCK)"),
    ("(SELECT * INTO b FROM a)", "postgres", "into", "INTO b"),
    ("SELECT 1 FORMAT CSV", "clickhouse", "into", "CSV"),
    ("SELECT @a := 1", "mysql", "assignment", "SELECT @a := 1"),
    ("SELECT @x = id FROM t", "tsql", "assignment", "SELECT @x = id FROM t"),
    ("SELECT $x", "snowflake", "assignment", "SELECT $x"),
    ("SELECT s.nextval", "snowflake", "sequence", "s.nextval"),
    ("SELECT a.b.c.d.nextval FROM t", "snowflake", "sequence", "a.b.c.d.nextval"),
    ("SELECT NEXT VALUE FOR s", "tsql", "sequence", "s"),
    ("SELECT 1 DELETE FROM users", "tsql", "keyword_word", "DELETE FROM users"),
    ("SELECT * FROM @stage", "snowflake", "external_source", "SELECT * FROM @stage"),
    ("SELECT * FROM @s (FILE_FORMAT => x)", "snowflake", "external_source", "x"),
    ("FROM 'https://x/y.csv'", "duckdb", "external_source", "'https://x/y.csv'"),
    ("SELECT * FROM a.json", "duckdb", "external_source", "a.json"),
    ("SELECT * FROM csv.x", "spark", "external_source", "csv.x"),
    ("SELECT * FROM fsdir", "sqlite", "external_source", "fsdir"),
    ("EXPLAIN ANALYZE EXECUTE p", "postgres", "explain_runs", "EXPLAIN ANALYZE EXECUTE p"),
    ("EXPLAIN (ANALYZE) EXPLAIN SELECT 1", "postgres", "explain_runs", "EXPLAIN (ANALYZE) EXPLAIN SELECT 1"),
    ("EXPLAIN ANALYZE SELECT pg_sleep(1)", "postgres", "function_not_listed", "pg_sleep(1)"),
    ("EXPLAIN ANALYZE DELETE FROM t", "postgres", "destructive", "DELETE FROM t"),
    ("EXPLAIN ANALYZE UPDATE t SET a = 1 WHERE b = 2", "postgres", "write", "UPDATE t SET a = 1 WHERE b = 2"),
    ("EXPLAIN (ANALYZE, COSTS OFF) INSERT INTO t VALUES (1)", "duckdb", "write", "INSERT INTO t VALUES (1)"),
    ("EXPLAIN ANALYZE DELETE FROM t", "mysql", "destructive", "DELETE FROM t"),
    ("ANALYZE FORMAT=JSON DELETE FROM t", "mariadb", "destructive", "DELETE FROM t"),
    ("ANALYZE FORMAT=XML SELECT 1", "mariadb", "parse_error", "ANALYZE FORMAT=XML SELECT 1"),
    ("ANALYZE TABLE t", "mysql", "schema", "ANALYZE TABLE t"),
    ("EXPLAIN ANALYZE INSERT INTO t SELECT 1", "trino", "write", "INSERT INTO t SELECT 1"),
    ("EXPLAIN ANALYZE SELECT 1", "snowflake", "opaque", "EXPLAIN ANALYZE SELECT 1"),
    ("SELECT * FROM data.geojson", "duckdb", "external_source", "data.geojson"),
    ('FROM "x"."avro"', "duckdb", "external_source", '"x"."avro"'),
    ("SELECT * FROM main.csv", "duckdb", "external_source", "main.csv"),
    ("SELECT * FROM other.main.t", "duckdb", "external_source", "other.main.t"),
    ("SELECT 1 FROM t FETCH c", "tsql", "keyword_word", "FETCH c"),
    ("SELECT 1 FROM t FETCH", "tsql", "keyword_word", "FETCH"),
    ("SELECT a FROM t ORDER BY a OFFSET 0 ROWS FETCH NEXT FROM c", "tsql", "keyword_word", "FETCH NEXT FROM c"),
    ("SELECT 1 FROM t PRINT 'x'", "tsql", "keyword_word", "PRINT 'x'"),
    ("SELECT now ()", "mysql", "function_not_listed", "now"),
    ("SELECT max/**/(1)", "mysql", "function_not_listed", "max"),
    ("EXPLAIN (FOO ANALYSE) SELECT 1", "postgres", "explain_runs", "EXPLAIN (FOO ANALYSE) SELECT 1"),
    ("EXPLAIN (ANALYZE OFF, FOO) SELECT 1", "postgres", "explain_runs", "EXPLAIN (ANALYZE OFF, FOO) SELECT 1"),
    ("EXPLAIN ANALYZE t", "mysql", "explain_runs", "EXPLAIN ANALYZE t"),
    ("PRAGMA journal_mode(delete)", "sqlite", "pragma_not_listed", "PRAGMA journal_mode(delete)"),
    ("PRAGMA", "sqlite", "pragma_not_listed", "PRAGMA"),
    ("SELECT 1 SETTINGS readonly=0", "clickhouse", "session_state", "readonly=0"),
    ("LISTEN a", "postgres", "session_state", "LISTEN a"),
    ("CHECKPOINT", "postgres", "transaction", "CHECKPOINT"),
    ("INSERT INTO t VALUES (1)", "postgres", "write", "INSERT INTO t VALUES (1)"),
    ("REINDEX TABLE x", "postgres", "schema", "REINDEX TABLE x"),
    ("DROP TABLE t", "postgres", "destructive", "DROP TABLE t"),
    ("WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", "postgres", "destructive", "DELETE FROM t"),
    ("WITH x AS (INSERT INTO b SELECT 1 RETURNING *) SELECT 1", "postgres", "write", "INSERT INTO b"),
    ("GRANT ALL ON t TO x", "postgres", "privilege", "GRANT ALL ON t TO x"),
]


@pytest.mark.promise("gate-Q1")
@pytest.mark.promise("gate-Q4")
@pytest.mark.promise("gate-Q10")
@pytest.mark.promise("gate-Q11")
@pytest.mark.parametrize(("text", "dialect", "code", "fragment"), CODES)
def test_what_is_not_proven_has_a_code_and_a_fragment(text: str, dialect: str, code: str, fragment: str) -> None:
    verdict = judged(text, dialect)
    assert not verdict.proven_read
    assert (verdict.code, verdict.fragment) == (code, fragment[:200])
    assert verdict.reason == REASONS[verdict.code]
    assert text[slice(*verdict.span)] == verdict.fragment


@pytest.mark.promise("gate-Q4")
def test_every_code_but_the_good_one_has_a_case() -> None:
    assert {code for _, _, code, _ in CODES} | {"proven_read"} == set(REASONS)


@pytest.mark.promise("gate-Q14")
@pytest.mark.parametrize(
    ("text", "dialect", "kind", "class_", "destructive"),
    [
        ("DELETE FROM t WHERE a = 1", "postgres", "DELETE", "destructive", True),
        ("UPDATE t SET a = 1 WHERE b = 2", "postgres", "UPDATE", "write", False),
        ("UPDATE t SET a = 1", "postgres", "UPDATE", "destructive", True),
        ("WITH x AS (SELECT 1) UPDATE t SET a = 1", "sqlite", "UPDATE", "destructive", True),
        ("WITH x AS (UPDATE t SET a = 1 WHERE b RETURNING a) SELECT * FROM x", "postgres", "SELECT", "write", False),
        ("INSERT OR REPLACE INTO t VALUES (1)", "sqlite", "INSERT", "destructive", True),
        ("INSERT INTO t VALUES (1)", "sqlite", "INSERT", "write", False),
        ("REPLACE INTO t VALUES (1)", "mysql", "REPLACE", "destructive", True),
        ("TRUNCATE TABLE t", "postgres", "TRUNCATE TABLE", "destructive", True),
        ("MERGE INTO t USING s ON a = b WHEN MATCHED THEN DELETE", "postgres", "MERGE", "destructive", True),
        ("MERGE INTO t USING s ON a = b WHEN MATCHED THEN UPDATE SET a = 1", "postgres", "MERGE", "write", False),
        ("ALTER TABLE t DROP COLUMN a", "postgres", "ALTER TABLE", "destructive", True),
        ("ALTER TABLE t ADD COLUMN a int", "postgres", "ALTER TABLE", "schema", False),
        ("CREATE INDEX i ON t (a)", "postgres", "CREATE INDEX", "schema", False),
        ("CREATE USER bob", "postgres", "CREATE USER", "privilege", False),
        ("ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO x", "postgres", "ALTER DEFAULT", "privilege", False),
        ("GRANT SELECT ON t TO x", "mysql", "GRANT", "privilege", False),
        ("SET ROLE x", "postgres", "SET ROLE", "privilege", False),
        ("SET TRANSACTION READ WRITE", "postgres", "SET TRANSACTION", "transaction", False),
        ("SET a = 1", "postgres", "SET A", "session_state", False),
        ("BEGIN", "postgres", "BEGIN", "transaction", False),
        ("BEGIN DELETE FROM t; END", "oracle", "BEGIN", "opaque", False),
        ("COPY t TO PROGRAM 'x'", "postgres", "COPY", "opaque", False),
        ("COPY t FROM STDIN", "postgres", "COPY", "write", False),
        ("SELECT f(1)", "postgres", "SELECT", "opaque", False),
        ("SELECT * FROM t FOR UPDATE", "postgres", "SELECT", "transaction", False),
        ("SELECT nextval FROM t", "postgres", "SELECT", "write", False),
        ("((SELECT f(1)))", "postgres", "SELECT", "opaque", False),
        ("WITH x AS (SELECT f(1)) (SELECT 1)", "postgres", "SELECT", "opaque", False),
        ("PRAGMA foreign_keys = 0", "sqlite", "PRAGMA", "session_state", False),
        ("(", "postgres", "", "opaque", False),
    ],
)
def test_the_card_is_told_what_a_statement_does(
    text: str, dialect: str, kind: str, class_: str, destructive: bool
) -> None:
    statement = judged(text, dialect).statements[0]
    assert (statement.kind, statement.class_, statement.destructive) == (kind, class_, destructive)


def test_the_tables_of_a_statement_are_named_without_its_own_queries() -> None:
    verdict = judged("WITH x AS (SELECT * FROM a.b) DELETE FROM c USING x, d WHERE c.i = x.i")
    assert set(verdict.statements[0].tables) == {"a.b", "c", "d"}
    assert verdict.statements[0].where
    assert not judged("DELETE FROM c").statements[0].where
    assert judged("(SELECT 1 FROM t WHERE a)").statements[0].where


def test_each_statement_of_a_text_has_its_own_verdict() -> None:
    verdict = judged("SELECT 1; DROP TABLE t; GRANT a TO b")
    assert [statement.proven_read for statement in verdict.statements] == [True, False, False]
    assert (verdict.code, verdict.class_, verdict.destructive) == ("destructive", "privilege", True)


@pytest.mark.parametrize("text", ["NOT " * 3_000 + "1", "SELECT " + "(" * 190 + "1" + ")" * 190])
def test_text_nested_beyond_the_parser_is_not_proven(text: str) -> None:
    assert judged(text).code == "parse_error"


def test_a_chain_as_long_as_the_limit_gets_a_verdict_without_an_error() -> None:
    assert judged("SELECT 1" + " + 1" * 4_900).code in ("proven_read", "parse_error")


def test_the_parser_prints_nothing(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        judged("DISCARD ALL")
        judged("SELECT '")
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []


def test_the_parser_is_loaded_by_the_first_judgement_and_not_before() -> None:
    program = (
        "import sys\n"
        "from desktop.policy.sql.lazy import assess_sql\n"
        "from desktop.policy.shell.read.sql_clients import sql_in_argv\n"
        "from desktop.cli import check\n"
        "sql_in_argv(('ls', '-l'), stdin=False)\n"
        "assert 'sqlglot' not in sys.modules\n"
        "assert sql_in_argv(('psql', '-c', 'SELECT 1'), stdin=False)[0].proven_read\n"
        "assert 'sqlglot' in sys.modules\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_lazy_door_leads_to_the_same_judgement() -> None:
    assert lazy.assess_sql("SELECT 1", "postgres") == assess_sql("SELECT 1", "postgres")


def at_depth(frames: int, text: str) -> SqlVerdict | None:
    """The verdict with that many more calls on the stack; None where there is no room to judge at all."""
    try:
        return at_depth(frames - 1, text) if frames else assess_sql(text, "postgres")
    except RecursionError:
        return None


def test_a_stack_that_is_nearly_full_gives_a_verdict_that_is_not_proven() -> None:
    assess_sql("SELECT 1", "postgres")
    depths = [verdict for frames in range(500, 1_000, 2) if (verdict := at_depth(frames, "SELECT (1), (2)"))]
    found = {verdict.code for verdict in depths}
    assert {"proven_read", "parse_error"} <= found <= {"proven_read", "parse_error", "token_error"}


@pytest.mark.parametrize(
    ("text", "dialect", "code"),
    [
        ("SELECT a FROM t WHERE x (a) = 1", "postgres", "function_not_listed"),
        ("SELECT a <@-b FROM t", "postgres", "function_not_listed"),
        ("SELECT a ~~~ b FROM t", "postgres", "function_not_listed"),
        ("SELECT a->-1 FROM t", "postgres", "proven_read"),
        ("SELECT 2*-1, 1<-1, a=-1, a<> -1, a + -1 FROM t", "postgres", "proven_read"),
        ("SELECT *", "postgres", "proven_read"),
        ("SELECT (1)('x')", "postgres", "parse_error"),
        ("SELECT x'ff' (1)", "sqlite", "parse_error"),
        ("EXPLAIN (VERBOSE ON OFF) SELECT 1", "postgres", "node_not_read"),
        ("EXPLAIN (FORMAT XML) SELECT nextval('s')", "postgres", "function_not_listed"),
        ("EXPLAIN FORMAT=JSON INTO @x SELECT 1", "mysql", "parse_error"),
        ("DESCRIBE t PARTITION (a = 1)", "spark", "node_not_read"),
        ("EXPLAIN FORMAT=XYZ SELECT 1", "mysql", "node_not_read"),
        ("DESCRIBE DELETE FROM t", "duckdb", "root_not_read"),
        ("SUMMARIZE DELETE FROM t", "duckdb", "parse_error"),
        ("SELECT * FROM a.my_macro(1)", "duckdb", "function_qualified"),
        ("SELECT * FROM (my_table)", "postgres", "node_not_read"),
        ("SELECT (PRAGMA x)", "sqlite", "node_not_read"),
        ("SELECT * FROM (VACUUM)", "clickhouse", "node_not_read"),
        ("SELECT (CHECKPOINT)", "postgres", "root_not_read"),
        ("SELECT * FROM 'users'", "postgres", "external_source"),
        ("SELECT * FROM 't' u JOIN v ON true", "mysql", "external_source"),
        ("SELECT * FROM ROWS FROM (generate_series(1, 2), f(1)) AS x", "postgres", "function_not_listed"),
        ("SHOW WARNINGS WHERE f(1)", "mysql", "function_not_listed"),
        ("SHOW TABLES WHERE my_f(1)", "mysql", "function_not_listed"),
        ("SHOW", "postgres", "root_not_read"),
        ("SELECT TRANSFORM(a, b) FROM t", "trino", "function_not_listed"),
        ("SELECT TRY(1)", "bigquery", "function_not_listed"),
    ],
)
def test_odd_shapes_ask(text: str, dialect: str, code: str) -> None:
    assert judged(text, dialect).code == code


def test_a_string_names_a_table_in_sqlite() -> None:
    assert judged("SELECT * FROM 'users'", "sqlite").proven_read


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("SELECT 1 ->> DELETE FROM t", "snowflake"),
        ("SELECT a FROM t ->> DELETE FROM t", "snowflake"),
        ("SELECT 1\n/\nDELETE FROM t", "oracle"),
        ("SELECT * FROM STREAM read_files('/x')", "spark"),
        ("SELECT * FROM STREAM read_files(x)", "spark"),
        ("SELECT * FROM STREAM read_files('/x')", "hive"),
        ("SELECT * FROM TABLE my_udtf(x)", "snowflake"),
        ("SELECT * FROM t u('x')", "postgres"),
        ("SELECT * FROM t u(1)", "duckdb"),
    ],
)
def test_a_statement_or_a_call_that_the_parser_takes_for_something_else_is_not_proven(text: str, dialect: str) -> None:
    assert not judged(text, dialect).proven_read


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("SELECT TRUNC(d), 4 / 2 FROM t", "oracle"),
        ("SELECT a\n/ b FROM t", "oracle"),
        ("SELECT now()", "duckdb"),
        ("SELECT named_struct('a', 1) FROM t", "spark"),
        ("SELECT avgIf(a, b), toUInt64OrZero(c) FROM t", "clickhouse"),
        ("SELECT * FROM stream s WHERE s.a = 1", "postgres"),
        ("SELECT * FROM (VALUES (1)) AS x(a)", "postgres"),
        ("SELECT TO_TIMESTAMP(a) FROM t", "snowflake"),
    ],
)
def test_an_ordinary_read_that_looks_a_little_like_one_of_these_is_proven(text: str, dialect: str) -> None:
    verdict = judged(text, dialect)
    assert verdict.proven_read, verdict
