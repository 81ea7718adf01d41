"""The judgement of a text of SQL, each text judged once."""

from functools import lru_cache

from desktop.policy.sql.lazy import assess_sql
from desktop.policy.sql.verdict import SqlVerdict


@lru_cache(maxsize=64)
def verdict_of(sql: str, dialect: str) -> SqlVerdict:
    """Whether the text is proven to read only (gate-Q1). The first call loads the parser."""
    return assess_sql(sql, dialect)
