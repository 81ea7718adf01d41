"""What a parse tree that PostgreSQL printed says of the functions and operators that a statement calls.

Only numbers are taken from the text, and only added up: a name that somebody chose can look like one more node or
number, which asks, and can take none away. Strings are printed as their bytes.
"""

import re

from desktop.records import dataclass

_NODE = re.compile(r"(?<!\\)\{(\w+)")
_CALL = re.compile(
    r"\{FUNCEXPR\s+:funcid\s+(\d+)\s+:funcresulttype\s+\d+\s+:funcretset\s+\w+\s+:funcvariadic\s+\w+\s+"
    r":funcformat\s+(\d+)"
)
_EVERY_CALL = re.compile(r":funcid\s+(\d+)")
_NAMED = re.compile(r":(?:aggfnoid|winfnoid|tsmhandler)\s+(\d+)")
_IMPLIED = re.compile(r":(?:opfuncid|startInRangeFunc|endInRangeFunc)\s+(\d+)")
_OPERATOR = re.compile(r":(?:opno|eqop|sortop|cycle_mark_neop)\s+(\d+)")
_OPERATORS = re.compile(r":opnos\s+\(o((?:\s+\d+)+)\)")
_BY_NAME = "0"  # COERCE_EXPLICIT_CALL: written as a call or as an attribute, not as a cast or a form of the grammar
_UNSEEN = re.compile(r":utilityStmt\s+\?")
_NODES = frozenset(
    """
    AGGREF ALIAS ARRAY ARRAYCOERCEEXPR ARRAYEXPR BOOLEANTEST BOOLEXPR CASE CASEEXPR CASETESTEXPR CASEWHEN COALESCE
    COALESCEEXPR COERCEVIAIO COLLATE COLLATEEXPR COMMONTABLEEXPR CONST CONVERTROWTYPEEXPR CTECYCLECLAUSE CTESEARCHCLAUSE
    DEFELEM DISTINCTEXPR EXPLAINSTMT FIELDSELECT FROMEXPR FUNCEXPR GROUPINGFUNC GROUPINGSET INFERENCEELEM JOINEXPR
    JSONBEHAVIOR JSONCONSTRUCTOREXPR JSONEXPR JSONFORMAT JSONISPREDICATE JSONRETURNING JSONTABLEPATH JSONTABLEPATHSCAN
    JSONTABLESIBLINGJOIN JSONVALUEEXPR MERGEACTION MINMAX MINMAXEXPR NAMEDARGEXPR NULLIFEXPR NULLTEST ONCONFLICTEXPR
    OPEXPR PARAM QUERY RANGETBLENTRY RANGETBLFUNCTION RANGETBLREF RELABELTYPE RETURNINGEXPR ROW ROWCOMPARE
    ROWCOMPAREEXPR ROWEXPR ROWMARKCLAUSE RTE RTEPERMISSIONINFO SCALARARRAYOPEXPR SETOPERATIONSTMT SETTODEFAULT
    SORTGROUPCLAUSE SQLVALUEFUNCTION SUBLINK SUBSCRIPTINGREF TABLEFUNC TABLESAMPLECLAUSE TARGETENTRY VAR
    VARIABLESHOWSTMT WHEN WINDOWCLAUSE WINDOWFUNC XMLEXPR
    """.split()  # noqa: SIM905 - a table
)


@dataclass(frozen=True)
class TreeCalls:
    """Object ids. `named`: functions that the text calls by name; `implied`: those behind casts and forms of the
    grammar; `operators`. `odd`: the first kind of node that is not known to read, "" for none."""

    named: frozenset[int]
    implied: frozenset[int]
    operators: frozenset[int]
    odd: str = ""


def unseen_command(tree: str) -> bool:
    """Whether the statement is a command that this server (before 16) does not print."""
    return _UNSEEN.search(tree) is not None


def tree_calls(tree: str) -> TreeCalls:
    """The functions and operators that the tree of one statement calls, casts included."""
    formed = _CALL.findall(tree)
    every = _EVERY_CALL.findall(tree)
    implied = {number for number, form in formed if form != _BY_NAME} if len(formed) == len(every) else set()
    lists = [number for found in _OPERATORS.findall(tree) for number in found.split()]
    return TreeCalls(
        named=_ids([*(n for n, form in formed if form == _BY_NAME), *(set(every) - implied), *_NAMED.findall(tree)]),
        implied=_ids([*implied, *_IMPLIED.findall(tree)]),
        operators=_ids([*_OPERATOR.findall(tree), *lists]),
        odd=next((name for name in _NODE.findall(tree) if name not in _NODES), ""),
    )


def _ids(numbers: list[str]) -> frozenset[int]:
    return frozenset(int(number) for number in numbers) - {0}
