"""One statement: parsed, read a second time, and judged by its root and its whole tree (gate-Q5 to gate-Q13)."""

import re
from collections.abc import Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from desktop.policy.sql.classify import classify, code_of_root
from desktop.policy.sql.fragments import problem_span
from desktop.policy.sql.names import nodes
from desktop.policy.sql.names.postgres_operators import foreign_operator
from desktop.policy.sql.reading.dialects import Dialect
from desktop.policy.sql.reading.explain import carried_out, describe_problem, read_explain
from desktop.policy.sql.reading.lexer import Lexeme, readings_differ
from desktop.policy.sql.reading.listings import explained, listing_passes
from desktop.policy.sql.reading.parsing import tokens_of, trees_of
from desktop.policy.sql.reading.pragma import mysql_listing_passes, postgres_show_passes, pragma_fault
from desktop.policy.sql.screens import Fault
from desktop.policy.sql.tree.attributes import escaped_name
from desktop.policy.sql.tree.calls import called_problem, stored_call, string_as_table, wrapped_command
from desktop.policy.sql.tree.unlisted import calls_unlisted
from desktop.policy.sql.tree.walk import Problem, table_problem_of, tree_problem
from desktop.policy.sql.verdict import SqlStatement
from desktop.records import dataclass

_FLOWS = {"snowflake": re.compile("->>"), "oracle": re.compile(r"(?m)(?<=\n)/[ \t\r]*$")}
_SHOW_FAMILIES = frozenset({"mysql", "snowflake", "duckdb"})
_TSQL_WORDS = frozenset({
    "INSERT", "UPDATE", "DELETE", "MERGE", "DROP", "CREATE", "ALTER", "TRUNCATE", "EXEC", "EXECUTE", "GRANT", "REVOKE",
    "DENY", "BACKUP", "RESTORE", "SHUTDOWN", "KILL", "DBCC", "BULK", "USE", "WAITFOR", "DECLARE", "SET", "BEGIN",
    "COMMIT", "ROLLBACK", "SAVE", "CHECKPOINT", "REVERT", "RECONFIGURE", "OPEN", "CLOSE", "SETUSER", "WRITETEXT",
    "UPDATETEXT", "RECEIVE", "DEALLOCATE", "READTEXT", "PRINT", "RAISERROR", "GOTO", "RETURN", "WHILE", "IF",
})  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """A statement and why it is not proven; `fault` None: it is."""

    statement: SqlStatement
    fault: Fault | None


@dataclass(frozen=True)
class _Parsed:
    trees: list[exp.Expr]
    fault: Fault | None


def judge_statement(text: str, lexemes: Sequence[Lexeme], dialect: Dialect) -> Judged:
    """Judge the statement that these lexemes of the text make up; what EXPLAIN carries out is judged in its place."""
    inner = carried_out(lexemes, dialect)
    odd = Fault("hidden_mode", lexemes[0].start, lexemes[-1].end)
    differs = odd if inner and not _cut_alike(text, lexemes[1:], dialect) else None
    lexemes = inner or lexemes
    parsed = _parse(text, lexemes, dialect)
    fault = differs or _fault(text, lexemes, parsed, dialect)
    tree = parsed.trees[0] if parsed.trees else None
    sort = classify(lexemes, tree, fault.code if fault else "proven_read")
    statement = SqlStatement(
        kind=sort.kind,
        class_=sort.class_,
        tables=sort.tables,
        where=sort.where,
        destructive=sort.destructive,
        proven_read=fault is None,
        unlisted_call=fault is not None and calls_unlisted(lexemes, parsed.trees, dialect),
        code=fault.code if fault else "proven_read",
    )
    return Judged(statement, fault)


def _parse(text: str, lexemes: Sequence[Lexeme], dialect: Dialect) -> _Parsed:
    """The trees, none if the parser fails; and where its tokens are other than ours."""
    start, end = lexemes[0].start, lexemes[-1].end
    piece = text[start:end]
    found = tokens_of(piece, dialect)
    if found is None:
        return _Parsed([], Fault("token_error", start, end))
    trees = trees_of(found, piece, dialect)
    if not trees:
        return _Parsed([], Fault("parse_error", start, end))
    return _Parsed(trees, _odd_keyword(found, lexemes, start) or readings_differ(lexemes, found, start))


