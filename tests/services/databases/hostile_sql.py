"""Statements of PostgreSQL made out of parts by chance: harmless ones, and calls in the clothes of columns."""

import random

EFFECTS = (
    "pg_read_file", "pg_ls_dir", "pg_stat_file", "pg_sleep", "pg_advisory_lock", "pg_notify", "pg_terminate_backend",
    "lo_creat", "lo_import", "lo_get", "dblink_exec", "dblink_connect", "pg_create_restore_point", "set_config",
    "pg_stat_reset_shared", "txid_current", "query_to_xml", "nextval", "ts_stat", "pg_drop_replication_slot",
)  # fmt: skip
"""Names behind a dot that must never run. The tests define each of them for rows and records as well."""
COLUMNS = ("id", "name", "x", "n", "t", "key", "value", "ordinality", "a", "b", "column1", "anything")
VALUES = (
    "unnest(ARRAY['/etc/passwd'])", "unnest(ARRAY[1, 2])", "generate_series(1, 2)", "concat('/etc/passwd')",
    "lower('/etc')", "CAST('/etc/passwd' AS text)", "COALESCE('/etc/passwd', 'x')", "string_to_table('a,b', ',')",
    "json_array_elements_text('[\"/etc/passwd\"]')", "jsonb_object_keys('{\"/etc\": 1}')", "current_user",
    "current_date", "pg_catalog.upper('/etc')", "ROWS FROM (concat('/etc/passwd'))", "to_char(now(), 'YYYY')",
    "regexp_split_to_table('a b', ' ')", "length('abc')", "jsonb_path_query('[1]', '$[*]')", "extract(day FROM now())",
    "GREATEST('a', 'b')", "NULLIF('/etc', 'x')", "substring('/etc/passwd' FROM 1)", "now()", "session_user",
)  # fmt: skip
ROWS = (
    "vic", "public.vic", "(SELECT 1 AS id, 'x' AS name)", "(SELECT '/etc/passwd'::text)", "(VALUES ('/etc/passwd'))",
    "(VALUES (1, 'x'))", "json_each('{\"a\": 1}')", "(SELECT * FROM vic)", "(TABLE vic)", "(SELECT v FROM vic v)",
    "json_to_record('{\"a\": 1}')", "unnest(ARRAY[1], ARRAY['a'])", "(vic CROSS JOIN generate_series(1, 2) g)",
    "(SELECT concat('/etc/passwd'))", "pg_class", "information_schema.tables",
)  # fmt: skip
ALIASES = (" t", " AS t", ' "t"', " T", " t(x)", " AS t(x)", " WITH ORDINALITY t(x, n)", " WITH ORDINALITY AS t", "")
REFERENCES = (
    "{q}.{f}", "{q}.{f}", '{q}."{f}"', "{q} . {f}", "{q}/**/.{f}", "({q}).{f}", "({q}.{f})", "{q}.{f}::text", "{q}.*",
    "public.{q}.{f}", "({q}.*).{f}", "ROW({q}.{f})", "(SELECT {q}.{f})", "ARRAY[{q}.{f}]", "{f}({q})", "{q}.{f}[1]",
    '{q}.U&"{f}"', "({q}::text).{f}", "(ROW({q}.*)).{f}", "{q}.{f} IS NULL", "{f}", "CASE WHEN true THEN {q}.{f} END",
)  # fmt: skip
SHAPES = (
    "SELECT {r} FROM {s}", "SELECT {r} FROM {s}", "SELECT 1 FROM {s} WHERE {r} IS NOT NULL",
    "SELECT 1 FROM {s} GROUP BY {r}", "SELECT 1 FROM {s} ORDER BY {r}", "SELECT DISTINCT ON ({r}) 1 FROM {s}",
    "SELECT count({r}) FROM {s}", "SELECT count(*) FILTER (WHERE {r} IS NULL) FROM {s}",
    "SELECT row_number() OVER (ORDER BY {r}) FROM {s}", "SELECT (SELECT {r}) FROM {s}",
    "SELECT o.id FROM vic o JOIN {s} ON {r} IS NULL", "SELECT o.id FROM vic o, LATERAL {s} WHERE {r} IS NULL",
    "SELECT * FROM {s}, LATERAL (SELECT {r}) z", "SELECT * FROM (SELECT {r} FROM {s}) z",
    "WITH c AS (SELECT {r} FROM {s}) SELECT * FROM c", "WITH t AS (SELECT 1 AS id) SELECT {r} FROM {s}",
    "SELECT 1 UNION ALL SELECT 2 FROM {s} WHERE {r} IS NULL", "SELECT 1 WHERE EXISTS (SELECT {r} FROM {s})",
    "SELECT o.id FROM vic o WHERE o.id IN (SELECT length({r}::text) FROM {s})",
    "VALUES ((SELECT {r} FROM {s} LIMIT 1))",
    "SELECT max({r}) FROM {s} HAVING count({r}) > 0", "SELECT 1 LIMIT (SELECT length({r}::text) FROM {s} LIMIT 1)",
    "EXPLAIN ANALYZE SELECT {r} FROM {s}", "EXPLAIN (VERBOSE) SELECT {r} FROM {s}", "SELECT lower({r}::text) FROM {s}",
    "SELECT x.y FROM (SELECT {r} AS y FROM {s}) x", "SELECT {r} FROM {s} LEFT JOIN vic ON true",
)  # fmt: skip


def statements(seed: int, count: int) -> list[str]:
    """So many statements; the same ones for the same seed."""
    chance = random.Random(seed)
    return [_statement(chance) for _ in range(count)]


def _statement(chance: random.Random) -> str:
    source = chance.choice(VALUES if chance.random() < 0.6 else ROWS)
    alias = chance.choice(ALIASES)
    name = chance.choice(EFFECTS if chance.random() < 0.6 else COLUMNS)
    if chance.random() < 0.2:
        name = name.upper()
    qualifier = "t" if alias else source.partition("(")[0].rpartition(".")[2].lower() or "t"
    qualifier = chance.choice((qualifier, qualifier, qualifier, qualifier.upper(), f'"{qualifier}"', "vic"))
    reference = chance.choice(REFERENCES).format(q=qualifier, f=name)
    return chance.choice(SHAPES).replace("{s}", source + alias).replace("{r}", reference)
