"""PostgreSQL's attribute notation: a qualified column that may be the call of a function asks, every other reads."""

import pytest

from desktop.policy.sql.assess import assess_sql
from desktop.policy.sql.reading.dialects import DIALECTS
from desktop.policy.sql.tree.attributes import attribute_call

FAMILY = sorted(name for name, dialect in DIALECTS.items() if dialect.family == "postgres")
CALLS = (
    "SELECT t.pg_read_file FROM unnest(ARRAY['/etc/passwd']) t",
    "SELECT t.anything FROM unnest(ARRAY['x']) AS t",
    'SELECT t."pg_sleep" FROM generate_series(1, 1) t',
    'SELECT "T".pg_sleep FROM generate_series(1, 1) "T"',
    "SELECT T.PG_SLEEP FROM generate_series(1, 1) t",
    "SELECT t.pg_sleep FROM generate_series(1, 1) AS t(n)",
    "SELECT t.t FROM lower('x') AS t(n)",
    "SELECT t.pg_ls_dir FROM lower('/etc') WITH ORDINALITY AS t(x, n)",
    "SELECT t.ordinality FROM lower('/etc') AS t",
    "SELECT concat.pg_read_file FROM concat('/etc/passwd')",
    "SELECT text.pg_read_file FROM CAST('/etc/passwd' AS text)",
    "SELECT t.pg_read_file FROM CAST('/etc/passwd' AS text) t",
    "SELECT t.pg_read_file FROM COALESCE('/etc/passwd', '') t",
    "SELECT t.pg_read_file FROM pg_catalog.concat('/etc/passwd') t",
    "SELECT t.evil FROM current_user t",
    "SELECT current_user.evil FROM current_user",
    "SELECT t.evil FROM current_timestamp t",
    "SELECT t.pg_read_file FROM ROWS FROM (concat('/etc/passwd')) t",
    "SELECT t.pg_read_file FROM json_array_elements_text('[]') t",
    "SELECT t.evil FROM json_each('{}') t",
    "SELECT t.evil FROM json_to_record('{}') AS t(a int)",
    "SELECT t.pg_sleep FROM a, LATERAL unnest(a.x) t",
    "SELECT t.pg_sleep FROM a CROSS JOIN LATERAL lower(a.x) AS t(y)",
    "SELECT unnest.pg_sleep FROM a, LATERAL unnest(a.x)",
    "SELECT a.x FROM a JOIN generate_series(1, 1) t ON t.pg_sleep IS NULL",
    "SELECT 1 FROM generate_series(1, 1) t WHERE t.pg_sleep IS NULL",
    "SELECT 1 FROM generate_series(1, 1) t GROUP BY t.pg_sleep",
    "SELECT 1 FROM generate_series(1, 1) t ORDER BY t.pg_sleep",
    "SELECT count(*) FILTER (WHERE t.pg_sleep IS NULL) FROM generate_series(1, 1) t",
    "SELECT (SELECT t.pg_sleep) FROM generate_series(1, 1) t",
    "SELECT * FROM (SELECT t.pg_sleep FROM generate_series(1, 1) t) s",
    "WITH c AS (SELECT t.pg_sleep FROM generate_series(1, 1) t) SELECT * FROM c",
    "SELECT t.pg_sleep FROM t, (SELECT 1 FROM generate_series(1, 1) t) s",  # one name for two things
    "SELECT t.pg_sleep::text, t.pg_sleep[1] FROM generate_series(1, 1) t",
    "EXPLAIN SELECT t.pg_sleep FROM generate_series(1, 1) t",
    "EXPLAIN ANALYZE SELECT t.pg_sleep FROM generate_series(1, 1) t",
    f"SELECT {'b' * 63}.pg_sleep FROM a {'b' * 63}x, lower('x') {'b' * 63}y",  # the server cuts names at 63 bytes
    "SELECT v.pg_read_file FROM vic v",
    "SELECT vic.pg_sleep FROM vic",
    "SELECT public.vic.pg_sleep FROM public.vic",
    "SELECT v.dblink_exec FROM (SELECT 'delete from vic') v",
    "SELECT v.lo_import FROM (VALUES ('/etc/passwd')) v",
    "WITH v AS (SELECT 1) SELECT v.set_config FROM v",
    "SELECT t.lo_export FROM vic v, json_populate_record(v, '{}') t",
    "SELECT nobody.evil FROM vic",
    "SELECT (t).pg_sleep FROM t",
    "SELECT (SELECT t FROM t).pg_sleep",
    "SELECT (ROW(1)).f1",
    'SELECT v.U&"\\0065vil" FROM vic v',
    'SELECT v.u&"evil" FROM vic v',
)
COLUMNS = (
    "SELECT t.t FROM unnest(ARRAY['x']) t",
    "SELECT t.x, t.n FROM unnest(ARRAY['x']) WITH ORDINALITY AS t(x, n)",
    "SELECT t.t, t.ordinality FROM unnest(ARRAY['x']) WITH ORDINALITY t",
    "SELECT t.ordinality FROM a, LATERAL lower(a.x) WITH ORDINALITY t",
    "SELECT T.X FROM lower('a') AS t(x)",
    "SELECT t.* FROM generate_series(1, 3) t",
    "SELECT generate_series.generate_series FROM generate_series(1, 3)",
    "SELECT json_each.key FROM json_each('{}')",
    "SELECT e.key, e.value FROM orders o, jsonb_each(o.doc) e",
    "SELECT item.value ->> 'sku' FROM orders o CROSS JOIN LATERAL jsonb_array_elements(o.items) AS item",
    "SELECT r.a, r.b FROM json_to_record('{}') AS r(a int, b text)",
    "SELECT p.name FROM users u, json_populate_record(u, u.doc) p",
    "SELECT d.day FROM generate_series(now() - interval '7 days', now(), interval '1 day') AS d(day)",
    "SELECT d.d FROM current_date d",
    "SELECT u.name, u.text, u.date, u.path, u.version, u.key FROM users u",
    "SELECT public.users.name FROM public.users",
    "SELECT v.column1 FROM (VALUES (1)) v",
    "WITH c(n) AS (SELECT 1) SELECT c.n FROM c",
    "SELECT s.total FROM users u, LATERAL (SELECT sum(total) AS total FROM orders o WHERE o.user_id = u.id) s",
    'SELECT u.name COLLATE pg_catalog."C" FROM users u',
    "SELECT (SELECT max(o.total) FROM orders o WHERE o.user_id = u.id) FROM users u",
    "SELECT c.relname, c.pg_get_viewdef FROM pg_class c",  # a listed function, whatever it is
    "EXPLAIN INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = excluded.a",
    "SELECT U&'d\\0061t'",
)  # fmt: skip


@pytest.mark.promise("gate-Q9")
@pytest.mark.parametrize("text", CALLS)
@pytest.mark.parametrize("dialect", FAMILY)
def test_a_column_that_may_be_a_call_asks(text: str, dialect: str) -> None:
    assert not assess_sql(text, dialect).proven_read


@pytest.mark.parametrize("text", COLUMNS)
def test_a_column_that_is_one_reads(text: str) -> None:
    verdict = assess_sql(text, "postgres")
    assert verdict.proven_read, verdict


def test_the_card_marks_the_column() -> None:
    verdict = assess_sql("SELECT 1, t.pg_read_file FROM unnest(ARRAY['/etc/passwd']) t", "postgres")
    assert (verdict.code, verdict.fragment) == ("function_not_listed", "t.pg_read_file")


def test_nothing_is_looked_for_where_nothing_is_qualified() -> None:
    assert attribute_call(()) is None