def _odd_keyword(found: Sequence[Token], lexemes: Sequence[Lexeme], offset: int) -> Fault | None:
    """A word with a letter outside ASCII that the parser may have folded into a keyword, as it does with a long s."""
    plain = {token.start + offset for token in found if token.token_type == TokenType.VAR}
    for lexeme in lexemes:
        if lexeme.kind != "word" or lexeme.text.isascii():
            continue
        if lexeme.start not in plain or any(_folds(char) for char in lexeme.text if not char.isascii()):
            return Fault("odd_characters", lexeme.start, lexeme.end)
    return None


def _folds(char: str) -> bool:
    """Whether a letter alone becomes an ASCII one in another case: the long s, the Kelvin sign, the dotless i."""
    return any(len(folded) == 1 and folded.isascii() for folded in (char.upper(), char.lower()))


def _fault(text: str, lexemes: Sequence[Lexeme], parsed: _Parsed, dialect: Dialect) -> Fault | None:
    first = lexemes[0].word
    if first == "PRAGMA" and dialect.family in ("sqlite", "duckdb"):
        return pragma_fault(lexemes, dialect)
    if first == "SHOW" and dialect.family == "postgres" and not listing_passes(lexemes, dialect):
        passes = postgres_show_passes(lexemes)
        return None if passes else Fault("root_not_read", lexemes[0].start, lexemes[-1].end)
    if dialect.family == "mysql" and first in ("SHOW", "DESCRIBE", "DESC") and mysql_listing_passes(lexemes):
        return None
    if first == "EXPLAIN" and dialect.family in ("postgres", "duckdb", "sqlite"):
        return _explain_fault(text, lexemes, dialect)
    if first == "EXPLAIN" and (inner := explained(lexemes, dialect)):
        return _fault(text, inner, _parse(text, inner, dialect), dialect)
    if listing_passes(lexemes, dialect) and _cut_alike(text, lexemes[1:], dialect):
        return None
    return (
        _keyword_word(lexemes, dialect)
        or _flow(text, lexemes, dialect)
        or _tree_fault(lexemes, parsed, dialect, planned=False)
    )


def _cut_alike(text: str, lexemes: Sequence[Lexeme], dialect: Dialect) -> bool:
    """Whether the parser cuts the words behind a SHOW as we do; the whole it takes for one token."""
    start = lexemes[0].start
    found = tokens_of(text[start : lexemes[-1].end], dialect)
    return found is not None and not (_odd_keyword(found, lexemes, start) or readings_differ(lexemes, found, start))


def _keyword_word(lexemes: Sequence[Lexeme], dialect: Dialect) -> Fault | None:
    if dialect.family != "tsql" or lexemes[0].word in _TSQL_WORDS:
        return None
    for index, lexeme in enumerate(lexemes):
        if lexeme.word in _TSQL_WORDS or (lexeme.word == "FETCH" and not _pages(lexemes, index)):
            return Fault("keyword_word", lexeme.start, lexemes[-1].end)
    return None


def _pages(lexemes: Sequence[Lexeme], index: int) -> bool:
    """Whether a FETCH belongs to `OFFSET … ROWS` before it; any other reads the next row of a cursor."""
    before, (following, object_) = lexemes[max(index - 1, 0)].word, (*lexemes[index + 1 : index + 3], None, None)[:2]
    if following is None or object_ is None:
        return False
    return before in ("ROW", "ROWS") and following.word in ("NEXT", "FIRST") and object_.word not in ("FROM", "INTO")


