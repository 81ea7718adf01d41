"""The choice of statements that can be previewed, and the way in which an approved one is run."""

from desktop.config.databases import Dialect
from desktop.domain.gate.effects import EffectPreview
from desktop.policy.sql.verdict import SqlClass, SqlStatement, SqlVerdict
from desktop.services.databases.base import WritePlan

_COUNTED = frozenset({"INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "WITH", "UPSERT"})
_OBJECT_KINDS = frozenset({"DROP", "ALTER", "CREATE", "TRUNCATE", "COMMENT", "RENAME"})
_ALONE: dict[Dialect, tuple[str, ...]] = {
    "sqlite": ("VACUUM", "ATTACH", "DETACH", "PRAGMA"),
    "postgres": (
        "VACUUM",
        "CREATE DATABASE",
        "DROP DATABASE",
        "ALTER DATABASE",
        "ALTER SYSTEM",
        "CREATE TABLESPACE",
        "DROP TABLESPACE",
        "REINDEX",
        "CLUSTER",
        "CREATE SUBSCRIPTION",
        "DROP SUBSCRIPTION",
    ),
    "mysql": ("CREATE", "ALTER", "DROP", "TRUNCATE", "RENAME", "GRANT", "REVOKE", "ANALYZE", "OPTIMIZE", "REPAIR"),
    "mariadb": ("CREATE", "ALTER", "DROP", "TRUNCATE", "RENAME", "GRANT", "REVOKE", "ANALYZE", "OPTIMIZE", "REPAIR"),
}
_UNLISTED = frozenset({"function_not_listed", "function_qualified"})
_UNREAD = frozenset({"parse_error", "token_error"})
_NO_PREVIEW: dict[SqlClass, str] = {
    "opaque": "Banksman cannot tell what this does",
    "privilege": "it changes rights",
    "transaction": "it controls transactions",
    "session_state": "it changes settings of the connection",
    "read": "it reads",
}


def no_preview_reason(dialect: Dialect, verdict: SqlVerdict) -> str:
    """Why there can be no preview of this text, "" if it can be tried (gate-Q23)."""
    if len(verdict.statements) != 1:
        return _NO_PREVIEW["opaque"]
    statement = verdict.statements[0]
    reason = _NO_PREVIEW.get(statement.class_, "")
    if reason:
        return reason
    if statement.code in _UNREAD:
        return _NO_PREVIEW["opaque"]
    if statement.unlisted_call or verdict.code in _UNLISTED or statement.code in _UNLISTED:
        return "it calls a function that is not known to be harmless"
    if stands_alone(dialect, statement):
        return "the server commits it at once" if dialect in ("mysql", "mariadb") else "it cannot be in a transaction"
    if dialect in ("mysql", "mariadb") and statement.class_ == "schema":
        return "the server commits it at once"
    return ""


def stands_alone(dialect: Dialect, statement: SqlStatement) -> bool:
    """Whether a statement cannot be in a transaction, so that nothing takes it back. `CONCURRENTLY` is told by the
    caller."""
    kind = f"{statement.kind} "
    return any(kind.startswith(f"{words} ") for words in _ALONE[dialect])


def counts_rows(statement: SqlStatement) -> bool:
    """Whether its effect is rows of tables: INSERT, UPDATE, DELETE and their like."""
    words = statement.kind.split()
    first = words[0] if words else ""
    return first in _COUNTED or (statement.class_ in ("write", "destructive") and first not in _OBJECT_KINDS)


def write_plan(
    dialect: Dialect, sql: str, verdict: SqlVerdict, *, approved: EffectPreview | None = None, on_click: bool = False
) -> WritePlan:
    """The way in which a text is run once a person approved it."""
    statement = verdict.statements[0] if len(verdict.statements) == 1 else SqlStatement(kind="")
    concurrently = dialect == "postgres" and "CONCURRENTLY" in sql.upper() and statement.class_ != "write"
    return WritePlan(
        counted=counts_rows(statement),
        tables=statement.tables,
        transactional=not (stands_alone(dialect, statement) or concurrently),
        approved=approved,
        whole_file_allowed=on_click,
    )
