"""EXPLAIN: its options, read from the text itself, and what is explained (gate-Q10)."""

from collections.abc import Sequence

from sqlglot import exp

from desktop.policy.sql.reading.dialects import Dialect
from desktop.policy.sql.reading.lexer import Lexeme
from desktop.policy.sql.screens import Fault
from desktop.policy.sql.tree.walk import Problem
from desktop.records import dataclass

_OPTIONS = frozenset(
    {
        "VERBOSE",
        "COSTS",
        "SETTINGS",
        "GENERIC_PLAN",
        "BUFFERS",
        "WAL",
        "TIMING",
        "SUMMARY",
        "MEMORY",
        "SERIALIZE",
        "FORMAT",
        "ANALYZE",
        "ANALYSE",
    }
)
_RUNNING = frozenset({"ANALYZE", "ANALYSE"})
_OFF = frozenset({"OFF", "FALSE", "0"})
_OPENERS = frozenset(["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "WITH", "VALUES", "TABLE", "FROM", "REPLACE"])
_AFTER_ANALYZE = frozenset(["SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "REPLACE"])
_FORMATS = frozenset({"JSON", "TREE", "TRADITIONAL"})
_STYLES = frozenset({"", "EXTENDED", "FORMATTED", "FULL", "PARTITIONS"})
_ANALYZING: dict[str, tuple[tuple[str, ...], ...]] = {
    "mysql": (("EXPLAIN", "ANALYZE"), ("DESCRIBE", "ANALYZE"), ("DESC", "ANALYZE"), ("ANALYZE",)),
    "trino": (("EXPLAIN", "ANALYZE", "VERBOSE"), ("EXPLAIN", "ANALYZE")),
    "hive": (("EXPLAIN", "ANALYZE"),),
}


@dataclass(frozen=True)
class Explained:
    """The statement that is explained. `planned_only`: no option says that it might be carried out; `runs`: it is."""

    inner: tuple[Lexeme, ...]
    planned_only: bool
    runs: bool = False


def carried_out(lexemes: Sequence[Lexeme], dialect: Dialect) -> tuple[Lexeme, ...]:
    """The statement that EXPLAIN ANALYZE, or MariaDB's ANALYZE, carries out: it does what this one does by itself.

    Empty where nothing is carried out, or where the words before the statement are not all known.
    """
    first, *rest = lexemes
    if first.word == "EXPLAIN" and dialect.family in ("postgres", "duckdb"):
        explained = read_explain(lexemes, dialect)
        return explained.inner if isinstance(explained, Explained) and explained.runs else ()
    words = _ANALYZING.get(dialect.parser if dialect.parser == "hive" else dialect.family, ())
    opening = next((n for n in words if tuple(lexeme.word for lexeme in lexemes[: len(n)]) == n), None)
    if opening is None:
        return ()
    rest = list(lexemes[len(opening) :])
    if dialect.family == "mysql" and [lexeme.text.upper() for lexeme in rest[:2]] == ["FORMAT", "="]:
        rest = rest[3:] if len(rest) > 2 and rest[2].word in _FORMATS else []
    gathers = opening == ("ANALYZE",) and rest and rest[0].word not in _AFTER_ANALYZE  # ANALYZE TABLE: statistics
    return tuple(rest) if rest and not gathers and (rest[0].word in _OPENERS or rest[0].text == "(") else ()


def read_explain(lexemes: Sequence[Lexeme], dialect: Dialect) -> Explained | Fault:
    """The statement behind EXPLAIN and its options; a Fault where an option is unknown or no such statement follows."""
    whole = (lexemes[0].start, lexemes[-1].end)
    rest = list(lexemes[1:])
    if dialect.family == "sqlite":
        return _sqlite(rest, whole)
    options: list[tuple[str, str]] = []
    if rest and rest[0].text == "(" and not _is_query_bracket(rest):
        closing = next((index for index, lexeme in enumerate(rest) if lexeme.text == ")"), None)
        if closing is None:
            return Fault("parse_error", *whole)
        options = _bracketed(rest[1:closing])
        rest = rest[closing + 1 :]
    else:
        while rest and rest[0].word in _RUNNING | {"VERBOSE"}:
            options.append((rest.pop(0).word, ""))
    return _judged(options, rest, whole)


def describe_problem(root: exp.Describe, dialect: Dialect) -> Problem | None:
    """Why a DESCRIBE, or MySQL's EXPLAIN, has more to it than its subject; None: judge the subject.

    `args` that are set must be known: the subject, a format and a style that does not run it.
    """
    style = str(root.args.get("style") or "").upper()
    if style in _RUNNING or style.startswith("ANALYZE"):
        return Problem("explain_runs", root, style)
    extra = {key for key, value in root.args.items() if value and key not in ("this", "style", "format", "kind")}
    if extra - {"expressions"} or style not in _STYLES:
        return Problem("node_not_read", root, ", ".join(sorted(extra)))
    written = root.args.get("format")
    if isinstance(written, exp.Expr) and written.name.upper() not in _FORMATS:
        return Problem("node_not_read", root, "FORMAT")
    return None


def _is_query_bracket(rest: Sequence[Lexeme]) -> bool:
    return len(rest) > 1 and (rest[1].word in _OPENERS or rest[1].text == "(")


def _sqlite(rest: list[Lexeme], whole: tuple[int, int]) -> Explained | Fault:
    if len(rest) > 1 and rest[0].word == "QUERY" and rest[1].word == "PLAN":
        rest = rest[2:]
    return Explained(tuple(rest), planned_only=True) if rest else Fault("parse_error", *whole)


def _bracketed(lexemes: Sequence[Lexeme]) -> list[tuple[str, str]]:
    """Option and value, as written without quotes, in upper case; two words where one is expected make it unknown."""
    found: list[tuple[str, str]] = []
    current: list[str] = []
    for lexeme in [*lexemes, None]:
        if lexeme is not None and lexeme.text != ",":
            current.append(lexeme.text.strip("'\"").upper())
            continue
        name, value = (*current, "", "")[:2]
        found.append((name, value) if len(current) <= 2 else (" ".join(current), ""))
        current = []
    return found


def _judged(options: list[tuple[str, str]], rest: list[Lexeme], whole: tuple[int, int]) -> Explained | Fault:
    runs = [value for name, value in options if any(word in name or word in value for word in _RUNNING)]
    if any(name not in _OPTIONS for name, _ in options):
        return Fault("explain_runs" if runs else "node_not_read", *whole)
    if not rest or (rest[0].word not in _OPENERS and rest[0].text != "("):
        return Fault("parse_error" if not rest else "explain_runs" if runs else "root_not_read", *whole)
    return Explained(tuple(rest), planned_only=not runs, runs=any(value not in _OFF for value in runs))
