"""Oracle calls a function without arguments by its bare name, so a column there may be anybody's code (gate-Q9)."""

from sqlglot import exp

from desktop.policy.sql.reading.dialects import Dialect

_PSEUDO_COLUMNS = frozenset(
    {
        "DUMMY",
        "SYSDATE",
        "SYSTIMESTAMP",
        "USER",
        "UID",
        "ROWNUM",
        "ROWID",
        "LEVEL",
        "SESSIONTIMEZONE",
        "DBTIMEZONE",
        "CONNECT_BY_ISLEAF",
        "CONNECT_BY_ISCYCLE",
        "ORA_ROWSCN",
    }
)


def bare_call(root: exp.Expr, dialect: Dialect) -> exp.Column | None:
    """A column that no table there can have: one of `dual`, or one behind the name of no table; else None."""
    if dialect.family != "oracle":
        return None
    sources = _sources(root)
    only_dual = sources <= {"DUAL"}
    for column in root.find_all(exp.Column):
        qualifier = column.table.upper()
        unknown = qualifier not in sources if qualifier else only_dual and column.name.upper() not in _PSEUDO_COLUMNS
        if unknown and not isinstance(column.this, exp.Star):
            return column
    return None


def _sources(root: exp.Expr) -> set[str]:
    names = {table.name.upper() for table in root.find_all(exp.Table)}
    aliases = {alias.name.upper() for alias in root.find_all(exp.TableAlias)}
    return names | aliases
