"""Which function names may be called in a dialect, typed by the parser or not (gate-Q8, 9.1)."""

from sqlglot import exp

from desktop.policy.sql import names_mysql, names_others, names_postgres, names_sqlite
from desktop.policy.sql.dialects import Dialect

_NAMES = {
    **names_others.NAMES,
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
    return name.isascii() and name.lower() in _NAMES.get(dialect.lists, _NOTHING)


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
    if isinstance(node, exp.Transform):
        return isinstance(node.expression, exp.Lambda)
    return isinstance(node, exp.Try) and dialect.family == "trino"