def _flow(text: str, lexemes: Sequence[Lexeme], dialect: Dialect) -> Fault | None:
    """What begins another statement, of any kind, where the parser sees an operator: Snowflake's `->>`, and a slash
    alone on its line for the clients of Oracle."""
    sign = _FLOWS.get(dialect.family)
    if sign is None:
        return None
    for lexeme in lexemes:
        if lexeme.kind == "mark" and sign.match(text, lexeme.start):
            return Fault("root_not_read", lexeme.start, lexemes[-1].end)
    return None


def _explain_fault(text: str, lexemes: Sequence[Lexeme], dialect: Dialect) -> Fault | None:
    explained = read_explain(lexemes, dialect)
    if isinstance(explained, Fault):
        return explained
    parsed = _parse(text, explained.inner, dialect)
    return _tree_fault(explained.inner, parsed, dialect, planned=explained.planned_only)


def _tree_fault(lexemes: Sequence[Lexeme], parsed: _Parsed, dialect: Dialect, *, planned: bool) -> Fault | None:
    if not parsed.trees:
        return parsed.fault
    for root in parsed.trees:
        fault = _root_fault(root, lexemes, dialect, planned)
        if fault:
            return fault
    offset = lexemes[0].start
    called = called_problem(lexemes, parsed.trees, offset, dialect) or wrapped_command(lexemes)
    named = None if dialect.family == "sqlite" else string_as_table(lexemes, parsed.trees, offset)
    return parsed.fault or called or named or _own_fault(lexemes, dialect)


def _own_fault(lexemes: Sequence[Lexeme], dialect: Dialect) -> Fault | None:
    """What only the server of this family takes for a name or a call."""
    if dialect.family == "postgres":
        return escaped_name(lexemes) or foreign_operator(lexemes)
    return stored_call(lexemes) if dialect.family == "mysql" else None


def _root_fault(root: exp.Expr, lexemes: Sequence[Lexeme], dialect: Dialect, planned: bool) -> Fault | None:
    problem: Problem | None
    name = type(root).__name__
    if name in (nodes.PLAN_ROOTS if planned else nodes.READ_ROOTS):
        problem = tree_problem(root, dialect, planned=planned)
    elif isinstance(root, exp.Describe):
        problem = _describe_problem(root, dialect)
    elif isinstance(root, exp.Pivot) and dialect.family == "duckdb":
        problem = tree_problem(root, dialect)
    elif isinstance(root, exp.Summarize) and dialect.family == "duckdb":
        problem = _subject_problem(root.this, dialect, planned=False)
    elif isinstance(root, exp.Show) and dialect.family in _SHOW_FAMILIES:
        problem = _show_problem(root, dialect)
    else:
        return _not_read(root, lexemes, dialect)
    return _as_fault(problem, lexemes) if problem else None


def _not_read(root: exp.Expr, lexemes: Sequence[Lexeme], dialect: Dialect) -> Fault:
    return Fault(code_of_root(lexemes, root), lexemes[0].start, lexemes[-1].end)


def _describe_problem(root: exp.Describe, dialect: Dialect) -> Problem | None:
    problem = describe_problem(root, dialect)
    if problem:
        return problem
    return _subject_problem(root.this, dialect, planned=dialect.family == "mysql")


def _subject_problem(subject: exp.Expr, dialect: Dialect, *, planned: bool) -> Problem | None:
    if isinstance(subject, exp.Table):
        return table_problem_of(subject, dialect) or tree_problem(subject, dialect)
    if type(subject).__name__ in (nodes.PLAN_ROOTS if planned else nodes.READ_ROOTS):
        return tree_problem(subject, dialect, planned=planned)
    return Problem("root_not_read", subject)


def _show_problem(root: exp.Show, dialect: Dialect) -> Problem | None:
    if root.args.get("into_outfile"):
        return Problem("into", root)
    for value in root.args.values():
        for child in value if isinstance(value, list) else [value]:
            problem = tree_problem(child, dialect) if isinstance(child, exp.Expr) else None
            if problem:
                return problem
    return None


def _as_fault(problem: Problem, lexemes: Sequence[Lexeme]) -> Fault:
    start, end = problem_span(problem, lexemes, lexemes[0].start)
    return Fault(problem.code, start, end, problem.detail)
