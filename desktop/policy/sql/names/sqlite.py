"""The names of SQLite's functions that may be called in a proven read.

From `pragma function_list` of SQLite 3.40 to 3.51 and the manual, without `load_extension`, `fts3_tokenizer`, the
shell's own functions (`readfile writefile edit fsdir zipfile …`) and whatever an extension registers.
"""

PRAGMAS = frozenset(
    {
        "table_info",
        "table_xinfo",
        "table_list",
        "index_list",
        "index_info",
        "index_xinfo",
        "foreign_key_list",
        "foreign_key_check",
        "database_list",
        "collation_list",
        "function_list",
        "module_list",
        "pragma_list",
        "compile_options",
        "integrity_check",
        "quick_check",
    }
)

PRAGMAS_WITHOUT_VALUE = frozenset(
    {
        "user_version",
        "application_id",
        "encoding",
        "page_size",
        "page_count",
        "freelist_count",
        "journal_mode",
        "foreign_keys",
        "schema_version",
        "data_version",
        "auto_vacuum",
        "cache_size",
        "synchronous",
        "busy_timeout",
    }
)

NAMES = frozenset({
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "avg", "bm25", "cast", "ceil", "ceiling",
    "changes", "char", "coalesce", "concat", "concat_ws", "cos", "cosh", "count", "cume_dist", "current_date",
    "current_time", "current_timestamp", "date", "datetime", "degrees", "dense_rank", "exists", "exp", "first_value",
    "floor", "format", "glob", "group_concat", "hex", "highlight", "if", "ifnull", "iif", "instr", "json",
    "json_array", "json_array_length", "json_each", "json_error_position", "json_extract", "json_group_array",
    "json_group_object", "json_insert", "json_object", "json_patch", "json_pretty", "json_quote", "json_remove",
    "json_replace", "json_set", "json_tree", "json_type", "json_valid", "jsonb", "jsonb_array", "jsonb_each",
    "jsonb_extract", "jsonb_group_array", "jsonb_group_object", "jsonb_insert", "jsonb_object", "jsonb_patch",
    "jsonb_remove", "jsonb_replace", "jsonb_set", "jsonb_tree", "julianday", "lag", "last_insert_rowid", "last_value",
    "lead", "length", "like", "likelihood", "likely", "ln", "log", "log10", "log2", "lower", "ltrim", "max", "median",
    "min", "mod", "nth_value", "ntile", "nullif", "octet_length", "percent_rank", "percentile", "percentile_cont",
    "percentile_disc", "pi", "pow", "power", "printf", "quote", "radians", "random", "randomblob", "rank", "replace",
    "round", "row_number", "rtrim", "sign", "sin", "sinh", "snippet", "soundex", "sqlite_compileoption_get",
    "sqlite_compileoption_used", "sqlite_source_id", "sqlite_version", "sqrt", "strftime", "string_agg", "subtype",
    "substr", "substring", "sum", "tan", "tanh", "time", "timediff", "total", "total_changes", "trim", "trunc",
    "typeof", "unhex", "unicode", "unistr", "unistr_quote", "unixepoch", "unlikely", "upper", "values", "zeroblob",
    "generate_series", "row", "matchinfo", "offsets",
}) | frozenset(f"pragma_{name}" for name in PRAGMAS)  # fmt: skip

TYPES = frozenset(
    {
        "char",
        "character",
        "decimal",
        "numeric",
        "varchar",
        "varying",
        "nchar",
        "nvarchar",
        "int",
        "integer",
        "text",
        "real",
        "double",
        "float",
    }
)
