"""`assess_sql`, whose parser (0.2 s to import) is loaded when the first SQL is judged and not before."""

from collections.abc import Callable
from functools import cache

from desktop.late import late
from desktop.policy.sql.verdict import SqlVerdict

_MODULE = "desktop.policy.sql.assess"


def assess_sql(text: str, dialect: str) -> SqlVerdict:
    """As `desktop.policy.sql.assess.assess_sql`; the first call imports the parser."""
    return _assessor()(text, dialect)


@cache
def _assessor() -> Callable[[str, str], SqlVerdict]:
    found: Callable[[str, str], SqlVerdict] = late(_MODULE).assess_sql
    return found
