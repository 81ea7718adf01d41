"""The nodes of a syntax tree, and their arguments, that a proven read may hold (gate-Q7): closed lists.

Classes are named by text, so that a class of a later version of the parser is unknown and asks.
"""

NODES = frozenset({
    "Add", "Alias", "Aliases", "And", "Any", "All", "AtTimeZone", "Between", "BitString", "BitwiseAnd",
    "BitwiseLeftShift", "BitwiseNot", "BitwiseOr", "BitwiseRightShift", "BitwiseXor", "Boolean", "Bracket",
    "ByteString", "CTE", "Column", "ColumnDef", "Connect", "Cube", "DPipe", "DataType", "DataTypeParam", "Distance",
    "Distinct", "Div", "Dot", "EQ", "Escape", "Except", "Exists", "Fetch", "Filter", "Final", "From", "GT", "GTE",
    "Glob", "Group", "GroupingSets", "Having", "HavingMax", "HexString", "Identifier", "IgnoreNulls", "ILike", "In",
    "IndexTableHint", "IntDiv", "Intersect", "Interval", "IntervalSpan", "Introducer", "Is", "JSONPath",
    "JSONPathFilter", "JSONPathKey", "JSONPathPart", "JSONPathRecursive", "JSONPathRoot", "JSONPathScript",
    "JSONPathSelector", "JSONPathSlice", "JSONPathSubscript", "JSONPathUnion", "JSONPathWildcard", "JSONKeyValue",
    "JSONValue", "Join", "Kwarg", "LT", "LTE", "Lateral", "Like", "Limit", "LimitOptions", "Literal", "Match", "Mod",
    "Mul", "NEQ", "National", "Neg", "Not", "Null", "NullSafeEQ", "NullSafeNEQ", "ObjectIdentifier", "Offset", "Or",
    "Order", "Ordered", "Overlaps", "Parameter", "Paren", "Partition", "Pivot", "PivotAlias", "PivotAny",
    "Placeholder", "PreWhere", "Prior", "Qualify", "RawString", "RespectNulls", "Rollup", "Select", "SessionParameter",
    "SimilarTo", "Slice", "Star", "Sub", "Subquery", "Table", "TableAlias", "TableColumn", "TableSample", "Tuple",
    "UnicodeString", "Union", "Values", "Var", "Where", "Window", "WindowSpec", "With", "WithinGroup", "Xor",
})  # fmt: skip

# Beyond the plain nodes above, each without an effect of its own: operators on ranges and geometry; the ordering words
# of Hive and ClickHouse; the two search clauses of recursive queries; arguments of JSON and XML functions; closures,
# whose bodies are walked as everything else; columns that every table has; reads of an earlier state of a table.
MORE_NODES = frozenset({
    "Adjacent", "ExtendsLeft", "ExtendsRight", "DistanceNd", "Distribute", "Sort", "Cluster", "WithFill",
    "RecursiveWithSearch", "FormatJson", "JSON", "JSONSchema", "JSONColumnDef", "JSONExtractQuote", "OnCondition",
    "XMLNamespace", "Lambda", "Pseudocolumn", "Version", "HistoricalData", "ForIn", "Variadic", "CharacterSet",
    "UnpivotColumns", "TranslateCharacters", "Comprehension", "Nearest", "PositionalColumn",
    "OverflowTruncateBehavior", "XMLKeyValueOption", "MatchRecognize", "MatchRecognizeMeasure",
})  # fmt: skip

READ_NODES = NODES | MORE_NODES

# What a statement that is only planned may hold besides (gate-Q10): nothing of it is carried out.
PLAN_NODES = READ_NODES | frozenset(
    ["Insert", "Update", "Delete", "Merge", "Whens", "When", "Returning", "Schema", "OnConflict", "Lock", "Star"]
)
PLAN_ROOTS = frozenset(["Select", "Union", "Intersect", "Except", "Subquery", "Insert", "Update", "Delete", "Merge"])
READ_ROOTS = frozenset(["Select", "Union", "Intersect", "Except", "Subquery", "Values"])

_MODIFIERS = frozenset(
    {
        "laterals",
        "joins",
        "connect",
        "pivots",
        "prewhere",
        "where",
        "group",
        "having",
        "qualify",
        "windows",
        "distribute",
        "sort",
        "cluster",
        "order",
        "limit",
        "offset",
        "sample",
        "match",
    }
)
_SET_OPERATION = _MODIFIERS | frozenset(["with_", "this", "expression", "distinct", "by_name", "side", "kind", "on"])

# The arguments that the nodes of a query may have set: some effects are an argument and no node of their own.
ARGUMENTS: dict[str, frozenset[str]] = {
    "Select": _MODIFIERS | frozenset({
        "with_", "kind", "expressions", "distinct", "from_", "operation_modifiers", "exclude",
    }),
    "Union": _SET_OPERATION,
    "Intersect": _SET_OPERATION,
    "Except": _SET_OPERATION,
    "Subquery": _MODIFIERS | frozenset(["this", "alias", "with_"]),
    "Values": frozenset(["expressions", "alias", "order", "limit", "offset", "pivots"]),
    "Table": frozenset(
        {
            "this", "alias", "db", "catalog", "laterals", "joins", "pivots", "hints", "system_time", "version",
            "ordinality", "when", "only", "partition", "rows_from", "sample", "indexed",
        }
    ),
    "With": frozenset(["expressions", "recursive", "search"]),
    "CTE": frozenset(["this", "alias", "scalar", "materialized", "key_expressions"]),
    "Pivot": frozenset(
        {
            "this", "alias", "expressions", "fields", "unpivot", "using", "group", "columns", "include_nulls",
            "default_on_null", "identify_pivot_strings", "prefixed_pivot_columns", "pivot_column_naming",
            "value_columns_first",
        }
    ),
    "Cast": frozenset(["this", "to", "format", "safe", "action", "default", "_type"]),
    "Star": frozenset(["except_", "replace", "rename", "ilike"]),
    "Placeholder": frozenset(["this", "kind", "jdbc"]),
    "Join": frozenset({
        "this", "on", "side", "kind", "using", "method", "global_", "match_condition", "nearest", "directed",
        "expressions", "pivots",
    }),
    "Order": frozenset(["this", "expressions", "siblings"]),
    "Lateral": frozenset(["this", "view", "outer", "alias", "cross_apply", "ordinality"]),
    "Limit": frozenset(["this", "expression", "offset", "limit_options", "expressions"]),
}  # fmt: skip

TABLE_HINTS = frozenset({"NOLOCK", "READUNCOMMITTED", "READCOMMITTED", "READPAST", "NOEXPAND"})
QUERY_OPTIONS = frozenset({"MAXRECURSION", "MAXDOP", "RECOMPILE"})
SELECT_WORDS = frozenset({"STRAIGHT_JOIN", "SQL_NO_CACHE", "SQL_SMALL_RESULT", "SQL_BIG_RESULT", "SQL_BUFFER_RESULT"})
