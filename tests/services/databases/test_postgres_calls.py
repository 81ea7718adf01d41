"""The second wall, with the first one switched off: every text here goes to the reading side of a real PostgreSQL as if
it had been judged a read. The server names what it would call, and nothing runs."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio

from desktop.policy.sql.assess import assess_sql
from desktop.services.databases.base import DatabaseError, UnlistedCall
from desktop.services.databases.connections import Databases
from desktop.services.databases.judging import MAX_OBJECTIONS, Objections
from desktop.services.databases.postgres.calls import NOT_SAID
from desktop.services.databases.postgres.tree import tree_calls, unseen_command
from tests.fakes.postgres_server import PostgresServer
from tests.services.databases.conftest import Shop

pytestmark = pytest.mark.asyncio
# Each of these leaves a file: what PostgreSQL lets a function do in a read-only transaction.
EVIL = """
CREATE TABLE mark_of AS SELECT lo_from_bytea(0, 'x') AS thing;
CREATE FUNCTION evil() RETURNS int LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM lo_export((SELECT thing FROM mark_of), '{mark}'); RETURN 1; END $$;
CREATE FUNCTION evil_steady() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN evil(); END $$;
CREATE FUNCTION evil_inline() RETURNS int LANGUAGE sql AS $$ SELECT evil() $$;
CREATE FUNCTION evil_of(parent) RETURNS int LANGUAGE sql AS $$ SELECT evil() $$;
CREATE FUNCTION evil_of(record) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN evil(); END $$;
CREATE FUNCTION evil_of(text) RETURNS int LANGUAGE sql AS $$ SELECT evil() $$;
CREATE FUNCTION lower(int) RETURNS int LANGUAGE sql AS $$ SELECT evil() $$;
CREATE FUNCTION similarity(text, text) RETURNS int LANGUAGE sql AS $$ SELECT evil() $$;
CREATE PROCEDURE nothing() LANGUAGE sql AS $$ SELECT evil() $$;
CREATE FUNCTION evil_plus(parent, parent) RETURNS int LANGUAGE sql AS $$ SELECT evil() $$;
CREATE OPERATOR + (LEFTARG = parent, RIGHTARG = parent, FUNCTION = evil_plus);
CREATE FUNCTION evil_cast(parent) RETURNS int LANGUAGE sql AS $$ SELECT evil() $$;
CREATE CAST (parent AS int) WITH FUNCTION evil_cast(parent);
CREATE FUNCTION evil_step(int, int) RETURNS int LANGUAGE sql AS $$ SELECT evil() $$;
CREATE AGGREGATE evil_sum(int) (SFUNC = evil_step, STYPE = int, INITCOND = '0');
CREATE FUNCTION evil_check(text) RETURNS bool LANGUAGE sql AS $$ SELECT evil() = 1 $$;
CREATE DOMAIN evil_text AS text CHECK (evil_check(VALUE));
"""
DBLINK = """
CREATE FUNCTION dblink_exec(text) RETURNS int LANGUAGE sql AS $$ SELECT evil() $$;
CREATE FUNCTION dblink_connect(text) RETURNS int LANGUAGE sql AS $$ SELECT evil() $$;
"""
FAMILIES = {
    "files of the server": (
        "SELECT pg_read_file('/etc/passwd')", "SELECT t.pg_read_file FROM unnest(ARRAY['/etc/passwd']) t",
        "SELECT t.pg_read_binary_file FROM concat('/etc/passwd') t", "SELECT * FROM pg_ls_dir('/')",
        "SELECT t.pg_ls_dir FROM lower('/') AS t(x)", "SELECT t.pg_stat_file FROM CAST('/etc' AS text) t",
        "COPY (SELECT 1) TO '{mark}'", "COPY (SELECT 1) TO PROGRAM 'touch {mark}'",
    ),
    "other sessions": (
        "SELECT pg_terminate_backend({victim})",
        "SELECT t.pg_terminate_backend FROM generate_series({victim}, {victim}) t",
        "SELECT t.pg_cancel_backend FROM unnest(ARRAY[{victim}]) t",
        "SELECT t.pg_log_backend_memory_contexts FROM unnest(ARRAY[{victim}]) t",
    ),
    "other connections": (
        "SELECT dblink_exec('delete from parent')",
        "SELECT t.dblink_exec FROM unnest(ARRAY['delete from parent']) t",
        "SELECT t.dblink_connect FROM concat('dbname=postgres') t",
    ),
    "large objects": (
        "SELECT lo_import('/etc/passwd')", "SELECT t.lo_import FROM unnest(ARRAY['/etc/passwd']) t",
        "SELECT t.lo_creat FROM generate_series(1, 1) t", "SELECT lo_export(thing, '{mark}') FROM mark_of",
        "SELECT t.lo_get FROM unnest(ARRAY[1::oid]) t", "SELECT t.lo_unlink FROM unnest(ARRAY[1::oid]) t",
    ),
    "advisory locks": (
        "SELECT pg_advisory_lock(1)", "SELECT t.pg_advisory_lock FROM generate_series(1, 1) t",
        "SELECT t.pg_try_advisory_xact_lock FROM unnest(ARRAY[1]) t",
    ),
    "statistics": (
        "SELECT pg_stat_reset()", "SELECT t.pg_stat_reset_shared FROM unnest(ARRAY['bgwriter']) t",
        "SELECT t.pg_stat_reset_single_table_counters FROM unnest(ARRAY[1::oid]) t",
    ),
    "restore points, logs, settings": (
        "SELECT pg_create_restore_point('x')", "SELECT t.pg_create_restore_point FROM unnest(ARRAY['x']) t",
        "SELECT pg_switch_wal()", "SELECT pg_reload_conf()", "SELECT pg_rotate_logfile()",
        "SELECT set_config('transaction_read_only', 'off', false)", "SELECT setval('item_id_seq', 9)",
        "SELECT t.setseed FROM unnest(ARRAY[0.5]) t", "SELECT pg_notify('a', 'b')", "SELECT pg_export_snapshot()",
        "SELECT txid_current()",
    ),
    "slots": (
        "SELECT pg_create_physical_replication_slot('x')",
        "SELECT t.pg_drop_replication_slot FROM unnest(ARRAY['x'::name]) t",
        "SELECT pg_create_logical_replication_slot('x', 'test_decoding')",
    ),
    "sleeps": (
        "SELECT pg_sleep(60)", "SELECT t.pg_sleep FROM generate_series(60, 60) t",
        "SELECT id FROM parent JOIN generate_series(60, 60) t ON t.pg_sleep IS NULL",
        "EXPLAIN ANALYZE SELECT t.pg_sleep FROM generate_series(60, 60) t",
    ),
    "SQL given as text": (
        "SELECT query_to_xml('SELECT evil()', true, true, '')",
        "SELECT * FROM ts_stat('SELECT evil()::text::tsvector')",
    ),
    "a user's own": (
        "SELECT evil()", "SELECT evil_steady()", "SELECT evil_inline()", "SELECT 1 WHERE evil_steady() = 1",
        "SELECT 1 LIMIT evil_steady()", "EXPLAIN SELECT evil_steady()",
        "EXPLAIN (VERBOSE) SELECT 1 WHERE evil_steady() = 2",
        "SELECT p.evil_of FROM parent p", "SELECT parent.evil_of FROM parent", "SELECT (p).evil_of FROM parent p",
        "SELECT public.parent.evil_of FROM public.parent", "SELECT s.evil_of FROM (SELECT 1, 2) s",
        "WITH c AS (SELECT 1) SELECT c.evil_of FROM c", "SELECT v.evil_of FROM (VALUES (1, 2)) v",
        "SELECT t.evil_of FROM unnest(ARRAY['x']) t", "SELECT public.lower(1)", "SELECT lower(1)",
        "SELECT similarity('a', 'b')", "SELECT p + p FROM parent p", "SELECT p OPERATOR(public.+) p FROM parent p",
        "SELECT p::int FROM parent p", "SELECT CAST(p AS int) FROM parent p", "SELECT evil_sum(id) FROM parent",
        "SELECT evil_sum(id) OVER () FROM parent", "SELECT 'x'::evil_text", "SELECT (SELECT 1 ORDER BY evil_steady())",
        "SELECT * FROM parent p, LATERAL (SELECT p.evil_of) x", "VALUES (evil_steady())",
        "EXPLAIN DELETE FROM parent WHERE id = evil_steady()",
    ),
    "commands": (
        "DO $$ BEGIN PERFORM evil(); END $$", "CALL nothing()", "EXECUTE p", "PREPARE p AS SELECT evil()", "LISTEN a",
        "LOCK TABLE parent", "DECLARE c CURSOR FOR SELECT evil()", "SET work_mem = '1GB'", "LOAD 'x'", "CHECKPOINT",
        "EXPLAIN ANALYZE EXECUTE p", "EXPLAIN CREATE TABLE x AS SELECT evil()", "COMMIT", "VACUUM",
    ),
}  # fmt: skip
READS = (
    "SELECT id, name, id + 1, lower(name) || 'x', name LIKE 'a%' ESCAPE '!', id::text, count(*) OVER () FROM parent",
    "SELECT p.name, c.v FROM parent p JOIN child c ON c.pid = p.id WHERE p.id IN (1, 2) ORDER BY p.name DESC",
    "SELECT count(*), max(id), string_agg(name, ',' ORDER BY id) FILTER (WHERE id > 1) FROM parent GROUP BY id % 2",
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5) SELECT sum(n) FROM c",
    "SELECT extract(epoch FROM now()), now() AT TIME ZONE 'UTC', current_date, current_user, date_trunc('day', now())",
    "SELECT e.key, e.value FROM json_each('{\"a\": 1}') e",
    "SELECT t.x, t.n FROM unnest(ARRAY[1]) WITH ORDINALITY t(x, n)",
    "SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r' LIMIT 3",
    "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'child'::regclass",
    "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
    "SELECT pid, query FROM pg_stat_activity WHERE state = 'active'",
    "SELECT * FROM parent TABLESAMPLE SYSTEM (50) REPEATABLE (1)", "SELECT (1, 2) < (2, 1), ROW(1, 'a') IS NULL",
    "SELECT ARRAY[1, 2] @> ARRAY[1], '[1,3)'::int4range && '[2,4)'::int4range, '{\"a\": 1}'::jsonb -> 'a'",
    "SELECT COALESCE(NULL, 1), NULLIF(1, 2), GREATEST(1, 2), CASE WHEN true THEN 1 END, 'a' IS DISTINCT FROM 'b'",
    "SELECT gen_random_uuid(), random(), clock_timestamp()", "SELECT overlay('abc' placing 'x' from 2), trim('a ')",
    "EXPLAIN (ANALYZE, COSTS OFF) SELECT * FROM parent", "EXPLAIN SELECT * FROM parent", "SHOW work_mem", "VALUES (1)",
    "TABLE parent", "EXPLAIN UPDATE parent SET name = upper(name) WHERE id = 1", "SELECT '10.0.0.1'::inet, 1.5::float8",
)  # fmt: skip


@dataclass
class Guarded:
    """A database with evil functions, a mark that they leave, and another session that can be ended."""

    shop: Shop
    mark: Path
    admin: asyncpg.Connection
    victim: int

    def text(self, sql: str) -> str:
        return sql.replace("{mark}", str(self.mark)).replace("{victim}", str(self.victim))

    async def state(self) -> tuple[object, ...]:
        """What any of the texts could have changed."""
        return (
            self.mark.exists(),
            await self.admin.fetchval("SELECT count(*) FROM pg_largeobject_metadata"),
            await self.admin.fetchval("SELECT count(*) FROM pg_replication_slots"),
            await self.admin.fetchval("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"),
            await self.admin.fetchval("SELECT stats_reset FROM pg_stat_bgwriter"),
            await self.admin.fetchval("SELECT last_value FROM item_id_seq"),
            await self.admin.fetchval("SELECT count(*) FROM parent"),
        )


@pytest_asyncio.fixture
async def guarded(postgres: Shop, postgres_server: PostgresServer) -> AsyncIterator[Guarded]:
    found = postgres.databases.find("pg")
    mark = postgres_server.folder / f"mark-{found.database}"
    admin = await asyncpg.connect(host=found.host, user=found.user, database=found.database)
    real = await admin.fetchval("SELECT count(*) FROM pg_available_extensions WHERE name = 'dblink'")
    await admin.execute(EVIL.replace("{mark}", str(mark)) + ("CREATE EXTENSION dblink" if real else DBLINK))
    yield Guarded(postgres, mark, admin, admin.get_server_pid())
    await admin.close()
    mark.unlink(missing_ok=True)


@pytest.mark.promise("gate-Q8")
@pytest.mark.parametrize("family", FAMILIES)
async def test_nothing_unlisted_runs_with_the_first_wall_switched_off(guarded: Guarded, family: str) -> None:
    before = await guarded.state()
    for sql in FAMILIES[family]:
        with pytest.raises(DatabaseError) as raised:
            await guarded.shop.read(guarded.text(sql))
        assert raised.value.code == "not_judged", (sql, str(raised.value))
    assert await guarded.state() == before


@pytest.mark.parametrize("sql", ["SELECT evil()", "SELECT evil_steady()", "SELECT p.evil_of FROM parent p"])
async def test_the_read_only_transaction_alone_does_not_stop_them(guarded: Guarded, sql: str) -> None:
    await guarded.admin.execute("BEGIN READ ONLY")
    await guarded.admin.fetch(sql)
    await guarded.admin.execute("ROLLBACK")
    assert guarded.mark.exists()


async def test_a_plan_alone_runs_what_is_said_to_be_immutable(guarded: Guarded) -> None:
    await guarded.admin.execute("BEGIN READ ONLY")
    await guarded.admin.fetch("EXPLAIN (VERBOSE) SELECT evil_steady()")
    await guarded.admin.execute("ROLLBACK")
    assert guarded.mark.exists()


@pytest.mark.parametrize("sql", READS)
async def test_an_ordinary_read_runs(guarded: Guarded, sql: str) -> None:
    assert assess_sql(sql, "postgres").proven_read
    await guarded.shop.read(sql)


async def test_values_in_a_read_are_bound_as_ever(guarded: Guarded) -> None:
    answer = await guarded.shop.read("SELECT $1::timestamptz AT TIME ZONE 'UTC', $2::int + 1", "2020-01-02 00:00Z", 1)
    assert answer.rows == (("2020-01-02 00:00:00", "2"),)


async def test_the_text_is_not_proven_there_from_then_on(guarded: Guarded) -> None:
    databases, sql = guarded.shop.databases, "SELECT p.evil_of FROM parent p"
    found = databases.find("pg")
    assert databases.verdict(found, sql).proven_read
    with pytest.raises(UnlistedCall, match=r"^Not run: the server says that it calls evil_of\.$"):
        await databases.read("pg", sql)
    verdict = databases.for_lane("", None).verdict(found, sql)
    assert (verdict.proven_read, verdict.code, verdict.fragment) == (False, "function_not_listed", "evil_of")
    assert (verdict.class_, [one.proven_read for one in verdict.statements]) == ("opaque", [False])
    assert databases.verdict(found.model_copy(update={"name": "other"}), sql).proven_read
    assert Databases(lambda: (found,)).verdict(found, sql).proven_read


async def test_only_so_many_objections_are_kept_and_a_verdict_against_stays(guarded: Guarded) -> None:
    objections = Objections()
    objections.add("pg", "SELECT 1", "")
    assert objections.verdict("pg", "SELECT 1", "postgres").code == "function_not_listed"
    for number in range(MAX_OBJECTIONS):
        objections.add("pg", f"SELECT {number} AS x", "f")
    assert objections.verdict("pg", "SELECT 1", "postgres").proven_read
    objections.add("pg", "DELETE FROM t", "f")
    assert objections.verdict("pg", "DELETE FROM t", "postgres").code == "destructive"


async def test_an_account_that_is_no_superuser_is_shown_the_same(guarded: Guarded) -> None:
    role = f"reader_{guarded.victim}"
    await guarded.admin.execute(f"CREATE ROLE {role} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}")
    reader = guarded.shop.databases.find("pg").model_copy(update={"user": role})
    shop = replace(guarded.shop, databases=Databases(lambda: (reader,)))
    assert await shop.rows("SELECT count(*) FROM parent") == [("3",)]
    with pytest.raises(UnlistedCall, match="evil_of"):
        await shop.read("SELECT p.evil_of FROM parent p")
    await guarded.admin.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")


async def test_a_superusers_reads_leave_no_tree_in_the_log(guarded: Guarded, postgres_server: PostgresServer) -> None:
    await guarded.shop.read("SELECT 'only here', name AS unlikely_alias FROM parent")
    assert "unlikely_alias" not in (postgres_server.folder / "log").read_text(errors="replace")
    assert await guarded.shop.rows("SELECT current_setting('log_min_messages')") == [("warning",)]


async def test_a_command_that_the_server_does_not_print_is_seen_as_such() -> None:
    assert unseen_command("{QUERY :commandType 6 :utilityStmt ? :rtable <>}")
    assert not unseen_command("{QUERY :commandType 1 :utilityStmt <>}")
    assert NOT_SAID.startswith("Not run")


async def test_a_name_that_looks_like_a_node_adds_and_never_takes_away() -> None:
    call = "{FUNCEXPR :funcid 2626 :funcresulttype 2278 :funcretset false :funcvariadic false :funcformat 0 :args <>}"
    assert tree_calls(call).named == {2626}
    assert tree_calls(call.replace(":funcformat 0", "\n:funcformat 2")).implied == {2626}
    assert tree_calls(call.replace(":funcformat 0", ":other 2")).named == {2626}
    assert tree_calls(f"{{ALIAS :aliasname \\{{FUNCEXPR\\ :funcid\\ 1}} {call}").named == {2626}
    assert tree_calls("{ROWCOMPAREEXPR :opnos (o 97 664) :x}").operators == {97, 664}
    assert tree_calls("{OPEXPR :opno 551 :opfuncid 177}").implied == {177}
    assert tree_calls("{NEXTVALUEEXPR :seqid 1}").odd == "NEXTVALUEEXPR"
