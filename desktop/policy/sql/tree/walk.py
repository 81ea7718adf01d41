"""The walk over a whole tree: every node, argument, function, table and variable must be known (gate-Q7 to gate-Q9)."""

from collections.abc import Iterator

from sqlglot import exp

from desktop.policy.sql.names import nodes
from desktop.policy.sql.names.allowed import listed_name, passes_without_class, prefixed_call, without_arguments
from desktop.policy.sql.names.functions import TYPED_FUNCTIONS
from desktop.policy.sql.reading.dialects import Dialect
from desktop.policy.sql.tree.attributes import attribute_call
from desktop.policy.sql.tree.oracle import bare_call
from desktop.policy.sql.tree.tables import may_be_file, table_problem
from desktop.policy.sql.verdict import SqlCode
from desktop.records import dataclass

_UNLISTED: frozenset[SqlCode] = frozenset({"function_not_listed", "function_qualified"})
SEQUENCE_COLUMNS = frozenset({"NEXTVAL", "CURRVAL", "LASTVAL", "PREVVAL"})
_NODE_CODES: dict[str, SqlCode] = {
    "Into": "into",
    "Lock": "lock",
    "Hint": "hint_comment",
    "PropertyEQ": "assignment",
    "NextValueFor": "sequence",
    "Delete": "destructive",
    "Insert": "write",
    "Update": "write",
    "Merge": "write",
    "Create": "schema",
    "Drop": "destructive",
    "ReadCSV": "external_source",
    "ReadParquet": "external_source",
    "ToFile": "external_source",
}
_ARGUMENT_CODES: dict[str, SqlCode] = {
    "into": "into",
    "locks": "lock",
    "hint": "hint_comment",
    "settings": "session_state",
    "format": "into",
}
_ALIASES_ANYWHERE = frozenset({"clickhouse", "bigquery", "spark"})
_STRUCTS = frozenset({"duckdb", "snowflake", "bigquery", "spark"})
_READS_NAMED = frozenset({"mysql", "sqlite", "bigquery"})
_UNNAMED = frozenset(
    {"Anonymous", "AnonymousAggFunc", "CombinedAggFunc", "ParameterizedAgg", "CombinedParameterizedAgg"}
)


@dataclass(frozen=True)
class Problem:
    """The part of the tree that is not proven: the node to show, and a word on it."""

    code: SqlCode
    node: exp.Expr
    detail: str = ""


def tree_problem(root: exp.Expr, dialect: Dialect, *, planned: bool = False) -> Problem | None:
    """The first thing in the tree that is not known to be a pure read; None: there is none.

    `planned`: the statement is only planned, so the nodes of a write may be there, but no function that is not listed.
    """
    found: Problem | None = None
    all_nodes = list(root.walk(bfs=False))
    for node in all_nodes:
        problem = _node_problem(node, dialect, planned)
        if problem and (found is None or _rank(problem) < _rank(found)):
            found = problem
    return found or _column_problem(root, all_nodes, dialect)


def has_unlisted_call(root: exp.Expr, dialect: Dialect) -> bool:
    """Whether a function that is not known to be harmless is called anywhere in the tree, whatever else it does."""
    all_nodes = list(root.walk(bfs=False))
    found = [_node_problem(node, dialect, planned=True) for node in all_nodes]
    found.append(_column_problem(root, all_nodes, dialect))
    return any(problem is not None and problem.code in _UNLISTED for problem in found)


def _column_problem(root: exp.Expr, all_nodes: list[exp.Expr], dialect: Dialect) -> Problem | None:
    """A column that may be the call of a function, by the rules of the server."""
    if dialect.family == "postgres":
        column = attribute_call(all_nodes)
        return Problem("function_not_listed", column, column.name) if column else None
    column = bare_call(root, dialect)
    return Problem("function_qualified", column, column.name) if column else None


def _rank(problem: Problem) -> int:
    """What is shown when several things are wrong: a write before what merely is not listed."""
    order = ("destructive", "write", "schema", "into", "lock", "sequence", "assignment", "external_source")
    return order.index(problem.code) if problem.code in order else len(order)


def _node_problem(node: exp.Expr, dialect: Dialect, planned: bool) -> Problem | None:
    name = type(node).__name__
    if isinstance(node, exp.Func):
        return _function_problem(node, name, dialect)
    if name == "WithTableHint":
        return _table_hint_problem(node, dialect)
    if name in ("QueryOption", "ForClause"):
        return None if dialect.family == "tsql" else Problem("node_not_read", node, name)
    if name == "PropertyEQ" and isinstance(node.parent, exp.Struct) and dialect.family in _STRUCTS:
        return None
    if name == "TableFromRows" and isinstance(node.this, exp.Func | exp.Dot):
        return None
    if name not in (nodes.PLAN_NODES if planned else nodes.READ_NODES):
        return Problem(_NODE_CODES.get(name, "node_not_read"), node, name)
    return (
        _argument_problem(node, name, dialect, planned)
        or _special_problem(node, dialect)
        or (table_problem_of(node, dialect) if isinstance(node, exp.Table) else None)
    )


def table_problem_of(table: exp.Table, dialect: Dialect) -> Problem | None:
    """Why a table is more than a table of the database (gate-Q9); None: it is one."""
    if isinstance(table.this, exp.Func) and table.args.get("db"):
        return Problem("function_qualified", table) if table.text("db").lower() != "pg_catalog" else None
    problem = table_problem(table, dialect)
    return Problem("external_source", table, problem) if problem else None


