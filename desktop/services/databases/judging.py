"""The judgement of a text of SQL, loaded at its first use: the parser behind it costs a tenth of a second."""

import importlib
from collections.abc import Callable
from functools import lru_cache
from typing import cast

from desktop.policy.sql.verdict import SqlVerdict

_MODULE = "desktop.policy.sql.assess"


@lru_cache(maxsize=64)
def verdict_of(sql: str, dialect: str) -> SqlVerdict:
    """Whether the text is proven to read only (gate-Q1). Equal texts are judged once."""
    assess = cast(Callable[[str, str], SqlVerdict], vars(importlib.import_module(_MODULE))["assess_sql"])
    return assess(sql, dialect)
