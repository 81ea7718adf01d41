"""The names of MySQL's and MariaDB's functions that may be called in a proven read.

Left out, built in or not: what waits or locks (`sleep benchmark get_lock release_lock is_free_lock master_pos_wait
wait_for_executed_gtid_set source_pos_wait`), reads files (`load_file`), changes state (`last_insert_id` with a value,
`uuid_short`, `nextval setval lastval`), or is a loadable function.
"""

NAMES = frozenset({
    "abs", "acos", "adddate", "addtime", "aes_decrypt", "aes_encrypt", "all", "any", "any_value", "ascii", "asin",
    "atan", "atan2", "avg", "bin", "bin_to_uuid", "bit_and", "bit_count", "bit_length", "bit_or", "bit_xor", "cast",
    "ceil", "ceiling", "char", "char_length", "character_length", "charset", "coalesce", "coercibility", "collation",
    "compress", "concat", "concat_ws", "connection_id", "conv", "convert", "convert_tz", "cos", "cot", "count",
    "crc32", "cume_dist", "curdate", "current_date", "current_role", "current_time", "current_timestamp",
    "current_user", "curtime", "database", "date", "date_add", "date_format", "date_sub", "datediff", "day", "dayname",
    "dayofmonth", "dayofweek", "dayofyear", "default", "degrees", "dense_rank", "elt", "exists", "exp", "export_set",
    "extract", "extractvalue", "field", "find_in_set", "first_value", "floor", "format", "format_bytes",
    "format_pico_time", "from_base64", "from_days", "from_unixtime", "geomfromtext", "get_format", "greatest",
    "group_concat", "grouping", "hex", "hour", "if", "ifnull", "inet6_aton", "inet6_ntoa", "inet_aton", "inet_ntoa",
    "insert", "instr", "interval", "is_ipv4", "is_ipv4_compat", "is_ipv4_mapped", "is_ipv6", "is_uuid", "isnull",
    "json_array", "json_array_append", "json_array_insert", "json_arrayagg", "json_contains", "json_contains_path",
    "json_depth", "json_detailed", "json_exists", "json_extract", "json_insert", "json_keys", "json_length",
    "json_merge_patch", "json_merge_preserve", "json_object", "json_objectagg", "json_overlaps", "json_pretty",
    "json_query", "json_quote", "json_remove", "json_replace", "json_schema_valid", "json_search", "json_set",
    "json_storage_size", "json_table", "json_type", "json_unquote", "json_valid", "json_value", "lag", "last_day",
    "last_value", "lcase", "lead", "least", "left", "length", "ln", "localtime", "localtimestamp", "locate", "log",
    "log10", "log2", "lower", "lpad", "ltrim", "make_set", "makedate", "maketime", "match", "max", "md5", "median",
    "microsecond", "mid", "min", "minute", "mod", "month", "monthname", "name_const", "not", "now", "nth_value",
    "ntile", "nullif", "nvl", "nvl2", "oct", "octet_length", "ord", "percent_rank", "percentile_cont",
    "percentile_disc", "period_add", "period_diff", "pi", "point", "position", "pow", "power", "quarter", "quote",
    "radians", "rand", "random_bytes", "rank", "regexp_instr", "regexp_like", "regexp_replace", "regexp_substr",
    "repeat", "replace", "reverse", "right", "round", "row", "row_count", "row_number", "rpad", "rtrim", "schema",
    "sec_to_time", "second", "session_user", "sha", "sha1", "sha2", "sign", "sin", "some", "soundex", "space", "sqrt",
    "st_area", "st_asgeojson", "st_astext", "st_aswkt", "st_centroid", "st_contains", "st_distance",
    "st_distance_sphere", "st_equals", "st_geomfromtext", "st_intersects", "st_isvalid", "st_latitude", "st_length",
    "st_longitude", "st_makeenvelope", "st_srid", "st_within", "st_x", "st_y", "std", "stddev", "stddev_pop",
    "stddev_samp", "str_to_date", "strcmp", "subdate", "substr", "substring", "substring_index", "subtime", "sum",
    "sysdate", "system_user", "tan", "time", "time_format", "time_to_sec", "timediff", "timestamp", "timestampadd",
    "timestampdiff", "to_base64", "to_char", "to_days", "to_seconds", "trim", "truncate", "ucase", "uncompress",
    "uncompressed_length", "unhex", "unix_timestamp", "updatexml", "upper", "user", "utc_date", "utc_time",
    "utc_timestamp", "uuid", "uuid_to_bin", "validate_password_strength", "values", "var_pop", "var_samp", "variance",
    "version", "week", "weekday", "weekofyear", "weight_string", "xor", "year", "yearweek", "last_insert_id",
    "found_rows",
})  # fmt: skip

WITHOUT_ARGUMENTS = frozenset({"last_insert_id"})

TYPES = frozenset({
    "binary", "bit", "blob", "char", "character", "datetime", "dec", "decimal", "double", "enum", "fixed", "float",
    "int", "integer", "nchar", "numeric", "set", "signed", "text", "time", "timestamp", "tinyint", "smallint",
    "mediumint", "bigint", "unsigned", "varbinary", "varchar", "year", "nvarchar",
})  # fmt: skip