def _argument_problem(node: exp.Expr, name: str, dialect: Dialect, planned: bool) -> Problem | None:
    allowed = nodes.ARGUMENTS.get(name)
    if allowed is None:
        return None
    for key, value in node.args.items():
        if value is None or value is False or value == [] or key in allowed:
            continue
        if not _argument_passes(node, key, dialect, planned):
            return Problem(_argument_code(name, key), _first_node(value) or node, key.strip("_").upper())
    return None


def _argument_code(name: str, key: str) -> SqlCode:
    if name == "Table" and key in ("format", "pattern"):
        return "external_source"
    return _ARGUMENT_CODES.get(key, "node_not_read")


def _argument_passes(node: exp.Expr, key: str, dialect: Dialect, planned: bool) -> bool:
    if key == "locks":
        return planned
    if dialect.family != "tsql":
        return False
    if key == "options":
        return all(_option_passes(option) for option in node.args[key])
    clause = node.args[key]
    return key == "for_" and isinstance(clause, exp.ForClause) and clause.text("kind").upper() in ("XML", "JSON")


def _option_passes(option: exp.Expr) -> bool:
    value = option.args.get("expression")
    return option.text("this").upper() in nodes.QUERY_OPTIONS and (value is None or isinstance(value, exp.Literal))


def _table_hint_problem(node: exp.Expr, dialect: Dialect) -> Problem | None:
    words = {word.name.upper() for word in node.expressions}
    if dialect.family == "tsql" and words <= nodes.TABLE_HINTS:
        return None
    return Problem("lock", node, ", ".join(sorted(words - nodes.TABLE_HINTS)))


def _special_problem(node: exp.Expr, dialect: Dialect) -> Problem | None:
    if isinstance(node, exp.Dot):
        return _dot_problem(node, dialect)
    if isinstance(node, exp.Alias | exp.Subquery):
        return Problem("node_not_read", node) if _is_wrapped_command(node, dialect) else None
    if isinstance(node, exp.Column) and node.name.upper() in SEQUENCE_COLUMNS:
        return Problem("sequence", node, node.name)
    if isinstance(node, exp.DataType):
        return _type_problem(node)
    if isinstance(node, exp.Parameter):
        return _variable_problem(node, dialect)
    if isinstance(node, exp.Select):
        words = {str(word).upper() for word in node.args.get("operation_modifiers") or ()}
        return Problem("node_not_read", node, ", ".join(words)) if words - nodes.SELECT_WORDS else None
    return None


def _is_wrapped_command(node: exp.Alias | exp.Subquery, dialect: Dialect) -> bool:
    """What the parser makes of a command in brackets that it does not know: `(PRAGMA x)`, `FROM (DETACH x)`."""
    if isinstance(node, exp.Alias):
        return isinstance(node.parent, exp.Paren | exp.Tuple) and dialect.family not in _ALIASES_ANYWHERE
    return isinstance(node.this, exp.Table) and not node.this.args.get("joins") and not node.args.get("joins")


def _type_problem(node: exp.DataType) -> Problem | None:
    return Problem("node_not_read", node) if node.this == exp.DType.USERDEFINED else None


def _variable_problem(node: exp.Parameter, dialect: Dialect) -> Problem | None:
    if dialect.family == "tsql":
        inner = node.parent if isinstance(node.parent, exp.Parameter) else node.this
        return None if isinstance(inner, exp.Parameter) else Problem("assignment", node, node.name)
    if dialect.family in _READS_NAMED or isinstance(node.this, exp.Literal):
        return None
    return Problem("assignment", node, node.name)


def _dot_problem(node: exp.Dot, dialect: Dialect) -> Problem | None:
    called = node.expression
    if isinstance(called, exp.Func):
        qualifier = node.this.name.lower() if isinstance(node.this, exp.Identifier) else ""
        own = qualifier == "pg_catalog" and dialect.family == "postgres"
        own = own or prefixed_call(called, dialect)
        return None if own else Problem("function_qualified", node)
    if dialect.family == "clickhouse" and isinstance(called, exp.Literal):
        return None
    if dialect.family in ("postgres", "duckdb") or not isinstance(called, exp.Identifier | exp.Star):
        return Problem("function_qualified", node)
    return Problem("sequence", node, called.name) if called.name.upper() in SEQUENCE_COLUMNS else None


def _function_problem(node: exp.Func, name: str, dialect: Dialect) -> Problem | None:
    if name in _UNNAMED:
        return _unnamed_problem(node, dialect)
    if isinstance(node, exp.Rand) and dialect.family == "oracle":  # what the parser makes of DBMS_RANDOM.VALUE
        return Problem("function_qualified", node, "DBMS_RANDOM")
    if name not in TYPED_FUNCTIONS and not passes_without_class(node, dialect):
        return Problem(_NODE_CODES.get(name, "function_not_listed"), node, name)
    return _type_argument_problem(node)


def _type_argument_problem(node: exp.Func) -> Problem | None:
    target = node.args.get("to")
    return Problem("node_not_read", node, target.name) if isinstance(target, exp.Identifier) else None


def _unnamed_problem(node: exp.Func, dialect: Dialect) -> Problem | None:
    name = node.this if isinstance(node.this, str) else ""
    if prefixed_call(node, dialect):
        return None
    if not listed_name(name, dialect):
        return Problem("function_not_listed", node, node.name or name)
    if dialect.family == "duckdb" and name.lower().startswith("pragma_") and any(map(may_be_file, node.expressions)):
        return Problem("external_source", node, name)
    if without_arguments(name, dialect) and node.expressions:
        return Problem("function_not_listed", node, name)
    return None


def _first_node(value: object) -> exp.Expr | None:
    values: Iterator[object] = iter(value) if isinstance(value, list) else iter((value,))
    return next((item for item in values if isinstance(item, exp.Expr)), None)
