"""The dialects of SQL that are judged: their names, families, and how their servers cut text into words (gate-Q5).

The rules of quoting and comments here come from the manuals of the servers, not from the parser, because the second
reading (`lexer.py`) exists to notice where the two disagree.
"""

from typing import Literal

from desktop.records import dataclass

Comments = Literal["nest", "flat", "unsure"]


@dataclass(frozen=True)
class Dialect:
    """One dialect. `parser`: the parser's name for it; `lists`: whose lists of names hold ("" = typed functions only).

    `double`: a double quote opens a string, not a name. `backslash`: it escapes inside strings, always or (`mode`) as
    the server is set up. `dollar`: `$tag$` strings, or `$$` only. `nesting`: whether block comments nest.
    """

    parser: str
    family: str
    lists: str = ""
    double: bool = False
    backslash: Literal["no", "yes", "mode"] = "no"
    dollar: Literal["", "tag", "plain"] = ""
    nesting: Comments = "unsure"
    hash_comment: bool = False
    slash_comment: bool = False
    dash_needs_blank: bool = False
    brackets: bool = False
    backtick: bool = False
    escape_prefix: bool = False
    triple: bool = False
    alternative: bool = False


_POSTGRES = Dialect(
    "postgres", "postgres", "postgres", backslash="mode", dollar="tag", nesting="nest", escape_prefix=True
)
_MYSQL = Dialect(
    "mysql",
    "mysql",
    "mysql",
    double=True,
    backslash="mode",
    nesting="flat",
    hash_comment=True,
    dash_needs_blank=True,
    backtick=True,
)
_SQLITE = Dialect("sqlite", "sqlite", "sqlite", nesting="flat", brackets=True, backtick=True)
_TSQL = Dialect("tsql", "tsql", "tsql", nesting="nest", brackets=True)
_DUCKDB = Dialect("duckdb", "duckdb", "duckdb", dollar="tag", nesting="nest", escape_prefix=True)
_TRINO = Dialect("trino", "trino", "trino", nesting="flat")
_SPARK = Dialect("spark", "spark", "spark", double=True, backslash="mode", backtick=True)


def _like(base: Dialect, parser: str, lists: str | None = None) -> Dialect:
    values = {**base.__dict__, "parser": parser, "lists": base.lists if lists is None else lists}
    return Dialect(**values)


DIALECTS: dict[str, Dialect] = {
    "postgres": _POSTGRES,
    "postgresql": _POSTGRES,
    "materialize": _like(_POSTGRES, "materialize", "postgres_like"),
    "risingwave": _like(_POSTGRES, "risingwave", "postgres_like"),
    "redshift": _like(_POSTGRES, "redshift", "postgres_like"),
    "sqlite": _SQLITE,
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
    "singlestore": _like(_MYSQL, "singlestore", ""),
    "doris": _like(_MYSQL, "doris", ""),
    "starrocks": _like(_MYSQL, "starrocks", ""),
    "tsql": _TSQL,
    "mssql": _TSQL,
    "sqlserver": _TSQL,
    "fabric": _like(_TSQL, "fabric"),
    "duckdb": _DUCKDB,
    "snowflake": Dialect(
        "snowflake", "snowflake", "snowflake", backslash="yes", dollar="plain", nesting="flat", slash_comment=True
    ),
    "bigquery": Dialect(
        "bigquery",
        "bigquery",
        "bigquery",
        double=True,
        backslash="yes",
        nesting="flat",
        hash_comment=True,
        backtick=True,
        triple=True,
    ),
    "clickhouse": Dialect(
        "clickhouse", "clickhouse", "clickhouse", backslash="yes", dollar="tag", hash_comment=True, backtick=True
    ),
    "oracle": Dialect("oracle", "oracle", "oracle", nesting="flat", alternative=True),
    "spark": _SPARK,
    "spark2": _like(_SPARK, "spark2"),
    "databricks": _like(_SPARK, "databricks"),
    "hive": _like(_SPARK, "hive"),
    "trino": _TRINO,
    "presto": _like(_TRINO, "presto"),
    "athena": _like(_TRINO, "athena"),
    "dune": _like(_TRINO, "dune"),
    "teradata": Dialect("teradata", "teradata"),
    "exasol": Dialect("exasol", "exasol"),
    "dremio": Dialect("dremio", "dremio", slash_comment=True),
    "drill": Dialect("drill", "drill", backtick=True),
    "druid": Dialect("druid", "druid"),
}


def find_dialect(name: str) -> Dialect | None:
    """The dialect of that name, upper and lower case alike; None: no such dialect is judged."""
    return DIALECTS.get(name.strip().lower())
