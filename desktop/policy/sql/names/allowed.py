"""The function names that may be called in a dialect, typed by the parser or not (gate-Q8)."""

from sqlglot import exp

from desktop.policy.sql.names import clickhouse as names_clickhouse
from desktop.policy.sql.names import mysql as names_mysql
from desktop.policy.sql.names import others as names_others
from desktop.policy.sql.names import postgres as names_postgres
from desktop.policy.sql.names import sqlite as names_sqlite
from desktop.policy.sql.reading.dialects import Dialect

_NAMES = {
    **names_others.NAMES,
    "clickhouse": names_clickhouse.NAMES,
    "postgres": names_postgres.NAMES,
    "postgres_like": names_postgres.NAMES,
    "sqlite": names_sqlite.NAMES,
    "mysql": names_mysql.NAMES,
}
_TYPES = {
    "postgres": names_postgres.TYPES,
    "sqlite": names_sqlite.TYPES,
    "mysql": names_mysql.TYPES,
}
_NOTHING: frozenset[str] = frozenset()


def listed_name(name: str, dialect: Dialect) -> bool:
    """Whether an unqualified function of that name may be called; a name with other than ASCII letters never."""
    if not name.isascii():
        return False
    lowered = name.lower()
    combined = dialect.lists == "clickhouse" and names_clickhouse.is_combined(lowered)
    return combined or lowered in _NAMES.get(dialect.lists, _NOTHING)


def names_are_closed(dialect: Dialect) -> bool:
    """Whether the dialect's list holds every function that may be called, those with a class of the parser included."""
    return dialect.lists in _TYPES


def listed_type(name: str, dialect: Dialect) -> bool:
    """Whether the word may stand before a bracket as the name of a type, as in `varchar(10)`."""
    return name.lower() in _TYPES.get(dialect.lists, _NOTHING)


def without_arguments(name: str, dialect: Dialect) -> bool:
    """Whether the function may be called only without arguments."""
    return dialect.lists == "mysql" and name.lower() in names_mysql.WITHOUT_ARGUMENTS


def passes_without_class(node: exp.Func, dialect: Dialect) -> bool:
    """Whether a function whose class is not listed is harmless in this form: a closure over a list, or `TRY`."""
    if isinstance(node, exp.SafeFunc | exp.NetFunc):
        return dialect.family == "bigquery"
    if isinstance(node, exp.Transform):
        return isinstance(node.expression, exp.Lambda)
    return isinstance(node, exp.Try) and dialect.family == "trino"


def prefixed_call(called: exp.Func, dialect: Dialect) -> bool:
    """Whether a call stands behind a word that is the server's own: a listing of Snowflake's INFORMATION_SCHEMA, or
    BigQuery's `NET.` and `HLL_COUNT.`, behind which nobody can define a function."""
    parent, name = called.parent, called.name.lower()
    if not isinstance(called, exp.Anonymous):
        return False
    if dialect.family == "bigquery" and isinstance(parent, exp.NetFunc):
        return name in names_others.BIGQUERY_PREFIXED["net"]
    if not isinstance(parent, exp.Dot):
        return False
    qualifier = parent.this.expression if isinstance(parent.this, exp.Dot) else parent.this
    if dialect.family == "snowflake":
        return qualifier.name.lower() == "information_schema" and name in names_others.SNOWFLAKE_HISTORY
    own = names_others.BIGQUERY_PREFIXED.get(parent.this.name.lower(), _NOTHING)
    return dialect.family == "bigquery" and isinstance(parent.this, exp.Identifier) and name in own
