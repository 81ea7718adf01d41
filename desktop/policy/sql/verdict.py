"""The verdict on a text of SQL (gate-Q1): whether it is proven to read only, and why not."""

from typing import Literal

from desktop.domain.core.base import Frozen

SqlCode = Literal[
    "proven_read",
    "empty",
    "too_long",
    "too_deep",
    "odd_characters",
    "executable_comment",
    "hint_comment",
    "hidden_mode",
    "unknown_dialect",
    "token_error",
    "parse_error",
    "opaque",
    "root_not_read",
    "node_not_read",
    "function_not_listed",
    "function_qualified",
    "lock",
    "into",
    "assignment",
    "sequence",
    "keyword_word",
    "external_source",
    "explain_runs",
    "pragma_not_listed",
    "session_state",
    "transaction",
    "write",
    "schema",
    "destructive",
    "privilege",
]
SqlClass = Literal["read", "write", "schema", "destructive", "privilege", "transaction", "session_state", "opaque"]


class SqlStatement(Frozen):
    """One statement. `kind`: its first words in upper case (`SELECT`, `ALTER TABLE`); `class_` is what the card says of
    it (gate-Q14); `tables` in the order met; `where`: it has a WHERE; `destructive`: it can lose rows or objects;
    `unlisted_call`: it calls, or may call, a function that is not known to be harmless, whatever else it does."""

    kind: str
    class_: SqlClass = "opaque"
    tables: tuple[str, ...] = ()
    where: bool = False
    destructive: bool = False
    proven_read: bool = False
    unlisted_call: bool = False
    code: SqlCode = "opaque"


class SqlVerdict(Frozen):
    """The judgement over a whole text. `reason`: one sentence for the card; `fragment`: the offending part, at most 200
    characters, at `span` (start, end) of the text, (0, 0) where it has no place."""

    proven_read: bool
    code: SqlCode
    reason: str
    fragment: str = ""
    span: tuple[int, int] = (0, 0)
    dialect: str = ""
    statements: tuple[SqlStatement, ...] = ()

    @property
    def class_(self) -> SqlClass:
        """The class of the worst statement: what the card names."""
        order: tuple[SqlClass, ...] = (
            "opaque",
            "privilege",
            "destructive",
            "schema",
            "write",
            "transaction",
            "session_state",
            "read",
        )
        found = {statement.class_ for statement in self.statements}
        if self.proven_read:
            return "read"
        return next((name for name in order if name in found and name != "read"), "opaque")

    @property
    def destructive(self) -> bool:
        """Whether any statement can lose rows or objects."""
        return any(statement.destructive for statement in self.statements)
