"""The names after FROM that are tables of the database, and those that open a file, a stage or the network
(gate-Q9)."""

from sqlglot import exp

from desktop.policy.sql.names.sqlite import PRAGMAS
from desktop.policy.sql.reading.dialects import Dialect

_PATH_CHARACTERS = frozenset("/\\:@*")
_LAKE_FORMATS = frozenset(
    {"csv", "json", "parquet", "orc", "avro", "text", "delta", "binaryfile", "iceberg", "hudi", "xml"}
)
_ATTACHED = frozenset({"memory", "system", "temp"})  # the databases that DuckDB always has; others are in a file's name
_OWN_SCHEMAS = frozenset({"main", "information_schema", "pg_catalog", "temp"})
_FILE_ENDINGS = frozenset({
    "arrow", "arrows", "avro", "csv", "db", "db3", "duckdb", "feather", "fgb", "geojson", "geojsonl", "gpkg", "gpx",
    "gz", "ipc", "json", "jsonl", "kml", "lance", "ndjson", "orc", "osm", "parquet", "shp", "sqlite", "sqlite3", "tsv",
    "txt", "vortex", "xls", "xlsm", "xlsx", "zst",
})  # fmt: skip
_TABLE_KEYWORDS = frozenset({"FINAL", "INPUT", "LATERAL", "LIVE", "ONLY", "ROWS", "STREAM", "TABLE", "UNNEST"})
_SQLITE_FUNCTIONS = frozenset({"fsdir", "zipfile", "csv", "sqlite_dbpage", "completion", "bytecode", "tables_used"})


def table_problem(table: exp.Table, dialect: Dialect) -> str:
    """Why a table may be something outside the database, "" if it may not. Functions are judged as functions."""
    this = table.this
    if isinstance(this, exp.Func):
        return ""
    parts = [part for part in (table.args.get("catalog"), table.args.get("db"), this) if part is not None]
    for part in _flat(parts):
        if not isinstance(part, exp.Identifier):
            return part.name[:80] or type(part).__name__
        if _PATH_CHARACTERS & set(part.name) - ({"*"} if dialect.family == "bigquery" else set()):
            return part.name[:80]
    if _calls_by_keyword(table):
        return table.name
    names = [part.name.lower() for part in _flat(parts)]
    return _by_dialect(names, dialect) if names else ""


def may_be_file(argument: exp.Expr) -> bool:
    """Whether what a pragma of DuckDB is asked of may be a file there; a schema before the table looks the same."""
    return bool((_PATH_CHARACTERS | {"."}) & set(argument.name))


def _calls_by_keyword(table: exp.Table) -> bool:
    """`STREAM f(x)` and `dictionary('x')`, which call a function and which the parser takes for a table with an alias
    and its columns, or with columns alone."""
    alias = table.args.get("alias")
    if isinstance(alias, exp.TableAlias) and alias.args.get("columns") and alias.this is None:
        return True
    named = isinstance(alias, exp.TableAlias) and bool(alias.args.get("columns"))
    plain = len(table.parts) == 1 and not table.this.args.get("quoted")
    return named and plain and table.name.upper() in _TABLE_KEYWORDS


def _flat(parts: list[exp.Expr]) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    for part in parts:
        found += _flat([part.this, part.expression]) if isinstance(part, exp.Dot) else [part]
    return found


def _by_dialect(names: list[str], dialect: Dialect) -> str:
    shown = ".".join(names)
    if dialect.family == "spark" and len(names) > 1 and names[0] in _LAKE_FORMATS:
        return shown
    if dialect.family == "duckdb" and _opens_file(names):
        return shown
    if dialect.family == "sqlite":
        name = names[-1]
        if name in _SQLITE_FUNCTIONS or (name.startswith("pragma_") and name.removeprefix("pragma_") not in PRAGMAS):
            return shown
    return ""


def _opens_file(names: list[str]) -> bool:
    """Whether DuckDB, where it finds no such table, may open a file of that name or load what can: any name with a dot
    may be one, so the schema must be one that is always there. `main.csv` is both."""
    *databases, schema, table = ["main", *names] if len(names) == 1 else names
    if any("." in name for name in names) or schema not in _OWN_SCHEMAS or not _ATTACHED.issuperset(databases):
        return True
    return len(names) > 1 and table in _FILE_ENDINGS
