"""`banksman check sql`: the judgement over a text of SQL (gate-J6)."""

from pydantic import JsonValue

from desktop.policy.sql.lazy import assess_sql

Line = dict[str, JsonValue]


def check_sql(line: Line) -> Line:
    """`{"sql", "dialect"}` → `{"verdict": "allow" | "ask", "reason", "fragment"}`; no fragment where nothing is wrong.

    Raises:
        ValueError: a field is missing or is no string.
    """
    sql, dialect = line.get("sql"), line.get("dialect")
    if not isinstance(sql, str) or not isinstance(dialect, str):
        raise ValueError("The fields sql and dialect must be strings.")
    verdict = assess_sql(sql, dialect)
    return {
        "verdict": "allow" if verdict.proven_read else "ask",
        "reason": f"{verdict.code}: {verdict.reason}",
        "fragment": None if verdict.proven_read else verdict.fragment,
    }
