"""The names of functions that the parser has no class for, and that a proven read may call, for the other dialects.

Gate-9.1 gives them none; these are the ones that ordinary reads there use daily, each a pure function of its arguments
or of the catalogue by the manual of its server. No file, network, model, sequence, text that is run, or wait.
"""

NAMES: dict[str, frozenset[str]] = {
    "tsql": frozenset({
        "choose", "cast", "checksum", "col_length", "col_name", "columnproperty", "concat", "cume_dist",
        "current_timezone", "databasepropertyex", "datalength", "datefromparts", "datetime2fromparts",
        "datetimeoffsetfromparts", "db_id", "db_name", "difference", "error_message", "file_name", "filegroup_name",
        "format", "formatmessage", "getansinull", "getutcdate", "has_dbaccess", "has_perms_by_name", "host_name",
        "index_col", "indexproperty", "is_member", "is_rolemember", "is_srvrolemember", "isdate", "isjson",
        "isnumeric", "json_array", "json_modify", "json_object", "json_path_exists", "log10", "lower",
        "min_active_rowversion", "nchar", "object_definition", "object_name", "object_schema_name", "objectproperty",
        "objectpropertyex", "original_login", "parse", "patindex", "quotename", "rand", "schema_id", "serverproperty",
        "session_context", "smalldatetimefromparts", "square", "str", "string_escape", "string_split", "stdevp",
        "stats_date", "switchoffset", "sysutcdatetime", "todatetimeoffset", "translate", "try_cast", "try_convert",
        "try_parse", "type_id", "type_name", "typeproperty", "unicode", "user_id", "user_name", "varp",
        "generate_series", "greatest", "least", "approx_count_distinct", "datename", "datepart", "isnull", "stdev",
        "var", "checksum_agg", "bit_count", "left_shift", "right_shift",
    }),
    "duckdb": frozenset("""
        age approx_count_distinct array_value bar bin bit_count century chr contains damerau_levenshtein dayname
        decade editdist3 epoch_ns epoch_us equi_width_bins era even fdiv fmod format format_bytes formatReadableSize
        from_json gamma gcd generate_subscripts greatest_common_divisor hamming hash histogram instr isfinite isinf
        isnan isodow isoyear jaccard jaro_similarity json_array_length json_each json_extract_path json_group_array
        json_group_object json_group_structure json_keys json_merge_patch json_object json_quote json_structure
        json_transform json_tree json_type json_valid lcm least_common_multiple len lgamma list_aggregate
        list_any_value list_avg list_count list_element list_extract list_first list_has_all list_intersect list_last
        list_position list_product list_reverse list_select list_slice list_sum list_unique list_where list_zip mad
        make_timestamptz map_contains map_entries map_extract map_keys map_values md5_number millennium microsecond
        millisecond nextafter nfc_normalize octet_length ord parse_dirname parse_filename parse_path printf product
        regexp_escape regexp_full_match regexp_split_to_array regexp_split_to_table reservoir_quantile row row_to_json
        signbit starts_with string_split_regex strip_accents struct_extract struct_insert suffix prefix timezone
        timezone_hour timezone_minute to_base to_centuries to_days to_decades to_hours to_json to_microseconds
        to_milliseconds to_millennia to_minutes to_months to_seconds to_weeks to_years trim_null try_strptime typeof
        union_extract union_tag union_value url_decode url_encode weekday yearweek bool_and bool_or favg fsum geomean
        kahan_sum kurtosis_pop arbitrary list_resize list_grade_up flatten array_to_string_comma_default
        array_cosine_similarity array_distance array_inner_product bitstring bit_position last_day datesub datepart
        date_part dateadd julian quarter nullif pi glob like_escape not_like_escape ilike_escape current_setting
        pg_typeof duckdb_columns duckdb_constraints duckdb_databases duckdb_functions duckdb_indexes duckdb_keywords
        duckdb_schemas duckdb_sequences duckdb_settings duckdb_tables duckdb_types duckdb_views duckdb_extensions
        pragma_table_info pragma_database_size pragma_show pragma_storage_info pragma_version
    """.lower().split()),
    "snowflake": frozenset({
        "array_flatten", "array_generate_range", "as_array", "as_boolean", "as_char", "as_date", "as_decimal",
        "as_double", "as_integer", "as_number", "as_object", "as_timestamp_ntz", "as_varchar", "bitand", "bitnot",
        "bitor", "bitshiftleft", "bitshiftright", "bitxor", "charindex", "date_part", "dayname", "div0", "div0null",
        "hash", "hash_agg", "haversine", "hour", "ilike", "insert", "is_array", "is_boolean", "is_char", "is_date",
        "is_decimal", "is_double", "is_integer", "is_null_value", "is_object", "is_real", "is_timestamp_ntz",
        "is_varchar", "like_all", "like_any", "listagg", "minute", "monthname", "object_construct", "object_delete",
        "object_keys", "object_pick", "octet_length", "parse_xml", "percentile_approx", "ratio_to_report",
        "regexp_substr_all", "rlike", "second", "sha1_hex", "sha2_hex", "split", "strtok_to_array", "time_slice",
        "timeadd", "timediff", "timestampadd", "timestampdiff", "typeof", "width_bucket", "get_ddl", "zeroifnull",
        "conditional_change_event", "conditional_true_event", "bitand_agg", "bitor_agg", "bitxor_agg", "st_distance",
    }),
    "bigquery": frozenset({
        "approx_count_distinct", "bit_count", "byte_length", "ceiling", "char_length", "chr", "code_points_to_bytes",
        "concat", "date_from_unix_date", "div", "extract", "farm_fingerprint", "format", "generate_array",
        "ieee_divide", "instr", "int64", "is_inf", "is_nan", "json_type", "lax_bool", "ends_with", "logical_and",
        "logical_or", "lower", "net", "normalize", "offset", "ordinal", "parse_json", "regexp_instr", "safe_offset",
        "safe_ordinal", "session_user", "soundex", "st_area", "st_asgeojson", "st_astext", "st_contains",
        "st_distance", "st_dwithin", "st_geogpoint", "st_geogfromtext", "st_intersects", "st_within", "st_x", "st_y",
        "string_agg", "timestamp_micros", "timestamp_millis", "timestamp_seconds", "to_code_points", "unix_date",
        "unix_micros", "unix_millis", "unix_seconds", "array_reverse", "array_is_distinct", "array_sum", "countif",
        "bool", "float64", "string", "struct", "to_json", "unicode", "current_datetime", "generate_date_array",
        "safe_convert_bytes_to_string",
    }),
    "clickhouse": frozenset("""
        abs adddays addhours addminutes addmonths addseconds addweeks addyears age any anylast argmax argmin
        arraycount arrayall arrayavg arraycumsum arraydifference arrayelement arrayenumerate arrayexists arrayfirst
        arrayfirstindex arrayflatten arrayjoin arraylast arraypopback arraypopfront arrayproduct arraypushback
        arraypushfront arrayreduce arrayreversesort arraysort arraystringconcat arrayuniq arrayzip array
        arraywithconstant ascii assumenotnull avg avgweighted base64decode base64encode bin bitand bitcount bitor
        bitxor bitnot bitshiftleft bitshiftright caseWithExpression coalesce concat concatwithseparator corr count
        countequal countsubstrings cutquerystring datename date_trunc datetrunc divide domain domainwithoutwww
        dumpcolumnstructure empty endswith equals exponentialmovingavg extractall extracturlparameter
        formatreadablequantity formatreadablesize formatreadabletimedelta formatrow fromunixtimestamp
        fromunixtimestamp64milli generateuuidv4 greater greaterorequals grouparray groupuniqarray grouparraymovingsum
        groupbitmap halfmd5 hasall hasany hassubstr hex ifnull in indexof initcap intdiv intdivorzero ipv4numtostring
        ipv4stringtonum isfinite isnan isnotnull isnull isvalidutf8 isvalidjson jsonextract jsonextractarrayraw
        jsonextractbool jsonextractfloat jsonextractint jsonextractkeys jsonextractkeysandvalues jsonextractuint
        jsonhas jsonkey jsonlength jsontype jsonvalue json_value json_query laginframe leadinframe length lengthutf8
        less lessorequals locate log10 log2 lower lowerutf8 map mapkeys mapvalues mapcontains max maxmap median min
        minus modulo multiif multiply negate notempty notequals now now64 nullif numbers parsedatetimebesteffort
        parsedatetimebesteffortornull path plus positioncaseinsensitive position pow protocol quantile quantileexact
        quantiles quantiletdigest quantiletiming range repeat replaceall replaceone replaceregexpall replaceregexpone
        reverse round rounddown runningaccumulate simplejsonextractstring simplelinearregression siphash64
        splitbynonalpha splitbywhitespace startswith stddevpop stddevsamp subtractdays subtracthours subtractminutes
        subtractmonths subtractseconds subtractweeks subtractyears substring substringutf8 sum sumif summap
        sumwithoverflow timeslot timezone toboolean todate todate32 todateornull todatetime todatetime64
        todatetimeornull todayofmonth todayofyear todecimal128 todecimal32 todecimal64 tofixedstring tofloat32
        tofloat64 tofloat64ornull tohour toint128 toint16 toint32 toint32ornull toint64 toint64ornull toint64orzero
        toint8 tointervalday tointervalhour tointervalminute tointervalmonth tointervalsecond tointervalweek
        tointervalyear tolowcardinality tominute tomonth tonullable toquarter torelativedaynum tosecond
        tostartoffifteenminutes tostartoffiveminutes tostartofinterval tostartofisoyear tostartoftenminutes
        tostartofweek tostring totimezone touint16 touint32 touint64 touint8 tounixtimestamp touuid toyear toyyyymm
        toyyyymmdd toyyyymmddhhmmss toweek todayofweek today tomorrow topk topklevel transform trim trunc tuple
        tupleelement tuplehammingdistance uniq uniqcombined uniqcombined64 uniqexact uniqhll12 unhex untuple upper
        upperutf8 varpop varsamp visibleWidth windowfunnel xxhash64 yesterday zeros numbers_mt match multisearchany
        like notlike ilike notilike murmurhash3_64 javahash cityhash64 intexp2 sign sqrt exp ln bar least greatest
        tupleconcat totypename currentdatabase version hostname uptime
    """.lower().split()),
    "oracle": frozenset({
        "add_months", "ascii", "asciistr", "bitand", "cardinality", "chartorowid", "chr", "compose", "decode", "dump",
        "empty_blob", "from_tz", "greatest", "hextoraw", "initcap", "instr", "instrb", "json_array", "json_arrayagg",
        "json_dataguide", "json_exists", "json_mergepatch", "json_object", "json_objectagg", "json_query",
        "json_scalar", "json_serialize", "json_table", "json_value", "last_day", "lengthb", "listagg", "lnnvl",
        "localtimestamp", "months_between", "nanvl", "new_time", "next_day", "nls_initcap", "nls_lower", "nls_upper",
        "nlssort", "numtodsinterval", "numtoyminterval", "nvl", "nvl2", "ora_hash", "rank", "ratio_to_report",
        "rawtohex", "regexp_count", "regexp_instr", "regexp_like", "regexp_replace", "regexp_substr", "remainder",
        "replace", "round", "rowidtochar", "rownum", "rpad", "rtrim", "sessiontimezone", "soundex", "stats_mode",
        "substr", "substrb", "sys_context", "sys_extract_utc", "sys_guid", "to_binary_double", "to_binary_float",
        "to_char", "to_clob", "to_date", "to_dsinterval", "to_lob", "to_nchar", "to_nclob", "to_number",
        "to_timestamp", "to_timestamp_tz", "to_yminterval", "translate", "treat", "tz_offset", "uid", "unistr", "user",
        "userenv", "vsize", "width_bucket", "xmlagg", "xmlforest", "xmlserialize",
    }),
    "spark": frozenset({
        "acosh", "aggregate", "any", "approx_count_distinct", "approx_percentile", "array", "array_repeat",
        "arrays_overlap", "ascii", "bigint", "bin", "bit_length", "bround", "btrim", "cardinality", "cbrt", "char",
        "collect_list", "collect_set", "contains", "conv", "crc32", "date_from_unix_date", "date_part", "dayofweek",
        "decimal", "double", "e", "element_at", "elt", "endswith", "every", "exists", "exp", "explode",
        "explode_outer", "expm1", "extract", "find_in_set", "first_value", "float", "flatten", "forall",
        "format_number", "format_string", "from_csv", "from_json", "from_utc_timestamp", "get", "get_json_object",
        "getbit", "grouping", "grouping_id", "hash", "histogram_numeric", "hypot", "ilike", "inline", "inline_outer",
        "input_file_name", "instr", "int", "isnan", "isnotnull", "isnull", "json_array_length", "json_object_keys",
        "json_tuple", "last_value", "like", "locate", "log1p", "luhn_check", "make_date", "make_interval",
        "make_timestamp", "map_concat", "map_contains_key", "map_entries", "map_filter", "map_from_arrays",
        "map_from_entries", "map_zip_with", "mask", "max_by", "md5", "min_by", "monotonically_increasing_id",
        "months_between", "named_struct", "negative", "next_day", "now", "octet_length", "parse_url", "percentile",
        "percentile_approx", "pmod", "posexplode", "positive", "printf", "regexp", "rlike", "round", "schema_of_json",
        "sentences", "sequence", "sha", "sha1", "sha2", "shiftleft", "shiftright", "shiftrightunsigned", "shuffle",
        "size", "skewness", "slice", "some", "sort_array", "spark_partition_id", "split", "stack", "startswith",
        "str_to_map", "struct", "substring_index", "timestamp", "timestamp_micros", "timestamp_millis",
        "timestamp_seconds", "tinyint", "to_csv", "to_date", "to_json", "to_number", "to_timestamp",
        "to_unix_timestamp", "to_utc_timestamp", "transform", "transform_keys", "transform_values", "translate",
        "try_element_at", "try_to_number", "try_to_timestamp", "typeof", "unbase64", "unix_date", "unix_micros",
        "unix_timestamp", "url_decode", "url_encode", "uuid", "weekday", "width_bucket", "window", "xxhash64",
        "zip_with", "string", "smallint", "boolean", "try_cast", "current_catalog", "current_database",
        "current_timezone",
    }),
    "trino": frozenset({
        "all_match", "any_match", "approx_distinct", "approx_most_frequent", "approx_percentile", "array_agg",
        "array_except", "array_frequency", "array_intersect", "array_sort", "arrays_overlap", "at_timezone", "bar",
        "beta_cdf", "bit_count", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift",
        "bitwise_xor", "bool_and", "bool_or", "cardinality", "ceiling", "char2hexint", "checksum", "codepoint",
        "combinations", "concat_ws", "cosine_similarity", "crc32", "current_timezone", "date", "date_parse",
        "day_of_month", "day_of_week", "day_of_year", "day", "doy", "e", "element_at", "empty_approx_set", "every",
        "filter", "flatten", "format", "format_datetime", "format_number", "from_base", "from_base64",
        "from_base64url", "from_big_endian_64", "from_hex", "from_iso8601_date", "from_iso8601_timestamp",
        "from_unixtime", "from_unixtime_nanos", "geometric_mean", "hamming_distance", "histogram", "hmac_sha256",
        "human_readable_seconds", "index", "infinity", "is_finite", "is_infinite", "is_json_scalar", "is_nan",
        "json_array_contains", "json_array_get", "json_array_length", "json_exists", "json_extract",
        "json_extract_scalar", "json_format", "json_object", "json_parse", "json_query", "json_size", "json_value",
        "last_day_of_month", "levenshtein_distance", "listagg", "ln", "luhn_check", "map", "map_agg", "map_concat",
        "map_entries", "map_filter", "map_from_entries", "map_keys", "map_union", "map_values", "map_zip_with",
        "max_by", "md5", "merge", "min_by", "mod", "multimap_agg", "nan", "ngrams", "none_match", "normal_cdf",
        "normalize", "now", "numeric_histogram", "parse_datetime", "parse_duration", "parse_presto_data_size",
        "quarter", "random", "reduce", "regexp_count", "regexp_extract", "regexp_extract_all", "regexp_like",
        "regexp_position", "regexp_replace", "regexp_split", "reverse", "row", "sequence", "sha1", "sha256", "sha512",
        "shuffle", "sign", "slice", "soundex", "spatial_partitions", "split", "split_part", "split_to_map",
        "split_to_multimap", "spooky_hash_v2_64", "st_area", "st_astext", "st_contains", "st_distance",
        "st_geometryfromtext", "st_intersects", "st_point", "st_within", "st_x", "st_y", "starts_with", "strpos",
        "timezone_hour", "timezone_minute", "to_base", "to_base64", "to_base64url", "to_big_endian_64", "to_char",
        "to_date", "to_geometry", "to_hex", "to_iso8601", "to_milliseconds", "to_timestamp", "to_unixtime", "to_utf8",
        "transform", "transform_keys", "transform_values", "translate", "trim_array", "truncate", "try", "try_cast",
        "typeof", "unnest", "url_decode", "url_encode", "url_extract_fragment", "url_extract_host",
        "url_extract_parameter", "url_extract_path", "url_extract_port", "url_extract_protocol", "url_extract_query",
        "uuid", "week", "week_of_year", "width_bucket", "wilson_interval_lower", "with_timezone", "word_stem",
        "xxhash64", "year_of_week", "yow", "zip", "zip_with", "version",
    }),
}  # fmt: skip
