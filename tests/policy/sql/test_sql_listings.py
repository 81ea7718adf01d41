"""Listings, plans and the names of other servers: what passes, what only looks like it, and what was decided."""

import pytest

from desktop.policy.sql.assess import assess_sql
from desktop.policy.sql.names import clickhouse as names_clickhouse
from desktop.policy.sql.names import mysql as names_mysql
from desktop.policy.sql.names import others as names_others
from desktop.policy.sql.names import postgres as names_postgres
from desktop.policy.sql.names import sqlite as names_sqlite

DANGEROUS = """
    file url s3 remote executable input sleep sleepeachrow benchmark get_lock load_file load_extension readfile
    writefile nextval setval lastval pg_sleep pg_read_file pg_ls_dir lo_import lo_export dblink set_config read_csv
    read_text read_json read_parquet parquet_scan glob query getenv openrowset openquery reflect java_method read_files
    secret http_request ai_query external_query dictget joinget catboostevaluate reversednsquery utl_http dbms_lock
    result_scan infer_schema get_presigned_url system$wait seq4 generator
"""


def proven(text: str, dialect: str) -> bool:
    return assess_sql(text, dialect).proven_read


@pytest.mark.promise("gate-Q12")
@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("clickhouse", "EXISTS TABLE db.t"),
        ("snowflake", "SHOW GRANTS TO ROLE r"),
        ("snowflake", "DESCRIBE WAREHOUSE w"),
        ("snowflake", "EXPLAIN USING JSON SELECT * FROM t"),
        ("drill", "EXPLAIN PLAN FOR SELECT a FROM t"),
    ],
)
def test_a_listing_or_a_plan_of_a_query_runs(dialect: str, text: str) -> None:
    assert proven(text, dialect)


@pytest.mark.promise("gate-Q12")
@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("snowflake", "SHOW TABLES INTO OUTFILE 'x'"),
        ("snowflake", "SHOW TABLES 'x'"),
        ("duckdb", 'SHOW TABLES FROM "/x"'),
        ("snowflake", "SHOW evil"),
        ("clickhouse", "EXISTS"),
        ("snowflake", "SHOW TABLES ſELECT"),
        ("snowflake", "SHOW TABLES ->> DELETE FROM t"),
        ("snowflake", "EXPLAIN"),
        ("snowflake", "EXPLAIN USING TEXT DELETE FROM t"),
        ("oracle", "EXPLAIN PLAN FOR SELECT 1 FROM dual"),  # it writes into the plan table
        ("tsql", "SHOW TABLES"),
    ],
)
def test_what_only_looks_like_a_listing_asks(dialect: str, text: str) -> None:
    assert not proven(text, dialect)


@pytest.mark.parametrize(
    ("dialect", "text", "why"),
    [
        ("clickhouse", "SELECT dictGet('d', 'a', 1)", "the first read fills a dictionary from an address or a program"),
        ("oracle", "SELECT DBMS_RANDOM.VALUE FROM dual", "a package of that name in the own schema would be called"),
        ("duckdb", "PRAGMA table_info('x.csv')", "a file may be opened in place of a table"),
        ("duckdb", "SELECT * FROM pragma_table_info('x.csv')", "the same"),
        ("snowflake", "SELECT SEQ4() FROM TABLE(GENERATOR(ROWCOUNT => 1))", "the specification leaves both out"),
        ("tsql", "SELECT OBJECT_ID('dbo.t')", "the specification leaves it out"),
        ("snowflake", "SELECT ST_DISTANCE(a, b) FROM t", "the specification leaves it out"),
        ("clickhouse", "SHOW TABLES", "the specification leaves SHOW to the servers that it names"),
        ("spark", "SHOW TBLPROPERTIES db.t", "the same"),
        ("trino", "SHOW CATALOGS", "the same"),
        ("redshift", "SHOW TABLES FROM SCHEMA db.s", "the same"),
        ("clickhouse", "SELECT hasColumnInTable('host', 'd', 't', 'c')", "it can ask another server"),
    ],
)
def test_what_was_decided_to_ask(dialect: str, text: str, why: str) -> None:
    assert not proven(text, dialect), why


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("bigquery", "SELECT SAFE.SUBSTR(a, 1), NET.IP_TRUNC(b, 8), HLL_COUNT.MERGE(c) FROM t"),
        ("snowflake", "SELECT * FROM TABLE(db.information_schema.query_history())"),
        ("clickhouse", "SELECT uniqMergeStateIf(a, b), (1, 2).1 FROM t"),
        ("duckdb", "PIVOT t ON a USING sum(b)"),
        ("duckdb", "SELECT * FROM pragma_table_info('t')"),
    ],
)
def test_names_and_prefixes_of_the_server_itself_run(dialect: str, text: str) -> None:
    assert proven(text, dialect)


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("bigquery", "SELECT SAFE.my_udf(a)"),
        ("bigquery", "SELECT NET.MY_UDF(a)"),
        ("bigquery", "SELECT ds.MERGE(c) FROM t"),
        ("bigquery", "SELECT a.hll_count.MERGE(c) FROM t"),
        ("snowflake", "SELECT * FROM TABLE(db.information_schema.my_udtf())"),
        ("snowflake", "SELECT * FROM TABLE(db.other.query_history())"),
        ("clickhouse", "SELECT myAggIf(a, b) FROM t"),
        ("clickhouse", "SELECT * FROM dictionary('d')"),
        ("postgres", "SELECT object_id('t')"),
        ("duckdb", "PIVOT 'x.csv' ON a USING sum(b)"),
    ],
)
def test_the_same_prefixes_and_endings_lead_to_nothing_else(dialect: str, text: str) -> None:
    assert not proven(text, dialect)


def test_no_list_holds_a_name_that_reads_files_waits_locks_or_reaches_out() -> None:
    dangerous = set(DANGEROUS.split())
    lists = {
        **names_others.NAMES,
        "clickhouse": names_clickhouse.NAMES,
        "mysql": names_mysql.NAMES,
        "postgres": names_postgres.NAMES,
        "sqlite": names_sqlite.NAMES - {"glob"},  # an operator on texts there
    }
    assert {dialect: names & dangerous for dialect, names in lists.items() if names & dangerous} == {}
