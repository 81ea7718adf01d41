"""PostgreSQL's attribute notation: `t.f` calls the function `f` on `t` where `t` has no column `f` (gate-Q9).

The tree has a column for both, so each qualified column is looked up in what the statement reads from. The whole row of
a function is its plain value, on which every function of one argument can be called: there a column must be one that is
known. The whole row of a table or of a query is a record, which no function of the server itself takes but those that
show it; there a column may have any name but that of a function with an effect. A function of the user's own over
records looks like a column: the server is asked before such a read runs (`services/databases/postgres/calls.py`).

Names are compared as the server cuts and folds them or more loosely, wherever in the statement they stand: where two
things share a name, a column must suit both.
"""

from collections.abc import Iterable, Iterator, Sequence

from sqlglot import exp

from desktop.policy.sql.names.postgres import NAMES
from desktop.policy.sql.reading.lexer import Lexeme
from desktop.policy.sql.screens import Fault

_NAME_BYTES = 63
_BARE_CALLS = frozenset(
    {
        "current_catalog",
        "current_date",
        "current_role",
        "current_schema",
        "current_time",
        "current_timestamp",
        "current_user",
        "localtime",
        "localtimestamp",
        "session_user",
        "system_user",
        "user",
    }
)
_OUTPUTS: dict[str, frozenset[str]] = {
    name: frozenset(columns.split())
    for names, columns in (
        ("json_each json_each_text jsonb_each jsonb_each_text", "key value"),
        ("json_array_elements json_array_elements_text", "value"),
        ("jsonb_array_elements jsonb_array_elements_text", "value"),
        ("unnest", "lexeme positions weights"),
        ("ts_parse", "tokid token"),
        ("ts_token_type", "tokid alias description"),
        ("pg_options_to_table", "option_name option_value"),
        ("pg_get_keywords", "word catcode barelabel catdesc baredesc"),
        ("pg_partition_tree", "relid parentrelid isleaf level"),
        ("pg_partition_ancestors", "relid"),
        ("pg_timezone_names", "name abbrev utc_offset is_dst"),
        ("pg_identify_object", "type schema name identity"),
    )
    for name in names.split()
}
_OF_ROWS = frozenset(
    {
        "json_populate_record",
        "json_populate_recordset",
        "jsonb_populate_record",
        "jsonb_populate_recordset",
    }
)
_ROWS_OF_WRITES = frozenset({"excluded", "old", "new"})
# The functions of the server and of dblink that are volatile or assign a transaction, and do not begin with `pg_`.
_EFFECT_NAMES = """
    array_sample array_shuffle brin_desummarize_range brin_summarize_new_values brin_summarize_range currtid2 currval
    cursor_to_xml cursor_to_xmlschema gin_clean_pending_list lastval lo_close lo_creat lo_create lo_export lo_from_bytea
    lo_get lo_import lo_lseek lo_lseek64 lo_open lo_put lo_tell lo_tell64 lo_truncate lo_truncate64 lo_unlink loread
    lowrite nextval query_to_xml query_to_xml_and_xmlschema query_to_xmlschema set_config setseed setval table_to_xml
    schema_to_xml database_to_xml ts_rewrite ts_stat txid_current txid_current_snapshot txid_status
"""
_EFFECTS = frozenset(_EFFECT_NAMES.split())
_EFFECT_PREFIXES = ("pg_", "dblink", "binary_upgrade_")


def attribute_call(nodes: Iterable[exp.Expr]) -> exp.Column | None:
    """The first qualified column of a tree, given as all of its nodes, that may be the call of a function."""
    columns: list[exp.Column] = []
    rows: set[str] = set()
    values: dict[str, list[frozenset[str]]] = {}
    for node in nodes:
        if isinstance(node, exp.Column):
            columns.append(node)
        elif isinstance(node, exp.Table | exp.Unnest | exp.Lateral | exp.Values | exp.Subquery | exp.CTE):
            name, known = _source(node)
            if known is None:
                rows.add(name)
            elif name:
                values.setdefault(name, []).append(known)
    return next((column for column in columns if _may_call(column, rows, values)), None)


def escaped_name(lexemes: Sequence[Lexeme]) -> Fault | None:
    """A name in the form `U&"…"`, which the parser takes for an operator between two columns."""
    for before, sign, after in zip(lexemes, lexemes[1:], lexemes[2:], strict=False):
        joined = before.end == sign.start and sign.end == after.start
        if joined and before.word == "U" and sign.text == "&" and after.kind == "name":
            return Fault("hidden_mode", before.start, after.end)
    return None


def _may_call(column: exp.Column, rows: set[str], values: dict[str, list[frozenset[str]]]) -> bool:
    qualifier = column.args.get("table")
    collation = isinstance(column.parent, exp.Collate) and column.arg_key == "expression"
    if not isinstance(qualifier, exp.Identifier) or isinstance(column.this, exp.Star) or collation:
        return False
    source, name = _folded(qualifier.name), _folded(column.name)
    if source in values:
        return not all(name in known for known in values[source])
    if source in rows or column.args.get("db") is not None or source in _ROWS_OF_WRITES:
        return name not in NAMES and (name in _EFFECTS or name.startswith(_EFFECT_PREFIXES))
    return name != source and name not in _OUTPUTS.get(source, ())


def _source(node: exp.Expr) -> tuple[str, frozenset[str] | None]:
    """The name of something to read from, "" for none, and its columns; None: its whole row is a record."""
    alias = node.args.get("alias")
    name = _folded(alias.name) if isinstance(alias, exp.TableAlias) else ""
    called = _called(node)
    if called is None:
        return name or (_folded(node.name) if isinstance(node, exp.Table) else ""), None
    function = _folded(called.name) if isinstance(called, exp.Anonymous | exp.Identifier) else ""
    if isinstance(called, exp.Unnest):
        function = "unnest"
    if isinstance(called, exp.JSONTable) or function in _OF_ROWS:
        return name, None
    named = frozenset(_folded(one.name) for one in _named_columns(node, called))
    return name or function, (named or frozenset({name or function})) | _OUTPUTS.get(function, frozenset())


def _called(node: exp.Expr) -> exp.Expr | None:
    """What gives the value that is read from; None: a table or a query, whose rows are records."""
    if isinstance(node, exp.Unnest):
        return node
    if isinstance(node, exp.Table) and node.args.get("rows_from"):
        return node
    inner = node.this if isinstance(node, exp.Table | exp.Lateral) else None
    if isinstance(inner, exp.Identifier):
        bare = not inner.quoted and not node.args.get("db") and inner.name.lower() in _BARE_CALLS
        return inner if bare else None
    return None if isinstance(inner, exp.Subquery | exp.Query) else inner


def _named_columns(node: exp.Expr, called: exp.Expr) -> Iterator[exp.Expr]:
    """The columns that the alias names, and the one that counts the rows."""
    alias = node.args.get("alias")
    yield from alias.columns if isinstance(alias, exp.TableAlias) else ()
    offset = called.args.get("offset")
    if isinstance(offset, exp.Expr):
        yield offset
    elif offset or node.args.get("ordinality"):
        yield from (exp.to_identifier(name) for name in ("ordinality", node.alias_or_name))


def _folded(name: str) -> str:
    return name.encode("utf-8", "surrogatepass")[:_NAME_BYTES].decode("utf-8", "replace").casefold()
