"""The judgement of a text of SQL, each text judged once, and what a server knew better."""

from collections import OrderedDict
from functools import lru_cache

from desktop.policy.sql.lazy import assess_sql
from desktop.policy.sql.verdict import SqlVerdict

MAX_OBJECTIONS = 256
REASON = "It calls something that is not known to only read."


@lru_cache(maxsize=64)
def verdict_of(sql: str, dialect: str) -> SqlVerdict:
    """Whether the text is proven to read only (gate-Q1). The first call loads the parser."""
    return assess_sql(sql, dialect)


class Objections:
    """The objections of servers to texts that were judged to read only: each text is not proven there from then on."""

    def __init__(self) -> None:
        self._names: OrderedDict[tuple[str, str], str] = OrderedDict()

    def add(self, connection: str, sql: str, name: str) -> None:
        """Keep that this text, on this connection, calls something unlisted: `name`, "" where that is not known."""
        self._names[connection, sql] = name
        while len(self._names) > MAX_OBJECTIONS:  # the oldest is judged and asked of the server once more
            self._names.popitem(last=False)

    def verdict(self, connection: str, sql: str, dialect: str) -> SqlVerdict:
        """The judgement of the text on that connection."""
        verdict, name = verdict_of(sql, dialect), self._names.get((connection, sql))
        if name is None or not verdict.proven_read:
            return verdict
        start = max(sql.lower().find(name.lower()), 0)
        end = start + len(name) if sql[start:].lower().startswith(name.lower()) else start
        said = {"proven_read": False, "code": "function_not_listed", "class_": "opaque"}
        return verdict.model_copy(
            update={
                "proven_read": False,
                "code": "function_not_listed",
                "reason": REASON,
                "fragment": sql[start:end],
                "span": (start, end),
                "statements": tuple(statement.model_copy(update=said) for statement in verdict.statements),
            }
        )
