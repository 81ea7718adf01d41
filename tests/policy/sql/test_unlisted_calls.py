"""Which statements call a function that is not known to be harmless, whatever else they do."""

import pytest

from desktop.policy.sql.assess import assess_sql

CALLS = [
    ("sqlite", "DELETE FROM t WHERE x = load_extension('a')"),
    ("sqlite", "REPLACE INTO t (a) VALUES (f(1))"),
    ("sqlite", "INSERT INTO t (a) VALUES (\"f\"(1))"),
    ("postgres", "DELETE FROM t WHERE f(a)"),
    ("postgres", "UPDATE t SET a = s.f(a) WHERE id = 1"),
    ("postgres", "INSERT INTO s.t (a) SELECT * FROM dblink_exec('x', 'y')"),
    ("postgres", "WITH x AS (SELECT f(1) AS id) DELETE FROM t WHERE id IN (SELECT id FROM x)"),
    ("postgres", "DELETE FROM t WHERE id = 1 RETURNING pg_notify('a', 'b')"),
    ("postgres", "EXPLAIN ANALYZE DELETE FROM t WHERE f(a)"),
    ("postgres", "DELETE FROM t WHERE id IN (SELECT u.f FROM u WHERE (u).f)"),
    ("postgres", "UPDATE t SET a = b OPERATOR(s.+) c WHERE id = 1"),
    ("postgres", "UPDATE t SET a = json_extract(b, 'x')"),
    ("postgres", "CREATE TABLE x AS SELECT json_extract(a, 'x') FROM t"),
    ("postgres", "CREATE INDEX i ON t USING gin (f(a))"),
    ("postgres", "ALTER TABLE t ADD CONSTRAINT c CHECK (f(a))"),
    ("mysql", "UPDATE t SET a = get_lock('a', 1)"),
    ("mysql", "DELETE FROM t WHERE d < now ()"),
]  # fmt: skip
NO_CALLS = [
    ("sqlite", "SELECT 1"),
    ("sqlite", "REPLACE INTO t (a) VALUES (lower('A'))"),
    ("sqlite", "INSERT INTO \"t\" (\"a\") VALUES (1) ON CONFLICT (a) DO UPDATE SET a = excluded.a"),
    ("postgres", "UPDATE t SET a = now() WHERE id IN (SELECT id FROM u)"),
    ("postgres", "DELETE FROM t USING u WHERE t.id = u.id RETURNING t.id"),
    ("postgres", "MERGE INTO t USING u ON t.id = u.id WHEN NOT MATCHED THEN INSERT (a) VALUES (u.a)"),
    ("postgres", "CREATE TABLE s.t (a int CHECK (a > 0), c int REFERENCES s.u (id), b varchar(10))"),
    ("postgres", "CREATE INDEX i ON s.t (lower(a))"),
    ("postgres", "DROP FUNCTION f(int)"),
    ("mysql", "INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a = VALUES(a)"),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "sql"), CALLS)
def test_a_call_is_seen_in_a_statement_that_changes_something(dialect: str, sql: str) -> None:
    assert assess_sql(sql, dialect).statements[0].unlisted_call


@pytest.mark.parametrize(("dialect", "sql"), NO_CALLS)
def test_names_of_tables_and_known_functions_are_no_such_call(dialect: str, sql: str) -> None:
    assert not assess_sql(sql, dialect).statements[0].unlisted_call
