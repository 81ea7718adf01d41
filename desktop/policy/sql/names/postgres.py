"""The names of PostgreSQL's functions that may be called in a proven read.

Every name, typed by the parser or not, must be here: what is not one of the server's own functions is somebody's code.
The additions to 9.1 are immutable or stable in `pg_proc` of PostgreSQL 18, apart from the random, clock and size
functions, or belong to the text extensions that come with it, and were read one by one: nothing that reads tables or
files by a name given as text, assigns a transaction id, moves a sequence, notifies, locks or signals.

A name says nothing of overloads: `lower(1)` may be anybody's function in `public`, and so may `similarity` where the
extension is not installed. The text cannot tell; on our own connections the server does, before anything runs
(`services/databases/postgres/calls.py`), and elsewhere a proven read still follows the rules for commands.
"""

_TEXT = """
    ascii btrim casefold char_length character_length chr concat concat_ws convert convert_from convert_to decode
    encode format initcap left length like lower lpad ltrim md5 normalize octet_length overlay parse_ident position
    quote_ident quote_literal quote_nullable regexp_count regexp_instr regexp_like regexp_match regexp_matches
    regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr repeat replace reverse right rpad rtrim
    sha224 sha256 sha384 sha512 split_part starts_with string_agg string_to_array string_to_table strpos substr
    substring to_ascii to_bin to_hex to_oct translate trim unistr upper bit_length bit_count get_bit get_byte set_bit
    set_byte crc32 crc32c collation hashtext levenshtein levenshtein_less_equal soundex unaccent similarity
    word_similarity
"""
_MATHS = """
    abs acos acosd acosh asin asind asinh atan atan2 atan2d atand atanh cbrt ceil ceiling cos cosd cosh cot cotd
    degrees div erf erfc exp factorial floor gamma gcd greatest lcm least lgamma ln log log10 min_scale mod pi pow
    power radians random random_normal round scale sign sin sind sinh sqrt tan tand tanh trim_scale trunc width_bucket
    gen_random_uuid uuid_extract_timestamp uuid_extract_version uuidv4 uuidv7 uuid_generate_v4
"""
_TIME = """
    age clock_timestamp current_date current_time current_timestamp date_add date_bin date_part date_subtract
    date_trunc extract isfinite justify_days justify_hours justify_interval localtime localtimestamp make_date
    make_interval make_time make_timestamp make_timestamptz now overlaps statement_timestamp timeofday timezone
    to_char to_date to_number to_timestamp transaction_timestamp
"""
_AGGREGATES = """
    any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp cume_dist
    dense_rank every first_value grouping json_agg json_object_agg json_agg_strict json_object_agg_strict
    json_object_agg_unique json_objectagg json_arrayagg jsonb_agg jsonb_agg_strict jsonb_object_agg
    jsonb_object_agg_strict jsonb_object_agg_unique lag last_value lead max min mode nth_value ntile percent_rank
    percentile_cont percentile_disc range_agg range_intersect_agg rank regr_avgx regr_avgy regr_count regr_intercept
    regr_r2 regr_slope regr_sxx regr_sxy regr_syy row_number stddev stddev_pop stddev_samp sum var_pop var_samp
    variance xmlagg
"""
_ARRAYS = """
    array array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position
    array_positions array_prepend array_remove array_replace array_reverse array_sort array_to_string array_upper
    cardinality generate_series generate_subscripts trim_array unnest
"""
_RANGES = """
    int4range int8range numrange tsrange tstzrange daterange int4multirange int8multirange nummultirange tsmultirange
    tstzmultirange datemultirange multirange isempty lower_inc lower_inf upper_inc upper_inf range_merge
"""
_JSON = """
    row_to_json to_json to_jsonb array_to_json json_array json_exists json_query json_value json_table json_scalar
    json_serialize json_build_array json_build_object json_object json_array_elements json_array_elements_text
    json_array_length json_each json_each_text json_extract_path json_extract_path_text json_object_keys
    json_to_record json_to_recordset json_typeof json_strip_nulls jsonb_build_array jsonb_build_object jsonb_object
    jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_each jsonb_each_text jsonb_extract_path
    jsonb_extract_path_text jsonb_object_keys jsonb_to_record jsonb_to_recordset jsonb_typeof jsonb_strip_nulls
    jsonb_set jsonb_set_lax jsonb_insert jsonb_delete jsonb_delete_path jsonb_concat jsonb_contains jsonb_contained
    jsonb_exists jsonb_exists_any jsonb_exists_all jsonb_pretty jsonb_path_exists jsonb_path_match jsonb_path_query
    jsonb_path_query_array jsonb_path_query_first jsonb_path_exists_tz jsonb_path_match_tz jsonb_path_query_tz
    jsonb_path_query_array_tz jsonb_path_query_first_tz json_populate_record json_populate_recordset
    jsonb_populate_record jsonb_populate_recordset
"""
_SEARCH = """
    array_to_tsvector get_current_ts_config length numnode phraseto_tsquery plainto_tsquery querytree setweight strip
    to_tsquery to_tsvector ts_delete ts_filter ts_headline ts_lexize ts_parse ts_rank ts_rank_cd ts_token_type
    tsquery_phrase tsvector_to_array websearch_to_tsquery json_to_tsvector jsonb_to_tsvector
"""
_NETWORK_AND_SHAPES = """
    abbrev broadcast family host hostmask inet_merge inet_same_family macaddr8_set7bit masklen netmask network
    set_masklen inet_client_addr inet_client_port inet_server_addr inet_server_port area bound_box box center circle
    diagonal diameter height isclosed isopen line lseg npoints path point polygon popen pclose radius slope width
"""
_XML = """
    xmlattributes xmlnamespaces xmlcomment xmlconcat xmlelement xmlexists xmlforest xmlparse xmlpi
    xmlroot xmlserialize xmltext
    xml_is_well_formed
    xml_is_well_formed_content xml_is_well_formed_document xpath xpath_exists
"""
_CATALOGUE = """
    col_description current_catalog current_database current_query current_role current_schema current_schemas
    current_setting current_user format_type has_any_column_privilege has_column_privilege has_database_privilege
    has_foreign_data_wrapper_privilege has_function_privilege has_language_privilege has_parameter_privilege
    has_schema_privilege has_sequence_privilege has_server_privilege has_table_privilege has_tablespace_privilege
    has_type_privilege obj_description pg_backend_pid pg_blocking_pids pg_char_to_encoding pg_client_encoding
    pg_collation_for pg_collation_is_visible pg_column_compression pg_column_size pg_conf_load_time
    pg_conversion_is_visible pg_current_wal_flush_lsn pg_current_wal_insert_lsn pg_current_wal_lsn pg_database_size
    pg_describe_object pg_encoding_to_char pg_function_is_visible pg_get_constraintdef pg_get_expr
    pg_get_function_arg_default pg_get_function_arguments pg_get_function_identity_arguments pg_get_function_result
    pg_get_functiondef pg_get_indexdef pg_get_keywords pg_get_partition_constraintdef pg_get_partkeydef pg_get_ruledef
    pg_get_serial_sequence pg_get_statisticsobjdef pg_get_triggerdef pg_get_userbyid pg_get_viewdef pg_has_role
    pg_identify_object pg_index_column_has_property pg_index_has_property pg_indexam_has_property pg_indexes_size
    pg_is_in_recovery pg_is_other_temp_schema pg_is_wal_replay_paused pg_last_wal_receive_lsn pg_last_wal_replay_lsn
    pg_last_xact_replay_timestamp pg_my_temp_schema pg_opclass_is_visible pg_operator_is_visible
    pg_opfamily_is_visible pg_options_to_table pg_partition_ancestors pg_partition_root pg_partition_tree
    pg_postmaster_start_time pg_relation_filenode pg_relation_size pg_safe_snapshot_blocking_pids pg_size_bytes
    pg_size_pretty pg_stat_get_live_tuples pg_stat_get_dead_tuples pg_stat_get_numscans pg_stat_get_last_vacuum_time
    pg_stat_get_last_autovacuum_time pg_stat_get_last_analyze_time pg_stat_get_last_autoanalyze_time
    pg_statistics_obj_is_visible pg_table_is_visible pg_table_size pg_tablespace_location pg_tablespace_size
    pg_timezone_names pg_total_relation_size pg_trigger_depth pg_ts_config_is_visible pg_ts_dict_is_visible
    pg_ts_parser_is_visible pg_ts_template_is_visible pg_type_is_visible pg_typeof pg_wal_lsn_diff pg_walfile_name
    row_security_active session_user shobj_description system_user to_regclass to_regcollation to_regnamespace
    to_regoper to_regoperator to_regproc to_regprocedure to_regrole to_regtype version
"""
_FORMS = "all any cast coalesce exists json nullif row some treat values xmltable"

NAMES = frozenset(
    "".join(
        (
            _TEXT,
            _MATHS,
            _TIME,
            _AGGREGATES,
            _ARRAYS,
            _RANGES,
            _JSON,
            _SEARCH,
            _NETWORK_AND_SHAPES,
            _XML,
            _CATALOGUE,
        )
    ).split()
) | frozenset(_FORMS.split())

TYPES = frozenset({
    "bit", "bpchar", "char", "character", "dec", "decimal", "float", "int", "int2", "int4", "int8", "integer",
    "interval", "jsonb", "nchar", "numeric", "real", "text", "time", "timestamp", "timestamptz", "timetz", "varbit",
    "varchar", "varying", "vector", "halfvec", "bool", "boolean", "date", "uuid", "oid", "bigint", "smallint",
    "double", "inet", "cidr", "bytea", "xml", "regclass", "regtype", "precision",
})  # fmt: skip
