"""The catalogue of a PostgreSQL database, read with queries written here."""

from desktop.services.databases.base import TableLine
from desktop.services.databases.postgres.connections import Server

_KINDS = {"r": "table", "p": "table", "v": "view", "m": "materialized view", "f": "foreign table"}
_NAME = "CASE WHEN pg_table_is_visible(c.oid) THEN c.relname ELSE n.nspname || '.' || c.relname END"
_TABLES = f"""
SELECT {_NAME} AS name, c.relkind::text AS kind, c.reltuples::bigint AS rows,
(SELECT count(*) FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
AND NOT c.relispartition ORDER BY 1
"""  # noqa: S608 - a text written here
_FIND = f"""
SELECT c.oid, {_NAME} AS name, c.relkind::text AS kind
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND (lower(c.relname) = lower($1) OR lower(n.nspname || '.' || c.relname) = lower($1))
ORDER BY c.relname = $1 OR n.nspname || '.' || c.relname = $1 DESC, pg_table_is_visible(c.oid) DESC, 2 LIMIT 1
"""  # noqa: S608, E501 - a text written here
_COLUMNS = """
SELECT quote_ident(a.attname) AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required,
pg_get_expr(d.adbin, d.adrelid) AS value, a.attidentity::text AS identity, a.attgenerated::text AS generated
FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
_CONSTRAINTS = """
SELECT quote_ident(conname) AS name, pg_get_constraintdef(oid) AS text FROM pg_constraint
WHERE conrelid = $1 AND contype IN ('p', 'u', 'f', 'c', 'x') ORDER BY contype <> 'p', conname
"""
_INDEXES = """
SELECT pg_get_indexdef(i.indexrelid) AS text FROM pg_index AS i
WHERE i.indrelid = $1 AND NOT EXISTS (SELECT 1 FROM pg_constraint AS k WHERE k.conindid = i.indexrelid) ORDER BY 1
"""
_TRIGGERS = "SELECT pg_get_triggerdef(oid) AS text FROM pg_trigger WHERE tgrelid = $1 AND NOT tgisinternal ORDER BY 1"


async def list_tables(server: Server) -> tuple[TableLine, ...]:
    """Tables, views and their like outside the system's schemas; partitions under their table. Rows as estimated."""
    rows = await server.fetch(_TABLES)
    return tuple(
        TableLine(
            name=row["name"],
            kind=_KINDS[row["kind"]],
            columns=row["columns"],
            rows=row["rows"] if row["rows"] >= 0 and row["kind"] != "v" else None,
        )
        for row in rows
    )


async def describe_table(server: Server, table: str) -> str:
    """Columns, keys, indexes and triggers, or a view's query. "": no such table."""
    found = await server.fetchrow(_FIND, table)
    if found is None:
        return ""
    oid, kind = found["oid"], found["kind"]
    lines = [_column(row) for row in await server.fetch(_COLUMNS, oid)]
    lines += [f"CONSTRAINT {row['name']} {row['text']}" for row in await server.fetch(_CONSTRAINTS, oid)]
    body = ",\n".join(f"  {line}" for line in lines)
    parts = [f"CREATE {_KINDS[kind].upper()} {found['name']} (\n{body}\n);"]
    if kind in ("v", "m"):
        query = await server.fetchval("SELECT pg_get_viewdef($1::oid, true)", oid)
        parts.append(f"-- as\n{query}")
    for query in (_INDEXES, _TRIGGERS):
        parts += [f"{row['text']};" for row in await server.fetch(query, oid)]
    return "\n".join(parts)


def _column(row: dict[str, str]) -> str:
    words = [row["name"], row["type"]]
    if row["identity"]:
        words.append(f"GENERATED {'ALWAYS' if row['identity'] == 'a' else 'BY DEFAULT'} AS IDENTITY")
    if row["generated"]:
        words.append(f"GENERATED ALWAYS AS ({row['value']}) STORED")
    elif row["value"]:
        words.append(f"DEFAULT {row['value']}")
    if row["required"]:
        words.append("NOT NULL")
    return " ".join(words)
