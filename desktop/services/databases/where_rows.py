"""The rows that an UPDATE or DELETE means, as a query with the same WHERE."""

from typing import Any

from desktop.late import late
from desktop.services.databases.base import SAMPLE_ROWS
from desktop.services.databases.judging import verdict_of


def rows_meant(sql: str, dialect: str) -> str:
    """A SELECT of at most 20 rows with the statement's own table and WHERE; "" where none can be derived.

    It is itself proven to read only before it is given back.
    """
    parser: Any = late("sqlglot")
    try:
        tree: Any = parser.parse_one(sql, dialect=dialect)
    except (parser.errors.SqlglotError, RecursionError):
        return ""
    simple = isinstance(tree, (parser.exp.Delete, parser.exp.Update))
    if not simple or not isinstance(tree.this, parser.exp.Table) or tree.this.args.get("joins"):
        return ""
    if any(tree.args.get(key) for key in ("using", "from_", "from", "tables", "with_", "with", "cluster")):
        return ""
    query = parser.exp.select("*").from_(tree.this.copy())
    where = tree.args.get("where")
    if where is not None:
        query = query.where(where.this.copy())
    text = str(query.limit(SAMPLE_ROWS).sql(dialect=dialect))
    return text if verdict_of(text, dialect).proven_read else ""
