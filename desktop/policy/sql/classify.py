"""The facts on the card of a statement: its kind, class, tables, and whether rows or objects can be lost (gate-Q14)."""

from collections.abc import Sequence

from sqlglot import exp

from desktop.policy.sql.reading.lexer import Lexeme
from desktop.policy.sql.verdict import SqlClass, SqlCode
from desktop.records import dataclass

MAX_TABLES = 50
_CLASSES: dict[SqlClass, frozenset[str]] = {
    "write": frozenset(["INSERT", "UPDATE", "MERGE", "UPSERT", "LOAD", "IMPORT", "PUT", "REPLACE", "COPY", "DELETE"]),
    "schema": frozenset(
        {
            "CREATE", "ALTER", "DROP", "TRUNCATE", "RENAME", "COMMENT", "REINDEX", "CLUSTER", "VACUUM", "ANALYZE",
            "ANALYSE", "OPTIMIZE", "REPAIR", "REFRESH", "UNDROP", "CHECK", "CHECKSUM",
        }
    ),
    "privilege": frozenset(["GRANT", "REVOKE", "DENY", "REASSIGN", "SECURITY"]),
    "transaction": frozenset({
        "BEGIN", "START", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "END", "ABORT", "LOCK", "UNLOCK", "SAVE",
        "CHECKPOINT",
    }),
    "session_state": frozenset(
        {
            "SET", "RESET", "USE", "PREPARE", "DEALLOCATE", "LISTEN", "UNLISTEN", "NOTIFY", "DISCARD", "ATTACH",
            "DETACH", "PRAGMA", "DECLARE", "OPEN", "CLOSE", "FETCH", "MOVE", "HANDLER", "FLUSH", "UNSET", "CACHE",
            "UNCACHE", "INSTALL",
        }
    ),
}  # fmt: skip
_DESTRUCTIVE = frozenset(["DELETE", "TRUNCATE", "DROP", "REPLACE", "PURGE"])
_TWO_WORDS = frozenset(
    {
        "CREATE",
        "ALTER",
        "DROP",
        "COMMENT",
        "REFRESH",
        "LOCK",
        "SET",
        "START",
        "EXECUTE",
        "SECURITY",
        "REASSIGN",
        "TRUNCATE",
    }
)
_AFTER_BEGIN = frozenset(
    {
        "TRANSACTION",
        "TRAN",
        "WORK",
        "DEFERRED",
        "IMMEDIATE",
        "EXCLUSIVE",
        "ISOLATION",
        "READ",
        "NOT",
        "CONCURRENT",
    }
)
_PEOPLE = frozenset(["USER", "ROLE", "LOGIN", "GROUP", "PRIVILEGES"])
_OF_CODE: dict[str, SqlClass] = {
    "into": "write",
    "sequence": "write",
    "lock": "transaction",
    "assignment": "session_state",
    "session_state": "session_state",
    "destructive": "destructive",
    "write": "write",
    "schema": "schema",
    "pragma_not_listed": "session_state",
}


@dataclass(frozen=True)
class Sort:
    """The kind of a statement and what it can do."""

    kind: str
    class_: SqlClass
    destructive: bool
    tables: tuple[str, ...]
    where: bool


def classify(lexemes: Sequence[Lexeme], tree: exp.Expr | None, code: SqlCode) -> Sort:
    """Sort a statement that is not proven (or, with the code `proven_read`, one that is)."""
    kind = _kind(lexemes, tree)
    tables = _tables(tree) if tree is not None else ()
    where = tree is not None and _has_where(tree)
    if code == "proven_read":
        return Sort(kind, "read", False, tables, where)
    class_ = _class(kind, lexemes, tree, code)
    return Sort(kind, class_, class_ == "destructive", tables, where)


def code_of_root(lexemes: Sequence[Lexeme], tree: exp.Expr | None) -> SqlCode:
    """The code of a statement whose root is no read: the class of what it is, `root_not_read` if that is not known."""
    class_ = _class(_kind(lexemes, tree), lexemes, tree, "root_not_read")
    if class_ == "read" or class_ == "opaque":  # noqa: PLR1714  (a set would not narrow the type)
        return "opaque" if isinstance(tree, exp.Command) else "root_not_read"
    return class_


def _kind(lexemes: Sequence[Lexeme], tree: exp.Expr | None) -> str:
    words = [lexeme.word for lexeme in lexemes[:12] if lexeme.text != "("]
    first = words[0] if words else ""
    if first == "WITH" and tree is not None:
        root = tree.unnest() if isinstance(tree, exp.Subquery) else tree
        return type(root).__name__.upper() if isinstance(root, exp.DML | exp.Delete) else "SELECT"
    if first in _TWO_WORDS and len(words) > 1 and words[1]:
        return f"{first} {words[1]}"
    return first


def _class(kind: str, lexemes: Sequence[Lexeme], tree: exp.Expr | None, code: SqlCode) -> SqlClass:
    first, _, second = kind.partition(" ")
    if second in _PEOPLE or kind in ("SET ROLE", "ALTER DEFAULT"):
        return "privilege"
    if kind == "SET TRANSACTION":
        return "transaction"
    if _loses(first, lexemes, tree):
        return "destructive"
    for class_, words in _CLASSES.items():
        if first in words:
            return "opaque" if _hidden_work(first, lexemes) else class_
    return _OF_CODE.get(code, "opaque")


def _hidden_work(first: str, lexemes: Sequence[Lexeme]) -> bool:
    """A block with statements inside, or a copy through a program, is not what its first word says."""
    words = [lexeme.word for lexeme in lexemes]
    if first == "COPY":
        return "PROGRAM" in words
    if first == "DECLARE":
        return "CURSOR" not in words
    return first == "BEGIN" and len(words) > 1 and words[1] not in _AFTER_BEGIN


def _loses(first: str, lexemes: Sequence[Lexeme], tree: exp.Expr | None) -> bool:
    if first in _DESTRUCTIVE:
        return True
    words = [lexeme.word for lexeme in lexemes]
    if first == "MERGE":
        return "DELETE" in words
    if first == "ALTER":
        return "DROP" in words or "TRUNCATE" in words or "DETACH" in words
    if first == "UPDATE":
        return "WHERE" not in words
    if first == "INSERT":
        return "OVERWRITE" in words or (len(words) > 2 and words[1:3] == ["OR", "REPLACE"])
    return tree is not None and any(_node_loses(node) for node in tree.find_all(exp.Delete, exp.Update, exp.Drop))


def _node_loses(node: exp.Expr) -> bool:
    return not isinstance(node, exp.Update) or node.args.get("where") is None


def _tables(tree: exp.Expr) -> tuple[str, ...]:
    inner = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    found: dict[str, None] = {}
    for table in tree.find_all(exp.Table, bfs=False):
        name = ".".join(part.name for part in table.parts if part.name)
        if name and not isinstance(table.this, exp.Func) and name.lower() not in inner:
            found[name] = None
    return tuple(found)[:MAX_TABLES]


def _has_where(tree: exp.Expr) -> bool:
    root = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    return root.args.get("where") is not None
